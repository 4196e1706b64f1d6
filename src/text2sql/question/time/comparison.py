"""Phrases that compare periods: *compared with last year*, 较上月, 和去年同期相比."""

from dataclasses import dataclass, replace
from datetime import timedelta

from text2sql.question.time import periods
from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.periods import Period, shifted
from text2sql.question.time.references import Reference
from text2sql.types import Grain


@dataclass(frozen=True, slots=True)
class SamePeriod:
    """*The same month last year*: the period of the question, moved by so many units."""

    unit: Grain | None
    shift: int
    shift_unit: Grain
    whole: Period


@dataclass(frozen=True, slots=True)
class ComparedWith:
    """The period that the question's own is compared with."""

    reference: Reference | SamePeriod


@rule("SAME", ".same 'period'|'time' 'of'|'in'|'from'? REF")
@rule("SAME", ".same 'period'|'time' 'a'|'one' 'year' 'ago'|'earlier'|'before'")
def same_period(parser: Parser, reference: Reference | None = None) -> SamePeriod | None:
    return _same(reference.period if reference else _last_year(parser), None, parser)


@rule("SAME", ".same unit 'of'|'in'|'from'? REF", ".same unit 'a'|'one' 'year' 'ago'|'earlier'|'before'")
def same_unit(parser: Parser, unit: Grain, reference: Reference | None = None) -> SamePeriod | None:
    return _same(reference.period if reference else _last_year(parser), unit, parser)


def _last_year(parser: Parser) -> Period:
    return replace(shifted(parser.today, "year", -1, parser.calendar), shift=-1)


@rule("SAME", "REF '的'? .same_period")
def same_period_zh(parser: Parser, reference: Reference) -> SamePeriod | None:
    word = parser.word(parser.end - 1)
    units: dict[str, Grain] = {
        "月": "month",
        "季": "quarter",
        "度": "quarter",
        "周": "week",
        "日": "day",
        "天": "day",
    }
    return _same(reference.period, units.get(word[-1]), parser)


def _same(whole: Period, unit: Grain | None, parser: Parser) -> SamePeriod | None:
    if whole.shift is not None:
        return SamePeriod(unit, whole.shift, whole.grain, whole)
    if whole.grain == "year":
        return SamePeriod(unit, whole.start.year - parser.today.year, "year", whole)
    return None


@rule(
    "COMPARED",
    ".compare_with SAME|REF",
    ".compare_before '于'|'了'? SAME|REF",
    ".joins? SAME|REF '的'? .compare_after",
)
@rule("COMPARED", "'同比'|'环比' SAME|REF", "'和'|'与'|'跟'|'同' SAME|REF '的'|'数据' .compare_after")
def compared_with(parser: Parser, *values: object) -> ComparedWith | None:
    reference = next(value for value in values if isinstance(value, Reference | SamePeriod))
    opening = parser.word(parser.begin)
    if opening == "than" and isinstance(reference, Reference) and not reference.period.certain:
        return None
    return ComparedWith(reference)


def moved_back(period: Period, same: SamePeriod) -> Period:
    """A period, moved as *the same period last year* says."""
    if same.shift_unit in periods.MONTHS and period.grain != "week":
        start = periods.add(period.start, same.shift_unit, same.shift)
        end = periods.add(period.end, same.shift_unit, same.shift)
    else:
        weeks = timedelta(
            weeks={"year": 52, "half": 26, "quarter": 13, "month": 4}.get(same.shift_unit, 1) * same.shift
        )
        start, end = period.start + weeks, period.end + weeks
    return replace(period, start=start, end=end, shift=None, to_date=False)


def preceding(period: Period) -> Period:
    """The period of the same length before it."""
    if period.grain in periods.MONTHS:
        months = (period.end.year - period.start.year) * 12 + period.end.month - period.start.month
        if months and period.start.day == period.end.day:
            start = periods.add_months(period.start, -months)
            return replace(period, start=start, end=period.start, shift=None, to_date=False)
    return replace(
        period, start=period.start - (period.end - period.start), end=period.start, shift=None, to_date=False
    )


def same_period_alone(same: SamePeriod, parser: Parser) -> Period:
    """Without another period in the question: the current unit, or the time up to today, moved back."""
    if same.unit:
        current = shifted(parser.today, same.unit, 0, parser.calendar)
        return replace(moved_back(current, same), relative=True)
    start = periods.first_day(parser.today, same.shift_unit, parser.calendar)
    so_far = Period(start, parser.today + timedelta(days=1), same.shift_unit, relative=True)
    return replace(moved_back(so_far, same), certain=False)
