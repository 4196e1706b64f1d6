"""Hints for a model that writes SQL itself: periods as dates, and how a named measure is computed."""

from datetime import date, timedelta

from text2sql.agents.analytic.reading import AnalyticContext
from text2sql.question.time import read_time
from text2sql.types import Calendar, Measure, TimeRange

_MIN_SCORE = 0.9
_QUOTES = '"`'


def analytic_hints(
    question: str, context: AnalyticContext, today: date, calendar: Calendar
) -> list[tuple[str, str]]:
    """Pairs of words of the question and what they mean here."""
    ranges = read_time(question, today, calendar).ranges
    periods = [(item.text, _dates(item)) for item in ranges if item.relative and item.certain]
    measures = [
        (mention.text, f"{measure.aggregate.upper()}({measure.expression})")
        for mention in context.lexicon.find(question)
        for measure in [_computed(mention.candidates[0].name, context)]
        if measure is not None and mention.candidates[0].score >= _MIN_SCORE
    ]
    return list(dict.fromkeys((*periods, *measures)))


def _computed(name: str, context: AnalyticContext) -> Measure | None:
    """The measure, if it is more than a column."""
    measure = context.model.measure(name)
    if measure is None or measure.name == f"{measure.table}.{measure.expression.strip(_QUOTES)}":
        return None
    return measure


def _dates(item: TimeRange) -> str:
    """The first and the last day."""
    last = item.end - timedelta(days=1) if item.end is not None else None
    if item.start is None:
        return f"until {last:%Y-%m-%d}"
    if last is None:
        return f"since {item.start:%Y-%m-%d}"
    return f"{item.start:%Y-%m-%d} to {last:%Y-%m-%d}"
