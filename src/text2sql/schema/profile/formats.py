"""Detect how dates and numbers are kept as text or as integers, from a sample of their values."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import pairwise

from text2sql.naming import meaning_of
from text2sql.types import Value

_MISSING = frozenset("n/a na - -- . null none nil nan unknown ? 无 未知 暂无 不详 空".split()) | {""}
_NEEDED = 0.95  # share of the values that must have the format
_SAMPLE = 300  # values that are looked at
_OLDEST, _NEWEST = 1800, 2200  # years
_PARTS = {
    "%Y": r"\d{4}",
    "%y": r"\d{2}",
    "%m": r"\d{1,2}",
    "%d": r"\d{1,2}",
    "%H": r"\d{1,2}",
    "%I": r"\d{1,2}",
    "%M": r"\d{2}",
    "%S": r"\d{2}",
    "%f": r"\d{1,6}",
    "%z": r"(?:Z|[+-]\d\d:?\d\d)",
    "%b": r"[A-Za-z]{3}",
    "%B": r"[A-Za-z]{3,9}",
    "%p": r"[AaPp][Mm]",
}
_DATES = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%Y年%m月%d日", "%Y-%m", "%Y/%m", "%Y年%m月", "%Y%m"),
    *("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%m-%d-%Y", "%d-%m-%Y", "%m/%Y"),
    *("%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%d-%b-%y"),
    *("%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%b-%d-%Y", "%b %Y", "%B %Y"),
)
_TIMES = ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%H:%M:%S%z", "%H:%M:%S.%f%z", "%I:%M %p", "%I:%M:%S %p")
_CURRENCIES = {
    **dict.fromkeys(("$", "US$"), "USD"),
    **dict.fromkeys(("¥", "￥", "元", "RMB"), "CNY"),
    "€": "EUR",
    "£": "GBP",
    "₹": "INR",
}
_NUMBER = re.compile(
    r"(?P<open>\()?(?P<sign>[-+−])?\s?(?P<before>US\$|[$€£¥￥₹])?\s?"
    r"(?P<digits>\d[\d.,'\u00a0\u202f ]*?|\.\d+)"
    r"\s?(?P<after>%|[$€£¥￥₹元]|USD|EUR|CNY|RMB|GBP)?\)?"
)
_GROUPED_BY_COMMA = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+")
_GROUPED_BY_POINT = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:,\d+)?")
_GROUPED_BY_BLANK = re.compile(r"\d{1,3}(?:[ '\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?")
_LEADING_ZERO = re.compile(r"0\d+")


@dataclass(frozen=True, slots=True)
class Format:
    """A format as in `ColumnProfile.format`, and how to read a value: to ISO text, or to a number."""

    name: str
    read: Callable[[str], Value]
    unit: str = ""


def text_format(column: str, values: Iterable[Value]) -> Format | None:
    """The format that nearly all values of a text column have, without those that say that one is missing."""
    texts = [value.strip() for value in values if isinstance(value, str)][:_SAMPLE]
    texts = [text for text in texts if text.lower() not in _MISSING]
    if not texts:
        return None
    if meaning_of(column) in ("year", "date") and all(map(_is_year, texts)):
        return Format("year", int)
    return _date_format(column, texts) or _time_format(texts) or _number_format(column, texts)


def integer_format(column: str, smallest: Value, largest: Value) -> str:
    """The format of dates that are kept as numbers: years, 20250304, seconds or milliseconds since 1970."""
    if not isinstance(smallest, int | float) or not isinstance(largest, int | float):
        return ""
    meaning = meaning_of(column)
    is_month = smallest >= 190_001 and largest <= 220_012 and largest % 100 <= 12
    formats = (  # `time` in a name may be a duration
        ("year", meaning in ("date", "year") and smallest >= 1_000 and largest <= _NEWEST),
        ("date:%Y%m%d", _is_date(smallest) and _is_date(largest)),
        ("date:%Y%m", meaning == "date" and is_month),
        ("epoch:s", smallest >= 1e8 and largest < 4.2e9),
        ("epoch:ms", smallest >= 1e11 and largest < 4.2e12),
    )
    is_time = meaning in ("date", "year", "duration")
    return next((name for name, applies in formats if is_time and applies), "")


def epoch_text(value: float, unit: str) -> str:
    seconds = value / 1000 if unit == "ms" else value
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def is_missing(value: Value) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in _MISSING)


# -- dates -----------------------------------------------------------------------------------------


def _date_format(column: str, texts: Sequence[str]) -> Format | None:
    """The day comes first or the month, as the values allow; if both fit, as the order of the values does."""
    fitting = []
    for pattern in _patterns(texts[0]):
        read = _reader(pattern)
        parsed = [read(text) for text in texts]
        share = sum(value is not None for value in parsed) / len(texts)
        if share >= _NEEDED:
            fitting.append(
                (-share, _disorder([value for value in parsed if value is not None]), pattern, read)
            )
    if not fitting:
        return None
    best = min(fitting, key=lambda entry: entry[:2])
    pattern = best[2]
    if pattern in ("%Y%m%d", "%Y%m") and meaning_of(column) not in ("date", "year", ""):
        return None
    return Format(f"{'datetime' if '%H' in pattern or '%I' in pattern else 'date'}:{pattern}", best[3])


def _time_format(texts: Sequence[str]) -> Format | None:
    """Times of day without a date."""
    for pattern in _TIMES:
        if all(map(_form(pattern).fullmatch, texts)):
            return Format(f"time:{pattern}", str)
    return None


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and 1_000 <= int(text) <= _NEWEST


def _patterns(text: str) -> list[str]:
    """The patterns that the first value has the form of."""
    found = [pattern for pattern in _DATES if _form(pattern).fullmatch(text)]
    if found or ":" not in text:
        return found
    return [
        f"{day}{separator}{time}"
        for day in _DATES
        for separator in (" ", "T")
        for time in _TIMES
        if _form(f"{day}{separator}{time}").fullmatch(text)
    ]


@lru_cache(maxsize=2_000)
def _form(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(%[A-Za-z])", pattern)
    return re.compile("".join(_PARTS[part] if part in _PARTS else re.escape(part) for part in parts))


def _reader(pattern: str) -> Callable[[str], str | None]:
    has_time = "%H" in pattern or "%I" in pattern

    def read(text: str) -> str | None:
        try:
            moment = datetime.strptime(text, pattern)
        except ValueError:
            return None
        if not _OLDEST <= moment.year <= _NEWEST:
            return None
        return moment.strftime("%Y-%m-%d %H:%M:%S") if has_time else moment.date().isoformat()

    return read


def _disorder(values: Sequence[str]) -> int:
    """How often the order of the rows changes direction: rows often come in the order of their dates."""
    pairs = list(pairwise(values))
    return min(sum(a > b for a, b in pairs), sum(a < b for a, b in pairs))


def _is_date(value: float) -> bool:
    if value != int(value) or not 18_000_101 <= value <= 22_001_231:
        return False
    try:
        date(int(value) // 10_000, int(value) // 100 % 100, int(value) % 100)
    except ValueError:
        return False
    return True


# -- numbers ---------------------------------------------------------------------------------------


def _number_format(column: str, texts: Sequence[str]) -> Format | None:
    if meaning_of(column) in ("identifier", "code") or any(map(_LEADING_ZERO.fullmatch, texts)):
        return None
    matches = [match for text in texts if (match := _NUMBER.fullmatch(text))]
    if len(matches) < _NEEDED * len(texts):
        return None
    digits = [match["digits"].strip() for match in matches]
    style = _style(digits)
    if style is None:
        return None
    symbols = {match["before"] or match["after"] or "" for match in matches} - {""}
    grouping, decimal = style
    prototype = f"1{grouping}234{decimal}56" if grouping else f"1234{decimal}56"
    if symbols == {"%"}:
        return Format(f"percent:12{decimal}3%", _number_reader(grouping, decimal), "%")
    symbol = symbols.pop() if len(symbols) == 1 else ""
    is_before = any(match["before"] for match in matches)
    shown = f"{symbol}{prototype}" if is_before else f"{prototype}{symbol}"
    return Format(f"number:{shown}", _number_reader(grouping, decimal), _CURRENCIES.get(symbol, symbol))


def _style(digits: Sequence[str]) -> tuple[str, str] | None:
    """The separators of thousands and of decimals; None if there is no consistent reading."""
    joined = "".join(digits)
    comma, point = "," in joined, "." in joined
    blank = next((mark for mark in " '\u00a0\u202f" if mark in joined), "")
    if blank:
        return (blank, "," if comma else ".") if all(map(_GROUPED_BY_BLANK.fullmatch, digits)) else None
    if not comma:
        if point and any(text.count(".") > 1 for text in digits):
            return (".", ",") if all(map(_GROUPED_BY_POINT.fullmatch, digits)) else None
        return ("", ".")
    if all(map(_GROUPED_BY_COMMA.fullmatch, digits)):
        return (",", ".")
    if all(map(_GROUPED_BY_POINT.fullmatch, digits)):
        return (".", ",") if point else ("", ",")
    return None


def _number_reader(grouping: str, decimal: str) -> Callable[[str], float | None]:
    def read(text: str) -> float | None:
        match = _NUMBER.fullmatch(text.strip())
        if match is None:
            return None
        digits = match["digits"].strip()
        plain = (digits.replace(grouping, "") if grouping else digits).replace(decimal, ".")
        try:
            number = float(plain)
        except ValueError:
            return None
        return -number if match["open"] or match["sign"] in ("-", "−") else number

    return read
