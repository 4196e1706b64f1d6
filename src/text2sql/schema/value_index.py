"""Index of the values of text columns, for lookups by column; `value_matching` finds values in questions."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher

from text2sql.schema.tokenizer import folded, tokens
from text2sql.schema.value_matching import ColumnValues, ValueMatcher, synonyms
from text2sql.schema.value_queries import MOST_CHARACTERS, Domain
from text2sql.text_normalization import normalised, singular, words
from text2sql.types import ValueHit

MOST_VALUES = 200_000  # in one index: 150 MB at worst
_CANDIDATES = 60  # values whose similarity is computed
_MIN_SIMILARITY = 0.5  # least similarity
_QUESTIONS = 64  # size of the cache
_RUN = re.compile(r"[^\W_]+")
_YES, _NO = frozenset("yes y true t 1 是".split()), frozenset("no n false f 0 否".split())


class ValueIndex:
    """Normalized value → the columns that contain it. Filled once per database, used for every question."""

    def __init__(self, names: Iterable[str] = (), default_schema: str = "") -> None:
        """`names`: of tables and columns; a word that is one of them is seldom a value."""
        self._value_matcher = ValueMatcher(names)
        self._default = f"{default_schema.lower()}." if default_schema else ""
        self._columns: dict[tuple[str, str], ColumnValues] = {}
        self._words: set[str] = set()
        self._count = 0
        self._hits: dict[str, list[ValueHit]] = {}  # cache: several stages of one question need the hits

    def add(self, table: str, column: str, values: Iterable[object], complete: bool = False) -> None:
        """Add values of a column, up to `MOST_VALUES` in all. `complete`: these are all its values."""
        column_values = self._columns.setdefault(self._key(table, column), ColumnValues((table, column)))
        column_values.grams = None
        self._hits.clear()
        for value in values:
            if self._count >= MOST_VALUES:
                complete = False
                break
            if isinstance(value, str) and 0 < len(value) <= MOST_CHARACTERS:
                self._add_value(column_values, value)
        column_values.complete = column_values.complete or complete

    def add_domain(self, domain: Domain) -> None:
        self.add(domain.table, domain.column, domain.values, domain.complete)

    def _add_value(self, column: ColumnValues, value: str) -> None:
        form = normalised(value)
        spellings = column.forms.get(form, ())
        if value in spellings:
            return
        column.forms[form] = (*spellings, value)
        self._count += 1
        if not spellings:
            self._value_matcher.add(form, column)
            self._words.update(words(value))

    def __len__(self) -> int:
        return self._count

    # -- Values in a question

    def find(self, question: str) -> list[ValueHit]:
        if question not in self._hits:
            if len(self._hits) >= _QUESTIONS:
                self._hits.clear()
            self._hits[question] = self._value_matcher.find(question)
        return list(self._hits[question])

    def mentions(self, word: str) -> bool:
        """Whether any value contains the word, or the two Chinese characters."""
        return word in self._words

    # -- The `ValueDomains` protocol

    def contains(self, table: str, column: str, value: str) -> bool | None:
        values = self._columns.get(self._key(table, column))
        if values is None:
            return None
        if value in values.forms.get(normalised(value), ()):
            return True
        return False if values.complete and len(value) <= MOST_CHARACTERS else None

    def spelled(self, table: str, column: str, value: str) -> str | None:
        values = self._columns.get(self._key(table, column))
        if values is None:
            return None
        spellings = values.forms.get(normalised(value))
        if spellings:
            return value if value in spellings else spellings[0]
        # 中国 in a column of English names: accepted if exactly one synonym is a value of the column
        forms = {normalised(synonym) for synonym in synonyms(value)} & values.forms.keys()
        if len(forms) == 1:
            return values.forms[forms.pop()][0]
        if not values.complete:
            return None
        return _same_words(value, values) or _same_boolean(value, values) or _initial(value, values)

    def columns_with(self, value: str) -> list[tuple[str, str]]:
        columns = self._value_matcher.columns_by_form.get(normalised(value), ())
        return [column_values.qualified_name for column_values in columns]

    def all_of(self, table: str, column: str, most: int) -> list[str]:
        """All values of the column in order; empty if they are not all known or more than `most`."""
        values = self._columns.get(self._key(table, column))
        if values is None or not values.complete or len(values.forms) > most:
            return []
        return sorted(spelling for spellings in values.forms.values() for spelling in spellings)

    def nearest(self, table: str, column: str, value: str, most: int = 5) -> list[str]:
        """Values that share words, letters or, across languages, a meaning."""
        values = self._columns.get(self._key(table, column))
        if values is None:
            return []
        form = normalised(value)
        meanings = _meanings(value)
        scored = []
        for candidate in _candidates(values, form, value):
            score = SequenceMatcher(None, form, candidate).ratio()
            shared = set(words(form)) & set(words(candidate))
            if meanings & _meanings(candidate):
                score = 2.0
            elif shared:
                score += 0.3 * len(shared)
            if score >= _MIN_SIMILARITY:
                scored.append((-score, len(candidate), values.forms[candidate][0]))
        return [spelling for _, _, spelling in sorted(scored)[:most]]

    def _key(self, table: str, column: str) -> tuple[str, str]:
        return table.lower().removeprefix(self._default), column.lower()


def _meanings(text: str) -> frozenset[int]:
    return frozenset(token for token in tokens(folded(text)) if isinstance(token, int))


def _same_words(value: str, column: ColumnValues) -> str | None:
    """The only value of the same words: `on-hold` for `On Hold`, `dog` for `Dogs`."""
    value_words = _plain_words(value)
    if not value_words or len(column.forms) > _CANDIDATES:
        return None
    matches = [spellings[0] for form, spellings in column.forms.items() if _plain_words(form) == value_words]
    return matches[0] if len(matches) == 1 else None


def _plain_words(text: str) -> list[str]:
    return [singular(word) for word in _RUN.findall(normalised(text))]


def _same_boolean(value: str, column: ColumnValues) -> str | None:
    """The column's own spelling of a boolean: T for `Yes` in a column of T and F."""
    form, forms = normalised(value), column.forms.keys()
    if not forms & _YES or not forms & _NO or not forms <= _YES | _NO | {""}:
        return None
    matches = [other for side in (_YES, _NO) if form in side for other in forms & side]
    return column.forms[matches[0]][0] if len(matches) == 1 else None


def _initial(value: str, column: ColumnValues) -> str | None:
    """The first letter of the value, if all values of the column are letters: L for `left`."""
    letters = [form for form in column.forms if form]
    if not value[:1].isalpha() or len(value) < 2 or any(len(form) > 1 for form in letters):
        return None
    spellings = column.forms.get(normalised(value[0]))
    return spellings[0] if spellings and len(letters) > 1 else None


def _grams(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(len(text) - 1)} or {text}


def _candidates(column: ColumnValues, form: str, value: str) -> list[str]:
    """The synonyms among the values, then the values that share the most letter bigrams."""
    if column.grams is None:
        grams: dict[str, list[str]] = defaultdict(list)
        for other in column.forms:
            for gram in _grams(other):
                grams[gram].append(other)
        column.grams = dict(grams)
    counts = Counter(other for gram in _grams(form) for other in column.grams.get(gram, ()))
    translations = (normalised(synonym) for synonym in synonyms(value))
    known = [translation for translation in translations if translation in column.forms]
    return list(dict.fromkeys((*known, *(other for other, _ in counts.most_common(_CANDIDATES)))))
