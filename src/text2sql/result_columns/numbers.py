"""Numbers as people write them: thousands separators, sensible decimals, units."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from text2sql.i18n import Language

_MONEY = re.compile(
    r"amount|revenue|sales|price|cost|profit|total|salary|spend|income|turnover|budget|fee|payment|paid|"
    r"balance|金额|销售额|收入|营业额|价|成本|利润|工资|薪|费|支出|预算|余额|总额|付款",
    re.IGNORECASE,
)
_LARGE = Decimal("1e15")
_PREFIXES = {"USD": "$", "EUR": "€", "GBP": "£", "$": "$", "€": "€", "£": "£"}
_CHINESE_UNITS = {
    "USD": "美元", "EUR": "欧元", "GBP": "英镑", "CNY": "元", "RMB": "元", "JPY": "日元", "ms": "毫秒",
    "s": "秒", "min": "分钟", "h": "小时", "kg": "公斤", "bytes": "字节", "days": "天",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How the numbers of a column are written: with this many decimals (None: as small as needed)."""

    decimals: int | None = None
    unit: str = ""
    factor: int = 1  # 100: fractions are written as percentages

    def text(self, number: float | Decimal, lang: Language, *, signed: bool = False) -> str:
        return self._with_unit(self.digits(number, signed=signed), lang)

    def digits(self, number: float | Decimal, *, signed: bool = False) -> str:
        exact = _decimal(number) * self.factor
        text = _digits(exact, self.decimals)
        return f"+{text}" if signed and exact > 0 else text

    def _with_unit(self, text: str, lang: Language) -> str:
        if not self.unit:
            return text
        if self.unit == "%":
            return f"{text}%"
        if lang == "zh":
            return f"{text} {_CHINESE_UNITS.get(self.unit, self.unit)}"
        if self.unit in _PREFIXES:
            return (
                f"-{_PREFIXES[self.unit]}{text[1:]}" if text.startswith("-") else _PREFIXES[self.unit] + text
            )
        return f"{text} {self.unit}"


def style_of(
    numbers: Iterable[float | None], name: str, *, unit: str = "", is_fraction: bool = False
) -> NumberStyle:
    """The style that suits all numbers of a column."""
    present = [number for number in numbers if number is not None and math.isfinite(number)]
    if is_fraction or unit == "%":
        return NumberStyle(1, "%", 100 if is_fraction else 1)
    if all(number == int(number) for number in present):
        is_money = bool(unit in _PREFIXES or unit in ("CNY", "RMB"))
        return NumberStyle(2 if is_money and any(present) else 0, unit)
    if _MONEY.search(name) or unit in _PREFIXES or all(_has_two_decimals(number) for number in present):
        return NumberStyle(2, unit)
    return NumberStyle(None, unit)


def percent(part: float, whole: float) -> str | None:
    """A share or change in percent; None if it cannot be computed or says nothing."""
    if not whole or not math.isfinite(part) or not math.isfinite(whole):
        return None
    share = part / whole * 100
    return f"{_digits(_decimal(share), 1)}%" if abs(share) < 1_000_000 else None


def _has_two_decimals(number: float) -> bool:
    return abs(number) < 1e12 and abs(round(number, 2) - number) < 1e-9 * max(1.0, abs(number))


def _decimal(number: float | Decimal) -> Decimal:
    try:
        return number if isinstance(number, Decimal) else Decimal(repr(number))
    except InvalidOperation:
        return Decimal(0)


def _digits(number: Decimal, decimals: int | None) -> str:
    size = abs(number)
    if size >= _LARGE and number != number.to_integral_value():
        return f"{float(number):.3g}"
    if size >= Decimal("1e21"):
        return f"{float(number):.3g}"
    if decimals is None:
        return _free(number, size)
    if number and size < Decimal(5) / 10 ** (decimals + 1):  # it would be written as zero
        return f"{_plain(number, 2)}"
    return f"{number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):,f}"


def _free(number: Decimal, size: Decimal) -> str:
    """Two decimals, or three significant digits below 1; no zeros at the end."""
    if size and size < 1:
        return _plain(number, 3)
    text = f"{number.quantize(Decimal('0.01'), ROUND_HALF_UP):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _plain(number: Decimal, significant: int) -> str:
    if number and abs(number) < Decimal("1e-6"):
        return f"{float(number):.{significant}g}"
    text = f"{number.quantize(Decimal(1).scaleb(number.adjusted() - significant + 1), ROUND_HALF_UP):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
