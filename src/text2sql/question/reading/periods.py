"""Read comparisons: with the period before, with last year, of two given periods or two values."""

from collections.abc import Iterable
from dataclasses import replace

from text2sql.question.reading.draft import Draft
from text2sql.types import (
    Aggregation,
    Comparison,
    Grouping,
    MeasureUse,
    Ratio,
    TimeFilter,
    TimeRange,
    ValueFilter,
)


def find_event_time(draft: Draft) -> None:
    """*Orders shipped last month*: a verb that names one of several times of the rows."""
    times, tables = draft.times, draft.near()
    if not tables or not (times.ranges or times.buckets or times.parts or times.comparison):
        return
    for index, piece in draft.pieces:
        if index in draft.groups or index in draft.ranked or piece.is_time:
            continue
        least = 0.95 if piece.cue("transaction") else 0.75  # a noun such as 订单 is no verb
        entities = [c for c in piece.candidates("entity") if c.score >= least]
        named = dict.fromkeys(
            candidate.name
            for candidate in draft.pieces.named_in(index, "dimension")
            if candidate.table == tables[0] and _is_time(draft, candidate.name) and not entities
        )
        if len(named) == 1 and (piece.value or piece.mention is None or not piece.candidates("measure")):
            draft.event_time = next(iter(named))
            draft.pieces.use(index)
            return


def _is_time(draft: Draft, name: str) -> bool:
    dimension = draft.model.dimension(name)
    return dimension is not None and dimension.kind == "time"


def read_comparison(draft: Draft) -> None:
    pieces = draft.pieces
    growth = [index for index in pieces.with_cue("growth") if pieces[index].mention is None]
    compared = [index for index in pieces.with_cue("compare") if pieces[index].mention is None]
    comparison = draft.times.comparison
    if comparison is not None:
        pieces.use(*growth, *compared, *pieces.with_cue("sum"))
        if comparison.kind == "explicit" and len(comparison.ranges) > 1:
            _compare_periods(draft, comparison.ranges)
        else:
            kind = "previous_period" if comparison.kind == "explicit" else comparison.kind
            draft.comparison = Comparison(kind)
            if not _has_bucket(draft) and comparison.grain and _is_finer(comparison.grain, draft):
                _add_bucket(draft, comparison.grain)
            elif not _has_bucket(draft) and not _has_period(draft):
                _add_bucket(draft, "month" if kind == "previous_period" else "year")
        return
    if growth:
        pieces.use(*growth, *compared)
        if not _has_bucket(draft) and not _has_period(draft):
            _add_bucket(draft, "month")
        ranges = [item for item in draft.times.ranges if item.certain]
        if len(ranges) > 1 and not _has_bucket(draft):
            _compare_periods(draft, ranges)
        else:
            draft.comparison = Comparison("previous_period")
        return
    if compared:
        _compare_named(draft)
        if draft.comparison is not None:
            pieces.use(*compared)


def _compare_named(draft: Draft) -> None:
    ranges = [item for item in draft.times.ranges if item.certain]
    if len(ranges) > 1:
        _compare_periods(draft, ranges)
        return
    for item in draft.filters:
        if isinstance(item, ValueFilter) and item.operator == "=" and len(item.values) > 1:
            draft.groupings.insert(0, Grouping(item.dimension))
            draft.comparison = Comparison("members")
            return


def _compare_periods(draft: Draft, ranges: Iterable[TimeRange]) -> None:
    dimension = draft.time_dimension()
    if not dimension:
        draft.problems.append("time")
        return
    known = sorted((item.start, item.end) for item in ranges if item.start and item.end)
    draft.filters = [item for item in draft.filters if not (isinstance(item, TimeFilter) and item.ranges)]
    draft.comparison = Comparison("periods", tuple(known), dimension)


_GRAINS = ("hour", "day", "week", "month", "quarter", "half", "year")


def _is_finer(grain: str, draft: Draft) -> bool:
    """Whether the period that the question names, if it does, contains several of the grain."""
    periods = [item for item in draft.times.ranges if item.certain]
    return all(_GRAINS.index(grain) < _GRAINS.index(period.grain) for period in periods)


def _has_bucket(draft: Draft) -> bool:
    return any(grouping.bucket for grouping in draft.groupings)


def _has_period(draft: Draft) -> bool:
    return any(isinstance(item, TimeFilter) and item.ranges for item in draft.filters)


def _add_bucket(draft: Draft, grain: str) -> None:
    if dimension := draft.time_dimension():
        draft.groupings.append(Grouping(dimension, grain))  # type: ignore[arg-type]
    else:
        draft.problems.append("time")


def read_windows(draft: Draft) -> None:
    """*Running total*, *7-day moving average*."""
    pieces = draft.pieces
    running, moving = pieces.with_cue("running"), pieces.with_cue("moving")
    if not draft.measures:
        return
    if running:
        pieces.use(*running)
        if not _has_bucket(draft):
            _add_bucket(draft, "month")
        draft.measures = [replace(use, running=True) for use in draft.measures]
    window = draft.times.windows[0] if draft.times.windows else None
    if moving or window is not None:
        pieces.use(*moving, *pieces.with_cue("average"))
        cue = pieces[moving[0]].cue("moving") if moving else None
        count = window.count if window else int(cue.number) if cue and cue.number else 3
        if not _has_bucket(draft):
            unit = cue.unit if cue and cue.unit in ("day", "week", "month") else "month"
            _add_bucket(draft, window.grain if window else unit)
        draft.measures = [MeasureUse(_usual(draft, use.value), moving=count) for use in draft.measures]


def _usual(draft: Draft, value: Aggregation | Ratio) -> Aggregation | Ratio:
    """The *average* of a moving average is over the buckets, not within them."""
    measure = draft.model.measure(value.of) if isinstance(value, Aggregation) else None
    if measure is None or isinstance(value, Ratio) or value.function != "average":
        return value
    return replace(value, function=measure.aggregate)


def read_trend(draft: Draft) -> None:
    """*Revenue over time*: by month, unless the question names a bucket."""
    pieces = draft.pieces
    trends = [index for index in pieces.with_cue("time_per") if pieces[index].mention is None]
    if trends and draft.measures and not _has_bucket(draft):
        pieces.use(*trends)
        _add_bucket(draft, "month")
