"""Quarters, halves and numbered weeks: *Q3*, *3Q24*, *the first half*, *week 12*."""

from dataclasses import replace
from datetime import timedelta

from text2sql.question.time import periods
from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.periods import Period
from text2sql.question.time.pieces_en import nth_piece
from text2sql.question.time.references import Piece
from text2sql.types import Calendar


@rule("PIECE", "'q' ~number", "ordinal 'quarter'", "'q' number", "'quarter' number")
def quarter(_: Parser, number: int) -> Piece | None:
    return nth_piece("quarter", number, stands_alone=True, joins=True) if 1 <= number <= 4 else None


@rule("BASE", "number ~'q'|'h' ~number")
def numbered_first(parser: Parser, number: int, year: int) -> Period | None:
    """*3Q24*, *1H25*."""
    if not 0 <= year < 100:
        return None
    piece = (quarter if parser.word(parser.begin + 1) == "q" else half)(parser, number)
    return piece.of(periods.year_period(2000 + year), parser.calendar) if piece else None


@rule("BASE", "year_number ~'-' ~'q'|'h'|'w' ~number")
def numbered_last(parser: Parser, year: int, number: int) -> Period | None:
    """*2025-Q2*, *2025-W12*."""
    piece = {"q": quarter, "h": half, "w": week_number}[parser.word(parser.end - 2)](parser, number)
    return piece.of(periods.year_period(year), parser.calendar) if piece else None


@rule("PIECE", "number ~'q'")
def quarter_after_number(_: Parser, number: int) -> Piece | None:
    return quarter(_, number)


@rule("PIECE", "'h' ~number", "half_name", "half_name 'year'")
def half(_: Parser, number: int) -> Piece | None:
    """*H1*; *the first half* of any period of whole months."""
    if number not in (1, 2):
        return None

    def of(whole: Period, calendar: Calendar) -> Period | None:
        if whole.grain == "year":
            return periods.nth(whole, "half", number, calendar)
        length = (whole.end - whole.start).days
        middle = whole.start + timedelta(days=length // 2)
        if whole.grain == "month":
            middle = whole.start + timedelta(days=15)
        start, end = (whole.start, middle) if number == 1 else (middle, whole.end)
        return replace(whole, start=start, end=end, grain="day") if length >= 28 else None

    return Piece(of, stands_alone=True, joins=True)


@rule("PIECE", "'week' number", "'w' ~number", "'week' 'number'|'no' number", "'wk' number")
def week_number(_: Parser, number: int) -> Piece:
    def of(whole: Period, calendar: Calendar) -> Period | None:
        return periods.nth(whole, "week", number, calendar) if whole.grain in ("year", "month") else None

    return Piece(of, stands_alone=True, joins=True)
