"""The FROM clause of one SELECT: a root table and the tables that it reaches, each path joined once."""

from sqlglot import exp

from text2sql.sql.compile.context import Context
from text2sql.sql.compile.paths import Path


class Scope:
    """To-one steps are LEFT JOINs, which keep every row; to-many steps are inner joins, which multiply rows:
    the caller must count a row once.
    """

    def __init__(self, context: Context, table: str) -> None:
        self.context = context
        self.table = table
        self.root = context.names.table_alias(table)
        self._aliases: dict[Path, str] = {(): self.root}
        self._joins: list[exp.Join] = []

    @property
    def multiplies(self) -> bool:
        return any(step.to_many for path in self._aliases for step in path)

    def has(self, path: Path) -> bool:
        return path in self._aliases

    def alias(self, path: Path) -> str:
        """The alias of the table at the end of a path; joins it if needed."""
        if path not in self._aliases:
            before, step = self.alias(path[:-1]), path[-1]
            alias = self.context.names.table_alias(step.end)
            self._joins.append(
                exp.Join(
                    this=self.context.table(step.end, alias),
                    side=None if step.to_many else "LEFT",
                    on=exp.and_(
                        *(
                            exp.EQ(this=self.column(other, alias), expression=self.column(own, before))
                            for own, other in step.pairs
                        ),
                        copy=False,
                    ),
                )
            )
            self._aliases[path] = alias
        return self._aliases[path]

    def join(self, table: str, alias: str, pairs: tuple[tuple[str, str], ...]) -> None:
        """Join a CTE to the root on equal columns."""
        on = [
            exp.EQ(this=self.context.column(other, alias), expression=self.column(own))
            for own, other in pairs
        ]
        self._joins.append(exp.Join(this=self.context.table(table, alias), on=exp.and_(*on, copy=False)))

    def column(self, name: str, alias: str = "") -> exp.Column:
        return self.context.column(name, alias or self.root)

    def select(self, *expressions: exp.Expr, where: list[exp.Expr] | None = None) -> exp.Select:
        """Call it last: it contains the joins known by now."""
        select = exp.Select(
            expressions=list(expressions),
            from_=exp.From(this=self.context.table(self.table, self.root)),
            joins=[join.copy() for join in self._joins] or None,
        )
        if where:
            select.set("where", exp.Where(this=exp.and_(*where, copy=False)))
        return select
