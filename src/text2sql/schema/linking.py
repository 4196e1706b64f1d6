"""Select the tables that are relevant to a question when not all of them fit into a prompt.

Tables are scored by words, synonyms, abbreviations and matched values, then completed by the tables that join
them. No embeddings, and no semantic model that the user has to write.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from text2sql.schema.name_index import NamedItem, build_name_index
from text2sql.schema.stopwords import vocabulary
from text2sql.schema.table_labels import Joins, label
from text2sql.schema.tokenizer import Term, Token, has_cjk, is_word, pairs, stem, terms, tokens
from text2sql.text_normalization import words
from text2sql.types import Catalog, Table, ValueHit

# Score of a shared word, by where it occurs in the schema.
_NAME, _TABLE_COMMENT, _COLUMN, _COMMENT, _SAMPLE, _VALUE = 4.0, 3.0, 2.0, 1.0, 0.5, 4.0
_NAME_MINIMUM = 3.0  # from this score on: a word or synonym of a table's name, or a word of its comment
_WHOLE_NAME = 6.0  # bonus if the question contains all of a table's name
_NAMED_SHARE = 0.5  # of a name's full score: a synonym scores below the word, half a name below that
_GENERAL = 0.4  # factor for `name`, `total`: they occur in every question
_PREFIX = 0.5  # confidence of a prefix: `prod` for a product
_LONGEST = 200  # characters of a comment that are indexed
_ENDS = 5  # best tables that are joined with each other
_Alternatives = list[list[tuple[Token, float]]]


class Linker:
    """Built once per catalog; linking a question takes milliseconds, however many tables there are."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.labels = tuple(label(table, catalog) for table in catalog.tables)
        self._number = {name: number for number, name in enumerate(self.labels)}
        self.joins = Joins(catalog)
        postings: dict[Token, dict[int, float]] = defaultdict(dict)
        for number, table in enumerate(catalog.tables):
            for token, weight in _weights(table).items():
                postings[token][number] = weight
        self._postings: Mapping[Token, Mapping[int, float]] = dict(postings)
        count = max(1, len(self.labels))
        self._rarity = {token: math.log(1 + count / len(tables)) for token, tables in postings.items()}
        self._names = [words(table.name) for table in catalog.tables]
        self._name_weights = [
            sum(self._rarity.get(word, 0.0) for word in name) or 1.0 for name in self._names
        ]

    @cached_property
    def name_index(self) -> Mapping[Token, tuple[NamedItem, ...]]:
        """Index from a token to the tables and columns with that whole name; built on first use."""
        return build_name_index(self._catalog)

    @cached_property
    def _name_words(self) -> frozenset[str]:
        """The words in names and comments of tables and columns, but those in Chinese."""
        return frozenset(
            word
            for table in self._catalog.tables
            for text in _names(table)
            for word in words(text)
            if not word.isdigit() and not has_cjk(word)
        )

    @cached_property
    def opaque_names(self) -> frozenset[str]:
        """The words in names that neither the glossary nor a list of abbreviations knows."""
        return frozenset(word for word in self._name_words if not _has_meaning(word))

    @property
    def opaque_share(self) -> float:
        """Near 0 for `orders.shipped_on`, near 1 for `KNA1.LAND1` and `kunden.ort`."""
        return len(self.opaque_names) / len(self._name_words) if self._name_words else 0.0

    def may_abbreviate(self, word: str) -> bool:
        """Whether an opaque name has the letters of the word in order, from the first on: `rte` for route."""
        return any(
            name[0] == word[:1] and len(name) < len(word) and _is_subsequence(name, word)
            for name in self.opaque_names
        )

    def knows(self, token: Token) -> bool:
        """Whether any table, column, comment or sample contains the token."""
        return token in self._postings

    def named_by(self, term: Term) -> list[str]:
        """The tables whose whole name is the word or one of its synonyms."""
        return [
            self.labels[number]
            for number, (_, name_score) in sorted(self._matches(term).items())
            if name_score >= self._name_weights[number] * _NAMED_SHARE
        ]

    def scores(self, question: str, hits: Iterable[ValueHit] = ()) -> dict[str, float]:
        """The relevance of every table, by its label; 0.0 if nothing matches."""
        totals: dict[int, float] = defaultdict(float)
        name_scores: dict[int, float] = defaultdict(float)  # how much of a table's name the question contains
        for term in terms(question):
            for number, (score, name_score) in self._matches(term).items():
                totals[number] += score
                name_scores[number] += name_score
        for number, name_score in name_scores.items():
            totals[number] += _WHOLE_NAME * min(1.0, name_score / self._name_weights[number]) ** 2
        for hit in hits:
            if hit.table in self._number:
                totals[self._number[hit.table]] += _VALUE
        return {name: totals.get(number, 0.0) for number, name in enumerate(self.labels)}

    def link(self, question: str, hits: Sequence[ValueHit] = (), most: int = 12) -> tuple[Table, ...]:
        """At most `most` tables, in the catalog's order: the best ones, and the tables that join them."""
        scores = self.scores(question, hits)
        ranked = sorted((name for name in scores if scores[name] > 0), key=lambda name: -scores[name])
        chosen: dict[str, None] = dict.fromkeys(ranked[: max(1, most // 2)])
        for name in (*self._joining(ranked[:_ENDS]), *self._referred(ranked[:3], scores), *ranked):
            if len(chosen) >= most:
                break
            chosen.setdefault(name)
        selected = set(chosen) or set(self.labels[:most])
        return tuple(
            table for table, name in zip(self._catalog.tables, self.labels, strict=True) if name in selected
        )

    def _joining(self, ends: Sequence[str]) -> Iterator[str]:
        """The tables on the join paths between each two of the tables."""
        for at, end in enumerate(ends):
            for start in ends[:at]:
                yield from self.joins.between(start, end, longest=3)

    def _referred(self, names: Sequence[str], scores: Mapping[str, float]) -> list[str]:
        """Tables that the best tables refer to and that match the question: a fact table's dimensions."""
        parents = dict.fromkeys(parent for name in names for parent in self.joins.parents(name))
        return sorted((name for name in parents if scores[name] > 0), key=lambda name: -scores[name])

    def _matches(self, term: Term) -> dict[int, tuple[float, float]]:
        """table number → score of the term, and the part of the score that comes from the table's name."""
        best: dict[int, tuple[float, float]] = {}
        general = _GENERAL if term.is_general else 1.0
        for alternative in self._alternatives(term):
            scored: dict[int, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
            for token, confidence in alternative:
                rarity = self._rarity[token] * confidence
                for number, place_weight in self._postings[token].items():
                    score, name_score = scored[number]
                    in_name = place_weight >= _NAME_MINIMUM
                    weight = rarity * (1.0 if in_name and token == term.word else general)
                    scored[number] = (
                        score + place_weight * weight,
                        name_score + (weight * confidence if in_name else 0.0),
                    )
            for number, scores in scored.items():
                if scores > best.get(number, (0.0, 0.0)):
                    best[number] = scores
        return best

    def _alternatives(self, term: Term) -> _Alternatives:
        """Groups of indexed tokens that can stand for the term. The best group counts, with all tokens."""
        groups: _Alternatives = [[(meaning, 0.85)] for meaning in term.meanings]
        if term.is_chinese:
            parts = pairs(term.word)
            groups.append([(pair, 1.0 / len(parts)) for pair in parts])
        elif not term.is_phrase and not _is_stop_word(term):
            groups += [[(term.word, 1.0)], [("~" + stem(term.word), 0.8)]]
            groups += [[(word, 0.9)] for word in _long_forms(term.word)]
            groups += [
                [(term.word[:length], _PREFIX)]
                for length in range(3, len(term.word) - 1)
                if not is_word(term.word[:length])
            ]
        indexed = ([entry for entry in group if entry[0] in self._postings] for group in groups)
        return [group for group in indexed if group]


def _has_meaning(word: str) -> bool:
    return is_word(word) or any(isinstance(token, int) for token in tokens(word))


def _is_subsequence(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)


def _is_stop_word(term: Term) -> bool:
    return not words(term.text)


def _long_forms(word: str) -> list[str]:
    long_forms = vocabulary().abbreviations.get(word, ())
    return [part for long_form in long_forms for part in words(long_form)]


def _weights(table: Table) -> dict[Token, float]:
    weights: dict[Token, float] = {}
    for text, weight in _texts(table):
        if text:
            for token, confidence in tokens(text).items():
                if weights.get(token, 0.0) < weight * confidence:
                    weights[token] = weight * confidence
    return weights


def _names(table: Table) -> Iterator[str]:
    yield table.name
    yield table.comment[:_LONGEST]
    for column in table.columns:
        yield column.name
        yield column.comment[:_LONGEST]


def _texts(table: Table) -> Iterator[tuple[str, float]]:
    yield table.name, _NAME
    yield table.comment[:_LONGEST], _TABLE_COMMENT
    for column in table.columns:
        yield column.name, _COLUMN
        yield column.comment[:_LONGEST], _COMMENT
        for sample in column.samples:
            if len(sample) <= 40:
                yield sample, _SAMPLE
