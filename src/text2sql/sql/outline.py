"""Summarizes a query for people: its outputs, groups, tables, conditions and order. The summary is
informative only and never decides what may run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

Measure: TypeAlias = Literal["plain", "count", "count_distinct", "sum", "avg", "min", "max"]

_MEASURES: Mapping[type[exp.Expr], Measure] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
}
_COMPARISONS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "≠",
    exp.GT: ">",
    exp.GTE: "≥",
    exp.LT: "<",
    exp.LTE: "≤",
}
_MAX_LENGTH = 80  # characters of an expression


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """One output: a column or an expression, or a measure of it."""

    measure: Measure
    text: str  # empty: all rows


@dataclass(frozen=True, slots=True)
class Outline:
    """The summary of a query."""

    outputs: tuple[OutputColumn, ...]
    tables: tuple[str, ...]
    groups: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    order: tuple[tuple[OutputColumn, bool], ...] = ()  # with a flag for descending
    limit: int | None = None
    distinct: bool = False
    # it has sub-queries or set operations; the outline describes the outermost SELECT
    is_nested: bool = False
    columns: tuple[str, ...] = ()  # that any part of the query reads, with their tables where it says so


def outline(sql: str, dialect: str) -> Outline | None:
    """Summarize a query; None if it cannot be parsed."""
    try:
        tree = parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return None
    select = tree if isinstance(tree, exp.Select) else tree.find(exp.Select)
    if select is None:
        return None
    names = _ColumnWriter(select, dialect)
    where, having = select.args.get("where"), select.args.get("having")
    group, order = select.args.get("group"), tree.args.get("order") or select.args.get("order")
    outputs = {item.alias.lower(): item.unalias() for item in select.expressions if item.alias}
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    tables = dict.fromkeys(node.name for node in tree.find_all(exp.Table) if node.name.lower() not in ctes)
    return Outline(
        outputs=tuple(names.output(item.unalias()) for item in select.expressions),
        tables=tuple(tables),
        groups=tuple(names.text(_resolve_output(item, select, outputs)) for item in group.expressions)
        if group
        else (),
        conditions=tuple(
            names.condition(part) for clause in (where, having) if clause for part in _conjuncts(clause.this)
        ),
        order=tuple(
            (names.output(_resolve_output(item.this, select, outputs)), bool(item.args.get("desc")))
            for item in (order.expressions if order else ())
        ),
        limit=_limit(tree),
        distinct=select.args.get("distinct") is not None,
        is_nested=len(list(tree.find_all(exp.Select))) > 1,
        columns=_columns_read(tree, ctes),
    )


def _columns_read(tree: exp.Expr, ctes: set[str]) -> tuple[str, ...]:
    """The columns of tables; those of a step are read where the step reads them."""
    tables = [table for table in tree.find_all(exp.Table) if table.name.lower() not in ctes]
    names = {table.alias_or_name.lower(): table.name for table in tables}
    computed = {item.alias.lower() for item in tree.find_all(exp.Alias)}
    found: dict[str, None] = {}
    for column in tree.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            continue
        if column.table:
            sources = [names[column.table.lower()]] if column.table.lower() in names else []
        else:
            sources = [table.name for table in tables if table.parent_select is column.parent_select]
        if len(sources) == 1:
            found[f"{sources[0]}.{column.name}"] = None
        elif sources and column.name.lower() not in computed:
            found[column.name] = None
    return tuple(found)


class _ColumnWriter:
    """Writes columns for readers: qualified by the table's name instead of its alias, or not at all for
    one table.
    """

    def __init__(self, select: exp.Select, dialect: str) -> None:
        self._dialect = dialect
        sources = [table for table in select.find_all(exp.Table) if table.parent_select is select]
        self._tables = {table.alias_or_name.lower(): table.name for table in sources}
        self._is_single_table = len(self._tables) == 1

    def output(self, node: exp.Expr) -> OutputColumn:
        measure = _MEASURES.get(type(node))
        if measure is None:
            return OutputColumn("plain", self.text(node))
        inner = node.this
        if isinstance(inner, exp.Distinct):
            different = ", ".join(self.text(item) for item in inner.expressions)
            return (
                OutputColumn("count_distinct", different)
                if measure == "count"
                else OutputColumn("plain", self.text(node))
            )
        return OutputColumn(measure, "" if isinstance(inner, exp.Star | exp.Literal) else self.text(inner))

    def condition(self, node: exp.Expr) -> str:
        sign = _COMPARISONS.get(type(node))
        if sign and isinstance(node, exp.Binary):
            return f"{self.text(node.left)} {sign} {self.text(node.right)}"
        return self.text(node)

    def text(self, node: exp.Expr) -> str:
        bare = node.copy()
        for column in [bare] if isinstance(bare, exp.Column) else list(bare.find_all(exp.Column)):
            table = self._tables.get(column.table.lower(), column.table)
            name = column.name if self._is_single_table or not table else f"{table}.{column.name}"
            if column is bare:
                return name
            column.replace(exp.Var(this=name))
        text = " ".join(bare.sql(dialect=self._dialect).split())
        return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 1] + "…"


def _resolve_output(node: exp.Expr, select: exp.Select, outputs: Mapping[str, exp.Expr]) -> exp.Expr:
    """The output that `GROUP BY 1` or `ORDER BY total` refers to; otherwise the node itself."""
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        index = int(node.name) - 1
        return select.expressions[index].unalias() if 0 <= index < len(select.expressions) else node
    if isinstance(node, exp.Column) and not node.table:
        return outputs.get(node.name.lower(), node)
    return node


def _conjuncts(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.And):
        return [*_conjuncts(node.left), *_conjuncts(node.right)]
    return [node.this] if isinstance(node, exp.Paren) and not isinstance(node.this, exp.Connector) else [node]


def _limit(tree: exp.Expr) -> int | None:
    limit = tree.args.get("limit")
    count = limit.args.get("expression") or limit.args.get("count") if limit is not None else None
    return int(count.name) if isinstance(count, exp.Literal) and count.name.isdigit() else None
