"""Read which rows a question means: values, numbers, periods, missing values."""

import re
from typing import Literal

from text2sql.question.reading.draft import Draft, OpenChoice
from text2sql.question.reading.grouping import _PARTS
from text2sql.types import (
    AverageFilter,
    Cue,
    Dimension,
    Measure,
    Operator,
    Threshold,
    TimeFilter,
    Value,
    ValueFilter,
)

_COMPARISONS: dict[str, Literal["<", "<=", ">", ">=", "="]] = {
    "more_than": ">",
    "at_least": ">=",
    "less_than": "<",
    "at_most": "<=",
    "exactly": "=",
    "longer_than": ">",
    "shorter_than": "<",
    "expensive_than": ">",
    "cheaper_than": "<",
    "older_than": ">",
    "younger_than": "<",
}
# What a comparison is about if no column is named: the kinds of measures, and words in names.
_ABOUT: dict[str, tuple[str, ...]] = {
    "longer_than": ("duration", "length", "长", "milliseconds", "minutes", "runtime"),
    "shorter_than": ("duration", "length", "长", "milliseconds", "minutes", "runtime"),
    "expensive_than": ("price", "cost", "amount", "价", "rate"),
    "cheaper_than": ("price", "cost", "amount", "价", "rate"),
    "older_than": ("age", "年龄"),
    "younger_than": ("age", "年龄"),
}
_SECONDS = {
    "millisecond": 0.001, "ms": 0.001, "second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600,
    "day": 86400, "毫秒": 0.001, "秒": 1, "分钟": 60, "小时": 3600, "天": 86400, "分": 60,
}  # fmt: skip
_UNIT_SECONDS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86400}


def find_excluded(draft: Draft) -> None:
    """The values that the question leaves out: *excluding cancelled*, 不含取消."""
    pieces = draft.pieces
    for index in pieces.with_cue("exclude", "never"):
        if pieces[index].mention is not None:
            continue
        near = [other for other in (*pieces.after(index, 2), *pieces.before(index, 1)) if pieces[other].value]
        if near:
            draft.excluded.add(near[0])
            pieces.use(*range(min(index, near[0]), max(index, near[0])), index)
            pieces.used.discard(near[0])


def read_values(draft: Draft) -> None:
    """Values that the question names; several of one column are alternatives."""
    pieces = draft.pieces
    chosen: dict[str, list[Value]] = {}
    negated: set[str] = set()
    for index, piece in pieces:
        if piece.value is None or index in pieces.used:
            continue
        dimension = _column_of(draft, index)
        if not dimension:
            continue
        pieces.use(index)
        stored = dict.fromkeys(value for name, value in piece.value.hits if name == dimension)
        chosen.setdefault(dimension, []).extend(stored)
        if index in draft.excluded:
            negated.add(dimension)
        for other in (*pieces.before(index, 1), *pieces.after(index, 1)):
            if any(candidate.name == dimension for candidate in pieces[other].candidates("dimension")):
                pieces.use(other)  # *in the city of Oslo*
    if chosen:
        pieces.use(*pieces.with_cue("only"))
    for dimension, values in chosen.items():
        operator: Operator = "!=" if dimension in negated else "="
        draft.filters.append(ValueFilter(dimension, operator, tuple(values)))


def _column_of(draft: Draft, index: int) -> str:
    """The column that a value belongs to: the one that is named beside it, else the nearest one."""
    value = draft.pieces[index].value
    if value is None:
        return ""
    names = list(dict.fromkeys(name for name, _ in value.hits))
    for other in (*draft.pieces.before(index, 2), *draft.pieces.after(index, 1)):
        named = [c.name for c in draft.pieces[other].candidates("dimension") if c.name in names]
        if named:
            return named[0]
    tables = draft.near()

    def distance(name: str) -> float:
        dimension = draft.model.dimension(name)
        return sum(draft.graph.distance(table, dimension.table) for table in tables) if dimension else 1e9

    ranked = sorted(names, key=distance)
    if len(ranked) > 1 and distance(ranked[0]) == distance(ranked[1]):
        draft.choices.append(OpenChoice("filter", value.text, tuple(ranked)))
    return ranked[0] if ranked else ""


def read_numbers(draft: Draft) -> None:
    """*Longer than 5 minutes*, 价格超过100; with an aggregate in front it is a threshold of the groups."""
    pieces = draft.pieces
    for index in pieces.with_cue(*_COMPARISONS, "between", "above_average", "below_average"):
        if index in pieces.used:
            continue
        cue = pieces[index].cue(*_COMPARISONS, "between", "above_average", "below_average")
        if cue is None:
            continue
        if cue.kind.endswith("_average"):
            _compare_with_average(draft, index, cue)
        elif cue.number is not None and not _counts_rows(draft, index):
            _compare_with_number(draft, index, cue)


def _counts_rows(draft: Draft, index: int) -> bool:
    """Whether the number counts rows: *at least 10 orders*."""
    return any(
        candidate.score >= 0.9
        for other in draft.pieces.after(index, 1)
        for candidate in draft.pieces[other].candidates("entity")[:1]
    )


def _compare_with_average(draft: Draft, index: int, cue: Cue) -> None:
    pieces = draft.pieces
    measure = _number_column(draft, index, cue)
    pieces.use(index)
    if measure is None:
        draft.problems.append("average")
        return
    draft.filters.append(AverageFilter(measure.name, ">" if cue.kind == "above_average" else "<"))


def _compare_with_number(draft: Draft, index: int, cue: Cue) -> None:
    column = _number_column(draft, index, cue)
    if column is None:
        return
    draft.pieces.use(index)
    factor = _unit_factor(draft, index, column)
    if cue.kind == "between":
        low, high = (cue.number or 0) * factor, (cue.second or 0) * factor
        draft.filters += [
            ValueFilter(column.name, ">=", (plain(low),)),
            ValueFilter(column.name, "<=", (plain(high),)),
        ]
        return
    number = (cue.number or 0) * factor
    if draft.groupings and column.name in {getattr(use.value, "of", "") for use in draft.measures}:
        draft.thresholds.append(Threshold(_COMPARISONS[cue.kind], number))
        return
    draft.filters.append(ValueFilter(column.name, _COMPARISONS[cue.kind], (plain(number),)))


def plain(number: float) -> Value:
    return int(number) if number == int(number) else number


def _number_column(draft: Draft, index: int, cue: Cue) -> Dimension | Measure | None:
    """The column that is compared: named nearby, or what *longer* and *more expensive* are about."""
    pieces, model = draft.pieces, draft.model
    for other in (*pieces.before(index, 3), *pieces.after(index, 2)):
        if pieces[other].is_time or other in draft.groups:
            continue
        named = pieces[other].candidates("measure", "dimension")
        numbers = [c for c in named if c.kind == "measure" or _is_number(draft, c.name)]
        if numbers and numbers[0].score >= 0.6:
            candidate = draft.choose(other, ("measure", "dimension"), "filter")
            if candidate is not None:
                return model.dimension(candidate.name) or model.measure(candidate.name)
    words = _ABOUT.get(cue.kind)
    if words is None:
        return None
    table = draft.subject or (draft.facts[0] if draft.facts else "")
    found = [
        measure
        for measure in model.measures
        if measure.table == table
        and (measure.kind in words or any(word in measure.name.lower() for word in words))
    ]
    return found[0] if found else None


def _is_number(draft: Draft, name: str) -> bool:
    dimension = draft.model.dimension(name)
    return dimension is not None and dimension.kind == "number"


def _unit_factor(draft: Draft, index: int, column: Dimension | Measure) -> float:
    """From the unit of the question to that of the column: minutes to milliseconds."""
    pieces = draft.pieces
    seconds = None
    for other in (index, *pieces.after(index, 1)):
        if unit := _unit(pieces[other].text.lower()):
            seconds = _SECONDS[unit]
            pieces.use(other)
            break
    own = _UNIT_SECONDS.get(column.unit)
    return seconds / own if seconds is not None and own else 1.0


def _unit(text: str) -> str:
    """The unit of time at the end of a text: *5 minutes*, 180分钟."""
    last = text.rsplit(maxsplit=1)[-1].rstrip("s") if text.split() else ""
    if last in _SECONDS:
        return last
    chinese = sorted((unit for unit in _SECONDS if not unit.isascii()), key=len, reverse=True)
    return next((unit for unit in chinese if text.endswith(unit)), "")


def read_periods(draft: Draft) -> None:
    ranges = [item for item in draft.times.ranges if item.certain]
    parts = [part for part in draft.times.parts if part.values]
    if not ranges and not draft.times.buckets and len(parts) == 1 and parts[0].recent is not None:
        ranges, parts = [parts[0].recent], []  # *in October*: the last one
    if not ranges and not parts:
        return
    dimension = draft.time_dimension()
    if not dimension or _is_time_of_others(draft, dimension):
        draft.problems.append("time")
        return
    if ranges:
        draft.filters.append(TimeFilter(dimension, tuple((item.start, item.end) for item in ranges)))
    for part in parts:
        draft.filters.append(TimeFilter(dimension, part=_PARTS[part.part], part_values=part.values))


def _is_time_of_others(draft: Draft, name: str) -> bool:
    """Whether listed rows have no time, and it is that of a table that they refer to."""
    entity, dimension = draft.model.entity(draft.subject), draft.model.dimension(name)
    if draft.facts or entity is None or dimension is None:
        return False
    return dimension.table != entity.table and name != entity.time


_OR = re.compile(r"\bor\b(?! (?:more|less|fewer|later|earlier|above|below|so)\b)|或者?(?!更|以)")


def check_alternatives(draft: Draft) -> None:
    """*From Oslo or younger than 40*: conditions on several columns all hold, one of them is not enough."""
    columns = {item.dimension for item in draft.filters if isinstance(item, ValueFilter | TimeFilter)}
    if len(columns) > 1 and _OR.search(draft.text.lower()):
        draft.problems.append("or")


def read_without(draft: Draft) -> None:
    """*Customers with no email*, 没有截止日期的优惠码: before conditions on related rows."""
    pieces = draft.pieces
    for index in pieces.with_cue("never"):
        following = next(iter(pieces.after(index, 1)), None)
        if following is None or index in pieces.used or pieces[index].mention is not None:
            continue
        named = pieces[following].candidates("dimension", "entity", "measure")
        if named and named[0].kind == "dimension" and named[0].score >= 0.85:
            candidate = draft.choose(following, ("dimension",), "filter")
            if candidate is not None:
                pieces.use(index)
                draft.filters.append(ValueFilter(candidate.name, "is_null"))


def read_booleans(draft: Draft) -> None:
    """*Fragile shipments*: a yes-or-no column that only qualifies what is counted or listed."""
    pieces = draft.pieces
    for index, piece in pieces:
        if index in pieces.used or index in draft.groups or piece.mention is None:
            continue
        named = [c for c in piece.candidates("dimension") if c.score >= 0.75 and _is_boolean(draft, c.name)]
        if not named or piece.candidates("entity"):
            continue
        negation = next((i for i in pieces.before(index, 1) if pieces[i].cue("never", "exclude")), None)
        pieces.use(index, *(() if negation is None else (negation,)))
        draft.filters.append(ValueFilter(named[0].name, "=", (negation is None,)))


def _is_boolean(draft: Draft, name: str) -> bool:
    dimension = draft.model.dimension(name)
    return dimension is not None and dimension.kind == "boolean"


def read_missing(draft: Draft) -> None:
    """*Without an email*, *not returned yet*: the column has no value."""
    pieces = draft.pieces
    for index in pieces.with_cue("missing"):
        for other in (*pieces.after(index, 2), *pieces.before(index, 2)):
            candidate = draft.choose(other, ("dimension",), "filter") if pieces[other].mention else None
            if candidate is not None:
                pieces.use(index)
                draft.filters.append(ValueFilter(candidate.name, "is_null"))
                break
