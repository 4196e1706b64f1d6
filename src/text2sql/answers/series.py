"""Numbers over time: the last one, its change, the extremes, the trend, gaps and outliers."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from statistics import median

from text2sql.answers.comparisons import change_facts, direction
from text2sql.answers.phrases import be, counted, is_plural, joined, plural_of
from text2sql.answers.setting import AnswerText, Setting
from text2sql.answers.view import Measure, Times
from text2sql.i18n import say
from text2sql.result_columns.dates import moment_text, month_name, steps_between
from text2sql.result_columns.temporal import Moment

_OUTLIER = 5.0  # distance from the median, in median absolute deviations as standard deviations
_MIN_FOR_OUTLIERS = 6
_MAX_GAPS = 3


@dataclass(frozen=True, slots=True)
class Point:
    text: str
    number: float
    moment: Moment | None


def describe_series(setting: Setting) -> AnswerText:
    view = setting.view
    measure, times = view.main, view.times
    if measure is None or times is None:
        raise RuntimeError("a series needs a time and a number")
    points = _points(measure, times)
    if not points:
        return AnswerText(_no_values(setting, measure, times))
    if times.grain is None:
        return AnswerText(
            _parts(setting, measure, times, points), tuple(_totals(setting, measure, times, points))
        )
    is_incomplete = setting.last_period_incomplete and len(points) > 1
    complete = points[:-1] if is_incomplete else points
    sentences = [
        _last(setting, measure, times, complete, is_incomplete),
        _range(setting, measure, times, complete),
    ]
    if _is_flat(complete) and len(complete) > 2:
        sentences = [_flat(setting, measure, times, complete)]
    if is_incomplete:
        value = measure.text(points[-1].number)
        sentences.append(setting.say("series.incomplete", when=points[-1].text, value=value))
    others = [
        _other(setting, other, times)
        for other in view.values
        if other is not measure and other.output.role == "value"
    ]
    findings = [*_gaps(setting, times), *_outliers(setting, measure, complete)]
    findings += [*_trend(setting, measure, complete), *_totals(setting, measure, times, points)]
    return AnswerText(setting.sentences([*sentences, *others[:2]]), tuple(findings))


def _points(measure: Measure, times: Times) -> list[Point]:
    rows = [row for row, number in enumerate(measure.numbers) if number is not None and math.isfinite(number)]
    if times.grain is not None:
        rows = sorted(
            (row for row in rows if times.moments[row] is not None),
            key=lambda row: times.moments[row],  # type: ignore[arg-type, return-value]
        )
    else:
        rows = sorted(rows, key=lambda row: times.view.numbers[row] or 0.0)
    return [Point(times.texts[row], measure.numbers[row] or 0.0, times.moments[row]) for row in rows]


def _grain(setting: Setting, times: Times) -> str:
    if setting.lang == "zh":
        return {
            "day": "天",
            "week": "周",
            "month": "月",
            "quarter": "季度",
            "year": "年度",
            "hour": "小时",
            "weekday": "星期",
        }.get(times.bucket, "周期")
    return say(f"column.{times.bucket}", "en") if times.bucket != "day" else "day"


def _last(
    setting: Setting, measure: Measure, times: Times, points: Sequence[Point], is_incomplete: bool
) -> str:
    last = points[-1]
    change = ""
    if len(points) > 1 and not measure.output.moving:
        before = points[-2]
        change = _change(setting, measure, times, before, last)
    key = (
        "series.running"
        if measure.output.running
        else "series.last_complete"
        if is_incomplete
        else "series.last"
    )
    subject = {**setting.subject(measure), "be": be(measure.noun, past=True)}
    return setting.say(
        key,
        value=measure.text(last.number),
        when=times.at(last.text),
        change=change,
        grain=_grain(setting, times),
        **subject,
    )


def _change(setting: Setting, measure: Measure, times: Times, before: Point, last: Point) -> str:
    way = direction(before.number, last.number)
    if measure.output.role == "percent_change":
        return ""
    if way == "none":
        return setting.say("series.same", before=times.at(before.text))
    facts = change_facts(setting, measure, before.number, last.number)
    return setting.say(f"series.{way}", before=before.text, **facts)


def _is_flat(points: Sequence[Point]) -> bool:
    return len({point.number for point in points}) == 1


def _flat(setting: Setting, measure: Measure, times: Times, points: Sequence[Point]) -> str:
    return setting.say(
        "series.flat",
        value=measure.text(points[0].number),
        grain=_grain(setting, times),
        first=points[0].text,
        last=points[-1].text,
        **setting.subject(measure),
    )


def _range(setting: Setting, measure: Measure, times: Times, points: Sequence[Point]) -> str:
    """The highest and the lowest value with their times, unless several share them."""
    if len(points) < 3 or measure.output.running:
        return ""
    high, low = max(points, key=lambda point: point.number), min(points, key=lambda point: point.number)
    highs, lows = (sum(point.number == end.number for point in points) for end in (high, low))
    key = "series.range"
    if highs > 1 or lows > 1:
        key += "_tied" if highs > 1 and lows > 1 else "_low_only" if highs > 1 else "_high_only"
    elif points[-1] in (high, low):
        key += "_high" if points[-1] is high else "_low"
    names = _short_names(setting, times, points)
    return setting.say(
        key,
        high=measure.text(high.number),
        high_when=times.at(names(high)),
        low=measure.text(low.number),
        low_when=times.at(names(low)),
        times=max(highs, lows),
    )


def _short_names(setting: Setting, times: Times, points: Sequence[Point]) -> Callable[[Point], str]:
    """Months of one year without the year."""
    years = {point.moment.at.year for point in points if point.moment}
    if times.grain != "month" or len(years) != 1:
        return lambda point: point.text
    return lambda point: month_name(point.moment.at.month, setting.lang) if point.moment else point.text


def _parts(setting: Setting, measure: Measure, times: Times, points: Sequence[Point]) -> str:
    high, low = max(points, key=lambda point: point.number), min(points, key=lambda point: point.number)
    if high.number == low.number:
        return _flat(setting, measure, times, points)
    return setting.say(
        "series.parts",
        high=measure.text(high.number),
        high_when=times.at(high.text),
        low=measure.text(low.number),
        low_when=times.at(low.text),
        **setting.subject(measure),
    )


def _other(setting: Setting, measure: Measure, times: Times) -> str:
    """The last value and its change, of a further number."""
    points = _points(measure, times)
    if setting.last_period_incomplete and len(points) > 1:
        points = points[:-1]
    return _last(setting, measure, times, points, False) if points else ""


def _no_values(setting: Setting, measure: Measure, times: Times) -> str:
    return setting.say(
        "series.no_values",
        first=times.texts[0],
        last=times.texts[-1],
        noun=measure.noun,
        grain=_grain(setting, times),
    )


# -- findings --------------------------------------------------------------------------------------------


def _totals(setting: Setting, measure: Measure, times: Times, points: Sequence[Point]) -> list[str]:
    if not measure.adds_up or len(points) < 3 or not setting.view.is_whole or setting.last_period_incomplete:
        return []
    buckets = counted(
        len(points), f"{len(points):,}", plural_of(_grain(setting, times), setting.lang), setting.lang
    )
    if setting.lang == "zh":
        unit = {
            "month": "个月",
            "day": "天",
            "year": "年",
            "week": "周",
            "quarter": "个季度",
            "hour": "个小时",
        }
        buckets = f"{len(points)} {unit.get(times.bucket, '个周期')}"
    total = math.fsum(point.number for point in points)
    return [setting.say("finding.total", buckets=buckets, total=measure.text(total))]


def _trend(setting: Setting, measure: Measure, points: Sequence[Point]) -> list[str]:
    """The change from the first to the last value, if the series has a direction."""
    if len(points) < 4 or measure.output.role == "percent_change" or measure.output.running:
        return []
    first, last = points[0], points[-1]
    way = direction(first.number, last.number)
    if way == "none" or not _has_direction([point.number for point in points], way):
        return []
    facts = change_facts(setting, measure, first.number, last.number)
    facts["it"] = "they" if is_plural(measure.noun) else "it"
    return [setting.say(f"finding.trend_{way}", first=first.text, last=last.text, **facts)]


def _has_direction(numbers: Sequence[float], way: str) -> bool:
    """Whether the second half lies on the side of the first half that the ends suggest, clearly."""
    half = len(numbers) // 2
    early, late = math.fsum(numbers[:half]) / half, math.fsum(numbers[-half:]) / half
    spread = max(numbers) - min(numbers)
    return (late - early if way == "up" else early - late) > 0.2 * spread


def _gaps(setting: Setting, times: Times) -> list[str]:
    """Buckets without a row between the first and the last one."""
    grain = times.grain
    moments = sorted(moment for moment in times.moments if moment is not None)
    if grain is None or grain == "moment" or not times.output.bucket or len(moments) < 3:
        return []
    missing: list[str] = []
    count = 0
    for earlier, later in pairwise(moments):
        for step in range(1, steps_between(earlier, later, grain)):
            count += 1
            if len(missing) <= _MAX_GAPS:
                missing.append(moment_text(_shifted(earlier, step, times), setting.lang, grain))
    if not missing or count > 10 * len(moments):
        return []
    if count > _MAX_GAPS:
        first = joined(missing[:1], setting.lang)
        more = count - 1 if setting.lang == "en" else count
        text = setting.say("finding.more_gaps", first=first, count=more, grain=_grain(setting, times))
    else:
        text = joined(missing, setting.lang)
    return [setting.say("finding.gaps", buckets=text)]


def _shifted(time: Moment, steps: int, times: Times) -> Moment:

    at = time.at
    if times.grain in ("day", "week"):
        return Moment(at + timedelta(days=steps * (7 if times.grain == "week" else 1)), times.grain)
    months = {"month": 1, "quarter": 3, "year": 12}.get(times.grain or "", 1) * steps
    index = at.year * 12 + at.month - 1 + months
    return Moment(at.replace(year=index // 12, month=index % 12 + 1, day=1), time.grain)


def _outliers(setting: Setting, measure: Measure, points: Sequence[Point]) -> list[str]:
    if len(points) < _MIN_FOR_OUTLIERS or measure.output.running or measure.output.moving:
        return []
    numbers = [point.number for point in points]
    middle = median(numbers)
    deviation = 1.4826 * median(abs(number - middle) for number in numbers)
    if not deviation or not math.isfinite(deviation):
        return []
    farthest = max(points, key=lambda point: abs(point.number - middle))
    if abs(farthest.number - middle) < _OUTLIER * deviation:
        return []
    way = "high" if farthest.number > middle else "low"
    value, usual = measure.text(farthest.number), measure.text(middle)
    return [setting.say(f"finding.outlier_{way}", when=farthest.text, value=value, median=usual)]
