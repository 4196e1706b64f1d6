"""A reference is what a phrase points at: a period, or one whose year the question leaves open."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from text2sql.question.time.grammar import Match, Parser, rule
from text2sql.question.time.periods import Period, year_period
from text2sql.types import Calendar, DatePart


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a larger period: *March* of a year, *the last day* of any. `of` returns None if the larger
    period has no such part.

    A piece that `stands_alone` needs no larger period; then the year is open. One that `joins` may directly
    follow the larger period (上个月底), one that `precedes` may stand before it (*early 2025*).
    """

    of: Callable[[Period, Calendar], Period | None]
    stands_alone: bool = False
    joins: bool = False
    precedes: bool = False
    recurs: tuple[tuple[DatePart, tuple[int, ...]], ...] = ()  # the parts of *every March*, 每年双十一


@dataclass(frozen=True, slots=True)
class Reference:
    period: Period
    piece: Piece | None = None  # set if the year is open: `period` is then the most recent one

    def in_year(self, year: int, calendar: Calendar) -> "Reference":
        """The same piece of a year that the question says elsewhere."""
        period = self.piece.of(year_period(year), calendar) if self.piece else None
        return Reference(period) if period else self


def most_recent(piece: Piece, before: date, calendar: Calendar) -> Period | None:
    """The latest period of that kind that begins before a day."""
    for year in range(before.year + 1, before.year - 6, -1):  # a leap day may be four years ago, or eight
        try:
            period = piece.of(year_period(year), calendar)
        except (ValueError, OverflowError):
            continue
        if period and period.start < before:
            return replace(period, relative=True)
    return None


def inner_piece(inner: Piece, outer: Piece) -> Piece:
    """*The end* of *March*, as a piece of a year."""

    def of(period: Period, calendar: Calendar) -> Period | None:
        between = outer.of(period, calendar)
        return inner.of(between, calendar) if between else None

    return Piece(of, stands_alone=True, joins=True)


def _open(parser: Parser, piece: Piece) -> Reference | None:
    period = most_recent(piece, parser.today + timedelta(days=1), parser.calendar)
    return Reference(period, piece) if period else None


def _combined(parser: Parser, piece: Piece, whole: Reference) -> Reference | None:
    if whole.piece:
        if piece.recurs and whole.piece.recurs and piece.recurs[0][0] == whole.piece.recurs[0][0]:
            return None
        return _open(parser, inner_piece(piece, whole.piece))
    period = piece.of(whole.period, parser.calendar)
    certain = period is not None and (period.certain or (piece.stands_alone and whole.period.grain == "year"))
    return Reference(replace(period, certain=certain, shift=None)) if period else None


@rule("REF", "BASE")
def base(parser: Parser, period: Period) -> Match:
    return _extended(parser, Reference(period), parser.end)


@rule("REF", "PIECE")
def alone(parser: Parser, piece: Piece) -> Match | None:
    reference = _open(parser, piece) if piece.stands_alone else None
    return _extended(parser, reference, parser.end) if reference else None


@rule("REF", "weekday ','? REF")
def day_with_weekday(_: Parser, weekday: int, reference: Reference) -> Reference | None:
    """*Saturday, March 1, 2025*."""
    period = reference.period
    return reference if period.grain == "day" and period.start.isoweekday() == weekday else None


@rule("REF", "PIECE 'of' REF", "PIECE 'of' BASE")
def piece_of(parser: Parser, piece: Piece, whole: Reference | Period) -> Reference | None:
    return _combined(parser, piece, Reference(whole) if isinstance(whole, Period) else whole)


@rule("REF", "PIECE 'in' REF", "PIECE 'in' BASE")
def piece_in(parser: Parser, piece: Piece, whole: Reference | Period) -> Reference | None:
    return piece_of(parser, piece, whole) if piece.joins else None


@rule("REF", "PIECE ','? REF", "PIECE ','? BASE")
def piece_before(parser: Parser, piece: Piece, whole: Reference | Period) -> Reference | None:
    return piece_of(parser, piece, whole) if piece.stands_alone or piece.precedes else None


def _extended(parser: Parser, reference: Reference, end: int) -> Match:
    """Apply the pieces that follow: 2024年 + 第一季度, 上个月 + 的 + 最后一天, last year's + Q3."""
    while True:
        possessive = parser.word(end) in ("'s", "的")
        match = parser.match("PIECE", end + possessive)
        piece: Piece | None = match.value if match else None
        if not match or not piece or not (possessive or piece.joins):
            return Match(reference, end)
        if piece.stands_alone and parser.tag(match.end, "year_number") and not reference.piece:
            return Match(reference, end)  # 2024, *March 2025*
        combined = _combined(parser, piece, reference)
        if combined is None:
            return Match(reference, end)
        reference, end = combined, match.end
