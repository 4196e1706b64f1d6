"""Find the entities, dimensions and measures of a database in the words of a question."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from text2sql.naming.units import is_unit
from text2sql.schema import glossary, terms
from text2sql.schema.stopwords import vocabulary
from text2sql.schema.tokenizer import Term, folded, has_cjk, stem
from text2sql.types import SchemaCandidate, SchemaMention, SemanticModel

_EQUAL, _SAME_MEANING, _SAME_STEM = 1.0, 0.9, 0.8
_HEAD_ONLY = 0.6  # *city* for `billing_city`
_TAIL_ONLY = 0.45  # *order* for `order_items`
_MIN_SCORE = 0.4
_SYNONYM = 0.98
_NEXT_BEST = 0.45  # how much worse than the best candidate the last one may be
_LONGEST_NAME = 6  # words
_CONNECTING = frozenset(("of", "the", "a", "an", "的", "'s", "s"))
_KEY_WORDS = frozenset(("id", "key", "no", "code"))


@dataclass(frozen=True, slots=True)
class _Alias:
    """One name of an item, as words."""

    item: tuple[str, str, str]  # kind, name, table
    words: tuple[Term, ...]
    meanings: frozenset[int]  # of the whole name
    weight: float = 1.0
    is_literal: bool = False  # only these very words: *track id* and not *number of tracks*
    chinese: str = ""  # the name, if it is Chinese: found in a question however its words are cut


@dataclass(slots=True)
class _Match:
    start: int
    end: int
    score: float


@dataclass(slots=True)
class Lexicon:
    """Built once per semantic model."""

    aliases: list[_Alias] = field(default_factory=list)
    _chinese: list[int] = field(default_factory=list)
    _by_token: dict[str | int, set[int]] = field(default_factory=lambda: defaultdict(set))

    def add(
        self, item: tuple[str, str, str], name: str, weight: float = 1.0, *, is_literal: bool = False
    ) -> None:
        all_terms = terms(name.replace("_", " "))
        name_words = tuple(term for term in all_terms if not term.is_phrase)
        if not name_words or len(name_words) > _LONGEST_NAME:
            return
        whole: frozenset[int] = frozenset()
        if len(name_words) == 1:
            whole = _synonymous(name_words[0])
        for term in all_terms:
            if term.is_phrase and term.start == name_words[0].start and term.end == name_words[-1].end:
                whole = _synonymous(term)
        chinese = folded(name) if has_cjk(name) and len(name) > 1 else ""
        alias = _Alias(item, name_words, frozenset() if is_literal else whole, weight, is_literal, chinese)
        number = len(self.aliases)
        self.aliases.append(alias)
        if chinese:
            self._chinese.append(number)
        for word in name_words:
            for token in _tokens(word):
                self._by_token[token].add(number)
        for meaning in whole:
            self._by_token[meaning].add(number)

    def find(self, question: str) -> list[SchemaMention]:
        """The mentions of a question in its order, also those that overlap."""
        all_terms = terms(question)
        best: dict[tuple[int, int], dict[tuple[str, str, str], float]] = defaultdict(dict)
        for number in self._candidates(all_terms):
            alias = self.aliases[number]
            for match in _matches(alias, all_terms):
                scores = best[match.start, match.end]
                score = round(match.score * alias.weight, 3)
                if score >= _MIN_SCORE and scores.get(alias.item, 0.0) < score:
                    scores[alias.item] = score
        text = folded(question)
        for number in self._chinese:
            alias = self.aliases[number]
            for found in re.finditer(re.escape(alias.chinese), text):
                scores = best[found.span()]
                scores[alias.item] = max(scores.get(alias.item, 0.0), _EQUAL * alias.weight)
        return _mentions(text, best)

    def _candidates(self, all_terms: Sequence[Term]) -> set[int]:
        numbers: set[int] = set()
        for term in all_terms:
            for token in _tokens(term):
                numbers |= self._by_token.get(token, set())
        return numbers


def _tokens(term: Term) -> list[str | int]:
    return [term.word, "~" + stem(term.word), *term.meanings]


def build_lexicon(model: SemanticModel) -> Lexicon:
    lexicon = Lexicon()
    for entity in model.entities:
        item = ("entity", entity.table, entity.table)
        for name in (_bare(entity.table), *entity.synonyms):
            lexicon.add(item, name)
        if len(entity.key) == 1 and not _ends_in_key_word(entity.key[0]):
            lexicon.add(item, entity.key[0])  # the `sku` of a table of them
    for dimension in model.dimensions:
        item = ("dimension", dimension.name, dimension.table)
        for name, weight in _column_names(dimension.table, dimension.column):
            lexicon.add(item, name, weight, is_literal=dimension.kind == "key")
        _add_synonyms(lexicon, item, dimension.synonyms)
    for measure in model.measures:
        item = ("measure", measure.name, measure.table)
        table, _, column = measure.name.rpartition(".")
        for name, weight in _column_names(table or measure.table, column):
            lexicon.add(item, name, weight)
        _add_synonyms(lexicon, item, measure.synonyms)
    return lexicon


def _add_synonyms(lexicon: Lexicon, item: tuple[str, str, str], synonyms: Iterable[str]) -> None:
    """Synonyms of synonyms are not meant: those of several words only match these very words."""
    for synonym in synonyms:
        lexicon.add(item, synonym, _SYNONYM, is_literal=" " in synonym)


def _ends_in_key_word(column: str) -> bool:
    own = [term.word for term in terms(column.replace("_", " ")) if not term.is_phrase]
    return not own or own[-1] in _KEY_WORDS


def _synonymous(term: Term) -> frozenset[int]:
    """Its meanings that are lines of synonyms; the words of other lines are only related."""
    return glossary().synonymous(term.meanings)


def _bare(table: str) -> str:
    return table.rpartition(".")[2]


def _column_names(table: str, column: str) -> Iterator[tuple[str, float]]:
    """The names of a column: its own, its own with its table's, and its own without its table's."""
    yield column, 1.0
    own = [term.word for term in terms(column.replace("_", " ")) if not term.is_phrase]
    table_words = [term.word for term in terms(_bare(table).replace("_", " ")) if not term.is_phrase]
    if own[: len(table_words)] == table_words and len(own) > len(table_words):
        rest = own[len(table_words) :]
        if not set(rest) <= _KEY_WORDS:
            yield " ".join(rest), 0.97
    elif not set(own) & set(table_words):
        yield f"{_bare(table)} {column}", 1.0
    name, _, unit = column.rpartition("_")
    if name and is_unit(unit.lower()):
        yield name, 0.98  # `weight_kg`


def _matches(alias: _Alias, all_terms: Sequence[Term]) -> Iterator[_Match]:
    """Where the alias stands in the question: the whole name, or the part of it that names it."""
    if alias.meanings:
        for term in all_terms:
            if _synonymous(term) & alias.meanings:
                yield _Match(term.start, term.end, _SAME_MEANING)
    single = [term for term in all_terms if not term.is_phrase]
    count = len(alias.words)
    for first in range(len(single)):
        match = _match_at(alias, single, first, count)
        if match is not None:
            yield match
    if count > 1 and not alias.is_literal:
        yield from _partial_matches(alias, single)


def _match_at(alias: _Alias, single: Sequence[Term], first: int, count: int) -> _Match | None:
    """All words of the name from this term on, in any order, with *of* or 的 between them."""
    left = list(alias.words)
    total, index, last = 0.0, first, first
    while left and index < len(single):
        term = single[index]
        scored = max(((_score(term, word, alias), word) for word in left), key=lambda pair: pair[0])
        if scored[0] > 0:
            total += scored[0]
            left.remove(scored[1])
            last = index
        elif index == first or term.word not in _CONNECTING:
            return None
        index += 1
    if left:
        return None
    is_in_order = _score(single[first], alias.words[0], alias) > 0
    if not is_in_order and single[first].is_chinese:
        return None  # 渠道的订单 are orders
    in_order = 1.0 if is_in_order else 0.95
    return _Match(single[first].start, single[last].end, total / count * in_order)


def _partial_matches(alias: _Alias, single: Sequence[Term]) -> Iterator[_Match]:
    for term in single:
        if term.is_general and not vocabulary().is_general(alias.words[-1].word):
            continue
        head, tail = _word_score(term, alias.words[-1]), _word_score(term, alias.words[0])
        if head > 0 and alias.words[-1].word not in _KEY_WORDS:
            yield _Match(term.start, term.end, head * _HEAD_ONLY)
        elif tail > 0 and alias.item[0] != "measure":
            yield _Match(term.start, term.end, tail * _TAIL_ONLY)


def _score(term: Term, word: Term, alias: _Alias) -> float:
    if alias.is_literal:
        return _EQUAL if term.word == word.word else 0.0
    return _word_score(term, word)


def _word_score(term: Term, word: Term) -> float:
    if term.word == word.word:
        return _EQUAL
    if term.is_number or word.is_number:
        return 0.0
    if _synonymous(term) & _synonymous(word):
        return _SAME_MEANING
    if not term.is_chinese and not word.is_chinese and stem(term.word) == stem(word.word):
        return _SAME_STEM
    return 0.0


def _mentions(
    text: str, best: dict[tuple[int, int], dict[tuple[str, str, str], float]]
) -> list[SchemaMention]:
    mentions: list[SchemaMention] = []
    for (start, end), scores in best.items():
        if not scores:
            continue
        highest = max(scores.values())
        candidates = tuple(
            SchemaCandidate(kind, name, table, score)  # type: ignore[arg-type]
            for (kind, name, table), score in sorted(scores.items(), key=lambda entry: -entry[1])
            if score >= highest - _NEXT_BEST
        )
        mentions.append(SchemaMention(text[start:end], start, end, candidates[:24]))
    return sorted(mentions, key=lambda mention: (mention.start, mention.end))
