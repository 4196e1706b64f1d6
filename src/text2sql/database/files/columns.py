"""Decides the types of a table's columns from their texts. DuckDB counts and converts; the text of a value
whose conversion is a decision, such as an amount of money, is kept in a second column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from text2sql.database.dialects import BY_NAME
from text2sql.database.files import dates, numbers
from text2sql.database.files.names import unique
from text2sql.database.files.notes import TableContext

_NEARLY_ALL = 0.9  # share of values from which on a column has their type
_SAMPLE = 2_000
_MANY = 10  # values from which on digits that all are dates are dates, whatever the column is called
_NULLS = (
    "'', '-', '--', '—', '–', '/', '?', 'n/a', 'na', 'null', 'none', 'nan', 'nil', '#n/a', '#div/0!',"
    " '#value!', '#ref!', '无', '暂无', '空', '未知'"
)
_WIDE = "０１２３４５６７８９．，：－＋％＄￥（）／"
_NARROW = "0123456789.,:-+%$¥()/"
_CHINESE = r"\p{Han}"
_quoted = BY_NAME["duckdb"].quoted

_ORDERED = {"dates_dmy": "dmy", "dates_mdy": "mdy"}
_DECIMALS = {"numbers_point": "point", "numbers_comma": "comma"}


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of texts in the staging table."""

    source: str
    name: str

    @property
    def alias(self) -> str:
        """The name of `text` in the query that creates the table."""
        return f"text_{self.source}"

    @property
    def text(self) -> str:
        """SQL of the text of a value, NULL for words that mean *no value*."""
        trimmed = f"trim({_quoted(self.source)})"
        # Most values are ASCII, which `strlen` (bytes) tells at a tenth of the price of `translate`.
        ascii_text = f"strlen({trimmed}) = length({trimmed})"
        narrow = (
            f"CASE WHEN {ascii_text} THEN {trimmed} ELSE translate({trimmed}, '{_WIDE}', '{_NARROW}') END"
        )
        is_null = f"strlen({trimmed}) < 9 AND lower({trimmed}) IN ({_NULLS})"
        return f"CASE WHEN {is_null} THEN NULL ELSE {narrow} END"


@dataclass(frozen=True, slots=True)
class Reading:
    """How the values of a column are read."""

    kind: str = "text"
    type: str = "VARCHAR"
    ambiguous: bool = False  # the values also fit the other order of dates, or the other decimal mark
    keep: bool = False  # whether the original text is kept
    unit: str = ""


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column of the final table as SQL over the staging table."""

    name: str
    expression: str
    type: str
    comment: str = ""
    hidden: bool = False


def typed_columns(
    connection: duckdb.DuckDBPyConnection, stage: str, columns: Sequence[TextColumn], context: TableContext
) -> list[TypedColumn]:
    """The columns of the final table, in their order, then the original texts."""
    work = _Typing(connection, stage, context)
    readings = work.consistent({column: work.reading(column) for column in columns})
    readings = {column: work.verified(column, reading) for column, reading in readings.items()}
    taken = {column.name.lower() for column in columns}
    result, originals = [], []
    for column, reading in readings.items():
        result.append(
            TypedColumn(column.name, _expression(column, reading), reading.type, _comment(column, reading))
        )
        if reading.keep:
            name = unique(f"{column.name} (text)", taken)
            taken.add(name.lower())
            originals.append(TypedColumn(name, _quoted(column.source), "VARCHAR", hidden=True))
    return result + originals


class _Typing:
    def __init__(self, connection: duckdb.DuckDBPyConnection, stage: str, context: TableContext) -> None:
        self._connection, self._stage = connection, stage
        self._context, self._options = context, context.options
        rows = int(self._row(f"SELECT count(*) FROM {stage}")[0])
        step = max(1, rows // _SAMPLE)
        self._sample = stage if rows <= _SAMPLE else f"(SELECT * FROM {stage} WHERE rowid % {step} = 0)"

    def reading(self, column: TextColumn) -> Reading:
        """The type that the values of a sample suggest."""
        total, zeros, digits, eight = self._row(
            f"SELECT count(x), count(*) FILTER ({_CODES}), count(*) FILTER (regexp_matches(x, '\\d')),"
            f" count(*) FILTER (regexp_full_match(x, '\\d{{8}}'))"
            f" FROM (SELECT {column.text} AS x FROM {self._sample})"
        )
        if not total or zeros:
            return Reading()
        if digits < total * _NEARLY_ALL:
            return (
                Reading("boolean", "BOOLEAN")
                if self._shares(column, ("boolean",))["boolean"] == 1
                else Reading()
            )
        values = _values(column.name)
        shares = dict.fromkeys(values, 0.0) | self._shares(column, _PLAIN)
        if shares["integer"] < 1 or eight or "epoch" in values or "serial" in values:
            shares |= self._shares(column, tuple(kind for kind in values if kind not in _PLAIN))
        if (self._options.numbers == "text" or self._options.dates == "text") and shares:
            shares = {kind: share for kind, share in shares.items() if not self._is_kept_as_text(kind)}
        kind = _best(shares, column.name, total)
        if kind == "text" and shares.get("dates_dmy", 0.0) + shares.get("dates_mdy", 0.0) > _NEARLY_ALL:
            self._context.note("dates_mixed", column.name)
        if kind in _ORDERED:
            shares = self._all_shares(column, shares)
            return self._ordered(kind, shares, _ORDERED, self._options.dates)
        if kind in ("number", *_DECIMALS):
            return self._ordered(kind, shares, _DECIMALS, self._options.numbers)
        return Reading(kind, _TYPES.get(kind, "VARCHAR"))

    def _shares(self, column: TextColumn, kinds: Sequence[str], rows: str = "") -> dict[str, float]:
        """The share of the values that fit each reading."""
        values = _values(column.name)
        counts = ", ".join(f"count({values[kind].format(x='x')})" for kind in kinds)
        total, *found = self._row(
            f"SELECT count(x), {counts} FROM (SELECT {column.text} AS x FROM {rows or self._sample})"
        )
        return {kind: count / max(1, total) for kind, count in zip(kinds, found, strict=True)}

    def _all_shares(self, column: TextColumn, shares: dict[str, float]) -> dict[str, float]:
        """The shares of both orders of dates, counted in all rows if the sample does not tell them apart."""
        if self._sample == self._stage or shares["dates_dmy"] != shares["dates_mdy"]:
            return shares
        return shares | self._shares(column, tuple(_ORDERED), self._stage)

    def _is_kept_as_text(self, kind: str) -> bool:
        group = "numbers" if _TYPES[kind] == "DOUBLE" else "dates" if _TYPES[kind] == "TIMESTAMP" else ""
        return bool(group) and getattr(self._options, group) == "text" and kind != "number"

    def _ordered(
        self, kind: str, shares: Mapping[str, float], kinds: Mapping[str, str], requested: str
    ) -> Reading:
        """Choose between two readings; if the values fit both, `consistent` decides."""
        first, second = kinds
        wanted = next((each for each, value in kinds.items() if value == requested), "")
        if wanted and shares[wanted] >= _NEARLY_ALL:
            return Reading(wanted, _TYPES[wanted])
        if shares[first] == shares[second] and shares[first] >= _NEARLY_ALL:
            return Reading(kind, _TYPES[kind], ambiguous=True)
        if kind == "number":
            return Reading(kind, "DOUBLE")
        return Reading(max(kinds, key=lambda each: shares[each]), _TYPES[kind])

    def consistent(self, readings: Mapping[TextColumn, Reading]) -> dict[TextColumn, Reading]:
        """Decide what is ambiguous by the other columns of the table."""
        decided = [reading.kind for reading in readings.values() if not reading.ambiguous]
        comma = "numbers_comma" in decided
        dollars = not comma and any("$" in column.name for column in readings)
        order = next((kind for kind in decided if kind in _ORDERED), "")
        result = {}
        for column, reading in readings.items():
            if reading.ambiguous and reading.kind in _ORDERED:
                dotted = self._has(column, "x LIKE '%.%'")
                dollars = dollars or any(self._has(other, "x LIKE '$%'") for other in readings)
                assumed = "dates_mdy" if dollars and not comma and not dotted else "dates_dmy"
                sure = bool(order) or dotted or comma
                result[column] = replace(reading, kind=order or assumed, ambiguous=not sure)
            elif reading.ambiguous and comma and self._has(column, "regexp_matches(x, '[.,]')"):
                result[column] = Reading("numbers_comma", "DOUBLE")
            else:
                result[column] = replace(reading, ambiguous=False) if reading.ambiguous else reading
        return result

    def verified(self, column: TextColumn, reading: Reading) -> Reading:
        """The reading, tested on all rows, with what is said about it."""
        if reading.kind == "text":
            return reading
        value = _values(column.name)[reading.kind].format(x="x")
        total, right, codes, wrong, example = self._row(
            f"SELECT count(x), count(v), count(*) FILTER ({_CODES}),"
            " first(x) FILTER (v IS NULL AND x IS NOT NULL), arg_max(x, length(x)) FILTER (v IS NOT NULL)"
            f" FROM (SELECT x, {value} AS v FROM"
            f" (SELECT {column.text} AS x FROM {self._stage}))"
        )
        if codes or right < total * _NEARLY_ALL:
            if right >= total / 2:
                self._context.note("kept_text", column.name, count=total - right, example=wrong)
            return Reading()
        reading = replace(reading, keep=right < total or reading.ambiguous)
        if reading.type == "TIMESTAMP":
            reading = self._date_or_moment(column, reading, value)
        if reading.kind in _DECIMALS:
            reading = self._with_unit(column, reading)
            if reading.kind == "text":
                return reading
        if reading.kind in ("epoch", "serial"):
            reading = replace(reading, keep=True)
        self._say(column, reading, example, wrong, total - right)
        return reading

    def _date_or_moment(self, column: TextColumn, reading: Reading, value: str) -> Reading:
        """A column of days has no time of day."""
        if reading.kind == "epoch":
            return reading
        timed = self._row(
            "SELECT count(*) FILTER (x LIKE '%:%' OR v <> date_trunc('day', v))"
            f" FROM (SELECT x, {value} AS v FROM (SELECT {column.text} AS x FROM {self._stage}))"
            " WHERE v IS NOT NULL"
        )[0]
        return reading if timed else replace(reading, type="DATE")

    def _with_unit(self, column: TextColumn, reading: Reading) -> Reading:
        unit = _number_text(reading.kind).unit("x")
        units, bare, chinese = self._row(
            f"SELECT list(DISTINCT u ORDER BY u) FILTER (u <> ''), count(*) FILTER (u = ''), max(c) FROM"
            f" (SELECT {unit} AS u, regexp_matches(x, '{_CHINESE}') AS c FROM"
            f" (SELECT {column.text} AS x FROM {self._stage}) WHERE x IS NOT NULL)"
        )
        chinese = chinese or any(
            "\u4e00" <= character <= "\u9fff" for character in column.name + self._context.name
        )
        names = {
            numbers.unit_name(each.removesuffix("元") or each, chinese=bool(chinese)) for each in units or ()
        }
        if len(names) > 1 or (names == {"%"} and bare):
            listed = ", ".join([*sorted(names), *(["–"] if bare else [])])
            self._context.note("mixed_units", column.name, units=listed)
            return Reading()
        return replace(reading, keep=True, unit=next(iter(names), ""))

    def _say(
        self, column: TextColumn, reading: Reading, example: str | None, wrong: str | None, count: int
    ) -> None:
        kept = f"{column.name} (text)"
        if reading.ambiguous and reading.kind in _ORDERED:
            order = _ORDERED[reading.kind]
            other = "mdy" if order == "dmy" else "dmy"
            self._context.note("dates_ambiguous", column.name, example=example, order=order, other=other)
        elif reading.kind in _ORDERED and self._options.dates != _ORDERED[reading.kind]:
            self._context.note("dates", column.name, example=example, order=_ORDERED[reading.kind])
        elif reading.kind in _DECIMALS:
            self._context.note("numbers", column.name, example=example, kept=kept, unit=reading.unit or "–")
        elif reading.kind in ("epoch", "serial"):
            self._context.note(reading.kind, column.name, example=example, kept=kept)
        if count:
            self._context.note("not_converted", column.name, count=count, example=wrong, kept=kept)

    def _has(self, column: TextColumn, condition: str) -> bool:
        found = self._row(
            f"SELECT count(*) FILTER ({condition}) FROM (SELECT {column.text} AS x FROM {self._sample})"
        )
        return bool(found[0])

    def _row(self, query: str) -> tuple[Any, ...]:
        return self._connection.execute(query).fetchall()[0]


_CODES = "regexp_full_match(x, '[-+]?0\\d+|\\d{19,}')"  # 007, the number of a card: not for arithmetic
_PLAIN = ("boolean", "integer", "number", "time")
_TYPES = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "time": "TIME",
    "year_first": "TIMESTAMP",
    "zoned": "TIMESTAMPTZ",
    "dates_dmy": "TIMESTAMP",
    "dates_mdy": "TIMESTAMP",
    "named_month": "TIMESTAMP",
    "compact": "TIMESTAMP",
    "epoch": "TIMESTAMP",
    "serial": "TIMESTAMP",
    "numbers_point": "DOUBLE",
    "numbers_comma": "DOUBLE",
}


def _values(name: str) -> dict[str, str]:
    """SQL of each reading that is possible for a column of that name; `{x}` is the text."""
    x = "{x}"
    result = {
        "boolean": f"CASE lower({x}) WHEN 'true' THEN true WHEN 'false' THEN false END",
        "integer": numbers.plain_integer(x),
        "number": numbers.plain_number(x),
        "time": f"CASE WHEN regexp_full_match({x}, '([01]?\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d+)?)?') THEN"
        f" TRY_CAST(CASE WHEN length({x}) < 6 THEN {x} || ':00' ELSE {x} END AS TIME) END",
        "year_first": dates.year_first(x),
        "zoned": dates.zoned(x),
        "dates_dmy": dates.day_month(x, "dmy"),
        "dates_mdy": dates.day_month(x, "mdy"),
        "named_month": dates.named_month(x),
        "compact": dates.compact(x),
        "numbers_point": numbers.NumberText("point").value(x),
        "numbers_comma": numbers.NumberText("comma").value(x),
    }
    if dates.names_an_epoch(name):
        result["epoch"] = dates.epoch(x)
    if dates.names_a_date(name):
        result["serial"] = dates.serial(x)
    return {kind: _escaped(value) for kind, value in result.items()}


def _escaped(expression: str) -> str:
    """Double the braces of regular expressions, but not those of the placeholder."""
    return expression.replace("{", "{{").replace("}", "}}").replace("{{x}}", "{x}")


def _best(shares: Mapping[str, float], name: str, total: int) -> str:
    """The reading that fits nearly all values; the plainest of those that fit equally well."""
    for kind in ("epoch", "serial"):
        if shares.get(kind, 0.0) == 1.0:
            return kind
    if shares.get("compact") == 1.0 and (dates.names_a_date(name) or total >= _MANY):
        return "compact"
    fitting = {
        kind: share
        for kind, share in shares.items()
        if share >= _NEARLY_ALL and kind not in ("epoch", "serial", "compact")
    }
    return max(fitting, key=lambda kind: fitting[kind]) if fitting else "text"


def _number_text(kind: str) -> numbers.NumberText:
    return numbers.NumberText("comma" if kind == "numbers_comma" else "point")


def _expression(column: TextColumn, reading: Reading) -> str:
    if reading.kind == "text":
        return f"NULLIF(trim({_quoted(column.source)}), '')"
    value = _values(column.name)[reading.kind].format(x=column.alias)
    return f"CAST({value} AS {reading.type})"


def _comment(column: TextColumn, reading: Reading) -> str:
    if reading.type not in ("BIGINT", "DOUBLE"):
        return ""
    return reading.unit or numbers.unit_of_header(column.name)
