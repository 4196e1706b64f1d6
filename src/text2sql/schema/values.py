"""What text columns hold, asked for by name; `spotting` finds it in questions."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher

from text2sql.schema.fetching import MOST_CHARACTERS, Domain
from text2sql.schema.spotting import ColumnValues, Spotter, synonyms
from text2sql.schema.terms import folded, has_cjk, tokens
from text2sql.types import ValueHit
from text2sql.wording import normalised, singular, words

MOST_VALUES = 200_000  # in one index: 150 MB at worst
_CANDIDATES = 60  # that are compared letter by letter
_ALIKE = 0.5
_PART_OF = 3  # characters that a part of a value has at least
_QUESTIONS = 64  # whose values are remembered
_RUN = re.compile(r"[^\W_]+")
_YES, _NO = frozenset("yes y true t 1 是".split()), frozenset("no n false f 0 否".split())


class ValueIndex:
    """normalised value → where it stands. Filled once a database, asked with every question."""

    def __init__(self, names: Iterable[str] = (), default_schema: str = "") -> None:
        """`names` of tables and columns, which are seldom values."""
        self._spotter = Spotter(names)
        self._default = f"{default_schema.lower()}." if default_schema else ""
        self._columns: dict[tuple[str, str], ColumnValues] = {}
        self._words: set[str] = set()
        self._count = 0
        self._found: dict[str, list[ValueHit]] = {}  # the stages of one question ask again and again

    def add(self, table: str, column: str, values: Iterable[object], complete: bool = False) -> None:
        """`complete`: these are all the values of the column. Beyond the bound nothing is kept."""
        held = self._columns.setdefault(self._key(table, column), ColumnValues((table, column)))
        held.grams = None
        self._found.clear()
        for value in values:
            if self._count >= MOST_VALUES:
                complete = False
                break
            if isinstance(value, str) and 0 < len(value) <= MOST_CHARACTERS:
                self._hold(held, value)
        held.complete = held.complete or complete

    def add_domain(self, domain: Domain) -> None:
        self.add(domain.table, domain.column, domain.values, domain.complete)

    def _hold(self, held: ColumnValues, value: str) -> None:
        form = normalised(value)
        spellings = held.forms.get(form, ())
        if value in spellings:
            return
        held.forms[form] = (*spellings, value)
        self._count += 1
        if not spellings:
            self._spotter.hold(form, held)
            self._words.update(words(value))

    def __len__(self) -> int:
        return self._count

    # -- in a question

    def find(self, question: str) -> list[ValueHit]:
        if question not in self._found:
            if len(self._found) >= _QUESTIONS:
                self._found.clear()
            self._found[question] = self._spotter.find(question)
        return list(self._found[question])

    def mentions(self, word: str) -> bool:
        """Whether a word, or two Chinese characters, stand inside any value."""
        return word in self._words

    # -- Domains

    def contains(self, table: str, column: str, value: str) -> bool | None:
        held = self._columns.get(self._key(table, column))
        if held is None:
            return None
        if value in held.forms.get(normalised(value), ()):
            return True
        return False if held.complete and len(value) <= MOST_CHARACTERS else None

    def spelled(self, table: str, column: str, value: str) -> str | None:
        held = self._columns.get(self._key(table, column))
        if held is None:
            return None
        spellings = held.forms.get(normalised(value))
        if spellings:
            return value if value in spellings else spellings[0]
        # 中国 in a column of English names: sure if there is one value that it is called
        forms = {normalised(one) for one in synonyms(value)} & held.forms.keys()
        if len(forms) == 1:
            return held.forms[forms.pop()][0]
        if not held.complete:
            return None
        return _in_words(value, held) or _yes_or_no(value, held) or _initial(value, held)

    def places(self, value: str) -> list[tuple[str, str]]:
        return [held.place for held in self._spotter.places.get(normalised(value), ())]

    def holding(self, table: str, column: str, text: str) -> list[str]:
        held, form = self._columns.get(self._key(table, column)), normalised(text)
        if held is None or not held.complete or len(form) < _PART_OF:
            return []
        return [
            spellings[0] for other, spellings in held.forms.items() if _stands_in(form, other, open_end=True)
        ]

    def within(self, table: str, column: str, text: str) -> list[str]:
        held, form = self._columns.get(self._key(table, column)), normalised(text)
        if held is None or not held.complete:
            return []
        shorter = ((other, held.forms[other][0]) for other in held.forms if len(other) >= _PART_OF)
        return [spelling for other, spelling in shorter if _stands_in(other, form)]

    def nearest(self, table: str, column: str, value: str, most: int = 5) -> list[str]:
        """Values that share words, letters or, across languages, the meaning."""
        held = self._columns.get(self._key(table, column))
        if held is None:
            return []
        form = normalised(value)
        meant = _meanings(value)
        scored = []
        for other in _candidates(held, form, value):
            score = SequenceMatcher(None, form, other).ratio()
            shared = set(words(form)) & set(words(other))
            if meant & _meanings(other):
                score = 2.0
            elif shared:
                score += 0.3 * len(shared)
            if score >= _ALIKE:
                scored.append((-score, len(other), held.forms[other][0]))
        return [spelling for _, _, spelling in sorted(scored)[:most]]

    def _key(self, table: str, column: str) -> tuple[str, str]:
        return table.lower().removeprefix(self._default), column.lower()


def _meanings(text: str) -> frozenset[int]:
    return frozenset(token for token in tokens(folded(text)) if isinstance(token, int))


def _stands_in(part: str, text: str, *, open_end: bool = False) -> bool:
    """As whole words, the last of which may go on: *engineer* in `engineering`. Chinese has none."""
    at = text.find(part)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(part) : at + len(part) + 1]
        if has_cjk(part) or not (before.isalnum() or (after.isalnum() and not open_end)):
            return True
        at = text.find(part, at + 1)
    return False


def _in_words(value: str, held: ColumnValues) -> str | None:
    """`On Hold` in a column that says `on-hold`, `Dogs` where it says `dog`: the one value of these words."""
    wanted = _plain_words(value)
    if not wanted or len(held.forms) > _CANDIDATES:
        return None
    found = [spellings[0] for form, spellings in held.forms.items() if _plain_words(form) == wanted]
    return found[0] if len(found) == 1 else None


def _plain_words(text: str) -> list[str]:
    return [singular(word) for word in _RUN.findall(normalised(text))]


def _yes_or_no(value: str, held: ColumnValues) -> str | None:
    """`Yes` in a column of T and F: it says the same."""
    said, forms = normalised(value), held.forms.keys()
    if not forms & _YES or not forms & _NO or not forms <= _YES | _NO | {""}:
        return None
    found = [form for side in (_YES, _NO) if said in side for form in forms & side]
    return held.forms[found[0]][0] if len(found) == 1 else None


def _initial(value: str, held: ColumnValues) -> str | None:
    """`left` in a column of L, R and U: the letter that it begins with, where all values are letters."""
    letters = [form for form in held.forms if form]
    if not value[:1].isalpha() or len(value) < 2 or any(len(form) > 1 for form in letters):
        return None
    found = held.forms.get(normalised(value[0]))
    return found[0] if found and len(letters) > 1 else None


def _grams(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(len(text) - 1)} or {text}


def _candidates(held: ColumnValues, form: str, value: str) -> list[str]:
    """The values that share the most pairs of letters, and those that another language calls so."""
    if held.grams is None:
        grams: dict[str, list[str]] = defaultdict(list)
        for other in held.forms:
            for gram in _grams(other):
                grams[gram].append(other)
        held.grams = dict(grams)
    counted = Counter(other for gram in _grams(form) for other in held.grams.get(gram, ()))
    translated = (normalised(one) for one in synonyms(value))
    return [
        *dict.fromkeys(
            (
                *(one for one in translated if one in held.forms),
                *(one for one, _ in counted.most_common(_CANDIDATES)),
            )
        )
    ]
