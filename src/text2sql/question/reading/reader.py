"""Read a question into an `AnalyticQuery`, by rules alone.

The steps follow each other: find what is grouped and ranked, then the measures, whose tables decide which of
several columns a word means, then everything else.
"""

from dataclasses import replace

from text2sql.question.reading.counting import count_rows, read_counts
from text2sql.question.reading.dividing import read_order_value, read_ratios, read_shares
from text2sql.question.reading.draft import AnalyticReading, Draft
from text2sql.question.reading.filtering import (
    check_alternatives,
    find_excluded,
    read_booleans,
    read_missing,
    read_numbers,
    read_periods,
    read_values,
    read_without,
)
from text2sql.question.reading.followup import inherit
from text2sql.question.reading.graph import graph_of
from text2sql.question.reading.grouping import find_groups, resolve_groups
from text2sql.question.reading.listing import read_list, read_subject, use_transactions
from text2sql.question.reading.measuring import read_aggregates
from text2sql.question.reading.periods import find_event_time, read_comparison, read_trend, read_windows
from text2sql.question.reading.pieces import QuestionParts, cut
from text2sql.question.reading.ranking import find_ranked, read_order, read_ranking
from text2sql.question.reading.related import read_group_thresholds, read_related, show_counts
from text2sql.question.reading.settling import settle_measures
from text2sql.types import (
    AnalyticQuery,
    Ratio,
    SemanticModel,
    TimeReading,
)

STEPS = (
    find_groups,
    find_ranked,
    find_excluded,
    read_without,
    read_subject,
    read_related,
    read_counts,
    read_aggregates,
    read_order_value,
    find_event_time,
    read_values,
    resolve_groups,
    inherit,
    read_ranking,
    count_rows,
    settle_measures,
    read_missing,
    read_booleans,
    read_numbers,
    read_group_thresholds,
    read_periods,
    read_trend,
    read_shares,
    read_ratios,
    read_windows,
    read_comparison,
    read_order,
    read_list,
    show_counts,
    use_transactions,
    check_alternatives,
)


def read_question(
    parts: QuestionParts, model: SemanticModel, previous: AnalyticQuery | None = None
) -> AnalyticReading:
    """`previous`: the question is a follow-up, whose names are near those of the previous query."""
    parts = replace(parts, times=_with_years(parts.times, parts.text))
    pieces = cut(parts, follow_up=previous is not None)
    draft = Draft(parts.text, pieces, model, graph_of(model), parts.times)
    if previous is not None:
        draft.previous, draft.context = previous, _tables_of(previous, model)
    for step in STEPS:
        step(draft)
    return draft.finish()


def _tables_of(query: AnalyticQuery, model: SemanticModel) -> list[str]:
    """The tables whose rows a query aggregates or lists."""
    tables: list[str] = []
    for use in query.measures:
        value = use.value.numerator if isinstance(use.value, Ratio) else use.value
        measure = model.measure(value.of)
        tables.append(measure.table if measure is not None else value.of)
    return tables or [query.subject]


def _with_years(times: TimeReading, text: str) -> TimeReading:
    """A number that may be a year is one beside other times, and at either end of the question."""
    has_time = bool(times.buckets or times.comparison or any(item.certain for item in times.ranges))
    rest = text.rstrip(" ?.!？。")
    ranges = tuple(
        replace(item, certain=True)
        for item in times.ranges
        if item.certain or has_time or item.end_position >= len(rest) or item.begin == 0
    )
    return replace(times, ranges=ranges)
