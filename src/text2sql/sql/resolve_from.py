"""Resolution of FROM: adds a `Source` to the scope for every item, and checks tables against the policy."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.helper import ensure_list

from text2sql.sql.dialects import ascii_lower
from text2sql.sql.pivots import PivotResolver
from text2sql.sql.refusal import refuse
from text2sql.sql.scope import NAMELESS, UNKNOWN_OUTPUTS, Outputs, Scope, Source
from text2sql.sql.table_policy import generated_columns, hidden_columns, is_system_table, visible_columns
from text2sql.sql.table_wrapper import mark, wraps

if TYPE_CHECKING:
    from text2sql.sql.resolver import Resolver

_GENERATORS = (exp.Unnest, exp.Lateral, exp.Values, exp.TableFromRows)
MAX_COLUMNS = 20_000  # of all FROM items in a statement
_ITEM_KEYS = ("alias", "joins", "laterals", "pivots", "sample")  # arguments that every FROM item may have

_TABLE_HANDLED = frozenset({*_ITEM_KEYS, "this", "db", "catalog", "indexed", "hints"})


class FromResolver:
    """Adds the FROM items of a query to its scope, on behalf of a `Resolver`."""

    def __init__(self, resolver: "Resolver") -> None:
        self.resolver = resolver
        self.names = resolver.names
        self.statement = resolver.statement
        self.pivots = PivotResolver(resolver)
        self.column_count = 0

    def add_all(self, select: exp.Expr, scope: Scope) -> None:
        """Add all FROM items, then resolve the join conditions, which may refer to any of them."""
        clause = select.args.get("from_")
        if clause:
            self.resolver.mark_visited(clause)
            self.add(clause.this, scope)
        self.add_joins(select, scope)
        self.resolve_conditions(scope)

    def add_joins(self, node: exp.Expr, scope: Scope) -> None:
        for key in ("joins", "laterals"):
            for item in list(node.args.get(key) or ()):
                self.add(item, scope)

    def add(self, node: exp.Expr, scope: Scope) -> None:
        self.resolver.mark_visited(node)
        if isinstance(node, exp.Join):
            self.add_join(node, scope)
            return
        try:
            if isinstance(node, exp.Final):
                self.add(node.this, scope)
            elif isinstance(node, exp.Table):
                self.add_table(node, scope)
            elif isinstance(node, exp.Subquery):
                if _is_group(node):
                    self.add_group(node, scope)
                else:
                    self.add_subquery(node, scope)
            elif isinstance(node, _GENERATORS):
                self.add_generator(node, scope)
            elif isinstance(node, exp.Alias):  # ClickHouse: ARRAY JOIN <expression> AS name
                self.resolver.resolve_expressions(node.this, scope)
                self.resolver.mark_label(node.args["alias"])
                self.register(
                    node, Source(NAMELESS, Outputs((self.names.column(node.args["alias"]),))), scope
                )
            elif isinstance(node, (exp.Column, exp.Array)):  # ARRAY JOIN <column>
                self.resolver.resolve_expressions(node, scope)
                scope.open = True
            else:
                refuse("construct", node)
            self.check_sample(node, scope)
        except self.resolver.tolerated:
            self.add_unknown(node, scope)
        self.add_joins(node, scope)

    def add_unknown(self, node: exp.Expr, scope: Scope) -> None:
        """In tolerant mode, add a refused FROM item as a source that may have any column."""
        scope.open = True
        alias = node.args.get("alias")
        name = alias.this if isinstance(alias, exp.TableAlias) and alias.this else node.this
        if isinstance(name, exp.Identifier):
            key = self.names.alias(name)
            scope.sources.setdefault(key, Source(name, UNKNOWN_OUTPUTS, key=key, node=node))

    # -- joins --

    def add_join(self, join: exp.Join, scope: Scope) -> None:
        before = dict(scope.sources)
        for part in (join.this, *join.expressions):
            self.add(part, scope)
        scope.pending_joins.append(join)
        added = [source for key, source in scope.sources.items() if key not in before]
        if self.resolver.restricted:
            self.merge_columns(join, list(before.values()), added)
        for name in join.args.get("using") or ():
            self.resolver.mark_visited(*name.walk())
            scope.merged |= {self.names.column(name)}
        for source in added:
            source.join = source.join or join
        scope.open = scope.open or join.args.get("method") == "NATURAL" or bool(join.expressions)
        if join.args.get("pivots"):
            self.resolve_conditions(scope)
            self.replace_by_pivot(join.args["pivots"], scope)

    def resolve_conditions(self, scope: Scope) -> None:
        handled = ("this", "expressions", "using", "pivots")
        while scope.pending_joins:
            join = scope.pending_joins.pop(0)
            self.resolver.resolve_clauses(join, self.resolver.other_args(join, handled), scope)

    def merge_columns(self, join: exp.Join, before: list[Source], added: list[Source]) -> None:
        """Record the columns that USING or NATURAL merges. Refuse if one of them could be hidden."""
        natural: frozenset[str] = frozenset()
        if join.args.get("method") == "NATURAL":
            for side in (*before, *added):
                if side.outputs.open or (side.is_table and side.hidden != frozenset()):
                    refuse("natural_join", join)
            natural = frozenset(key for side in before for key in side.outputs.names)
        using = frozenset(self.using_columns(join, before, added))
        is_omitted = join.kind == "ARRAY" or (
            join.kind in ("SEMI", "ANTI") and self.statement.dialect == "duckdb"
        )  # their columns can be referred to, but `*` omits them
        for source in added:
            columns = frozenset(source.outputs.names) if is_omitted else using
            source.merged = columns | (natural & frozenset(source.outputs.names))

    def using_columns(self, join: exp.Join, before: list[Source], added: list[Source]) -> Iterable[str]:
        for name in join.args.get("using") or ():
            column = name.this if isinstance(name, exp.Column) else name
            key = self.names.column(column)
            owners = [source for source in before if source.shows(key)]
            may_be_hidden = any(source.may_hide(key) for source in before)
            if not owners or (may_be_hidden and not any(source.is_table for source in owners)):
                refuse("column", name)
            if not any(source.shows(key) for source in added):
                refuse("column", name)
            if any(source.may_hide(key) for source in added):
                refuse("column", name)
            yield key

    # -- brackets --

    def add_group(self, node: exp.Subquery, scope: Scope) -> None:
        """Add `(a JOIN b ON …)` or `((t))`: its items belong to the enclosing query."""
        scope.open = True
        if node.args.get("alias") and (self.resolver.columns_known or node.args["alias"].columns):
            refuse("construct", node)  # in some engines the alias hides the names inside
        inner = node.this
        is_doubled = isinstance(inner, exp.Subquery) and not any(inner.args.get(key) for key in _ITEM_KEYS)
        if is_doubled or node.args.get("with_"):
            refuse("construct", node)  # double brackets have no meaning of their own
        self.resolver.mark_label(node.args.get("alias"))
        self.add(node.this, scope)
        handled = (*_ITEM_KEYS, "this", "with_")
        for key in self.resolver.other_args(node, handled):
            if node.args.get(key):
                refuse("clause", key.rstrip("_"))
        if node.args.get("pivots"):
            self.resolve_conditions(scope)
            self.replace_by_pivot(node.args["pivots"], scope)

    def add_subquery(self, node: exp.Subquery, scope: Scope) -> None:
        lateral = self.statement.grammar.implicit_lateral and not self.resolver.tolerant
        outer = scope if lateral else scope.sibling()
        inner = self.resolver.resolve_ctes(node, outer)
        outputs = self.resolver.resolve_query(node.this, inner)
        handled = (*_ITEM_KEYS, "this", "with_")
        result_scope = outer.nested()
        result_scope.add(Source(NAMELESS, outputs))
        self.resolver.resolve_clauses(node, self.resolver.other_args(node, handled), result_scope)
        self.add_source(node, outputs, scope)

    def add_source(self, node: exp.Expr, outputs: Outputs, scope: Scope) -> None:
        alias = node.args.get("alias")
        self.resolver.mark_label(alias)
        outputs = outputs.renamed(self.names.column_list(node), alias)
        self.register(node, Source(alias.this if alias and alias.this else NAMELESS, outputs), scope)

    def register(self, node: exp.Expr, source: Source, scope: Scope) -> None:
        self.column_count += len(source.outputs.names)
        if self.column_count > MAX_COLUMNS:
            refuse("too_long", f"{self.column_count} columns")
        if node.args.get("pivots"):
            source = self.pivots.apply(node.args["pivots"], source, scope)
        source.node = node
        if self.resolver.tolerant:
            if not source.outputs.is_unambiguous:
                source.outputs = replace(source.outputs, open=True)
            is_nameless = source.name is NAMELESS
            scope.open = scope.open or source.outputs.open or is_nameless or bool(node.args.get("joins"))
            if is_nameless:
                return  # a bare name can still refer to its columns
        scope.add(source, self.names.alias(source.name))

    def replace_by_pivot(self, pivots: list[exp.Expr], scope: Scope) -> None:
        source = self.pivots.apply(pivots, scope.joined(), scope)
        scope.open = True
        scope.sources.clear()
        scope.add(source, self.names.alias(source.name))

    # -- tables --

    def add_table(self, node: exp.Table, scope: Scope) -> None:
        if not isinstance(node.this, exp.Identifier):  # a function, or ROWS FROM (functions)
            self.add_generator(node, scope)
            return
        alias = node.args.get("alias")
        for key in ("this", "db", "catalog", "alias"):
            self.resolver.mark_label(node.args.get(key))
        for key in ("indexed", "hints"):
            if node.args.get(key) is not None:
                self.resolve_index_hints(node, key)
        self.resolver.resolve_clauses(node, self.resolver.other_args(node, _TABLE_HANDLED), scope)
        name = alias.this if alias and alias.this else node.this
        key = self.names.alias(node.this)
        if not node.db and key in scope.ctes:
            self.register(
                node, Source(name, scope.ctes[key].renamed(self.names.column_list(node), alias)), scope
            )
            return
        if not node.db and key in scope.later_ctes:
            refuse("duplicate_name", node)
        if self.resolver.columns_known and alias and alias.columns:
            refuse("column", alias)  # the list would rename hidden columns by position
        self.register(node, self.real_table(node, name), scope)

    def resolve_index_hints(self, node: exp.Table, key: str) -> None:
        """Drop index hints, which are useless on a wrapped table. They are not names to resolve."""
        if wraps(self.statement):
            node.set(key, None)
        for hint in [] if self.resolver.tolerant else ensure_list(node.args.get(key)):
            if isinstance(hint, exp.Expr):  # NOT INDEXED is a flag
                self.resolver.mark_visited(*hint.walk())

    def real_table(self, node: exp.Table, name: exp.Identifier) -> Source:
        if self.resolver.schema_index is not None:
            entry = self.resolver.schema_index.find(node)
            if entry is None:
                return Source(name, UNKNOWN_OUTPUTS)
            return Source(name, entry.outputs, True, entry.hidden, entry=entry)
        if is_system_table(self.statement, node):
            refuse("catalog", node)
        if ascii_lower(node.name) in self.statement.grammar.dummy_tables and not node.db:
            return Source(name, Outputs((self.statement.grammar.columns.stored("dummy"),)))
        columns, stored = visible_columns(self.statement, node)
        self.resolver.tables.add(stored)
        if columns is None:
            return Source(name, Outputs((), open=True))
        # With a row rule the query runs as if on a copy of the visible rows and columns: nothing is hidden
        # there.
        has_row_rule = mark(self.statement, node, stored)
        hidden = frozenset() if has_row_rule else hidden_columns(self.statement, stored, columns)
        return Source(name, Outputs(columns), True, hidden, is_aliased=name is not node.this)

    def check_sample(self, node: exp.Expr, scope: Scope) -> None:
        """Refuse a sample whose size is not a literal."""
        sample = node.args.get("sample")
        if sample:
            if any(not isinstance(part, _LITERAL_NODES) for part in sample.walk()):
                refuse("bounds", sample)
            self.resolver.resolve_expressions(sample, scope)

    # -- generators --

    def add_generator(self, node: exp.Expr, scope: Scope) -> None:
        """Add UNNEST, LATERAL, VALUES or a function: rows generated from visible values."""
        alias = node.args.get("alias")
        offset = node.args.get("offset")
        self.resolver.mark_label(alias)
        self.resolver.mark_label(offset)
        columns = self.names.column_list(node)
        handled = [*_ITEM_KEYS, "offset"]
        if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
            handled.append("this")
            columns = self.resolver.resolve_query(node.this, scope).renamed(columns, alias).names
        for item in node.args.get("rows_from") or ():
            self.resolver.mark_visited(item)
            self.resolver.resolve_clauses(item, self.resolver.other_args(item, ("alias",)), scope)
            self.resolver.mark_label(item.args.get("alias"))
        self.resolver.resolve_clauses(node, self.resolver.other_args(node, [*handled, "rows_from"]), scope)
        columns = columns or generated_columns(node, alias, self.statement.grammar)
        if isinstance(offset, exp.Identifier):
            columns = (*columns, self.names.column(offset))
        name = alias.this if alias and alias.this else NAMELESS
        if name is NAMELESS and isinstance(node, exp.Table) and isinstance(node.this, exp.Func):
            function_name = node.this.sql(dialect=self.statement.dialect).partition("(")[0]
            name = exp.to_identifier(ascii_lower(function_name))
        outputs = Outputs(columns, self.resolver.tolerant)
        self.register(node, Source(name, outputs, is_generator=True), scope)

    def resolve_pivot_statement(self, node: exp.Pivot, outer: Scope) -> Outputs:
        """Resolve DuckDB's `PIVOT t ON a USING sum(b)`, a statement of its own."""
        scope = outer.nested()
        self.add(node.this, scope)
        self.resolve_conditions(scope)
        source = self.pivots.apply([node], scope.joined(), outer.nested())
        return source.outputs


_LITERAL_NODES = (exp.TableSample, exp.Literal, exp.Var, exp.Identifier, exp.Div, exp.Paren)


def _is_group(node: exp.Subquery) -> bool:
    """Whether the brackets contain FROM items instead of a query."""
    inner = node.this
    if isinstance(inner, exp.Subquery):
        return any(inner.args.get(key) for key in _ITEM_KEYS) or _is_group(inner)
    return not isinstance(inner, (exp.Query, exp.Values, exp.Pivot))
