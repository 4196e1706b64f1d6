"""What text columns hold: found in a question, and asked for by name. Exact or normalised-exact only: an
uncertain hint costs a small model more answers than it saves.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from text2sql.schema.fetching import MOST_CHARACTERS, Domain
from text2sql.schema.glossary import glossary
from text2sql.schema.terms import folded, has_cjk, tokens
from text2sql.schema.vocabulary import vocabulary
from text2sql.types import ValueHit
from text2sql.wording import normalised, singular, words

MOST_VALUES = 200_000  # in one index: 150 MB at worst
_WORDS_A_VALUE = 6
_CJK_CHARACTERS = 12
_PLACES = 5  # in which one value is reported
_CANDIDATES = 60  # that are compared letter by letter
_ALIKE = 0.5
_PART_OF = 3  # characters that a part of a value has at least
_QUESTIONS = 64  # whose values are remembered
_CJK = "\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_WORD = re.compile(rf"[^\W_{_CJK}]+(?:['’.&/-][^\W_{_CJK}]+)*", re.UNICODE)
_RUN = re.compile(r"[^\W_]+")
_PART = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_QUOTED = re.compile(  # bounded, so that a text full of quotes costs no more than its length
    r"\"([^\"]{1,80})\"|“([^”]{1,80})”|「([^」]{1,80})」|《([^》]{1,80})》|`([^`]{1,80})`"
    r"|‘([^’]{1,80})’(?!\w)|(?<!\w)'((?:[^']|'(?=\w)){1,80})'(?!\w)"
)
_YES, _NO = frozenset("yes y true t 1 是".split()), frozenset("no n false f 0 否".split())
_NUMBER = re.compile(r"[\d\s.,:/%-]+")


class _Column:
    """One column: normalised text → its spellings, and, once somebody asks, which pairs of letters it has."""

    __slots__ = ("complete", "forms", "grams", "place")

    def __init__(self, place: tuple[str, str]) -> None:
        self.place = place
        self.forms: dict[str, tuple[str, ...]] = {}
        self.complete = False
        self.grams: dict[str, list[str]] | None = None


class ValueIndex:
    """normalised value → where it stands. Filled once a database, asked with every question."""

    def __init__(self, names: Iterable[str] = (), default_schema: str = "") -> None:
        """`names` of tables and columns: a word that is one of them is not taken for a value, and one that is
        a part of them only for a value of such a column: *good customers* of `good_or_bad_customer`.
        """
        parts = {name: words(name) for name in names}
        self._names = frozenset(" ".join(held) or normalised(name) for name, held in parts.items())
        self._parts = frozenset(word for held in parts.values() for word in held)
        self._default = f"{default_schema.lower()}." if default_schema else ""
        self._columns: dict[tuple[str, str], _Column] = {}
        self._places: dict[str, list[_Column]] = defaultdict(list)
        self._words: set[str] = set()
        self._heads: set[str] = set()  # how values begin: a word, or two characters of what holds Chinese
        self._count = 0
        self._found: dict[str, list[ValueHit]] = {}  # the stages of one question ask again and again

    def add(self, table: str, column: str, values: Iterable[object], complete: bool = False) -> None:
        """`complete`: these are all the values of the column. Beyond the bound nothing is kept."""
        held = self._columns.setdefault(self._key(table, column), _Column((table, column)))
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

    def _hold(self, held: _Column, value: str) -> None:
        form = normalised(value)
        spellings = held.forms.get(form, ())
        if value in spellings:
            return
        held.forms[form] = (*spellings, value)
        self._count += 1
        if not spellings:
            self._places[form].append(held)
            self._words.update(words(value))
            first = _WORD.match(form)
            self._heads.add(first.group() if first and not has_cjk(form) else form[:2])

    def __len__(self) -> int:
        return self._count

    # -- in a question

    def find(self, question: str) -> list[ValueHit]:
        """Longest first; a piece inside a longer hit is not reported again. Quoted text is taken whole."""
        if question not in self._found:
            if len(self._found) >= _QUESTIONS:
                self._found.clear()
            self._found[question] = self._look_for(question)
        return list(self._found[question])

    def _look_for(self, question: str) -> list[ValueHit]:
        hits: list[ValueHit] = []
        taken: list[tuple[int, int]] = []
        for match in _QUOTED.finditer(question):
            start, end = match.span(match.lastindex or 0)
            said = question[start:end].strip()
            hits += self._hits(said, self._places.get(self._form(said), ()))
            taken.append((start, end))  # what is quoted is meant as a whole
        for start, end in sorted(self._pieces(question), key=lambda piece: piece[0] - piece[1]):
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            said = question[start:end]
            places = [one for one in self._places.get(self._form(said), ()) if self._may_be(said, one)]
            if places and self._is_telling(said, len(places)):
                taken.append((start, end))
                hits += self._hits(said, places)
        return hits

    def _form(self, said: str) -> str:
        """As values are kept; of *subsidiaries* there may only be the `Subsidiary`."""
        form = normalised(said)
        return form if form in self._places or not said.isascii() else singular(form)

    def _may_be(self, said: str, held: _Column) -> bool:
        """*Heads born in each state* are about `born_state`, not about a department that is called State."""
        (word, *more) = words(said) or ("",)
        plain = said.isascii() and said == said.lower() and not more
        return not plain or word not in self._parts or word in words(held.place[1])

    def _hits(self, said: str, places: Sequence[_Column]) -> list[ValueHit]:
        form = self._form(said)
        found: list[ValueHit] = []
        for held in places[:_PLACES]:
            spellings = held.forms[form]
            chosen = (said,) if said in spellings else spellings
            found += [ValueHit(said, value, *held.place) for value in chosen]
        return found

    def _pieces(self, question: str) -> Iterator[tuple[int, int]]:
        """Every run of words, and every run with Chinese characters, that could be a value."""
        spans = [match.span() for match in _WORD.finditer(question)]
        for i, (start, first) in enumerate(spans):
            head = normalised(question[start:first])
            if head in self._heads or singular(head) in self._heads:
                for _, end in spans[i : i + _WORDS_A_VALUE]:
                    yield start, end
        for run in _RUN.finditer(question):
            if not has_cjk(run.group()):
                continue
            parts = [match.span() for match in _PART.finditer(question, *run.span())]
            for i, (start, _) in enumerate(parts):
                if normalised(question[start : start + 2]) in self._heads:
                    for _, end in parts[i : i + _CJK_CHARACTERS]:
                        yield start, end

    def _is_telling(self, said: str, places: int) -> bool:
        """Not a number, not a letter, not a word of every question, not a name of this schema, and not one
        that stands everywhere, such as `yes`.
        """
        form = normalised(said)
        if len(form) < 2 or _NUMBER.fullmatch(form) or (places > 3 and len(form) <= 4 and not has_cjk(form)):
            return False
        general = vocabulary()
        if general.is_general(form) or general.is_general(singular(form)):
            return False
        return (" ".join(words(said)) or form) not in self._names

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
        forms = {normalised(one) for one in _translations(value)} & held.forms.keys()
        if len(forms) == 1:
            return held.forms[forms.pop()][0]
        if not held.complete:
            return None
        return _in_words(value, held) or _yes_or_no(value, held) or _initial(value, held)

    def places(self, value: str) -> list[tuple[str, str]]:
        return [held.place for held in self._places.get(normalised(value), ())]

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


def _in_words(value: str, held: _Column) -> str | None:
    """`On Hold` in a column that says `on-hold`, `Dogs` where it says `dog`: the one value of these words."""
    wanted = _plain_words(value)
    if not wanted or len(held.forms) > _CANDIDATES:
        return None
    found = [spellings[0] for form, spellings in held.forms.items() if _plain_words(form) == wanted]
    return found[0] if len(found) == 1 else None


def _plain_words(text: str) -> list[str]:
    return [singular(word) for word in _RUN.findall(normalised(text))]


def _yes_or_no(value: str, held: _Column) -> str | None:
    """`Yes` in a column of T and F: it says the same."""
    said, forms = normalised(value), held.forms.keys()
    if not forms & _YES or not forms & _NO or not forms <= _YES | _NO | {""}:
        return None
    found = [form for side in (_YES, _NO) if said in side for form in forms & side]
    return held.forms[found[0]][0] if len(found) == 1 else None


def _initial(value: str, held: _Column) -> str | None:
    """`left` in a column of L, R and U: the letter that it begins with, where all values are letters."""
    letters = [form for form in held.forms if form]
    if not value[:1].isalpha() or len(value) < 2 or any(len(form) > 1 for form in letters):
        return None
    found = held.forms.get(normalised(value[0]))
    return found[0] if found and len(letters) > 1 else None


def _translations(text: str) -> list[str]:
    return glossary().synonyms(text) or glossary().synonyms(" ".join(words(text)))


def _grams(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(len(text) - 1)} or {text}


def _candidates(held: _Column, form: str, value: str) -> list[str]:
    """The values that share the most pairs of letters, and those that another language calls so."""
    if held.grams is None:
        grams: dict[str, list[str]] = defaultdict(list)
        for other in held.forms:
            for gram in _grams(other):
                grams[gram].append(other)
        held.grams = dict(grams)
    counted = Counter(other for gram in _grams(form) for other in held.grams.get(gram, ()))
    translated = (normalised(one) for one in _translations(value))
    return [
        *dict.fromkeys(
            (
                *(one for one in translated if one in held.forms),
                *(one for one, _ in counted.most_common(_CANDIDATES)),
            )
        )
    ]
