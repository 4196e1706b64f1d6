"""Chinese parts of a period: 三月, 3月1日, 第三季度, 前三个月, 月底, 第二周, 周一."""

from dataclasses import replace
from datetime import timedelta

from text2sql.question.time import periods
from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.periods import Period
from text2sql.question.time.pieces_en import days_piece, leading_piece, month_piece, nth_piece, third_piece
from text2sql.question.time.references import Piece, inner_piece
from text2sql.types import Calendar, Grain


@rule("PIECE", "number '月'|'月份'")
def month(parser: Parser, number: int) -> Piece | None:
    digits = parser.tag(parser.begin, "digits") or 0
    known = 1 <= number <= 12 and digits <= 2 and not _after_measure(parser)
    return month_piece(number) if known else None


def _after_measure(parser: Parser) -> bool:
    """Whether it is a duration: 近3月, 每3月."""
    before = parser.begin - 1
    return bool(parser.tag(before, "window_zh")) or parser.word(before) in ("每", "第", "满", "超过")


@rule("PIECE", "number '月' '的'? number .day_word", "number '月' '第' number '天'")
def month_day(_: Parser, number: int, day: int) -> Piece:
    return days_piece(number, day, day)


@rule("PIECE", "number '月' number .day_word? .to number .day_word")
def month_days(_: Parser, number: int, first: int, last: int) -> Piece | None:
    return days_piece(number, first, last) if first < last else None


@rule("PIECE", "number '月'|'月份'? .to number '月'|'月份'", "number '、' number '月'|'月份'")
def months(parser: Parser, first: int, last: int) -> Piece | None:
    """3到5月; 3、4月, which follow each other."""
    adjoining = parser.word(parser.begin + 1) != "、" or last == first + 1
    if not (1 <= first < last <= 12 and adjoining) or _after_measure(parser):
        return None

    def of(whole: Period, _: Calendar) -> Period | None:
        start, end = periods.month_in(whole, first), periods.month_in(whole, last)
        return replace(start, end=end.end) if start and end and start.start < end.start else None

    return Piece(of, stands_alone=True, joins=True)


@rule("PIECE", "'第'? number '季度'|'季'", "'q' ~number '季度'|'季'")
def quarter(parser: Parser, number: int) -> Piece | None:
    bare = parser.word(parser.end - 1) == "季" and parser.word(parser.begin) != "第"
    counted = bare and "digits" in parser.tokens[parser.begin].tags
    if counted or not 1 <= number <= 4 or parser.tag(parser.begin - 1, "window_zh"):
        return None
    return nth_piece("quarter", number, stands_alone=True, joins=True)


@rule("PIECE", "half_of_month")
def half_of_month(_: Parser, number: int) -> Piece:
    def of(whole: Period, _calendar: Calendar) -> Period | None:
        middle = whole.start + timedelta(days=15)
        start, end = (whole.start, middle) if number == 1 else (middle, whole.end)
        return replace(whole, start=start, end=end, grain="day") if whole.grain == "month" else None

    return Piece(of, joins=True)


@rule(
    "PIECE", "'第'? number '和'|'与'|'、' '第'? number '季度'", "ordinal 'and' ordinal 'quarters'|'quarter'"
)
@rule("PIECE", "'第'? number '、' '第'? number '、'|'和'|'与' '第'? number '季度'")
def listed_quarters(parser: Parser, *numbers: int) -> Piece | None:
    """第一和第二季度: quarters that follow each other."""
    return quarters(parser, numbers[0], numbers[-1]) if numbers[-1] - numbers[0] == len(numbers) - 1 else None


@rule("PIECE", "'前' number '个'? '季度'", "'第'? number .to '第'? number '季度'")
def quarters(_: Parser, *numbers: int) -> Piece | None:
    """前三季度; 一至三季度."""
    first, last = (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    if not 1 <= first <= last <= 4:
        return None

    def of(whole: Period, calendar: Calendar) -> Period | None:
        start = periods.nth(whole, "quarter", first, calendar)
        end = periods.nth(whole, "quarter", last, calendar)
        return replace(start, end=end.end) if start and end else None

    return Piece(of, stands_alone=True, joins=True)


@rule("PIECE", "'第' number '个'? unit", "'第' number '个' '半年'")
def nth_unit(_: Parser, number: int, unit: Grain = "half") -> Piece:
    return nth_piece(unit, number, joins=True, stands_alone=unit in ("quarter", "week"))


@rule("PIECE", "'首' '个'? unit")
def first_unit(_: Parser, unit: Grain) -> Piece:
    return nth_piece(unit, 1, joins=True)


@rule("PIECE", ".last_zh '一' '个'? unit", ".last_zh '一' unit")
def last_unit(_: Parser, unit: Grain) -> Piece:
    return nth_piece(unit, -1, joins=True)


@rule("PIECE", "'倒数' '第' number '个'? unit")
def unit_from_the_end(_: Parser, number: int, unit: Grain) -> Piece:
    return nth_piece(unit, -number, joins=True)


@rule("PIECE", "'前'|'头' number '个'? unit", "'头' number unit")
def first_units(_: Parser, count: int, unit: Grain) -> Piece:
    return leading_piece(unit, count, joins=True)


@rule("PIECE", ".last_zh number '个'? unit", "'后' number '个'? unit")
def last_units(_: Parser, count: int, unit: Grain) -> Piece:
    return leading_piece(unit, -count, joins=True)


@rule("PIECE", "edge_suffix")
def edge(_: Parser, side: str) -> Piece:
    """上个月底, 2024年初."""
    return nth_piece("day", 1 if side == "first" else -1, joins=True)


@rule("PIECE", "edge_zh")
def named_edge(_: Parser, value: str) -> Piece:
    """去年年底, 三月月初: the edge of a period of that size."""
    side, grain = value.split()

    def of(whole: Period, calendar: Calendar) -> Period | None:
        number = 1 if side == "first" else -1
        return periods.nth(whole, "day", number, calendar) if whole.grain == grain else None

    return Piece(of, joins=True, stands_alone=grain == "year")


@rule("PIECE", "'第'? number edge_zh")
def numbered_edge(parser: Parser, number: int, value: str) -> Piece | None:
    """三月底, 第三季度末."""
    side, grain = value.split()
    outer = month_piece(number) if grain == "month" else nth_piece("quarter", number)
    if grain not in ("month", "quarter") or number > 12 or _after_measure(parser):
        return None
    return inner_piece(nth_piece("day", 1 if side == "first" else -1), outer)


@rule("PIECE", "third_zh")
def third(_: Parser, number: int) -> Piece:
    return third_piece(number)


@rule("PIECE", "'周'|'星期'|'礼拜' number|sunday", "number", "'日'|'天'")
def weekday(parser: Parser, value: int | str = 7) -> Piece | None:
    """周一; after 上周, 一 alone."""
    named = parser.tag(parser.begin, "unit") == "week"
    after_week = parser.tag(parser.begin - 1, "unit") == "week" or parser.tag(parser.begin - 1, "shift")
    number = value if isinstance(value, int) else 7
    spelled = "numeral" in parser.tokens[parser.end - 1].tags or value == 7 or number < 7
    if not (named or (after_week and parser.adjacent(parser.begin))) or not 1 <= number <= 7 or not spelled:
        return None

    def of(whole: Period, _: Calendar) -> Period | None:
        return periods.weekday_in(whole, number, 1) if whole.grain == "week" else None

    return Piece(of, joins=True)


@rule("PIECE", "'末'|'周末'")
def weekend(_: Parser) -> Piece:
    def of(whole: Period, _calendar: Calendar) -> Period | None:
        saturday = periods.weekday_in(whole, 6, 1) if whole.grain == "week" else None
        return saturday and replace(saturday, end=saturday.start + timedelta(days=2))

    return Piece(of, joins=True)


@rule("PIECE", "'第' number '个' '周'|'星期'|'礼拜' number|sunday")
def nth_weekday(_: Parser, number: int, value: int | str) -> Piece:
    weekday = value if isinstance(value, int) else 7
    return Piece(lambda whole, _calendar: periods.weekday_in(whole, weekday, number), joins=True)


@rule("PIECE", "number '号'|'日'", "'第' number '天'")
def day_of_month(parser: Parser, day: int) -> Piece | None:
    if not 1 <= day <= 31 or parser.tag(parser.begin - 1, "window_zh"):
        return None
    return Piece(lambda whole, _: periods.days_in(whole, None, day, day), joins=True)


@rule("PIECE", "'全年'", "'整年'", "'全' '年'", "'整' '年'", "'一' '整' '年'")
def whole_year(_: Parser) -> Piece:
    return Piece(
        lambda whole, _calendar: replace(whole, certain=True) if whole.grain == "year" else None, joins=True
    )
