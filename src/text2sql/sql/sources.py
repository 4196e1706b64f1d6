"""FROM: every entry becomes a `Source` of the scope. Real tables are held to the policy here."""

from itertools import zip_longest
from typing import TYPE_CHECKING

from sqlglot import exp

from text2sql.sql.catalogue import generated_columns, hidden_columns, is_system_table, visible_columns
from text2sql.sql.dialects import ascii_lower
from text2sql.sql.refusal import refuse
from text2sql.sql.rows import has_rules, mark
from text2sql.sql.scope import Outputs, Scope, Source

if TYPE_CHECKING:
    from text2sql.sql.resolver import Resolver

_TABLES = (exp.Table, exp.Final)
_GENERATORS = (exp.Unnest, exp.Lateral, exp.Values, exp.TableFromRows)


class Sources:
    def __init__(self, resolver: "Resolver") -> None:
        self.resolver = resolver
        self.names = resolver.names
        self.statement = resolver.statement
        self.policed = has_rules(resolver.statement)

    def add(self, node: exp.Expr, scope: Scope) -> None:
        if isinstance(node, exp.Join):
            self.join(node, scope)
            return
        if isinstance(node, exp.Final):
            self.add(node.this, scope)
        elif isinstance(node, exp.Table):
            self.table(node, scope)
        elif isinstance(node, exp.Subquery):
            self.subquery(node, scope)
        elif isinstance(node, _GENERATORS):
            self.generator(node, scope)
        elif isinstance(node, exp.Alias):  # ClickHouse: ARRAY JOIN <expression> AS name
            self.resolver.expressions(node.this, scope)
            scope.add(Source(None, (self.names.column(node.args["alias"]),)))
        else:
            self.resolver.expressions(node, scope)
        for nested in (*(node.args.get("joins") or ()), *(node.args.get("laterals") or ())):
            self.add(nested, scope)

    # -- joins --

    def join(self, join: exp.Join, scope: Scope) -> None:
        before = dict(scope.sources)
        for part in (join.this, *join.expressions):
            self.add(part, scope)
        if not self.resolver.restricted:
            return
        added = [source for key, source in scope.sources.items() if before.get(key) is not source]
        shared: frozenset[str] = frozenset()
        if join.args.get("method") == "NATURAL":
            self.natural(join, [*before.values(), *added])
            shared = frozenset(key for side in before.values() for key in side.columns or ())
        using = join.args.get("using") or ()
        for name in using:
            key = self.names.column(name)
            known = any(source.columns is not None and key in source.columns for source in before.values())
            if not known or not all(source.shows(key) for source in added):
                refuse("column", name)
        unseen = join.kind == "ARRAY" or (
            join.kind in ("SEMI", "ANTI") and self.statement.dialect == "duckdb"
        )  # their columns can be named, and `*` leaves them out
        for source in added:
            merged = (source.columns or ()) if unseen else map(self.names.column, using)
            source.merged = frozenset(merged) | (shared & set(source.columns or ()))

    def natural(self, join: exp.Join, sides: list[Source]) -> None:
        """NATURAL compares every column that both sides have, hidden ones too."""
        for side in sides:
            if side.columns is None or (side.hides and side.hidden != frozenset()):
                refuse("natural_join", join)

    # -- tables --

    def table(self, node: exp.Table, scope: Scope) -> None:
        if not isinstance(node.this, exp.Identifier):  # a function, or ROWS FROM (functions)
            self.generator(node, scope)
            return
        alias = node.args.get("alias")
        name = alias.this if alias and alias.this else node.this
        key = self.names.alias(node.this)
        if not node.db and key in scope.ctes:
            source = Source(name, self.renamed(node, scope.ctes[key]))
        else:
            source = self.real_table(node, name)
        if node.args.get("pivots"):
            source = self.pivoted(node, source, scope)
        elif source.hides and alias and alias.columns:
            refuse("column", alias)  # the list would name hidden columns by their place
        scope.add(source, self.names.alias(source.name) if source.name else "")

    def real_table(self, node: exp.Table, name: exp.Identifier) -> Source:
        if is_system_table(self.statement, node):
            refuse("catalogue", node)
        if ascii_lower(node.name) in self.statement.grammar.dummy_tables and not node.db:
            return Source(name, ("dummy",))
        columns, stored = visible_columns(self.statement, node)
        self.resolver.tables.add(stored)
        wrapped = self.policed and mark(self.statement, node, stored)
        hidden = frozenset() if wrapped else hidden_columns(self.statement, stored, columns)
        return Source(name, columns, self.resolver.restricted, hidden, wrapped=wrapped)

    def subquery(self, node: exp.Subquery, scope: Scope) -> None:
        alias = node.args.get("alias")
        if isinstance(node.this, _TABLES):  # FROM (a JOIN b ON …)
            if alias and self.resolver.restricted:
                refuse("construct", node)
            self.add(node.this, scope)
            return
        around = scope if self.statement.grammar.implicit_lateral else scope.beside()
        outputs = self.renamed(node, self.resolver.query(node, around))
        source = Source(alias.this if alias else None, outputs)
        if node.args.get("pivots"):
            source = self.pivoted(node, source, scope)
        scope.add(source, self.names.alias(source.name) if source.name else "")

    def renamed(self, node: exp.Expr, outputs: Outputs) -> Outputs:
        """Outputs under a column list: `AS x(a, b)`. A list longer than what is there reaches for more."""
        names = self.names.listed(node)
        if outputs is None or not names:
            return outputs if outputs is not None else (names or None)
        if len(names) > len(outputs):
            refuse("column", node.args["alias"])
        return tuple(new or old for new, old in zip_longest(names, outputs, fillvalue=""))

    # -- what makes rows --

    def generator(self, node: exp.Expr, scope: Scope) -> None:
        """UNNEST, LATERAL, VALUES and functions in FROM: made from what is visible."""
        outputs: Outputs = None
        if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
            outputs = self.resolver.query(node.this, scope)
        else:
            self.resolver.clauses(node, ("this", "expressions", "rows_from"), scope)
        alias = node.args.get("alias")
        columns = self.names.listed(node) or outputs
        columns = columns or generated_columns(node, alias, self.statement.grammar)
        if isinstance(node.args.get("offset"), exp.Identifier):
            columns = (*columns, self.names.column(node.args["offset"]))
        name = alias.this if alias and alias.this else None
        if name is None and isinstance(node, exp.Table) and isinstance(node.this, exp.Func):
            spelled = node.this.sql(dialect=self.statement.dialect).partition("(")[0]
            name = exp.to_identifier(ascii_lower(spelled))
        scope.add(Source(name, columns), self.names.alias(name) if name else "")

    # -- pivots: they group by every column they do not name, so they are given the visible ones only --

    def pivoted(self, node: exp.Expr, source: Source, scope: Scope) -> Source:
        inner = Scope(scope.parent, scope.ctes, scope.scalars, {"": Source(None, source.columns)})
        for pivot in node.args["pivots"]:
            if self.resolver.restricted and source.columns is None:
                refuse("construct", pivot)
            parts = [*pivot.expressions, *(pivot.args.get("fields") or ())]
            if pivot.args.get("unpivot"):
                fields = [field for field in pivot.args.get("fields") or () if isinstance(field, exp.In)]
                parts = [column for field in fields for column in field.expressions]
            for part in parts:
                self.resolver.expressions(part, inner)
        named = node.args["pivots"][-1].args.get("alias")
        if source.hides and isinstance(node, exp.Table):
            node.replace(self.visible_copy(node, source))
        return Source(named.this if named and named.this else None, None)

    def pivot_statement(self, node: exp.Pivot, outer: Scope) -> Outputs:
        """DuckDB's `PIVOT t ON a USING sum(b)`: a query of its own."""
        scope = outer.inside()
        self.add(node.this, scope)
        inner = outer.inside()
        for source in scope.sources.values():
            inner.add(Source(None, source.columns))
        self.resolver.clauses(node, ("expressions", "using", "group"), inner)
        for source in scope.sources.values():
            if source.hides:
                node.set("this", self.visible_copy(node.this, source))
        return None

    def visible_copy(self, node: exp.Table, source: Source) -> exp.Subquery:
        pivots = [pivot.pop() for pivot in list(node.args.get("pivots") or ())]
        alias = node.args.get("alias")
        if alias:
            alias.pop()
        columns = [exp.column(exp.to_identifier(column, quoted=True)) for column in source.columns or ()]
        inner = exp.Select(expressions=columns, from_=exp.From(this=node.copy()))
        return exp.Subquery(this=inner, pivots=pivots, alias=alias)
