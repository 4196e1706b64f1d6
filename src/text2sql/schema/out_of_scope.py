"""Detect questions that the database has no data about, by the words that nothing in the schema matches.

Conservative, because a wrong "no data" is worse than a wrong answer that a receipt explains. Only a word that
the glossary knows and the schema does not contain counts against a question; an unknown word may be a
name. The error rates are in docs/schema.md.
"""

import re
from functools import lru_cache
from typing import Literal, TypeAlias

from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.tokenizer import Term, folded, pairs, stem, terms
from text2sql.text_normalization import words

_QUESTIONS = 64  # size of the cache
MIN_COVERAGE = 0.45  # least share of a question's content that must match the database
# The same for Chinese questions: fewer of their words are matched against English names. Chosen by
# benchmarks/declined_questions.py.
MIN_COVERAGE_CHINESE = 0.35

_Match: TypeAlias = Literal[
    "name", "stem", "value", "inside", "table", "general", "neutral", "unknown", "missing"
]
_Classified: TypeAlias = tuple[tuple[Term, _Match], ...]
_WEIGHTS: dict[_Match, float] = {
    "name": 1.0,  # a table, a column, a comment, or a synonym of one
    "stem": 0.8,
    "value": 0.4,  # Paris is in many databases, its weather in few
    "inside": 0.3,  # one word of a longer value
    "table": 0.5,  # `orders`, `categories`: a general word that a table is called by
    "general": 0.15,  # `name`, `number`: in every question and in every schema
    "neutral": 0.0,
    "unknown": -0.5,
    "missing": -1.0,
}

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
            for term, match in _classified(question, schema_context)
            if match in ("missing", "unknown")
        )
    )


def coverage(question: str, schema_context: SchemaContext) -> float:
    """The share of the question's content that the database covers; 1.0 if it has no content words."""
    return _share(_classified(question, schema_context))


def is_out_of_scope(question: str, schema_context: SchemaContext) -> bool:
    """Whether the question is surely about something else."""
    if not schema_context.linker.is_readable:
        return False
    classified = _classified(question, schema_context)
    minimum = MIN_COVERAGE_CHINESE if any(term.is_chinese for term, _ in classified) else MIN_COVERAGE
    return any(match == "missing" for _, match in classified) and _share(classified) < minimum


def _share(classified: _Classified) -> float:
    weights = [_WEIGHTS[match] for match in {term.word: match for term, match in classified}.values()]
    matched, missing = (
        sum(weight for weight in weights if weight > 0),
        -sum(weight for weight in weights if weight < 0),
    )
    return matched / (matched + missing) if matched + missing else 1.0


@lru_cache(maxsize=_QUESTIONS)
def _classified(question: str, schema_context: SchemaContext) -> _Classified:
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
            match = max(_classify(term, schema_context), "value", key=lambda kind: _WEIGHTS[kind])
        elif _is_inside(term, known_phrases):
            match = "name"
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
        if match not in ("name", "stem") or not words(term.text):
            return "neutral"
        return "table" if schema_context.linker.named_by(term) else "general"
    if match:
        return match
    return "missing" if term.is_known and term.meanings else "unknown"


def _schema_match(term: Term, schema_context: SchemaContext) -> _Match | None:
    linker = schema_context.linker
    parts = pairs(term.word) if term.is_chinese else [term.word]
    if (
        all(map(linker.knows, parts))
        or _has_known_meaning(term, schema_context)
        or _is_known_in_parts(term, schema_context)
    ):
        return "name"
    if not term.is_chinese and linker.knows("~" + stem(term.word)):
        return "stem"
    return "inside" if all(map(schema_context.values.mentions, parts)) else None


def _has_known_meaning(term: Term, schema_context: SchemaContext) -> bool:
    return any(map(schema_context.linker.knows, term.meanings))


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
