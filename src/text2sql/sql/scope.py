"""The values that name resolution works with: what a query can see, and how its dialect compares names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from text2sql.sql.dialects import Grammar, Recursion

# Column keys in order, "" for a column without a name. None: not known, but made from visible things only.
Outputs: TypeAlias = tuple[str, ...] | None


def again(name: exp.Expr) -> exp.Identifier:
    """The same identifier for another place. The parser's own copy costs ten times as much."""
    return exp.Identifier(this=name.this, quoted=name.args.get("quoted", False))


def sees_itself(grammar: Grammar, clause: exp.Expr, cte: exp.Expr) -> bool:
    """Whether the name of a CTE means the CTE in the last arm of its own UNION. In the others it never does:
    DuckDB and ClickHouse read a table of that name there, and elsewhere it is an error.
    """
    if not isinstance(cte.this, exp.Union) or cte.this.args.get("with_"):
        return False
    listed = grammar.recursion is Recursion.COLUMNS and bool(cte.args["alias"].columns)
    return listed or grammar.recursion is Recursion.ALWAYS or bool(clause.args.get("recursive"))


@dataclass(slots=True)
class Source:
    """One entry of a FROM clause: a real table, of which the policy shows some columns, or something made
    from visible things (a sub-query, a CTE, a generator).
    """

    name: exp.Identifier | None  # what it is called in this query
    columns: Outputs
    hides: bool = False  # a real table: it may have columns that the policy does not show
    hidden: frozenset[str] | None = None  # which ones, where the catalogue is at hand
    merged: frozenset[str] = frozenset()  # columns that USING made one with an earlier source's
    wrapped: bool = False  # a real table that becomes a sub-query: its schema's name is no longer known

    def shows(self, column: str) -> bool:
        return self.columns is None or column in self.columns

    def may_hide(self, column: str) -> bool:
        if not self.hides or self.shows(column):
            return False
        return self.hidden is None or column in self.hidden


@dataclass(slots=True)
class Scope:
    """What names mean inside one query. `parent` is the query around it."""

    parent: "Scope | None" = None
    ctes: Mapping[str, Outputs] = field(default_factory=dict)
    scalars: Mapping[str, exp.Expr] = field(default_factory=dict)  # ClickHouse: WITH <expression> AS name
    sources: dict[str, Source] = field(default_factory=dict)
    aliases: dict[str, exp.Expr] = field(default_factory=dict)  # of the SELECT list

    def inside(self) -> "Scope":
        """The scope of a query that stands within this one."""
        return Scope(self, self.ctes, self.scalars)

    def beside(self) -> "Scope":
        """The scope of a sub-query in FROM: the CTEs and the outer query, not its neighbours."""
        return Scope(self.parent, self.ctes, self.scalars)

    def add(self, source: Source, key: str = "") -> None:
        self.sources[key or f" {len(self.sources)}"] = source  # no name begins with a space

    def hides_any(self) -> bool:
        return any(source.hides for source in self.sources.values())

    def is_merged(self, column: str) -> bool:
        return any(column in source.merged for source in self.sources.values())


@dataclass(frozen=True, slots=True)
class Names:
    """How the dialect at hand compares names."""

    grammar: Grammar

    def alias(self, name: exp.Expr) -> str:
        return self.grammar.aliases.key(name.name, bool(name.args.get("quoted")))

    def column(self, name: exp.Expr) -> str:
        return self.grammar.columns.key(name.name, bool(name.args.get("quoted")))

    def listed(self, node: exp.Expr) -> tuple[str, ...]:
        """The columns of `AS x(a, b)`."""
        alias = node.args.get("alias")
        named = alias.columns if isinstance(alias, exp.TableAlias) else ()
        return tuple(self.column(one.this if isinstance(one, exp.ColumnDef) else one) for one in named)

    def output(self, part: exp.Expr) -> str:
        """What an item of a SELECT list is called outside, "" where only the engine knows."""
        if isinstance(part, exp.Alias):
            return self.column(part.args["alias"])
        if isinstance(part, exp.Column) and isinstance(part.this, exp.Identifier):
            return self.column(part.this)
        if isinstance(part, exp.Dot) and isinstance(part.expression, exp.Identifier):
            return self.column(part.expression)
        if isinstance(part, exp.Func) and not isinstance(part, (exp.Anonymous, exp.Cast)):
            return part.sql_name().lower()  # `SELECT count FROM (SELECT count(*) …)`
        return ""
