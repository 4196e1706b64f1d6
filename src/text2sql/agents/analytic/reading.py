"""Read a question against a schema: connects `question/`, which knows no schema, with `schema/`."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import SequenceMatcher

from text2sql.agents.analytic.lexicon import Lexicon, build_lexicon
from text2sql.agents.analytic.states import state_mentions
from text2sql.question.reading import AnalyticReading, QuestionParts, edit, read_question
from text2sql.question.time import read_time
from text2sql.schema import SchemaContext, terms
from text2sql.schema.tokenizer import folded, is_word
from text2sql.types import AnalyticQuery, Calendar, SemanticModel, TimeReading, ValueHit, ValueMention

_LEAST_LETTERS, _SIMILAR = 5, 0.82  # of a misspelled value


@dataclass(frozen=True, slots=True, eq=False)
class AnalyticContext:
    """What reading a question against one schema needs; built once per schema and profile."""

    schema_context: SchemaContext
    model: SemanticModel
    lexicon: Lexicon


def analytic_context(schema_context: SchemaContext, model: SemanticModel) -> AnalyticContext:
    return AnalyticContext(schema_context, model, build_lexicon(model))


def read_analytic(
    question: str, context: AnalyticContext, today: date, calendar: Calendar
) -> AnalyticReading:
    """The analytic query that the question asks for, as far as rules can tell."""
    return _read(question, context, read_time(question, today, calendar))


def read_follow_up(
    question: str, previous: AnalyticQuery, context: AnalyticContext, today: date, calendar: Calendar
) -> AnalyticReading:
    """The previous query with what the follow-up changes."""
    times = read_time(question, today, calendar)
    reading = _read(question, context, times, previous)
    return edit(previous, reading, times, folded(question).lower())


def _read(
    question: str, context: AnalyticContext, times: TimeReading, previous: AnalyticQuery | None = None
) -> AnalyticReading:
    text = folded(question)
    values = _value_mentions(text, context.schema_context.values.find(text), context.model)
    parts = QuestionParts(
        text, tuple(terms(question)), tuple(context.lexicon.find(question)), tuple(values), times
    )
    reading = read_question(parts, context.model, previous)
    states = state_mentions(text, reading.unused, context.schema_context.values, context.model)
    if states:
        values = [*values, *states]
        parts = replace(parts, values=tuple(values))
        reading = read_question(parts, context.model, previous)
    misspelled = _misspelled_values(text, reading.unused, context)
    if not misspelled:
        return reading
    corrections = tuple((mention.text, mention.hits[0][1]) for mention in misspelled)
    corrected = replace(parts, values=(*values, *misspelled))
    return replace(read_question(corrected, context.model, previous), corrections=corrections)


def _misspelled_values(text: str, unused: Sequence[str], context: AnalyticContext) -> list[ValueMention]:
    """Words that are nearly a value of a column, and nothing else: *Germny*."""
    mentions: list[ValueMention] = []
    for word in unused:
        if len(word) < _LEAST_LETTERS or not word.isascii() or not word.isalpha() or is_word(word.lower()):
            continue
        hits = _nearly(word, context)
        start = text.find(word)
        if hits and start >= 0 and len({value for _, value in hits}) == 1:
            mentions.append(ValueMention(word, start, start + len(word), tuple(hits)))
    return mentions


def _nearly(word: str, context: AnalyticContext) -> list[tuple[str, str]]:
    hits: list[tuple[str, str]] = []
    for dimension in context.model.dimensions:
        if dimension.kind not in ("category", "label"):
            continue
        nearest = context.schema_context.values.nearest(dimension.table, dimension.column, word, 1)
        hits += [(dimension.name, value) for value in nearest if _is_similar(word, value)]
    return hits


def _is_similar(word: str, value: str) -> bool:
    return SequenceMatcher(None, word.lower(), value.lower()).ratio() >= _SIMILAR


def _value_mentions(text: str, hits: Iterable[ValueHit], model: SemanticModel) -> list[ValueMention]:
    names = {(dimension.table, dimension.column): dimension.name for dimension in model.dimensions}
    by_phrase: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for hit in hits:
        if (hit.table, hit.column) in names:
            by_phrase[hit.said].append((names[hit.table, hit.column], hit.value))
    return [
        ValueMention(phrase, match.start(), match.end(), tuple(found))
        for phrase, found in by_phrase.items()
        for match in re.finditer(re.escape(folded(phrase)), text)
    ]
