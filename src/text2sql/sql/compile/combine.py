"""Several blocks, and buckets without rows, as one CTE.

Their rows are united and grouped again: NULL groups stay together, no group of any block is lost, and nothing
is multiplied. A flag per block tells a group without rows (0 for counts and sums) from one with NULLs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from text2sql.sql.compile.aggregates import Cell
from text2sql.sql.compile.blocks import Block, Ctes
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.groups import GroupColumn
from text2sql.sql.compile.nodes import case, number, text


@dataclass(frozen=True)
class Part:
    """A block and the names of its cells."""

    block: Block
    cells: tuple[tuple[Cell, str], ...]


@dataclass(frozen=True)
class Fill:
    """Labels that a time bucket must have: with each of the other groups."""

    column: GroupColumn
    labels: tuple[str, ...]


def combined(
    context: Context,
    ctes: Ctes,
    columns: Sequence[GroupColumn],
    parts: Sequence[Part],
    *,
    fill: Fill | None = None,
    name: str = "totals",
) -> str:
    """Add a CTE with one row per group and all cells; returns its name."""
    union = _Union(context, ctes, columns)
    if len(parts) == 1 and fill is None:
        return union.block(parts[0], name)
    for part in parts:
        union.add(part)
    if fill is not None:
        union.fill(fill)
    return union.finish(name)


class _Union:
    """The CTEs of a union that grows by one block at a time: PostgreSQL takes the type of a column from the
    first two arms, of which one has values.
    """

    def __init__(self, context: Context, ctes: Ctes, columns: Sequence[GroupColumn]) -> None:
        self.context, self.ctes = context, ctes
        self.groups = [column.alias for column in columns]
        self.cells: list[tuple[Cell, str, str]] = []  # a cell, its name, and the flag of its block
        self._current = ""  # the CTE with the groups and cells by now, each group once
        self._arms: list[exp.Select] = []  # of the union that is not yet grouped

    def block(self, part: Part, wanted: str, flag: str = "") -> str:
        """Add a block as a CTE, with a flag of 1."""
        self.ctes += part.block.ctes
        values = dict(zip(self.groups, part.block.groups, strict=True))
        values |= {name: part.block.cells[cell] for cell, name in part.cells}
        selected = [self.context.named(value.copy(), name) for name, value in values.items()]
        if flag:
            selected.append(self.context.named(number(1), flag))
        return self._cte(wanted, part.block.select(selected))

    def add(self, part: Part) -> None:
        """Add a block to the union."""
        self._group()
        flag = self.context.names.new("present")
        own = self.block(part, "part", flag)
        before = self._copied()
        names = [name for _, name in part.cells]
        self.cells += [(cell, name, flag) for cell, name in part.cells]
        if not before:
            self._current = own
            return
        self._arms = [self._arm(self._current, before), self._arm(own, [*self.groups, *names, flag])]

    def fill(self, fill: Fill) -> None:
        """Add every label with every combination of the other groups, without values."""
        self._group()
        labels = self._cte("buckets", _constants(self.context, fill))
        others = [name for name in self.groups if name != fill.column.alias]
        arm = self._arm(labels, [fill.column.alias])
        if others:
            found = _distinct(self.context, self._current, others)
            arm.set("joins", [exp.Join(this=found, kind="CROSS")])
            for item in arm.expressions:
                if item.alias in others:
                    item.set("this", self.context.column(item.alias, found.alias))
        self._arms = [self._arm(self._current, self._copied()), arm]

    def finish(self, wanted: str) -> str:
        """Group the last union; 0 for counts and sums of a block without rows."""
        self._group(wanted)
        return self._current

    def _copied(self) -> list[str]:
        return [*self.groups, *(name for _, name, _ in self.cells), *self._flags()] if self.cells else []

    def _flags(self) -> list[str]:
        return list(dict.fromkeys(flag for _, _, flag in self.cells))

    def _arm(self, source: str, copied: Sequence[str]) -> exp.Select:
        """All columns in the common order: copied, 0 for other flags, or NULL."""
        alias = self.context.names.table_alias(source)
        values: dict[str, exp.Expr] = {}
        flags = self._flags()
        for name in [*self.groups, *(name for _, name, _ in self.cells), *flags]:
            default: exp.Expr = number(0) if name in flags else exp.Null()
            values[name] = self.context.column(name, alias) if name in copied else default
        return self._select(values, source, alias)

    def _group(self, last: str = "") -> None:
        """One row per group of the pending union. `last`: the name of the result, without flags."""
        if not self._arms:
            return
        union = self._cte("arms", union_all(self._arms))
        alias = self.context.names.table_alias(union)
        values: dict[str, exp.Expr] = {name: self.context.column(name, alias) for name in self.groups}
        for cell, name, flag in self.cells:
            value: exp.Expr = exp.Max(this=self.context.column(name, alias))
            if last and cell.is_zero_without_rows:
                present = exp.Max(this=self.context.column(flag, alias))
                value = case(exp.EQ(this=present, expression=number(1)), value, number(0))
            values[name] = value
        if not last:
            values |= {flag: exp.Max(this=self.context.column(flag, alias)) for flag in self._flags()}
        select = self._select(values, union, alias)
        if self.groups:
            select.set("group", exp.Group(expressions=[values[name].copy() for name in self.groups]))
        self._current = self._cte(last or "united", select)
        self._arms = []

    def _select(self, values: dict[str, exp.Expr], source: str, alias: str) -> exp.Select:
        return exp.Select(
            expressions=[self.context.named(value, name) for name, value in values.items()],
            from_=exp.From(this=self.context.table(source, alias)),
        )

    def _cte(self, wanted: str, query: exp.Query) -> str:
        name = self.context.names.new_table(wanted)
        self.ctes.append((name, query))
        return name


def _distinct(context: Context, source: str, names: Sequence[str]) -> exp.Subquery:
    alias = context.names.table_alias(source)
    select = exp.Select(
        expressions=[context.column(name, alias) for name in names],
        from_=exp.From(this=context.table(source, alias)),
        distinct=exp.Distinct(),
    )
    name = context.names.new("groups_found")
    return exp.Subquery(this=select, alias=exp.TableAlias(this=context.identifier(name)))


def _constants(context: Context, fill: Fill) -> exp.Query:
    """The labels as rows: `SELECT '2025-01' AS month UNION ALL SELECT '2025-02' …`."""
    selects: list[exp.Query] = []
    for label in fill.labels:
        value: exp.Expr = text(label)
        select = exp.Select(expressions=[value if selects else context.named(value, fill.column.alias)])
        if context.dialect == "oracle":
            select.set("from_", exp.From(this=exp.to_table("dual")))
        selects.append(select)
    return union_all(selects)


def union_all(selects: Sequence[exp.Query]) -> exp.Query:
    result = selects[0]
    for select in selects[1:]:
        result = exp.Union(this=result, expression=select, distinct=False)
    return result
