"""Classifies the columns of a result: time, calendar part, category, id or measure.

The decision uses the values first, then the declared type, then the name. Nothing is evaluated as code.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from text2sql.result_columns.headers import outputs_of
from text2sql.result_columns.numbers import NumberStyle, style_of
from text2sql.result_columns.temporal import GRAINS, Grain, Moment, moment
from text2sql.text_normalization import words
from text2sql.types import OutputColumn, QueryResult, Value

Role: TypeAlias = Literal["time", "step", "category", "id", "measure", "other"]

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_NUMERIC_TYPE = re.compile(r"int|num|dec|float|double|real|money|serial|long", re.IGNORECASE)
_NOT_A_NUMBER = frozenset(("nan", "inf", "-inf", "infinity", "-infinity"))
_MAX_MAGNITUDE = 1e150  # larger numbers are ignored: their sums and squares would be infinite
_MAX_LABEL_LENGTH = 200  # longer texts are not used as labels
_ID_WORDS = frozenset("id uuid guid code key zip zipcode postcode phone tel sku isbn ssn barcode pk".split())
_ID_ENDING = re.compile(r"(?:编号|编码|代码|邮编|电话|手机号|单号|工号|学号|身份证|号码)$")
# Calendar parts that an integer can represent, with their bounds.
_CALENDAR_PARTS = {
    "month": (1, 12),
    "quarter": (1, 4),
    "week": (0, 53),
    "weekday": (0, 7),
    "dow": (0, 7),
    "day": (1, 366),
    "hour": (0, 23),
    "minute": (0, 59),
}
_CALENDAR_SUFFIXES = (
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
# Names of additive measures, and of measures whose sum is meaningless.
_ADDITIVE = re.compile(
    r"count|cnt|sum|total|amount|revenue|sales|qty|quantity|units|number|num\b|(^|_)n($|_)|orders|profit|cost|"
    r"spend|数$|数量|总|额|量$|合计|次数|人数|件数|收入|利润|成本",
    re.IGNORECASE,
)
_NOT_ADDITIVE = re.compile(
    r"avg|average|mean|median|max|min|price|rate|ratio|percent|pct|share|age\b|score|rating|rank|running|salary|year|temperature|change|diff|"
    r"cumul|balance|平均|均|最高|最低|最大|最小|率|占比|比例|百分比|单价|价格|年龄|评分|工资|薪|温度|变化|年份|差|排名|累计|余额|份额",
    re.IGNORECASE,
)
_SHARE = re.compile(r"rate|ratio|percent|pct|share|proportion|率|占比|比例|百分比|份额", re.IGNORECASE)
_RUNNING = re.compile(r"running|cumul|累计|累积", re.IGNORECASE)


@dataclass(frozen=True)
class ColumnView:
    """One column of a result with its derived properties, each computed once."""

    index: int
    name: str
    type: str
    values: tuple[Value, ...]
    output: OutputColumn | None = None  # what the query says about it
    title: str = ""  # the name in words

    @property
    def shown_name(self) -> str:
        return self.title or self.name

    @cached_property
    def present(self) -> tuple[Value, ...]:
        return tuple(value for value in self.values if value is not None)

    @cached_property
    def number_style(self) -> NumberStyle:
        return style_of(self.numbers, self.name)

    @cached_property
    def role(self) -> Role:
        if not self.present or any(isinstance(value, list | dict) for value in self.present):
            return "other"
        if self.grain is not None:
            return "time"
        if self._is_calendar_part:
            return "step"
        if self._numeric:
            return "id" if self._named_as_id else "measure"
        return self._text_role

    @property
    def _text_role(self) -> Role:
        if max(len(str(value)) for value in self.present) > _MAX_LABEL_LENGTH:
            return "other"
        return "id" if self._named_as_id else "category"

    @cached_property
    def grain(self) -> Grain | None:
        """The finest time grain of the values; None unless all values are times."""
        grains: set[Grain] = set()
        days: set[tuple[int, int]] = set()
        for value in self.present:
            parsed = moment(value, self._may_be_year)
            if parsed is None:
                return None
            grains.add(parsed.grain)
            days.add((parsed.at.month, parsed.at.day))
        if not grains or self._named_as_id:
            return None
        finest = min(grains, key=GRAINS.index)
        if finest == "day" and self.distinct > 2 and all(day == 1 for _, day in days):
            return "year" if days == {(1, 1)} else "month"  # dates truncated to the month or year
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
        """Whether the sum of the values is meaningful. When in doubt, no."""
        if self.output is not None and self.output.function:
            is_sum = self.output.function in ("sum", "count")
            return is_sum and not (self.output.running or self.output.moving)
        return bool(_ADDITIVE.search(self.name)) and not _NOT_ADDITIVE.search(self.name)

    @property
    def may_be_parts(self) -> bool:
        """Whether the values can be parts of a whole, as a pie chart implies."""
        if self.output is not None and self.output.function:
            return self.adds_up
        return self.adds_up or (self.whole and not _NOT_ADDITIVE.search(self.name))

    @property
    def is_running(self) -> bool:
        return bool(_RUNNING.search(self.name)) or (self.output is not None and self.output.running)

    @property
    def names_a_share(self) -> bool:
        return bool(_SHARE.search(self.name))

    @property
    def is_share(self) -> bool:
        """Whether the values are fractions to be shown as percentages."""
        numbers = [number for number in self.numbers if number is not None]
        return self.names_a_share and not self.whole and all(-1 <= number <= 1 for number in numbers)

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
        return bool(_YEAR_NAMES.search(self.name)) and not _ADDITIVE.search(self.name)

    @cached_property
    def _named_as_id(self) -> bool:
        last = self.name.rsplit(".", 1)[-1]
        name_words = [*words(last)]
        return bool(name_words and name_words[-1] in _ID_WORDS) or _ID_ENDING.search(last) is not None

    @cached_property
    def _is_calendar_part(self) -> bool:
        bounds = _CALENDAR_PARTS.get(self.calendar_part)
        if bounds is None:
            return False
        numbers = [self._number(value) for value in self.present]
        return all(
            number is not None and number == int(number) and bounds[0] <= number <= bounds[1]
            for number in numbers
        )

    @property
    def calendar_part(self) -> str:
        name_words = words(self.name)
        if name_words and name_words[-1] in _CALENDAR_PARTS and not _ADDITIVE.search(self.name):
            return name_words[-1]
        return next((step for ending, step in _CALENDAR_SUFFIXES if self.name.endswith(ending)), "")


def column_views(result: QueryResult) -> tuple[ColumnView, ...]:
    values_by_column: Sequence[Iterable[Value]] = (
        list(zip(*result.rows, strict=True)) if result.rows else [()] * len(result.columns)
    )
    return tuple(
        ColumnView(index, column.name, column.type, tuple(values), output)
        for index, (column, values, output) in enumerate(
            zip(result.columns, values_by_column, outputs_of(result), strict=True)
        )
    )


def _is_number(value: Value, typed: bool) -> bool:
    """Exact decimals arrive as text; a text of digits is a number only if the column type is numeric."""
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
    return number if abs(number) < _MAX_MAGNITUDE else None  # also excludes NaN


def _hashable(value: Value) -> object:
    return repr(value) if isinstance(value, list | dict) else (type(value) is bool, value)
