"""Says what an output of a query is: a group, an aggregate, a share, a change, a rank."""

import re
from collections.abc import Mapping
from typing import TypeAlias

from sqlglot import exp

from text2sql.text_normalization import words
from text2sql.types import Aggregate, Bucket, DatePart, OutputColumn

_AGGREGATES: Mapping[type[exp.Expr], Aggregate] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "average",
    exp.Min: "min",
    exp.Max: "max",
    exp.Median: "median",
    exp.Quantile: "percentile",
    exp.PercentileCont: "percentile",
    exp.PercentileDisc: "percentile",
    exp.ApproxDistinct: "count_distinct",
    exp.ApproxQuantile: "percentile",
}
_FORMATS: Mapping[str, tuple[Bucket, DatePart | None]] = {
    "%Y": ("year", None),
    "%Y-%m": ("month", None),
    "%Y%m": ("month", None),
    "%Y/%m": ("month", None),
    "%Y-%m-01": ("month", None),
    "%Y-%m-%d": ("day", None),
    "%Y-%W": ("week", None),
    "%Y-W%W": ("week", None),
    "%Y-%m-%d %H": ("hour", None),
    "%m": ("", "month"),
    "%H": ("", "hour"),
    "%d": ("", "day"),
    "%w": ("", "weekday"),  # Sunday is 0
}
_BUCKETS: Mapping[str, Bucket] = {
    "YEAR": "year", "QUARTER": "quarter", "MONTH": "month", "WEEK": "week", "DAY": "day", "HOUR": "hour",
}  # fmt: skip
_PARTS: Mapping[str, DatePart] = {
    "MONTH": "month", "QUARTER": "quarter", "HOUR": "hour", "DAY": "day",
}  # fmt: skip
_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile)
_KEY = re.compile(r"(?:^|_|(?<=[a-z]))(?:id|ID|Id|key|uuid)$|^id$", re.ASCII)
_Tables: TypeAlias = Mapping[str, str]  # tables by their alias in lower case


def describe_output(
    item: exp.Expr, node: exp.Expr, tables: _Tables, table: str, *, is_aggregate: bool
) -> OutputColumn:
    """`table`: the only table of the query, empty if there are several."""
    reader = _Reader(tables, table)
    name = item.alias_or_name
    node = _strip(node)
    is_percent, body = _without_factor(node)
    column = (
        reader.window(body)
        or reader.change(body)
        or reader.quotient(body)
        or reader.aggregate(body)
        or reader.bucket(body)
        or reader.plain(body, is_aggregate=is_aggregate)
    )
    role, function, source, more = column
    unit = "%" if is_percent and (function == "ratio" or role in ("share", "percent_change")) else ""
    if unit == "" and is_percent and function == "average":  # AVG(CASE … THEN 1 ELSE 0 END) * 100
        function, unit = "ratio", "%"
    return OutputColumn(name, role, source, function, unit=unit, **more)  # type: ignore[arg-type]


_Found: TypeAlias = tuple[str, str, str, dict[str, object]]  # role, function, source, more


class _Reader:
    def __init__(self, tables: _Tables, table: str) -> None:
        self._tables = tables
        self._table = table

    def window(self, node: exp.Expr) -> _Found | None:
        if not isinstance(node, exp.Window):
            return None
        function = node.this.this if isinstance(node.this, exp.IgnoreNulls) else node.this
        if isinstance(function, _RANKS):
            return "rank", "", "", {}
        found = self.aggregate(function)
        inner = self.aggregate(_strip(function.this)) if function.this is not None else None
        if isinstance(function, exp.Lag):
            return "previous", inner[1] if inner else "", self.source(function.this), {}
        if found is None or not node.args.get("order"):
            return "value", found[1] if found else "", found[2] if found else self.source(node), {}
        frame = node.args.get("spec")
        rows = frame.args.get("start") if frame is not None else None
        is_moving = isinstance(rows, exp.Expr) and rows.name.isdigit()
        more: dict[str, object] = (
            {"moving": int(rows.name) + 1} if is_moving and rows is not None else {"running": True}
        )
        return "value", inner[1] if inner else found[1], inner[2] if inner else found[2], more

    def change(self, node: exp.Expr) -> _Found | None:
        """`x - LAG(x)`, and the same divided by `LAG(x)`."""
        if not any(isinstance(window.this, exp.Lag) for window in node.find_all(exp.Window)):
            return None
        source = self.source(node)
        if isinstance(node, exp.Sub) and not node.find(exp.Div):
            return "difference", "", source, {}
        if isinstance(node, exp.Div | exp.Sub):
            return "percent_change", "", source, {}
        return "value", "", source, {}

    def quotient(self, node: exp.Expr) -> _Found | None:
        if not isinstance(node, exp.Div):
            return None
        numerator, denominator = _without_factor(_strip(node.this))[1], _strip(node.expression)
        whole = isinstance(denominator, exp.Subquery | exp.Window)
        if (
            whole
            and denominator.find(exp.AggFunc)
            and (numerator.find(exp.AggFunc) or numerator.find(exp.Column))
        ):
            return "share", "", self.source(numerator), {}
        if node.find(exp.AggFunc):
            return "value", "ratio", "", {}
        return None

    def aggregate(self, node: exp.Expr) -> _Found | None:
        ordered = node.expression if isinstance(node, exp.WithinGroup) else None
        if isinstance(node, exp.WithinGroup | exp.Filter):
            node = node.this
        function = _AGGREGATES.get(type(node))
        if function is None:  # a calculation of several aggregates, or none
            return ("value", "", "", {}) if node.find(exp.AggFunc) and not node.find(exp.Subquery) else None
        if function == "count":
            return self._count(node)
        if function == "sum" and _counts_rows(node.this):
            return "value", "count", "", {}
        return "value", function, self.source(ordered or node.this), {}

    def _count(self, node: exp.Expr) -> _Found:
        inner = node.this
        if isinstance(inner, exp.Distinct):
            return "value", "count_distinct", self._counted(self.source(inner)), {}
        is_all = inner is None or isinstance(inner, exp.Star | exp.Literal)
        return "value", "count", self._table if is_all else self._counted(self.source(inner)), {}

    def _counted(self, source: str) -> str:
        """The table whose own key is counted, or the column: `orders.customer_id` counts customers."""
        table, _, column = source.rpartition(".")
        if not table or not _KEY.search(column):
            return source
        thing = words(_KEY.sub("", column))
        return table if not thing or thing[-1:] == words(table)[-1:] else source

    def bucket(self, node: exp.Expr) -> _Found | None:
        found = _bucket(node)
        return (
            None
            if found is None
            else ("group", "", self.source(node), {"bucket": found[0], "part": found[1]})
        )

    def plain(self, node: exp.Expr, *, is_aggregate: bool) -> _Found:
        source = self.source(node)
        if isinstance(node, exp.Column) and _KEY.search(node.name):
            return "key", "", source, {}
        return "group" if is_aggregate else "shown", "", source, {}

    def source(self, node: exp.Expr) -> str:
        """`table.column` if the expression is of one column, else empty."""
        columns = {self._qualified(column) for column in node.find_all(exp.Column)}
        return columns.pop() if len(columns) == 1 and not isinstance(node, exp.Case) else ""

    def _qualified(self, column: exp.Column) -> str:
        table = self._tables.get(column.table.lower(), column.table) or self._table
        return f"{table}.{column.name}" if table else column.name


def _strip(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren | exp.Cast | exp.Round | exp.Coalesce | exp.Nullif):
        node = node.this
    return node


def _without_factor(node: exp.Expr) -> tuple[bool, exp.Expr]:
    """Whether something is multiplied by 100, and what."""
    node = _strip(node)
    if isinstance(node, exp.Mul):
        for factor, other in ((node.left, node.right), (node.right, node.left)):
            if _is_hundred(_strip(factor)):
                return True, _strip(other)
    if isinstance(node, exp.Div):
        is_percent, numerator = _without_factor(node.this)
        if is_percent:
            return True, exp.Div(this=numerator.copy(), expression=node.expression.copy())
    return False, node


def _is_hundred(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.name in ("100", "100.0", "100.00", "1e2")


def _counts_rows(node: exp.Expr) -> bool:
    """`SUM(CASE WHEN … THEN 1 ELSE 0 END)` and `SUM(a = b)`."""
    node = _strip(node)
    if isinstance(node, exp.Case):
        values = [branch.args["true"] for branch in node.args["ifs"]]
        default = node.args.get("default")
        values += [default] if default is not None else []
        return all(isinstance(value, exp.Literal) and value.name in ("0", "1") for value in values)
    return isinstance(node, exp.Predicate)


def _bucket(node: exp.Expr) -> tuple[Bucket, DatePart | None] | None:
    node = _strip(node)
    if isinstance(node, exp.TimeToStr | exp.ToChar):
        written = node.args.get("format")
        return _FORMATS.get(written.name) if isinstance(written, exp.Expr) else None
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc | exp.DatetimeTrunc):
        unit = node.args.get("unit")
        bucket = _BUCKETS.get(unit.name.upper()) if unit is not None else None
        return (bucket, None) if bucket else None
    return _date_part(node) or _prefix(node)


def _date_part(node: exp.Expr) -> tuple[Bucket, DatePart | None] | None:
    """`YEAR(d)`, `EXTRACT(MONTH FROM d)`."""
    unit = type(node).__name__.upper() if isinstance(node, exp.Year | exp.Month | exp.Quarter) else ""
    if isinstance(node, exp.Extract):
        unit = node.this.name.upper()
    if unit == "YEAR":
        return "year", None
    return ("", _PARTS[unit]) if unit in _PARTS else None


def _prefix(node: exp.Expr) -> tuple[Bucket, DatePart | None] | None:
    """`SUBSTR(d, 1, 7)` of a date that is kept as text."""
    if not isinstance(node, exp.Substring) or not _names_a_time(node):
        return None
    start, length = node.args.get("start"), node.args.get("length")
    lengths: Mapping[str, Bucket] = {"4": "year", "7": "month", "10": "day"}
    if start is None or length is None or start.name != "1" or length.name not in lengths:
        return None
    return lengths[length.name], None


def _names_a_time(node: exp.Expr) -> bool:
    return any(
        re.search(r"date|time|_at$|日期|时间", column.name, re.IGNORECASE)
        for column in node.find_all(exp.Column)
    )
