"""Years, decades and fiscal years; and which numbers are none."""

from dataclasses import replace
from datetime import date

from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.lexicon import lexicon
from text2sql.question.time.periods import Period, fiscal_year, nth, shifted, year_period
from text2sql.question.time.references import Piece
from text2sql.types import Grain

_IDENTIFIER_SIGNS = frozenset("$€£¥￥#@._/=-+*")
_AFTER_NUMBER = frozenset("%‰℃°$€£¥")
_ZH_PREPOSITIONS = frozenset("在从自于到至和与")


@rule("BASE", "year_number")
def bare_year(parser: Parser, year: int) -> Period | None:
    """A number that may be a year; certain if a preposition precedes it."""
    index = parser.begin
    if _is_identifier(parser, index) or is_counted(parser, index):
        return None
    certain = bool(parser.tag(index - 1, "preposition")) or parser.word(index - 1) in _ZH_PREPOSITIONS
    return replace(year_period(year), certain=certain)


def _is_identifier(parser: Parser, index: int) -> bool:
    """Whether the number is part of something like `INV-2024`, `$2024` or `2024A`."""
    previous, following = parser.word(index - 1), parser.word(index + 1)
    if parser.adjacent(index) and (
        previous in _IDENTIFIER_SIGNS or (previous.isascii() and previous.isalnum())
    ):
        before = parser.tokens[index - 2].tags if index > 1 else {}
        dates = ("year_number", "third", "month", "number", "piece_sign")
        if previous != "-" or not any(tag in before for tag in dates):
            return True
    if parser.adjacent(index + 1):
        if following in ("-", "/", "_", "#") and parser.adjacent(index + 2):
            return not parser.tag(index + 2, "number") and not parser.tag(index + 2, "piece_sign")
        return following.isascii() and following.isalnum() and not parser.tag(index + 1, "piece_sign")
    return False


def is_counted(parser: Parser, index: int) -> bool:
    previous, following = parser.word(index - 1), parser.word(index + 1)
    if following in _AFTER_NUMBER or previous in _AFTER_NUMBER:
        return True
    if following in lexicon().counted_after:
        return previous not in ("in", "since", "during", "year")
    if previous == "than" and parser.word(index - 2) in ("earlier", "later", "older", "newer", "recent"):
        return False
    if following.isascii() and (following.endswith("est") or following in ("most", "least", "best", "worst")):
        return True  # the 2000 cheapest products
    if previous in ("为", "是", "is", "=", ":", "："):
        previous = parser.word(index - 2)  # *id is 1999*
    return previous in lexicon().counted_before


@rule("BASE", "'year'|'cy' year_number", "unit year_number", "'year' 'of' year_number")
@rule("BASE", "year_number '年'|'年度'|'年份'", "chinese_year '年'|'年度'", "year_number '年' '的' '全年'")
def named_year(_: Parser, *values: int | str) -> Period | None:
    """*The year 2024*, 2024年; not *month 2024*."""
    year = values[-1]
    return year_period(int(year)) if len(values) == 1 or values[0] == "year" else None


@rule("BASE", "year_number edge_zh", "chinese_year edge_zh")
def edge_of_year(parser: Parser, year: int, value: str) -> Period | None:
    """2024年底."""
    side, grain = value.split()
    number = 1 if side == "first" else -1
    return nth(year_period(year), "day", number, parser.calendar) if grain == "year" else None


@rule("BASE", "short_year")
def apostrophe_year(parser: Parser, year: int) -> Period | None:
    """*'24*, after a month or a quarter."""
    before = parser.tokens[parser.begin - 1].tags if parser.begin else {}
    known = any(tag in before for tag in ("month", "ordinal", "number", "half_name", "unit"))
    return year_period(_full_year(parser, year)) if known else None


@rule("BASE", "number '年'|'年度'")
def two_digit_year(parser: Parser, number: int) -> Period | None:
    """24年 is 2024, unless it is a duration: 超过10年, 10年以上."""
    index = parser.begin
    token = parser.tokens[index].tags
    if token.get("digits") != 2 and not (token.get("numeral") == 2 and "十" not in parser.word(index)):
        return None
    year = 2000 + number
    following = parser.word(parser.end)
    duration = following in lexicon().counted_after or following in (
        "内",
        "前",
        "后",
        "间",
        "来",
        "以内",
        "之内",
        "期",
    )
    counted = previous_word_counts(parser, index) or parser.tag(index - 1, "window_zh")
    if duration or counted or not parser.today.year - 16 <= year <= parser.today.year + 5:
        return None
    leading = index == 0 or parser.word(index - 1) in (
        *_ZH_PREPOSITIONS,
        ",",
        "，",
        "、",
        "?",
        "。",
        "对比",
        "比较",
    )
    divided = any(parser.tag(parser.end, tag) for tag in ("number", "half_name", "edge_suffix"))
    return replace(year_period(year), certain=leading or divided or parser.word(parser.end) == "第")


def previous_word_counts(parser: Parser, index: int) -> bool:
    return parser.word(index - 1) in lexicon().counted_before


def _full_year(parser: Parser, number: int) -> int:
    return (
        number
        if number >= 100
        else 2000 + number
        if number <= parser.today.year % 100 + 20
        else 1900 + number
    )


@rule("BASE", ".fiscal_year_word number", ".fiscal_year_word ~number")
def fiscal_year_named(parser: Parser, number: int) -> Period | None:
    return fiscal_year(_full_year(parser, number), parser.calendar) if _is_year(number) else None


@rule("BASE", ".fiscal_year_word short_year")
def short_fiscal_year(parser: Parser, number: int) -> Period:
    """*FY'25*."""
    return fiscal_year(_full_year(parser, number), parser.calendar)


@rule("BASE", ".fiscal PIECE 'of'? year_number", ".fiscal PIECE")
def piece_of_fiscal_year(parser: Parser, piece: Piece, year: int | None = None) -> Period | None:
    """*Fiscal Q2 2025*."""
    if not piece.stands_alone:
        return None
    if year:
        return piece.of(fiscal_year(year, parser.calendar), parser.calendar)
    current = shifted(parser.today, "year", 0, parser.calendar, fiscal=True)
    found = piece.of(current, parser.calendar)
    if found and found.start > parser.today:
        found = piece.of(shifted(parser.today, "year", -1, parser.calendar, fiscal=True), parser.calendar)
    return replace(found, relative=True) if found else None


@rule("BASE", "edge 'of' .fiscal_year_word", "edge 'of' which .fiscal_year_word")
def edge_of_fiscal_year(parser: Parser, side: str, offset: int = 0) -> Period | None:
    whole = shifted(parser.today, "year", offset, parser.calendar, fiscal=True)
    edge = nth(whole, "day", 1 if side == "first" else -1, parser.calendar)
    return replace(edge, relative=True) if edge else None


@rule("BASE", ".fiscal_year_word number '/'|'-' number")
def fiscal_year_of_two(parser: Parser, first: int, second: int) -> Period | None:
    """*FY2024/25*: both years are said, so the name of the year does not matter."""
    start = _full_year(parser, first)
    if not _is_year(first) or (start + 1) % 100 != second % 100:
        return None
    calendar = replace(parser.calendar, fiscal_year_named="start")
    return fiscal_year(start, calendar)


@rule(
    "BASE",
    "number .fiscal_year_word",
    "number '年' .fiscal_year_word",
    "number ~'/' ~number .fiscal_year_word",
)
@rule("BASE", "chinese_year .fiscal_year_word")
def fiscal_year_zh(parser: Parser, number: int, second: int | None = None) -> Period | None:
    if second is not None:
        return fiscal_year_of_two(parser, number, second)
    return fiscal_year(_full_year(parser, number), parser.calendar) if _is_year(number) else None


def _is_year(number: int) -> bool:
    return 0 <= number < 100 or 1900 <= number < 2100


def relative_fiscal(parser: Parser, unit: Grain, offset: int) -> Period:
    period = shifted(parser.today, unit, offset, parser.calendar, fiscal=True)
    return replace(period, relative=True, shift=offset)


@rule("BASE", "which .fiscal unit", "which_zh '个'? .fiscal unit")
def which_fiscal_unit(parser: Parser, offset: int, unit: Grain) -> Period | None:
    return relative_fiscal(parser, unit, offset) if unit not in ("hour", "day", "week") else None


@rule("BASE", "which .fiscal_year_word", "which_zh '个'? .fiscal_year_word")
def which_fiscal_year(parser: Parser, offset: int) -> Period:
    return relative_fiscal(parser, "year", offset)


@rule("BASE", "decade")
def decade(_: Parser, start: int) -> Period:
    return Period(date(start, 1, 1), date(start + 10, 1, 1), "year")


@rule("BASE", "number .decade_word")
def decade_zh(parser: Parser, number: int) -> Period | None:
    if number % 10:
        return None
    return decade(parser, number if number >= 1000 else 1900 + number if number > 20 else 2000 + number)


@rule("BASE", "number .century_word number .decade_word")
def decade_of_century(parser: Parser, century: int, number: int) -> Period | None:
    return decade(parser, (century - 1) * 100 + number) if number % 10 == 0 and number < 100 else None


@rule("BASE", "ordinal 'century'", "number .century_word")
def century(_: Parser, number: int) -> Period | None:
    if not 15 <= number <= 22:
        return None
    start = date((number - 1) * 100 + 1, 1, 1)
    return Period(start, start.replace(year=start.year + 100), "year")
