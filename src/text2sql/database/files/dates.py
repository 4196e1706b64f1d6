"""Dates as people write them. Each way to read a column is an SQL expression; NULL is no date.

`03/04/2025` is in April or in March: the order of a column is decided by its values (a 13 is no month), else
by the other columns of the table, else it is assumed and said.
"""

import re
from typing import Literal

Order = Literal["dmy", "mdy"]
ORDERS: tuple[Order, ...] = ("dmy", "mdy")

_CLOCK = r"(\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)"
_AFTER = rf"(?:[T ,]+{_CLOCK}\s*([AaPp]\.?[Mm]\.?)?)?"
_ZONE = r"(?:Z|[+-]\d{2}(?::?\d{2})?)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\.?,?\s+)?"
_NAMED_DATE = re.compile(r"(?i)date|day|日期|时间|日$|_on$|_at$|time")
_NAMED_EPOCH = re.compile(r"(?i)epoch|unix|timestamp|时间戳|(^|_)ts($|_)|_at$|_time$")


def year_first(text: str) -> str:
    """`2025-03-04`, `2025/3/4`, `2025.03.04`, `2025年3月4日`, with or without a time of day."""
    pattern = rf"^(\d{{4}})(?:[-/.]|年)(\d{{1,2}})(?:[-/.]|月)(\d{{1,2}})日?{_AFTER}$"
    parts = f"regexp_extract({text}, '{pattern}', ['y', 'm', 'd', 't', 'p'])"
    return _moment(parts, "m", "d")


def day_month(text: str, order: Order) -> str:
    """`15/06/2025`, `15.6.25`, `15-06-2025 14:30`, in the given order."""
    pattern = rf"^(\d{{1,2}})[-/. ]+(\d{{1,2}})[-/. ]+(\d{{4}}|\d{{2}}){_AFTER}$"
    parts = f"regexp_extract({text}, '{pattern}', ['a', 'b', 'y', 't', 'p'])"
    return _moment(parts, *(("b", "a") if order == "dmy" else ("a", "b")))


def named_month(text: str) -> str:
    """`Mar 4, 2025`, `4 March 2025`, `04-Mar-25`."""
    first = rf"^(?i){_WEEKDAY}({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}}){_AFTER}$"
    second = (
        rf"^(?i){_WEEKDAY}(\d{{1,2}})(?:st|nd|rd|th|\.)?[-/ ]+({_MONTH})\.?,?[-/ ]+(\d{{4}}|\d{{2}}){_AFTER}$"
    )
    options = []
    for pattern, names in ((first, "['m', 'd', 'y', 't', 'p']"), (second, "['d', 'm', 'y', 't', 'p']")):
        parts = f"regexp_extract({text}, '{pattern}', {names})"
        month = (
            "((strpos('janfebmaraprmayjunjulaugsepoctnovdec', lower(substr(p.m, 1, 3))) + 2) // 3)::VARCHAR"
        )
        options.append(_moment(parts, month, "d"))
    return f"COALESCE({', '.join(options)})"


def compact(text: str) -> str:
    """`20250304`."""
    return f"CASE WHEN regexp_full_match({text}, '(19|20)\\d{{6}}') THEN TRY_STRPTIME({text}, '%Y%m%d') END"


def zoned(text: str) -> str:
    """`2026-01-11T02:47:00Z`, `2026-01-11 02:47:00+08:00`."""
    pattern = rf"\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?{_ZONE}"
    return f"CASE WHEN regexp_full_match({text}, '{pattern}') THEN TRY_CAST({text} AS TIMESTAMPTZ) END"


def epoch(text: str) -> str:
    """Seconds or milliseconds since 1970, for 2001 to 2286."""
    return (
        f"CASE WHEN regexp_full_match({text}, '[1-9]\\d{{9}}(\\.\\d+)?')"
        f" THEN make_timestamp((TRY_CAST({text} AS DOUBLE) * 1000000)::BIGINT)"
        f" WHEN regexp_full_match({text}, '[1-9]\\d{{12}}') THEN make_timestamp({text}::BIGINT * 1000) END"
    )


def serial(text: str) -> str:
    """Excel's number of days since 1899-12-30, for 1927 to 2119, with the time of day as its fraction."""
    return (
        f"CASE WHEN regexp_full_match({text}, '[1-7]\\d{{4}}(\\.\\d+)?')"
        f" THEN TIMESTAMP '1899-12-30' + to_seconds(round(TRY_CAST({text} AS DOUBLE) * 86400)) END"
    )


def names_a_date(column: str) -> bool:
    return bool(_NAMED_DATE.search(column))


def names_an_epoch(column: str) -> bool:
    return bool(_NAMED_EPOCH.search(column))


def _moment(parts: str, month: str, day: str) -> str:
    """A timestamp from the named groups of a match: year `y`, time of day `t` and AM or PM `p`. Month and day
    are names of groups or SQL. Two digits of a year are 1970 to 2069.

    The lambda keeps DuckDB from compiling the regular expression for each use of a group.
    """
    month, day = (part if "(" in part else f"p.{part}" for part in (month, day))
    year = "CASE length(p.y) WHEN 2 THEN CASE WHEN p.y < '70' THEN '20' ELSE '19' END ELSE '' END || p.y"
    hour = "CASE WHEN substr(p.t, 2, 1) = ':' THEN '0' ELSE '' END"  # 9:05 is 09:05
    seconds = "CASE WHEN length(p.t) < 6 THEN ':00' ELSE '' END"
    clock = f"CASE WHEN p.t = '' THEN '00:00:00' ELSE {hour} || p.t || {seconds} END"
    text = f"{year} || '-' || {month} || '-' || {day} || ' ' || {clock}"
    half = f"TRY_STRPTIME({text} || ' ' || upper(replace(p.p, '.', '')), '%Y-%m-%d %I:%M:%S %p')"
    value = f"CASE WHEN p.y = '' THEN NULL WHEN p.p <> '' THEN {half} ELSE TRY_CAST({text} AS TIMESTAMP) END"
    return f"list_transform([{parts}], lambda p: {value})[1]"
