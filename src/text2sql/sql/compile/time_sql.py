"""Dates and times in SQL: labels of buckets, parts, and half-open ranges, for every way to keep a date."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.nodes import (
    all_of,
    any_of,
    as_integer,
    as_text,
    case,
    concat,
    fill,
    is_not_null,
    number,
    part_of,
    text,
)
from text2sql.sql.compile.time_templates import CODES, EPOCH, LABELS, PARSE, PARTS, QUARTER_OF
from text2sql.types import Bucket, DatePart, Dimension

Bound = date | datetime | None
# Texts and numbers that sort as dates do. Others, such as 2025/3/4, may lack leading zeros.
_SORTABLE = re.compile(r"%Y(?P<separator>-?)%m(?P<day>(?P=separator)%d)?(?P<time>.*)")
_FIELDS = re.compile(r"%([mdY])([-/.])%([mdY])\2%([mdY])(?:[ T](%H:%M(?::%S)?))?")
_CHINESE = {"年": "/", "月": "/", "日": ""}
_LENGTHS = {"year": 4, "month": 7, "day": 10}
_ISO_PARTS = {"month": (6, 2), "day": (9, 2), "hour": (12, 2)}
_EPOCHS = {"epoch:s": 1, "epoch:ms": 1000}


@dataclass(frozen=True)
class TimeColumn:
    """A column with dates or times, in one SELECT."""

    context: Context
    dimension: Dimension
    column: exp.Expr  # with its table's alias

    # -- what it holds ---------------------------------------------------------------------------

    @property
    def _dialect(self) -> str:
        return self.context.dialect

    @property
    def _format(self) -> str:
        if self.dimension.format or self._dialect != "sqlite":
            return self.dimension.format
        return "datetime:%Y-%m-%d %H:%M:%S"  # SQLite has no type for dates

    @property
    def _pattern(self) -> str:
        kind, _, pattern = self._format.partition(":")
        for sign, plain in _CHINESE.items():
            pattern = pattern.replace(sign, plain)
        return pattern if kind in ("date", "datetime") else ""

    def _text(self) -> exp.Expr:
        """The column; a date such as 2025年3月4日 with other separators."""
        text_of: exp.Expr = self.column.copy()
        for sign, plain in _CHINESE.items() if "年" in self._format else ():
            text_of = exp.func("REPLACE", text_of, text(sign), text(plain))
        return text_of

    @property
    def _is_number(self) -> bool:
        kind = self.context.column_type(self.dimension.table, self.dimension.column)
        if kind:
            return any(word in kind for word in ("int", "num", "dec", "real", "float", "double"))
        profile = self.context.column_profile(self.dimension.table, self.dimension.column)
        return not isinstance(profile.values[0][0], str) if profile and profile.values else True

    def _iso(self) -> exp.Expr | None:
        """The value as ISO text, if it is a text or number in year-first order; None otherwise."""
        found = _SORTABLE.fullmatch(self._pattern)
        if found is None:
            return self._iso_in_sqlite()
        column: exp.Expr = self.column.copy()
        separator = found["separator"]
        if not separator:
            if self._is_number:
                column = as_text(column, self._dialect)
            dashed = [part_of(column, 1, 4), text("-"), part_of(column.copy(), 5, 2)]
            if found["day"]:
                dashed += [text("-"), part_of(column.copy(), 7, 2)]
            return concat(*dashed)
        return column

    def _iso_in_sqlite(self) -> exp.Expr | None:
        if self._dialect != "sqlite":
            return None
        if self._format in _EPOCHS:
            return self._from_epoch()
        found = _FIELDS.fullmatch(self._pattern)
        if found is None or {found[1], found[3], found[4]} != {"d", "m", "Y"} or found[3] == "Y":
            raise CannotCompile("format", dimension=self.dimension.name, format=self._format)
        fields = {found[1]: _FIRST, found[3]: _SECOND, found[4]: _THIRD}
        time = _TIME if found[5] else "''"
        template = _SPLIT.format(year=fields["Y"], month=fields["m"], day=fields["d"], time=time)
        return fill(template.replace("/", found[2]), "sqlite", x=self._text())

    def _native(self) -> exp.Expr:
        """The value as a date or timestamp of the engine."""
        if not self._format:
            return self.column.copy()
        if self._format in _EPOCHS:
            return self._from_epoch()
        if not self._pattern:
            raise CannotCompile("format", dimension=self.dimension.name, format=self._format)
        codes = CODES.get(self._dialect, {})
        pattern = re.sub("%[A-Za-z]", lambda code: codes.get(code[0], code[0]), self._pattern)
        return fill(PARSE[self._dialect], self._dialect, x=self._text(), p=text(pattern))

    def _from_epoch(self) -> exp.Expr:
        seconds: exp.Expr = self.column.copy()
        if self._format == "epoch:ms":
            seconds = exp.Div(this=seconds, expression=exp.Literal.number("1000"), typed=False, safe=False)
        return fill(EPOCH[self._dialect], self._dialect, x=seconds)

    # -- labels and parts ------------------------------------------------------------------------

    def label(self, bucket: Bucket) -> exp.Expr:
        """A readable text that sorts: `2025`, `2025-H1`, `2025-Q1`, `2025-03`, `2025-03-10`."""
        if self._format == "year":
            return self._year(bucket)
        if bucket == "quarter":
            return concat(self.label("year"), text("-Q"), as_text(self.part("quarter"), self._dialect))
        if bucket == "half":
            first = exp.LTE(this=self.part("month"), expression=number(6))
            return concat(self.label("year"), case(first, text("-H1"), text("-H2")))
        iso = self._iso()
        return self._template(LABELS, bucket) if iso is None else self._label_of_text(iso, bucket)

    def _year(self, bucket: Bucket) -> exp.Expr:
        if bucket != "year":
            raise CannotCompile("bucket", dimension=self.dimension.name, bucket=bucket)
        return as_text(self.column.copy(), self._dialect) if self._is_number else self.column.copy()

    def _label_of_text(self, iso: exp.Expr, bucket: Bucket) -> exp.Expr:
        self._require_days(bucket)
        if bucket == "week":
            return self._week_of_text(iso)
        if bucket == "hour":
            return concat(part_of(iso, 1, 10), text(" "), part_of(iso.copy(), 12, 2), text(":00"))
        return part_of(iso, 1, _LENGTHS[bucket])

    def part(self, part: DatePart) -> exp.Expr:
        iso = None if self._format == "year" else self._iso()
        if self._format == "year":
            raise CannotCompile("bucket", dimension=self.dimension.name, bucket=part)
        if iso is None:
            return self._template(PARTS, part)
        self._require_days(part)
        if part == "quarter":
            return fill(QUARTER_OF[self._dialect], self._dialect, m=self.part("month"))
        if part == "weekday":
            return self._weekday_of_text(iso)
        return as_integer(part_of(iso, *_ISO_PARTS[part]))

    def _require_days(self, unit: str) -> None:
        found = _SORTABLE.fullmatch(self._pattern)
        if found is not None and not found["day"] and unit in ("week", "day", "hour", "weekday"):
            raise CannotCompile("bucket", dimension=self.dimension.name, bucket=unit)

    def _template(self, templates: object, name: str) -> exp.Expr:
        table = LABELS if templates is LABELS else PARTS
        shift = number(self.context.week_start - 1)
        return fill(table[self._dialect][name], self._dialect, x=self._native(), k=shift)

    def _week_of_text(self, iso: exp.Expr) -> exp.Expr:
        if self._dialect == "sqlite":
            first = number(self.context.week_start % 7)
            return fill("DATE(x, '-6 days', 'weekday ' || w)", "sqlite", x=part_of(iso, 1, 10), w=first)
        shift = number(self.context.week_start - 1)
        return fill(LABELS[self._dialect]["week"], self._dialect, x=_as_date(iso), k=shift)

    def _weekday_of_text(self, iso: exp.Expr) -> exp.Expr:
        if self._dialect == "sqlite":
            template = "(CAST(STRFTIME('%w', x) AS INTEGER) + 6) % 7 + 1"
            return fill(template, "sqlite", x=part_of(iso, 1, 10))
        return fill(PARTS[self._dialect]["weekday"], self._dialect, x=_as_date(iso))

    # -- ranges ----------------------------------------------------------------------------------

    def in_ranges(self, ranges: Sequence[tuple[Bound, Bound]]) -> exp.Expr:
        return any_of([self._in_range(start, end) for start, end in ranges])

    def _in_range(self, start: Bound, end: Bound) -> exp.Expr:
        conditions: list[exp.Expr] = []
        if start is not None:
            conditions.append(exp.GTE(this=self._compared(), expression=self._bound(start)))
        if end is not None:
            conditions.append(exp.LT(this=self._compared(), expression=self._bound(end, is_end=True)))
        return all_of(conditions or [is_not_null(self.column.copy())])

    def _compared(self) -> exp.Expr:
        if self._format in _EPOCHS or self._format == "year" or _SORTABLE.fullmatch(self._pattern):
            return self.column.copy()
        iso = self._iso()
        return self._native() if iso is None else iso

    def _bound(self, bound: date | datetime, *, is_end: bool = False) -> exp.Expr:
        moment = bound if isinstance(bound, datetime) else datetime(bound.year, bound.month, bound.day)
        if self._format in _EPOCHS:
            return number(int(moment.replace(tzinfo=UTC).timestamp()) * _EPOCHS[self._format])
        if self._format == "year":  # a year counts if the range contains a part of it
            year = moment.year + (is_end and moment != datetime(moment.year, 1, 1))
            return number(year) if self._is_number else text(str(year))
        found = _SORTABLE.fullmatch(self._pattern)
        is_midnight = (moment.hour, moment.minute, moment.second) == (0, 0, 0)
        if found is None:
            return _typed(moment, is_midnight, self._dialect)
        if (
            not found["day"] and is_end and moment.day > 1
        ):  # a month counts if the range contains a part of it
            moment = moment.replace(day=28) + timedelta(days=4)
        shown = self._pattern[: found.start("time")] if is_midnight else self._pattern
        value = moment.strftime(shown)
        return number(int(value)) if not found["separator"] and self._is_number else text(value)


def _typed(moment: datetime, is_midnight: bool, dialect: str) -> exp.Expr:
    """A date, or a timestamp. Most engines give a text the type of the column that it is compared with."""
    value = text(moment.strftime("%Y-%m-%d" if is_midnight else "%Y-%m-%d %H:%M:%S"))
    if dialect == "clickhouse":
        return exp.cast(value, "date" if is_midnight else "timestamp")
    if dialect == "oracle":
        pattern = "DATE x" if is_midnight else "TIMESTAMP x"
        return fill(pattern.replace("x", value.sql()), "oracle")
    return value


def _as_date(iso: exp.Expr) -> exp.Expr:
    return exp.cast(part_of(iso, 1, 10), "date")


# Texts such as 3/4/2025, with or without leading zeros, in SQLite. `rest` follows the first separator.
_REST = "SUBSTR(x, INSTR(x, '/') + 1)"
_FIRST = "CAST(SUBSTR(x, 1, INSTR(x, '/') - 1) AS INTEGER)"
_SECOND = f"CAST(SUBSTR({_REST}, 1, INSTR({_REST}, '/') - 1) AS INTEGER)"
_THIRD = f"CAST(SUBSTR({_REST}, INSTR({_REST}, '/') + 1) AS INTEGER)"
_TIME = "SUBSTR(x, INSTR(REPLACE(x, 'T', ' '), ' '))"
_SPLIT = "CASE WHEN x LIKE '%/%/%' THEN PRINTF('%04d-%02d-%02d%s', {year}, {month}, {day}, {time}) END"
