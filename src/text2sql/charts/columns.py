"""What a column of a result is about: moments, steps, categories, numbers. Judged by its values first, then
by the engine's word for its type, and last by its name; nothing of it is ever evaluated.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from text2sql.charts.moments import GRAINS, Grain, Moment, moment
from text2sql.types import QueryResult, Value
from text2sql.wording import words

Role: TypeAlias = Literal["time", "step", "category", "id", "measure", "other"]

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_NUMERIC_TYPE = re.compile(r"int|num|dec|float|double|real|money|serial|long", re.IGNORECASE)
_NOT_A_NUMBER = frozenset(("nan", "inf", "-inf", "infinity", "-infinity"))
_LARGEST = 1e150  # nothing that anybody counts; sums and squares of it would be infinite
_LONG = 200  # letters of a text that labels nothing any more
_ID = frozenset("id uuid guid code key zip zipcode postcode phone tel sku isbn ssn barcode pk".split())
_ID_ENDING = re.compile(r"(?:编号|编码|代码|邮编|电话|手机号|单号|工号|学号|身份证|号码)$")
# Parts of a calendar that an integer can be, with their bounds.
_STEPS = {
    "month": (1, 12),
    "quarter": (1, 4),
    "week": (0, 53),
    "weekday": (0, 7),
    "dow": (0, 7),
    "day": (1, 366),
    "hour": (0, 23),
    "minute": (0, 59),
}
_STEP_ENDING = (
    ("月份", "month"),
    ("月", "month"),
    ("季度", "quarter"),
    ("星期", "weekday"),
    ("周几", "weekday"),
    ("周", "week"),
    ("小时", "hour"),
    ("时段", "hour"),
    ("日", "day"),
)
_YEAR_NAMES = re.compile(r"year|\byr|年", re.IGNORECASE)
# Numbers whose sum is one, too; and numbers whose sum says nothing.
_ADDS_UP = re.compile(
    r"count|cnt|sum|total|amount|revenue|sales|qty|quantity|units|number|num\b|(^|_)n($|_)|orders|profit|cost|"
    r"spend|数$|数量|总|额|量$|合计|次数|人数|件数|收入|利润|成本",
    re.IGNORECASE,
)
_NEVER_ADDS_UP = re.compile(
    r"avg|average|mean|median|max|min|price|rate|ratio|percent|pct|share|age\b|score|rating|rank|running|salary|year|temperature|change|diff|"
    r"cumul|balance|平均|均|最高|最低|最大|最小|率|占比|比例|百分比|单价|价格|年龄|评分|工资|薪|温度|变化|年份|差|排名|累计|余额|份额",
    re.IGNORECASE,
)
_SHARE = re.compile(r"rate|ratio|percent|pct|share|proportion|率|占比|比例|百分比|份额", re.IGNORECASE)
_RUNNING = re.compile(r"running|cumul|累计|累积", re.IGNORECASE)


@dataclass(frozen=True)
class ColumnView:
    """One column of a result, read once."""

    at: int
    name: str
    type: str
    values: tuple[Value, ...]

    @cached_property
    def present(self) -> tuple[Value, ...]:
        return tuple(value for value in self.values if value is not None)

    @cached_property
    def role(self) -> Role:
        if not self.present or any(isinstance(value, list | dict) for value in self.present):
            return "other"
        if self.grain is not None:
            return "time"
        if self._step:
            return "step"
        if self._numeric:
            return "id" if self._named_as_id else "measure"
        return self._of_text

    @property
    def _of_text(self) -> Role:
        if max(len(str(value)) for value in self.present) > _LONG:
            return "other"
        return "id" if self._named_as_id else "category"

    @cached_property
    def grain(self) -> Grain | None:
        """The finest grain among its moments; None unless every value is one."""
        grains: set[Grain] = set()
        days: set[tuple[int, int]] = set()
        for value in self.present:
            found = moment(value, self._may_be_year)
            if found is None:
                return None
            grains.add(found.grain)
            days.add((found.at.month, found.at.day))
        if not grains or self._named_as_id:
            return None
        finest = min(grains, key=GRAINS.index)
        if finest == "day" and self.distinct > 2 and all(day == 1 for _, day in days):
            return "year" if days == {(1, 1)} else "month"  # what truncating a date leaves
        return finest

    @cached_property
    def numbers(self) -> tuple[float | None, ...]:
        return tuple(self._number(value) for value in self.values)

    @cached_property
    def distinct(self) -> int:
        return len({_hashable(value) for value in self.values})

    @property
    def unique(self) -> bool:
        return self.distinct == len(self.values)

    @property
    def whole(self) -> bool:
        return all(number is None or number == int(number) for number in self.numbers)

    @property
    def adds_up(self) -> bool:
        """Whether the sum of its numbers means something. When in doubt, no."""
        return bool(_ADDS_UP.search(self.name)) and not _NEVER_ADDS_UP.search(self.name)

    @property
    def may_be_parts(self) -> bool:
        """Whether its numbers can be parts of a whole: a pie says they are."""
        return self.adds_up or (self.whole and not _NEVER_ADDS_UP.search(self.name))

    @property
    def is_running(self) -> bool:
        return bool(_RUNNING.search(self.name))

    @property
    def is_share(self) -> bool:
        """A part of one, which reads as a percentage."""
        found = [number for number in self.numbers if number is not None]
        return bool(_SHARE.search(self.name)) and not self.whole and all(-1 <= one <= 1 for one in found)

    def moment(self, row: int) -> Moment | None:
        value = self.values[row]
        return None if value is None else moment(value, self._may_be_year)

    def _number(self, value: Value) -> float | None:
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, int | float):
            return _finite(value)
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            return _finite(value)
        return None

    @cached_property
    def _numeric(self) -> bool:
        typed = bool(_NUMERIC_TYPE.search(self.type))
        return all(_is_number(value, typed) for value in self.present) and any(
            number is not None for number in self.numbers
        )

    @cached_property
    def _may_be_year(self) -> bool:
        return bool(_YEAR_NAMES.search(self.name)) and not _ADDS_UP.search(self.name)

    @cached_property
    def _named_as_id(self) -> bool:
        last = self.name.rsplit(".", 1)[-1]
        found = [*words(last)]
        return bool(found and found[-1] in _ID) or _ID_ENDING.search(last) is not None

    @cached_property
    def _step(self) -> bool:
        bounds = _STEPS.get(self._step_name)
        if bounds is None:
            return False
        numbers = [self._number(value) for value in self.present]
        return all(one is not None and one == int(one) and bounds[0] <= one <= bounds[1] for one in numbers)

    @property
    def _step_name(self) -> str:
        found = words(self.name)
        if found and found[-1] in _STEPS and not _ADDS_UP.search(self.name):
            return found[-1]
        return next((step for ending, step in _STEP_ENDING if self.name.endswith(ending)), "")


def views(result: QueryResult) -> tuple[ColumnView, ...]:
    held: Sequence[Iterable[Value]] = (
        list(zip(*result.rows, strict=True)) if result.rows else [()] * len(result.columns)
    )
    return tuple(
        ColumnView(at, column.name, column.type, tuple(values))
        for at, (column, values) in enumerate(zip(result.columns, held, strict=True))
    )


def _is_number(value: Value, typed: bool) -> bool:
    """Exact decimals arrive as text; a text of digits alone is a number only if the engine says so."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return True
    if not isinstance(value, str):
        return False
    text = value.strip()
    if text.lower() in _NOT_A_NUMBER:
        return True
    return _NUMBER.fullmatch(text) is not None and (typed or "." in text)


def _finite(value: str | float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if abs(number) < _LARGEST else None  # NaN is not


def _hashable(value: Value) -> object:
    return repr(value) if isinstance(value, list | dict) else (type(value) is bool, value)
