"""Detect questions that the database has no data about, by the words that nothing in the schema matches.

Conservative, because a wrong "no data" is worse than a wrong answer that a receipt explains. Two numbers are
compared: how much of the schema a question names, and how many of its words the glossary knows and the schema
does not contain. An unknown word may be a name, so it does not count. `benchmarks/declined_questions.py`
measures the error rates, which are in docs/schema.md.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.tokenizer import Term, folded, has_cjk, pairs, stem, terms
from text2sql.text_normalization import words

_QUESTIONS = 64  # size of the cache

_Match: TypeAlias = Literal[
    "entity", "name", "synonym", "value", "inside", "table", "general", "neutral", "unknown", "missing"
]
_Classified: TypeAlias = tuple[tuple[Term, _Match], ...]
# How much of the schema a word names. Fitted to the sets of `benchmarks/declined_questions.py`: an English
# synonym is as frequent in foreign questions as in others, a Chinese one is a translation.
_EVIDENCE: dict[_Match, float] = {
    "entity": 2.0,  # a table's whole name, or a synonym of one
    "name": 1.0,  # a word of a table, a column or a comment
    "table": 1.0,  # `orders`, `categories`: a general word that a table is called by
    "value": 0.5,  # Paris is in many databases, its weather in few
    "inside": 0.5,  # one word of a longer value
}
_LEAST_EVIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class _Weights:
    """What differs between the languages of questions."""

    synonym: float
    most_missing: int  # more missing words than these say no more
    opaque: float  # names without a meaning (`c14`, `finrev`) may stand for any missing word


# Names in a schema are English more often than not: a Chinese word matches only those that the glossary
# translates, so a match says more, and an opaque name too.
_ENGLISH, _CHINESE = _Weights(0.0, 2, 3.0), _Weights(1.0, 3, 5.0)

# How the answer should look, in English; the stop words have the Chinese words.
_DISPLAY = re.compile(
    r"(?<![a-z])(?:(?:(?:pie|donut|bar|column|line|area|scatter|stacked|grouped|heat)\s+)*(?:chart|graph|plot|diagram)s?"
    r"|draw|visuali[sz]e|histogram|heatmap|export|download|save|excel|xlsx|csv|json|spreadsheet)(?![a-z])",
    re.IGNORECASE,
)
_ENDINGS = frozenset("者员生师家手单")  # suffixes of words for persons, and for documents


def uncovered_words(question: str, schema_context: SchemaContext) -> list[str]:
    """The content words, as written, that match no table, column, comment, value or synonym."""
    return list(
        dict.fromkeys(
            term.text
            for term, match in classified_terms(question, schema_context)
            if match in ("missing", "unknown")
        )
    )


def coverage(question: str, schema_context: SchemaContext) -> float:
    """The share of the question's content words that match the database; 1.0 if it has none."""
    content = {term.word: match for term, match in classified_terms(question, schema_context)}.values()
    matched = sum(match in _EVIDENCE or match == "synonym" for match in content)
    unmatched = sum(match in ("missing", "unknown") for match in content)
    return matched / (matched + unmatched) if matched + unmatched else 1.0


def evidence(question: str, schema_context: SchemaContext) -> float:
    """How much of the schema the question names; from 2.0 on, it is about this database."""
    weights = _weights(question)
    content = {term.word: match for term, match in classified_terms(question, schema_context)}.values()
    named = sum(weights.synonym if match == "synonym" else _EVIDENCE.get(match, 0.0) for match in content)
    return named + weights.opaque * schema_context.linker.opaque_share


def names_nothing(question: str, schema_context: SchemaContext) -> bool:
    """Whether no word of the question is in the schema or in a value."""
    return evidence(question, schema_context) < _LEAST_EVIDENCE


def is_out_of_scope(question: str, schema_context: SchemaContext) -> bool:
    """Whether the question is surely about something else."""
    missing = {term.word for term, match in classified_terms(question, schema_context) if match == "missing"}
    counted = min(len(missing), _weights(question).most_missing)
    return counted > 0 and counted > evidence(question, schema_context)


def _weights(question: str) -> _Weights:
    return _CHINESE if has_cjk(question) else _ENGLISH


@lru_cache(maxsize=_QUESTIONS)
def classified_terms(question: str, schema_context: SchemaContext) -> _Classified:
    """The kind of match of each word. Cached, because several stages of one question need it."""
    all_terms = terms(question)
    values = _value_spans(question, schema_context)
    display = [match.span() for match in _DISPLAY.finditer(folded(question))]
    known_phrases: list[tuple[int, int]] = []
    unknown_phrases: list[tuple[int, int]] = []
    for term in all_terms:
        if term.is_phrase:
            spans = known_phrases if _has_known_meaning(term, schema_context) else unknown_phrases
            spans.append((term.start, term.end))
    classified: list[tuple[Term, _Match]] = []
    for term in all_terms:
        if term.is_phrase or term.is_number:
            continue
        if _is_inside(term, values):
            match = _classify(term, schema_context)
            if match not in ("entity", "name"):
                match = "value"
        elif _is_inside(term, known_phrases):
            match = _named(term, schema_context)
        else:
            match = _classify(term, schema_context)
            if match == "unknown" and _is_inside(term, unknown_phrases):
                match = "missing"
        if match in ("missing", "unknown") and _is_inside(term, display):
            match = "neutral"
        classified.append((term, match))
    return tuple(_with_compounds(classified))


def _classify(term: Term, schema_context: SchemaContext) -> _Match:
    match = _schema_match(term, schema_context)
    if term.is_general:
        if match not in ("entity", "name", "synonym") or not words(term.text):
            return "neutral"
        return "table" if schema_context.linker.named_by(term) else "general"
    if match:
        return match
    is_missing = term.is_known and term.meanings and not _may_be_abbreviated(term, schema_context)
    return "missing" if is_missing else "unknown"


def _schema_match(term: Term, schema_context: SchemaContext) -> _Match | None:
    linker = schema_context.linker
    parts = pairs(term.word) if term.is_chinese else [term.word]
    if (
        all(map(linker.knows, parts))
        or (not term.is_chinese and linker.knows("~" + stem(term.word)))
        or _has_known_meaning(term, schema_context)
        or _is_known_in_parts(term, schema_context)
    ):
        return _named(term, schema_context)
    return "inside" if all(map(schema_context.values.mentions, parts)) else None


def _named(term: Term, schema_context: SchemaContext) -> _Match:
    """What a word that the schema contains stands for."""
    if schema_context.linker.named_by(term):
        return "entity"
    parts = pairs(term.word) if term.is_chinese else [term.word]
    return "name" if all(map(schema_context.linker.knows, parts)) else "synonym"


def _has_known_meaning(term: Term, schema_context: SchemaContext) -> bool:
    return any(map(schema_context.linker.knows, term.meanings))


def _may_be_abbreviated(term: Term, schema_context: SchemaContext) -> bool:
    candidates = (term.word, *schema_context.glossary.synonyms(term.word))
    return any(word.isascii() and schema_context.linker.may_abbreviate(word) for word in candidates)


def _is_known_in_parts(term: Term, schema_context: SchemaContext) -> bool:
    """Whether the schema contains every word of a translation: 付款方式 is a payment method, and `payments`
    has a column `method`.
    """
    if not term.is_chinese:
        return False
    for synonym in schema_context.glossary.synonyms(term.word):
        parts = [part for part in terms(synonym) if not part.is_phrase]
        content = [part for part in parts if not part.is_general]
        known = (
            schema_context.linker.knows(part.word) or _has_known_meaning(part, schema_context)
            for part in content
        )
        if content and len(parts) > 1 and all(known):
            return True
    return False


def _is_inside(term: Term, spans: list[tuple[int, int]]) -> bool:
    return any(start <= term.start and term.end <= end for start, end in spans)


def _value_spans(question: str, schema_context: SchemaContext) -> list[tuple[int, int]]:
    text = folded(question)
    matched = {folded(hit.said) for hit in schema_context.values.find(question)}
    return [match.span() for piece in matched for match in re.finditer(re.escape(piece), text)]


def _with_compounds(classified: list[tuple[Term, _Match]]) -> list[tuple[Term, _Match]]:
    """Reclassify Chinese compounds: a known word followed or preceded by one more character is another,
    unknown word.
    """
    for index in range(1, len(classified)):
        (left, left_match), (right, right_match) = classified[index - 1], classified[index]
        if left.is_chinese and right.is_chinese and left.end == right.start:
            is_compound = right.word in _ENDINGS or (right_match == "unknown" and len(right.word) == 1)
            if left_match == "missing" and is_compound:
                classified[index - 1] = (left, "unknown")
            elif left_match == "unknown" and right_match == "missing" and len(left.word) == 1:
                classified[index] = (right, "unknown")
    return [
        (term, "neutral" if _is_fragment(term) and match == "unknown" else match)
        for term, match in classified
    ]


def _is_fragment(term: Term) -> bool:
    """Whether the term is a single character left over from an unknown word: the 副 of 副班长."""
    return term.is_chinese and not term.is_known and len(term.word) == 1
