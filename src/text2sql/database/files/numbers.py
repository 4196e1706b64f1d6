"""Numbers as people write them: `$1,548.00`, `1.548,00 €`, `¥1,200`, `1 234,5`, `(123.45)`, `12%`.

A convention says which mark separates the decimals. It is chosen for a whole column, and where a column's
values fit both, for the whole file. A convention is an SQL expression, since DuckDB converts the values.
"""

import re
from dataclasses import dataclass
from typing import Literal

Decimal = Literal["point", "comma"]

_SPACES = r" \x27’\x{00a0}\x{202f}\x{2009}"
_CORES: dict[Decimal, str] = {
    "point": rf"(?:[1-9]\d{{0,2}}(?:[,{_SPACES}]\d{{3}})+|[1-9]\d?(?:,\d{{2}})+,\d{{3}}|0|[1-9]\d*)"
    r"(?:\.\d+)?|\.\d+",
    "comma": rf"(?:[1-9]\d{{0,2}}(?:[.{_SPACES}]\d{{3}})+|0|[1-9]\d*)(?:,\d+)?|,\d+",
}
_CURRENCY = (
    r"US\$|HK\$|NT\$|A\$|C\$|R\$|[$€£¥￥₹₩₽₺₫฿]|USD|EUR|GBP|CNY|RMB|JPY|CHF|HKD|TWD|AUD|CAD|INR|KRW|SEK"
    r"|NOK|DKK|PLN|人民币"
)
# A suffix that multiplies the number (k, Mio, 万) is no unit.
_UNIT = rf"{_CURRENCY}|%|％|‰|[°µ]?[A-Za-z]{{1,4}}[²³]?|\p{{Han}}{{1,3}}"
_MULTIPLIERS = (
    r"(?i)k|m|b|t|bn|mn|mm|mio|mrd|tsd|mill?|tys|th|e|st|nd|rd|[千万亿兆百十]+|[千万亿兆百十]*[万亿]元?"
)
_SIGN = r"[-+−–]?"
_MINUS = "-−–"

UNITS = {
    "$": "USD", "US$": "USD", "HK$": "HKD", "NT$": "TWD", "A$": "AUD", "C$": "CAD", "R$": "BRL",
    "€": "EUR", "£": "GBP", "₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "₫": "VND", "฿": "THB",
    "元": "CNY", "人民币": "CNY", "RMB": "CNY", "％": "%", "圆": "CNY", "块": "CNY",
}  # fmt: skip
_HEADER_UNIT = re.compile(r"[(（\[]\s*([^()（）\[\]]{1,8})\s*[)）\]]\s*$")
_HEADER_UNITS = frozenset(
    "USD EUR GBP CNY RMB JPY CHF HKD TWD AUD CAD INR KRW SEK NOK DKK PLN $ € £ ¥ ￥ ₹ 元 万元 亿元 千元 % ％"
    " ‰ kg g mg t km m cm mm l ml h min s ms kWh MWh pcs °C"
    " 件 个 人 天 小时 分钟 吨 公斤 千克 克 公里 米 台 箱 次".split()
)


@dataclass(frozen=True, slots=True)
class NumberText:
    """A convention of numbers, as SQL over the text `{x}`."""

    decimal: Decimal

    def value(self, text: str) -> str:
        """The number as DOUBLE; NULL if the text is none."""
        groups = f"[{_SPACES}{',' if self.decimal == 'point' else '.'}]"
        digits = f"regexp_replace(p.core, '{groups}', '', 'g')"
        if self.decimal == "comma":
            digits = f"replace({digits}, ',', '.')"
        signs = "p.a || p.b || p.c"
        negative = f"p.opening <> '' OR regexp_matches({signs}, '[{_MINUS}]')"
        valid = (
            f"p.core <> '' AND (p.opening = '') = (p.closing = '') AND length({signs}) <= 1"
            f" AND NOT regexp_full_match(p.unit, '{_MULTIPLIERS}')"
            " AND (p.currency = '' OR p.unit IN ('', '元'))"
        )
        signed = f"TRY_CAST({digits} AS DOUBLE) * CASE WHEN {negative} THEN -1 ELSE 1 END"
        return f"list_transform([{self._parts(text)}], lambda p: CASE WHEN {valid} THEN {signed} END)[1]"

    def unit(self, text: str) -> str:
        """The currency or unit; "" if there is none."""
        return f"list_transform([{self._parts(text)}], lambda p: p.currency || p.unit)[1]"

    def _parts(self, text: str) -> str:
        start = rf"^(\()?({_SIGN})\s*({_CURRENCY})?\s*({_SIGN})\s*"
        pattern = rf"{start}({_CORES[self.decimal]})\s*({_UNIT})?({_SIGN})(\))?$"
        names = "['opening', 'a', 'currency', 'b', 'core', 'unit', 'c', 'closing']"
        return f"regexp_extract({text}, '{pattern}', {names})"


def plain_integer(text: str) -> str:
    """A whole number without leading zeros, which are part of a code."""
    pattern = r"[-+]?(0|[1-9]\d{0,17})"
    return f"CASE WHEN regexp_full_match({text}, '{pattern}') THEN TRY_CAST({text} AS BIGINT) END"


def plain_number(text: str) -> str:
    pattern = r"[-+]?(0|[1-9]\d*)?(\.\d+)?([eE][-+]?\d{1,3})?|[-+]?(0|[1-9]\d*)\."
    return f"CASE WHEN regexp_full_match({text}, '{pattern}') THEN TRY_CAST({text} AS DOUBLE) END"


def unit_name(unit: str, *, chinese: bool) -> str:
    """The code of a currency, or the unit itself; the sign of yuan and yen is read by the file's language."""
    if unit in ("¥", "￥"):
        return "CNY" if chinese else "¥"
    return UNITS.get(unit, unit)


def unit_of_header(name: str) -> str:
    """`Net Amount (EUR)`: EUR."""
    match = _HEADER_UNIT.search(name)
    return UNITS.get(match[1], match[1]) if match and match[1] in _HEADER_UNITS else ""
