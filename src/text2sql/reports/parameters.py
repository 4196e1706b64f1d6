"""Report parameters: `:month` in a question, with its value from `--param month=2026-10`.

A day, month, quarter, year or range (`2026-01..2026-03`) is a time window. Relative windows (`:last_month`)
are predefined. `forms` lists the literals that a model may write for a value in a query, so that the stored
query can contain parameter names instead.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from text2sql.errors import UsageError
from text2sql.i18n import Language
from text2sql.sql import ParameterSpellings

_USED = re.compile(r"(?<![\w:]|\\):([A-Za-z][A-Za-z0-9_]*)", re.ASCII)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,18}(\.\d{1,18})?")
_MOMENT = re.compile(r"((?:19|20)\d\d)(?:-(?:Q([1-4])|(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?))?")
_MAX_LENGTH = 200  # characters of a value


@dataclass(frozen=True, slots=True)
class Window:
    """A period of time, both days included."""

    first: date
    last: date


def read_parameters(arguments: Iterable[str]) -> dict[str, str]:
    """Parse `name=value` arguments of the command line."""
    parameters: dict[str, str] = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals or name in parameters:
            raise UsageError("usage.report_param", given=argument)
        parameters[name] = value
    return check_parameters(parameters)


def check_parameters(parameters: Mapping[str, str]) -> dict[str, str]:
    for name, value in parameters.items():
        shown = f"{name}={value}"[:80]
        if (
            not _NAME.fullmatch(name)
            or not value.strip()
            or len(value) > _MAX_LENGTH
            or not value.isprintable()
        ):
            raise UsageError("usage.report_param", given=shown)
    return {name: value.strip() for name, value in parameters.items()}


def parameter_names(question: str) -> list[str]:
    """The names of the parameters in a question."""
    return list(dict.fromkeys(_USED.findall(question)))


def without_parameters(question: str) -> str:
    """The question without its parameters."""
    return _USED.sub(" ", question)


def substituted(question: str, values: Mapping[str, str], lang: Language) -> str:
    """The question with parameter values instead of names, as sent to the model."""
    return _USED.sub(lambda match: value_text(values[match[1]], lang), question).replace("\\:", ":")


def sole_parameter(question: str) -> str:
    """The parameter's name if the placeholder is only a parameter, else an empty string."""
    match = _USED.fullmatch(question)
    return match[1] if match else ""


def value_text(value: str, lang: Language) -> str:
    """The value as text. Ranges and quarters include their first and last day."""
    window = window_of(value)
    if window is None or not (".." in value or "Q" in value):
        return value
    days = f"{window.first} 至 {window.last}" if lang == "zh" else f"{window.first} to {window.last}"
    return days if ".." in value else f"{value} ({days})"


def window_of(value: str) -> Window | None:
    """Parse a date, month, quarter, year or range; None for other values."""
    start, dots, end = value.partition("..")
    first, last = _moment(start), _moment(end if dots else start)
    if first is None or last is None or last.last < first.first:
        return None
    return Window(first.first, last.last)


def _moment(text: str) -> Window | None:
    match = _MOMENT.fullmatch(text.strip())
    if match is None:
        return None
    year, quarter, month, day = (int(part) if part else 0 for part in match.groups())
    try:
        if day:
            return Window(date(year, month, day), date(year, month, day))
    except ValueError:  # 2026-02-30
        return None
    first = quarter * 3 - 2 if quarter else month or 1
    last = quarter * 3 if quarter else month or 12
    return Window(date(year, first, 1), date(year, last, monthrange(year, last)[1]))


def forms(name: str, value: str) -> ParameterSpellings:
    """The value and the values derived from it: `month_start`, `month_next`, `month_year`, …"""
    texts = {name: value, f"{name}_prefix": f"{value}%", f"{name}_anywhere": f"%{value}%"}
    numbers = {name: value} if _NUMBER.fullmatch(value) else {}
    window = window_of(value)
    if window is None:
        return ParameterSpellings(texts, numbers)
    first, last, after = window.first, window.last, window.last + timedelta(1)
    texts |= {
        f"{name}_start": f"{first}",
        f"{name}_end": f"{last}",
        f"{name}_next": f"{after}",
        f"{name}_start_time": f"{first} 00:00:00",
        f"{name}_end_time": f"{last} 23:59:59",
        f"{name}_next_time": f"{after} 00:00:00",
        f"{name}_start_month": f"{first:%Y-%m}",
        f"{name}_end_month": f"{last:%Y-%m}",
    }
    years = {f"{name}_start_year": f"{first:%Y}", f"{name}_end_year": f"{last:%Y}"}
    if first.year == last.year:
        years = {f"{name}_year": f"{first:%Y}"}
        if first.month == last.month:
            texts[f"{name}_month"], numbers[f"{name}_month"] = f"{first:%m}", f"{first.month}"
    return ParameterSpellings(texts | years, numbers | years, is_date=True)


def all_forms(values: Mapping[str, str]) -> dict[str, ParameterSpellings]:
    """The forms of all parameters. Raises UsageError if derived names clash (`month` has a `month_start`)."""
    forms_of = {name: forms(name, value) for name, value in values.items()}
    for name in values:
        if any(name in argument.texts for other, argument in forms_of.items() if other != name):
            raise UsageError("usage.report_param_name", name=name)
    return forms_of


def relative_windows(today: date) -> dict[str, str]:
    """The predefined relative windows. Weeks start on Monday; `last_7_days` ends yesterday."""
    yesterday, monday = today - timedelta(1), today - timedelta(today.weekday())
    month = today.replace(day=1)
    last_month = month - timedelta(1)
    quarter = (today.month + 2) // 3
    year_ago = date(month.year - 1, month.month, 1)
    return {
        "today": f"{today}",
        "yesterday": f"{yesterday}",
        "this_week": f"{monday}..{monday + timedelta(6)}",
        "last_week": f"{monday - timedelta(7)}..{monday - timedelta(1)}",
        "this_month": f"{month:%Y-%m}",
        "last_month": f"{last_month:%Y-%m}",
        "this_quarter": f"{today.year}-Q{quarter}",
        "last_quarter": f"{today.year}-Q{quarter - 1}" if quarter > 1 else f"{today.year - 1}-Q4",
        "this_year": f"{today.year}",
        "last_year": f"{today.year - 1}",
        "last_7_days": f"{today - timedelta(7)}..{yesterday}",
        "last_30_days": f"{today - timedelta(30)}..{yesterday}",
        "last_12_months": f"{year_ago:%Y-%m}..{last_month:%Y-%m}",
    }
