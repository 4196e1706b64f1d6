"""A range in words and dates, for answers and receipts."""

from datetime import date, datetime, timedelta

from text2sql.i18n import Language, say
from text2sql.text_normalization import has_chinese
from text2sql.types import TimeRange


def describe_range(time_range: TimeRange, language: Language) -> str:
    """*last quarter (2026-07-01 to 2026-09-30)*: the last day is included. A text in another language is
    left out.
    """
    dates = _dates(time_range, language)
    foreign = has_chinese(time_range.text) != (language == "zh")
    digits = time_range.text == dates or not any(character.isalpha() for character in time_range.text)
    if not time_range.text or foreign or (digits and time_range.text in dates):
        return dates
    return f"{time_range.text}（{dates}）" if language == "zh" else f"{time_range.text} ({dates})"


def _dates(time_range: TimeRange, language: Language) -> str:
    start, end = time_range.start, time_range.end
    last = _last(end) if end else None
    if start is None:
        return say("time.until", language, last=last)
    if last is None:
        return say("time.since", language, first=_written(start))
    if _written(start) == last:
        return last
    return say("time.between", language, first=_written(start), last=last)


def _written(moment: date) -> str:
    return moment.isoformat(" ", "minutes") if isinstance(moment, datetime) else moment.isoformat()


def _last(end: date) -> str:
    """The last moment that is included; of a time of day, the end itself."""
    return _written(end) if isinstance(end, datetime) else _written(end - timedelta(days=1))
