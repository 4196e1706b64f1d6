"""English periods that are found from another: *the week of March 3*, *the end of the month*."""

import re
from dataclasses import replace
from typing import cast

from text2sql.question.time import periods
from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.periods import Period, add, day_period, shifted
from text2sql.question.time.references import Piece, Reference
from text2sql.question.time.relative_en import unit_period
from text2sql.types import Grain

_THE = re.compile(r"\bthe\s+$", re.IGNORECASE)


@rule("BASE", "number|article unit 'ago' 'today'", "'today' number|article unit 'ago'")
def day_ago(parser: Parser, count: int, unit: Grain) -> Period | None:
    """*A year ago today*."""
    return replace(day_period(add(parser.today, unit, -count)), relative=True) if unit != "hour" else None


@rule("BASE", "'this' 'day' which unit", "which_zh '个'? unit '的'? '今天'|'今日'")
def this_day(parser: Parser, offset: int, unit: Grain) -> Period | None:
    """*This day last year*, 上个月今天."""
    if unit in ("hour", "day"):
        return None
    return replace(day_period(add(parser.today, unit, offset)), relative=True)


@rule("BASE", "shift '的'? '今天'|'今日'")
def this_day_zh(parser: Parser, shift: str) -> Period | None:
    """去年今天."""
    unit, offset = shift.split()
    return this_day(parser, int(offset), cast("Grain", unit))


@rule("BASE", "edge 'of' unit")
def edge_of_unit(parser: Parser, side: str, unit: Grain) -> Period | None:
    """*The beginning of the year*."""
    return edge_of_which(parser, side, 0, unit)


@rule("BASE", "edge 'of' which unit")
def edge_of_which(parser: Parser, side: str, offset: int, unit: Grain) -> Period | None:
    """*The end of this month*."""
    if unit in ("hour", "day"):
        return None
    whole = unit_period(parser, unit, offset)
    edge = periods.nth(whole, "day", 1 if side == "first" else -1, parser.calendar)
    return edge and replace(edge, shift=None)


@rule(
    "BASE",
    "unit 'of'|'starting'|'beginning'|'commencing' 'on'? REF",
    "REF '所在'|'那' '的'? '一'? '个'? unit",
    "REF '所在的'|'那一' unit",
)
def unit_of_day(parser: Parser, *values: object) -> Period | None:
    """*The week of March 3*; a week *starting* on a day need not start as those of the calendar."""
    unit, reference = sorted(values, key=lambda value: isinstance(value, Reference))
    if (
        not isinstance(reference, Reference)
        or reference.period.grain != "day"
        or unit not in ("week", "month")
    ):
        return None
    start = reference.period.start
    if parser.word(parser.begin + 1) in ("starting", "beginning", "commencing"):
        return replace(reference.period, end=add(start, unit, 1), grain=unit)
    return shifted(start, unit, 0, parser.calendar)


@rule(
    "BASE", "unit 'ending'|'ended' 'on'|'in'? REF", "number unit 'ending'|'ended'|'to'|'until' 'on'|'in'? REF"
)
@rule("BASE", "'截至'|'截止' REF '的' number '个'? unit")
def units_ending(parser: Parser, *values: object) -> Period | None:
    """*The three months ending September 2025*."""
    reference = next(value for value in values if isinstance(value, Reference))
    unit = cast("Grain", next(value for value in values if isinstance(value, str)))
    count = next((value for value in values if isinstance(value, int)), 1)
    if unit == "hour" or parser.tag(parser.begin - 1, "window"):
        return None
    end = reference.period.end
    return replace(reference.period, start=add(end, unit, -count), end=end, grain=unit, shift=None)


@rule("BASE", "PIECE 'of'|'in' unit", "PIECE 'of'|'in' .fiscal_year_word")
def piece_of_current(parser: Parser, piece: Piece, unit: Grain | None = None) -> Period | None:
    """*The first week of the month*, *Q1 of the year*, *the last quarter of the fiscal year*."""
    if unit in ("hour", "day") or not _THE.search(parser.text[: parser.tokens[parser.end - 1].begin]):
        return None
    whole = shifted(parser.today, unit or "year", 0, parser.calendar, fiscal=unit is None)
    found = piece.of(whole, parser.calendar)
    return replace(found, relative=True) if found else None
