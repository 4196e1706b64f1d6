"""Which tables a question is about, when not all of them fit into a prompt: by words, synonyms, short forms
and values, and by the keys that join what those found. No embeddings, nothing to be modelled by the user.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from text2sql.schema.callings import Place, Words, callings, columns_called
from text2sql.schema.names import Joins, label
from text2sql.schema.terms import Term, Token, is_word, pairs, stem, terms, tokens
from text2sql.schema.vocabulary import vocabulary
from text2sql.types import Catalogue, Table, ValueHit
from text2sql.wording import words

# What a shared word is worth, by where it stands in the schema.
_NAME, _TABLE_COMMENT, _COLUMN, _COMMENT, _SAMPLE, _VALUE = 4.0, 3.0, 2.0, 1.0, 0.5, 4.0
_AS_A_NAME = 3.0  # and more: a word or synonym of a table's name, or a word of its comment
_WHOLE_NAME = 6.0  # all of a table's name was said, not half of it
_ALL = 0.5  # of a name's worth: a synonym is less than the word, and half a name is less than that
_GENERAL = 0.4  # `name`, `total`: they stand in every question
_PREFIX = 0.5  # `prod` for a product
_LONGEST = 200  # characters of a comment that are read
_ENDS = 5  # tables, best first, that are joined with each other
_Ways = list[list[tuple[Token, float]]]


class Linker:
    """Made once a catalogue; a question costs milliseconds, however many tables there are."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.labels = tuple(label(table, catalogue) for table in catalogue.tables)
        self._number = {name: number for number, name in enumerate(self.labels)}
        self.joins = Joins(catalogue)
        posted: dict[Token, dict[int, float]] = defaultdict(dict)
        for number, table in enumerate(catalogue.tables):
            for token, worth in _weights(table).items():
                posted[token][number] = worth
        self._posted: Mapping[Token, Mapping[int, float]] = dict(posted)
        count = max(1, len(self.labels))
        self._rarity = {token: math.log(1 + count / len(held)) for token, held in posted.items()}
        self._names = [words(table.name) for table in catalogue.tables]
        self._name_worth = [sum(self._rare(word) for word in name) or 1.0 for name in self._names]

    @cached_property
    def called(self) -> Mapping[Token, tuple[Place, ...]]:
        """Made when it is first asked for: not every caller wants hints."""
        return callings(self._catalogue)

    @cached_property
    def columns(self) -> tuple[Mapping[Words, list[Place]], Mapping[Words, list[Place]]]:
        """By all the words of their names; and by those that are not their table's."""
        return columns_called(self._catalogue)

    @cached_property
    def is_readable(self) -> bool:
        """Whether the names mean something here: of `KNA1.LAND1` or `kunden.ort` nobody can say what they
        are not about.
        """
        read = sum(map(_is_read, self._catalogue.tables))
        return read >= len(self._catalogue.tables) / 2

    def knows(self, token: Token) -> bool:
        """Whether any table, column, comment or sample can be met by it."""
        return token in self._posted

    def named_by(self, term: Term) -> list[str]:
        """The tables whose whole name a word is, or means."""
        met = self._met(term)
        return [
            self.labels[number]
            for number, (_, of_name) in sorted(met.items())
            if of_name >= self._name_worth[number] * _ALL
        ]

    def scores(self, question: str, hits: Iterable[ValueHit] = ()) -> dict[str, float]:
        totals: dict[int, float] = defaultdict(float)
        said: dict[int, float] = defaultdict(float)  # how much of a table's name was said
        for term in terms(question):
            for number, (score, of_name) in self._met(term).items():
                totals[number] += score
                said[number] += of_name
        for number, worth in said.items():
            totals[number] += _WHOLE_NAME * min(1.0, worth / self._name_worth[number]) ** 2
        for hit in hits:
            if hit.table in self._number:
                totals[self._number[hit.table]] += _VALUE
        return {name: totals.get(number, 0.0) for number, name in enumerate(self.labels)}

    def touched(self, question: str) -> dict[str, frozenset[str]]:
        """By table, the words of a question that its name, columns, comments or samples answer to; of words
        that stand everywhere (`name`, `order`) the name alone.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for term in terms(question):
            for number, (_, of_name) in self._met(term).items():
                if of_name or not term.is_general:
                    found[self.labels[number]].add(term.said)
        return {name: frozenset(said) for name, said in found.items()}

    def link(self, question: str, hits: Sequence[ValueHit] = (), most: int = 12) -> tuple[Table, ...]:
        """At most `most` tables, in the catalogue's order: the best by words, then what joins them."""
        scores = self.scores(question, hits)
        ranked = sorted((name for name in scores if scores[name] > 0), key=lambda name: -scores[name])
        chosen: dict[str, None] = dict.fromkeys(ranked[: max(1, most // 2)])
        for name in (*self._between(ranked[:_ENDS]), *self._referred(ranked[:3], scores), *ranked):
            if len(chosen) >= most:
                break
            chosen.setdefault(name)
        kept = set(chosen) or set(self.labels[:most])
        return tuple(
            table for table, name in zip(self._catalogue.tables, self.labels, strict=True) if name in kept
        )

    def _between(self, ends: Sequence[str]) -> Iterator[str]:
        for at, end in enumerate(ends):
            for start in ends[:at]:
                yield from self.joins.between(start, end, longest=3)

    def _referred(self, names: Sequence[str], scores: Mapping[str, float]) -> list[str]:
        """What the best tables refer to and the question touches: a fact's dimensions."""
        parents = dict.fromkeys(parent for name in names for parent in self.joins.parents(name))
        return sorted((one for one in parents if scores[one] > 0), key=lambda one: -scores[one])

    def _met(self, term: Term) -> dict[int, tuple[float, float]]:
        """table → what the term is worth there, and how much of the table's name that is."""
        best: dict[int, tuple[float, float]] = {}
        general = _GENERAL if term.is_general else 1.0
        for way in self._ways(term):
            here: dict[int, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
            for token, sure in way:
                rare = self._rarity[token] * sure
                for number, worth in self._posted[token].items():
                    score, of_name = here[number]
                    in_name = worth >= _AS_A_NAME
                    weight = rare * (1.0 if in_name and token == term.word else general)
                    here[number] = (score + worth * weight, of_name + (weight * sure if in_name else 0.0))
            for number, found in here.items():
                if found > best.get(number, (0.0, 0.0)):
                    best[number] = found
        return best

    def _ways(self, term: Term) -> _Ways:
        """The ways a term can be met; the best one counts. Within a way every token counts."""
        ways: _Ways = [[(meaning, 0.85)] for meaning in term.meanings]
        if term.is_chinese:
            parts = pairs(term.word)
            ways.append([(pair, 1.0 / len(parts)) for pair in parts])
        elif not term.is_phrase and not _is_stop(term):
            ways += [[(term.word, 1.0)], [("~" + stem(term.word), 0.8)]]
            ways += [[(word, 0.9)] for word in _long_forms(term.word)]
            ways += [
                [(term.word[:length], _PREFIX)]
                for length in range(3, len(term.word) - 1)
                if not is_word(term.word[:length])
            ]
        return [kept for way in ways if (kept := [one for one in way if one[0] in self._posted])]

    def _rare(self, word: str) -> float:
        return self._rarity.get(word, 0.0)


def _is_read(table: Table) -> bool:
    if _has_meaning(table.name) or _has_meaning(table.comment):
        return True
    read = sum(_has_meaning(one.name) or _has_meaning(one.comment) for one in table.columns)
    return read >= len(table.columns) / 2


def _has_meaning(text: str) -> bool:
    return any(isinstance(token, int) for token in tokens(text[:_LONGEST]))


def _is_stop(term: Term) -> bool:
    return not words(term.said)


def _long_forms(word: str) -> list[str]:
    held = vocabulary().abbreviations.get(word, ())
    return [part for long in held for part in words(long)]


def _weights(table: Table) -> dict[Token, float]:
    weights: dict[Token, float] = {}
    for text, worth in _texts(table):
        if text:
            for token, sure in tokens(text).items():
                if weights.get(token, 0.0) < worth * sure:
                    weights[token] = worth * sure
    return weights


def _texts(table: Table) -> Iterator[tuple[str, float]]:
    yield table.name, _NAME
    yield table.comment[:_LONGEST], _TABLE_COMMENT
    for column in table.columns:
        yield column.name, _COLUMN
        yield column.comment[:_LONGEST], _COMMENT
        for sample in column.samples:
            if len(sample) <= 40:
                yield sample, _SAMPLE
