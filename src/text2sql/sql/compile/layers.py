"""SELECTs on top of each other, each a CTE that adds columns to the one below."""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from text2sql.sql.compile.blocks import Ctes
from text2sql.sql.compile.context import Context


class Layers:
    """The current CTE and the names of its columns."""

    def __init__(self, context: Context, ctes: Ctes, name: str, columns: Sequence[str]) -> None:
        self.context, self.ctes = context, ctes
        self.name = name
        self.columns = list(columns)
        self.alias = context.names.table_alias(name)

    def column(self, name: str) -> exp.Column:
        return self.context.column(name, self.alias)

    def add(
        self,
        wanted: str,
        values: Mapping[str, exp.Expr],
        *,
        joins: Sequence[exp.Join] = (),
        where: Sequence[exp.Expr] = (),
    ) -> None:
        """A CTE with all columns and these: new ones, or others in their place."""
        select = self.select([*self.columns, *(name for name in values if name not in self.columns)], values)
        if joins:
            select.set("joins", list(joins))
        if where:
            select.set("where", exp.Where(this=exp.and_(*where, copy=False)))
        name = self.context.names.new_table(wanted)
        self.ctes.append((name, select))
        self.columns = [item.alias for item in select.expressions]
        self.name, self.alias = name, self.context.names.table_alias(name)

    def select(self, names: Sequence[str], values: Mapping[str, exp.Expr] | None = None) -> exp.Select:
        given = values or {}
        items = [self.context.named(given.get(name, self.column(name)), name) for name in names]
        return exp.Select(expressions=items, from_=exp.From(this=self.context.table(self.name, self.alias)))
