"""Chinese periods that depend on the current day: 上个季度, 近30天, 三个月前, 本周一."""

from dataclasses import replace

from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.periods import Period, nth
from text2sql.question.time.relative_en import ago, complete, rolling, unit_period
from text2sql.types import Grain


@rule("BASE", "which_zh '个'? unit", "which_zh '个'? '自然'|'完整' '的'? unit")
def which_unit(parser: Parser, offset: int, unit: Grain) -> Period | None:
    """上月, 上个季度; 本日 is a day, 上日 nothing."""
    if unit in ("hour", "day") or (
        unit == "year" and parser.word(parser.begin) in ("下", "这") and not _measured(parser)
    ):
        return None
    return unit_period(parser, unit, offset)


def _measured(parser: Parser) -> bool:
    return parser.word(parser.begin + 1) == "个" or parser.word(parser.begin).endswith("一")


@rule("BASE", "window_zh number '个'? unit", "window_zh number '个' '完整'|'整'|'自然' '的'? unit")
def window_units(parser: Parser, kind: str, count: int, unit: Grain) -> Period | None:
    tokens = parser.tokens[parser.begin : parser.end]
    if parser.word(parser.begin) == "后" or (
        parser.word(parser.begin) == "前" and unit == "year" and count > 99
    ):
        return None
    if kind == "complete" or any(token.text in ("完整", "整", "自然") for token in tokens):
        return complete(parser, unit, count)
    return rolling(parser, unit, count if kind == "rolling" else -count)


@rule("BASE", "'这' number '个'? unit")
def these_units(parser: Parser, count: int, unit: Grain) -> Period | None:
    """这两天, 这三个月; 这一周 is the current one."""
    month_number = unit == "month" and parser.word(parser.begin + 2) != "个"
    return rolling(parser, unit, count) if count > 1 and not month_number else None


@rule("BASE", "window_zh '半年'", "window_zh '半' '个' '月'")
def window_half(parser: Parser, kind: str) -> Period | None:
    if kind == "complete":
        return None
    unit: Grain = "month" if parser.word(parser.begin + 1) == "半年" else "day"
    count = 6 if unit == "month" else 15
    return rolling(parser, unit, count if kind == "rolling" else -count)


@rule("BASE", "window_zh number '年' '半'")
def window_year_and_half(parser: Parser, kind: str, count: int) -> Period | None:
    return rolling(parser, "month", count * 12 + 6) if kind == "rolling" else None


@rule("BASE", "number '个'? unit '前'|'之前'|'以前'", "number '个' unit '前'|'之前'|'以前'")
def units_ago(parser: Parser, count: int, unit: Grain) -> Period | None:
    """三天前, 两个月前; 三月前 is *before March*, 2020年前 *before 2020*."""
    measured = parser.word(parser.begin + 1) == "个"
    calendar_word = (unit == "month" and not measured) or (unit == "year" and count > 99)
    day_number = unit == "day" and parser.word(parser.begin + 1) == "日"
    if calendar_word or day_number or parser.tag(parser.begin - 1, "window_zh"):
        return None
    return ago(parser, unit, count)


@rule("BASE", "'半年' '前'|'之前'|'以前'")
def half_year_ago(parser: Parser) -> Period | None:
    return ago(parser, "month", 6)


@rule("BASE", "number '个'? unit '内'|'以内'|'之内'|'来'")
def within_units(parser: Parser, count: int, unit: Grain) -> Period | None:
    """30天内的订单: the last 30 days, if it describes a noun; 3天内发货 is a duration."""
    before = parser.word(parser.begin - 1)
    describes = parser.word(parser.end) == "的" or parser.word(parser.end - 1) == "来"
    calendar_word = (unit == "month" and parser.word(parser.begin + 1) != "个") or count > 999
    if not describes or calendar_word or before in ("后", "在后", "之后", "以后"):
        return None
    period = rolling(parser, unit, count)
    return period and replace(period, certain=False)


@rule("BASE", "edge_zh")
def current_edge(parser: Parser, value: str) -> Period | None:
    """月初, 月底 alone: of the current month."""
    side, grain = value.split()
    if grain != "month":
        return None
    period = nth(unit_period(parser, "month", 0), "day", 1 if side == "first" else -1, parser.calendar)
    return period and replace(period, shift=None)


@rule("BASE", "which_zh '个'? edge_zh")
def relative_edge(parser: Parser, offset: int, value: str) -> Period | None:
    """上月底, 下季末."""
    side, grain = value.split()
    whole = unit_period(parser, grain, offset)  # type: ignore[arg-type]
    return nth(whole, "day", 1 if side == "first" else -1, parser.calendar)
