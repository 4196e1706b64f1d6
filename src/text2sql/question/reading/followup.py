"""Read a follow-up as an edit of the previous query: another period, dimension, measure or number of rows."""

import re
from dataclasses import replace

from text2sql.question.reading.draft import AnalyticReading, Draft
from text2sql.types import (
    AnalyticQuery,
    Filter,
    Grouping,
    Ranking,
    RelatedFilter,
    TimeFilter,
    TimeReading,
    ValueFilter,
)

_ADDITIONAL = re.compile(
    r"\b(?:also|as well|additionally|break|split|broken|further)\b|再|还|同时|细分|拆分", re.IGNORECASE
)


def inherit(draft: Draft) -> None:
    """A follow-up that names no measure keeps that of the previous query, and its groups if it names none."""
    previous = draft.previous
    if previous is None or not previous.measures:
        return
    if not draft.measures:
        draft.measures = list(previous.measures)
        draft.facts = list(draft.context)
    if not draft.groupings:
        draft.groupings = list(previous.groupings)


def edit(previous: AnalyticQuery, reading: AnalyticReading, times: TimeReading, text: str) -> AnalyticReading:
    """The previous query with the parts that the follow-up names replaced or added."""
    query = reading.query
    groupings = _groupings(previous, query.groupings, text)
    edited = replace(
        previous,
        measures=query.measures or previous.measures,
        groupings=groupings,
        filters=_filters(previous.filters, query.filters),
        ranking=_ranking(previous, query, groupings),
        thresholds=query.thresholds or (previous.thresholds if groupings == previous.groupings else ()),
        order=query.order or previous.order,
        limit=query.limit or previous.limit,
        columns=tuple(dict.fromkeys((*previous.columns, *query.columns))) if not query.measures else (),
        comparison=query.comparison or previous.comparison,
    )
    if times.ranges and previous.comparison and previous.comparison.ranges and query.comparison is None:
        edited = replace(edited, comparison=None)
    if not edited.measures and query.ranking is not None:
        edited = replace(edited, limit=query.ranking.most, ranking=None)
    return replace(reading, query=edited)


def _groupings(previous: AnalyticQuery, new: tuple[Grouping, ...], text: str) -> tuple[Grouping, ...]:
    """A new grouping replaces the old ones, unless the follow-up adds it."""
    if not new or new == previous.groupings:
        return previous.groupings
    if _ADDITIONAL.search(text):
        return tuple(dict.fromkeys((*previous.groupings, *new)))
    return new


def _ranking(
    previous: AnalyticQuery, query: AnalyticQuery, groupings: tuple[Grouping, ...]
) -> Ranking | None:
    if query.ranking is not None or previous.ranking is None:
        return query.ranking
    if any(grouping.bucket for grouping in groupings):
        return None  # a series is not cut off
    names = {grouping.entity or grouping.dimension for grouping in groupings}
    return previous.ranking if not previous.ranking.per or previous.ranking.per in names else None


def _filters(old: tuple[Filter, ...], new: tuple[Filter, ...]) -> tuple[Filter, ...]:
    """A new condition replaces those on the same column, and a new period the old one."""
    columns = {item.dimension for item in new if isinstance(item, ValueFilter)}
    related = {item.table for item in new if isinstance(item, RelatedFilter)}
    has_period = any(isinstance(item, TimeFilter) and item.ranges for item in new)
    kept = [
        item
        for item in old
        if not (isinstance(item, ValueFilter) and item.dimension in columns)
        and not (isinstance(item, TimeFilter) and has_period)
        and not (isinstance(item, RelatedFilter) and item.table in related)
    ]
    return tuple(dict.fromkeys((*kept, *new)))
