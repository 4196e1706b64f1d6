"""Buckets, windows and parts that recur: *by month*, *7-day moving average*, *on weekends*, 每月15号."""

from dataclasses import dataclass

from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.references import Piece
from text2sql.types import DatePart, Grain

_ORDER: tuple[Grain, ...] = ("hour", "day", "week", "month", "quarter", "half", "year")


@dataclass(frozen=True, slots=True)
class Part:
    name: DatePart
    values: tuple[int, ...]
    more: "Part | None" = None  # the day of a month


@dataclass(frozen=True, slots=True)
class Window:
    count: int
    grain: Grain


@rule(
    "BUCKET",
    ".by unit",
    ".by 'calendar' unit",
    ".by 'single' unit",
    "'哪' '一'? '个'? unit",
    "'几' unit",
    "'group' 'by' unit",
)
@rule(
    "BUCKET",
    ".by '一'? '个' unit",
    "'which'|'what' unit",
    "'busiest'|'best'|'worst'|'peak'|'slowest'|'top' unit",
)
@rule(
    "BUCKET",
    "unit '-' 'wise'",
    "unit '趋势'|'走势'|'分布'|'汇总'|'报表'|'明细'|'统计'|'对比'|'变化'",
    "'over' '-'? unit 'trend'",
)
def by_unit(parser: Parser, *values: object) -> Grain | None:
    unit: Grain = values[-1]  # type: ignore[assignment]
    opening = parser.word(parser.begin)
    if opening in ("以", "依") and parser.word(parser.end) not in ("为", "来", "计", "单位"):
        return None
    if opening in ("几", "哪") and unit in ("day", "hour") and opening == "几":
        return None
    trend = parser.tag(parser.begin, "unit") and parser.tag(parser.begin - 1, "number") is not None
    related = parser.tag(parser.begin - 1, "which_zh") is not None and parser.tag(parser.begin, "unit")
    return None if trend or related else unit


@rule("BUCKET", ".by unit 'and'|'和'|'、'|',' unit", ".by unit unit")
def by_units(_: Parser, first: Grain, second: Grain) -> Grain:
    """*By year and month* groups by month: the bucket keeps the year."""
    return min(first, second, key=_ORDER.index)


@rule("BUCKET", ".by unit 'or' unit")
def either(_: Parser, first: Grain, _second: Grain) -> Grain:
    return first


@rule("BUCKET", "adjective", "'按' adjective")
def adjective(_: Parser, grain: Grain) -> Grain:
    return grain


@rule("BUCKET", "'季度'|'年度'|'月度'")
def bare_adjective(parser: Parser) -> Grain | None:
    before = parser.tokens[parser.begin - 1].tags if parser.begin else {}
    bound = any(tag in before for tag in ("number", "which_zh", "unit", "window_zh", "by"))
    return (
        None
        if bound or parser.word(parser.begin - 1) in ("个", "财", "第")
        else parser.tag(parser.begin, "unit")
    )


@rule("BUCKET", "unit 'over'|'by' unit 'trend'", "unit '-'? 'to' '-'? unit 'trend'")
def unit_trend(_: Parser, grain: Grain, _same: Grain) -> Grain:
    return grain


@rule(
    "WINDOW",
    "number '-'? unit '-'? 'moving'|'rolling'|'trailing'|'sliding'",
    "'rolling'|'moving'|'sliding' number '-'? unit",
)
@rule(
    "WINDOW", "'moving'|'rolling' 'average'|'sum'|'total'|'mean' 'over'|'of'|'for' window? number '-'? unit"
)
@rule("WINDOW", "number '个'? unit '的'? '滚动'|'移动'|'均线'", "'滚动'|'移动' number '个'? unit")
@rule("WINDOW", "window_zh number '个'? unit '的'? '滚动'|'移动'")
@rule("WINDOW", "'moving'|'rolling' 'average' '(' number '-'? unit")
def window(_: Parser, *values: object) -> Window:
    count, unit = values[-2:]
    return Window(count, unit)  # type: ignore[arg-type]


@rule("PART", ".by group_part", "group_part", "'哪' group_part", "'which'|'what' group_part")
def grouped(parser: Parser, *values: DatePart) -> Part | None:
    english_alone = len(values) == 1 and parser.text.isascii() and parser.word(parser.begin) != "which"
    plain = english_alone and parser.end - parser.begin == 1 and " " not in parser.word(parser.begin)
    return None if plain else Part(values[-1], ())


@rule("PART", ".by unit 'of' 'year'")
def part_of_year(_: Parser, unit: Grain) -> Part | None:
    """*By month of the year*."""
    return Part(unit, ()) if unit in ("month", "quarter") else None


@rule("PART", ".by? weekdays")
def weekdays(parser: Parser, days: int | str) -> Part | None:
    if parser.tag(parser.begin - 1, "number"):
        return None  # 10 business days
    return Part("weekday", tuple(int(day) for day in str(days).split()))


@rule("PART", ".by? .weekend", ".by|'on'? 'weekend'", "'on' 'a' 'weekend'")
def weekend(_: Parser) -> Part:
    return Part("weekday", (6, 7))


@rule("PART", "weekday", ".by weekday", "'a' weekday")
def weekday(parser: Parser, number: int) -> Part | None:
    before = parser.tokens[parser.begin - 1].tags if parser.begin else {}
    context = parser.end - parser.begin > 1 or "preposition" in before or "by" in before
    if parser.tag(parser.end - 1, "doubtful") and not context:
        return None
    return Part("weekday", (number,))


@rule("PART", "weekday 'to'|'through'|'-'|'–' weekday")
def weekday_range(_: Parser, first: int, last: int) -> Part:
    return Part("weekday", _cycle(first, last))


@rule("PART", ".by? '周'|'星期'|'礼拜' number|sunday", "'每' '逢' '周' number|sunday")
def weekday_zh(parser: Parser, value: int | str) -> Part | None:
    number = _weekday_number(value)
    spaced = "digits" in parser.tokens[parser.end - 1].tags and not parser.adjacent(parser.end - 1)
    return None if number is None or spaced else Part("weekday", (number,))


@rule(
    "PART",
    ".by? '周'|'星期'|'礼拜' number .to '周'|'星期'|'礼拜'? number|sunday",
    "'周' number|sunday '和'|'、' '周' number|sunday",
)
@rule("PART", ".by? '周' number sunday")
def weekday_range_zh(parser: Parser, *values: object) -> Part | None:
    """周一到周五, 周六和周日, 周六日."""
    numbers = [number for value in values if (number := _weekday_number(value)) is not None]
    if len(numbers) != 2:
        return None
    ranged = any(parser.tag(index, "to") for index in range(parser.begin, parser.end))
    return Part("weekday", _cycle(*numbers) if ranged else tuple(numbers))


def _weekday_number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 1 <= value <= 7 else None
    return 7 if value == "sunday" else None


@rule("PART", ".by PIECE", ".by '年'|'year' '的'? PIECE", "PIECE 'of'|'in' .by 'year'")
def part_of_every_year(_: Parser, piece: Piece) -> Part | None:
    """*Every March*, 每年四季度."""
    part: Part | None = None
    for name, values in reversed(piece.recurs):
        part = Part(name, values, part)
    return part


@rule(
    "PART",
    "'每'|'每个' '月' '的'? number .day_word",
    "'on'? ordinal 'of' .by 'month'",
    ".by 'month' 'on' ordinal",
)
def day_of_every_month(_: Parser, number: int) -> Part | None:
    return Part("day", (number,)) if 1 <= number <= 31 else None


@rule("PART", "hours")
def hours(_: Parser, values: str) -> Part:
    return Part("hour", tuple(int(hour) for hour in values.split()))


@rule("PART", "hours number '点'|'时'", "number 'am'|'pm'")
def hour(parser: Parser, *_: object) -> Part | None:
    """下午3点, 3pm."""
    match = parser.match("CLOCK", parser.begin)
    return Part("hour", (match.value,)) if match and match.value < 24 else None


@rule("CLOCK", "number 'am'|'pm'")
def twelve_hours(parser: Parser, number: int) -> int | None:
    later = 12 if parser.word(parser.end - 1) == "pm" else 0
    return number % 12 + later if 1 <= number <= 12 else None


@rule("CLOCK", "clock", "number '点'|'时'", "hours number '点'|'时'")
def clock(_: Parser, *values: object) -> int | None:
    value = values[-1]
    hour = value[0] if isinstance(value, tuple) else value
    if not isinstance(hour, int) or not 0 <= hour <= 24:
        return None
    later = len(values) == 2 and hour < 12 and str(values[0]).startswith(("12", "18"))
    return hour + 12 if later else hour


@rule("PART", "'between' CLOCK 'and' CLOCK", "'from'? CLOCK 'to'|'-'|'–' CLOCK", "'从'? CLOCK .to CLOCK")
def hour_range(_: Parser, first: int, last: int) -> Part | None:
    return Part("hour", tuple(range(first, last))) if first < last else None


@rule("PART", "'at' CLOCK", "'after' CLOCK", "'before' CLOCK", "CLOCK .after_zh", "CLOCK .before_zh")
def hours_beside(parser: Parser, hour: int) -> Part:
    words = {token.text for token in parser.tokens[parser.begin : parser.end]}
    if words & {"before", "前", "之前", "以前"}:
        return Part("hour", tuple(range(hour)))
    return Part("hour", (hour,) if "at" in words else tuple(range(hour, 24)))


def _cycle(first: int, last: int) -> tuple[int, ...]:
    """The weekdays from one to another, over the end of the week if need be."""
    return tuple((first - 1 + step) % 7 + 1 for step in range((last - first) % 7 + 1))
