"""Blocks: the aggregates that one SELECT can compute, because they are of the same rows of one table.

Measures of different tables are in different blocks, each aggregated by itself, so that no join multiplies
the rows of another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from text2sql.sql.compile.aggregates import (
    Cell,
    aggregate,
    fraction,
    input_of,
    interpolated,
    own_filters_multiply,
    uses_window,
)
from text2sql.sql.compile.conditions import conditions
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.expressions import bound
from text2sql.sql.compile.groups import GroupColumn, group_expression
from text2sql.sql.compile.nodes import number, ordered
from text2sql.sql.compile.scope import Scope
from text2sql.types import Filter

_LONG = 24  # nodes
Ctes = list[tuple[str, exp.Query]]


@dataclass
class Block:
    """A SELECT without its list: the expressions of its groups and cells, and what precedes it."""

    source: exp.Select
    groups: list[exp.Expr]
    cells: dict[Cell, exp.Expr]
    ctes: Ctes = field(default_factory=list)

    def select(self, expressions: Sequence[exp.Expr]) -> exp.Select:
        select = self.source.copy()
        select.set("expressions", list(expressions))
        if self.groups:
            select.set(
                "group", exp.Group(expressions=[_grouped(group, expressions) for group in self.groups])
            )
        return select


def _grouped(group: exp.Expr, selected: Sequence[exp.Expr]) -> exp.Expr:
    """An item of GROUP BY: the expression, or its position if it is long."""
    if sum(1 for _ in group.walk()) > _LONG:
        for position, item in enumerate(selected, start=1):
            if item.unalias() == group:
                return number(position)
    return group.copy()


def blocks(
    context: Context, columns: Sequence[GroupColumn], cells: Sequence[Cell], filters: Sequence[Filter]
) -> list[Block]:
    """The blocks that compute all cells, in the order of their first cells."""
    members: dict[object, list[Cell]] = {}
    for cell in dict.fromkeys(cells):
        alone = uses_window(context, cell)
        own = cell.aggregation.filters if own_filters_multiply(context, cell) else ()
        members.setdefault((cell.table, cell.condition, own, cell if alone else None), []).append(cell)
    return [_block(context, columns, each, filters) for each in members.values()]


def _block(
    context: Context, columns: Sequence[GroupColumn], cells: list[Cell], filters: Sequence[Filter]
) -> Block:
    first = cells[0]
    scope = Scope(context, first.table)
    groups: list[exp.Expr] = [group_expression(context, scope, column) for column in columns]
    own = first.aggregation.filters if own_filters_multiply(context, first) else ()
    where = conditions(context, scope, [*filters, *own])
    if first.measure is not None and first.measure.filter:
        where.append(exp.paren(bound(context, scope, (), first.measure, first.measure.filter)))
    ctes: Ctes = []
    multiplied = scope.multiplies
    if multiplied and not all(_is_safe(context, cell) for cell in cells):
        scope, groups = _linked(scope, columns, groups, where, ctes)
        where, multiplied = [], False
    if uses_window(context, first):
        return _ranked(scope, columns, groups, where, ctes, cell=first)
    values = {cell: aggregate(context, scope, cell, multiplied=multiplied) for cell in cells}
    return Block(scope.select(where=where), groups, values, ctes)


def _is_safe(context: Context, cell: Cell) -> bool:
    """Whether it is right although a row occurs several times in a group."""
    counts_rows = cell.function == "count" and cell.measure is None
    return cell.ignores_duplicates or (counts_rows and len(context.key(cell.table)) == 1)


def _linked(
    scope: Scope,
    columns: Sequence[GroupColumn],
    groups: list[exp.Expr],
    where: list[exp.Expr],
    ctes: Ctes,
) -> tuple[Scope, list[exp.Expr]]:
    """A CTE with each row's key and each of its groups once, joined to the row."""
    context = scope.context
    key = context.key(scope.table)
    keys = [context.names.new(f"{column}_key") for column in key]
    named = [context.named(scope.column(column), alias) for column, alias in zip(key, keys, strict=True)]
    named += [context.named(group, column.alias) for group, column in zip(groups, columns, strict=True)]
    select = scope.select(*named, where=where)
    select.set("distinct", exp.Distinct())
    name = context.names.new_table("links")
    ctes.append((name, select))
    rows = Scope(context, scope.table)
    alias = context.names.table_alias(name)
    rows.join(name, alias, tuple(zip(key, keys, strict=True)))
    return rows, [context.column(column.alias, alias) for column in columns]


def _ranked(
    scope: Scope,
    columns: Sequence[GroupColumn],
    groups: list[exp.Expr],
    where: list[exp.Expr],
    ctes: Ctes,
    *,
    cell: Cell,
) -> Block:
    """A percentile from the rank of each row within its group."""
    context = scope.context
    value = input_of(context, scope, cell)
    names = [context.names.new(name) for name in ("measured", "position", "row_count")]
    order = ordered(value.copy(), context.dialect, in_window=True)
    windows = [
        exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=order)),
        exp.Window(this=exp.Count(this=value.copy())),
    ]
    for window in windows:
        window.set("partition_by", [group.copy() for group in groups])
    named = [context.named(group, column.alias) for group, column in zip(groups, columns, strict=True)]
    named += [context.named(each, name) for each, name in zip([value, *windows], names, strict=True)]
    name = context.names.new_table("positions")
    ctes.append((name, scope.select(*named, where=where)))
    alias = context.names.table_alias(name)
    parts = [context.column(each, alias) for each in names]
    result = interpolated(parts[0], parts[1], parts[2], fraction(cell))
    source = exp.Select(from_=exp.From(this=context.table(name, alias)))
    return Block(source, [context.column(column.alias, alias) for column in columns], {cell: result}, ctes)
