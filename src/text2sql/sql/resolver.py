"""Name resolution: binds every table and column of a statement, scope by scope, as the engine would.

Resolution is complete by construction. Every step marks the nodes that it visits, and `run` ends with a pass
over the whole tree that refuses the statement (`unresolved`) if any node was not visited. So a clause that
this module does not handle is refused, not ignored. Under a policy a name that cannot be bound is refused.
Without one the resolver still collects the tables and refuses the engine's system catalog.

The guard resolves in strict mode: the first refusal ends the resolution. The fixes resolve in tolerant mode:
a refusal marks its source or scope as open, and resolution goes on. Both modes record a `Scope` per SELECT.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlglot import exp

from text2sql.sql.columns import ColumnResolver
from text2sql.sql.refusal import Refused, refuse
from text2sql.sql.resolve_from import FromResolver
from text2sql.sql.scope import (
    NAMELESS,
    NO_SELECT,
    UNKNOWN_OUTPUTS,
    NameNormalizer,
    Outputs,
    Scope,
    Source,
    is_self_referencing,
)
from text2sql.sql.stars import StarResolver
from text2sql.sql.statement import Statement
from text2sql.sql.table_policy import generated_columns

if TYPE_CHECKING:
    from text2sql.sql.schema_index import SchemaIndex


class Resolver:
    """Resolves one statement. `tables` are the stored names of the tables it reads, `outputs` its columns,
    and `scopes` those of its SELECTs: a CTE's and an outer query's come first. A schema index selects the
    tolerant mode.
    """

    def __init__(self, statement: Statement, schema_index: "SchemaIndex | None" = None) -> None:
        self.statement = statement
        self.schema_index = schema_index
        self.tolerant = schema_index is not None
        self.tolerated: tuple[type[Refused], ...] = (Refused,) if self.tolerant else ()
        self.names = NameNormalizer(statement.grammar)
        self.restricted = statement.policy is not None
        self.columns_known = self.restricted or self.tolerant  # of the tables that the statement reads
        self.tables: set[str] = set()
        self.scopes: list[Scope] = []
        self.outputs = Outputs()
        self.from_items = FromResolver(self)
        self.columns = ColumnResolver(self.names)
        self.stars = StarResolver(self)
        self._visited: dict[int, exp.Expr] = {}  # by id(); keeping the node prevents the reuse of its id

    def run(self) -> None:
        self.outputs = self.resolve_query(self.statement.tree, Scope())
        if not self.tolerant:
            self.check_complete()

    # -- completeness --

    def mark_visited(self, *nodes: exp.Expr) -> None:
        for node in nodes:
            self._visited[id(node)] = node

    def mark_label(self, node: object) -> None:
        """Mark a part that only introduces names: an alias, a column list, the name of a pivoted column."""
        if type(node) is exp.Identifier:
            self._visited[id(node)] = node
        elif isinstance(node, exp.Expr):
            for part in node.walk():
                if isinstance(part, _REFERENCES):
                    refuse("unresolved", part)
                self.mark_visited(part)

    def check_complete(self) -> None:
        """Refuse the statement if any node was not visited."""
        for node in self.statement.tree.walk():
            if id(node) not in self._visited:
                refuse("unresolved", node)

    # -- queries --

    def resolve_query(self, node: exp.Expr, outer: Scope) -> Outputs:
        """Resolve a query and everything inside it. `outer` holds the names that it may refer to."""
        self.mark_visited(node)
        try:
            if isinstance(node, exp.Subquery):
                return self.resolve_bracketed(node, self.resolve_ctes(node, outer))
            if isinstance(node, exp.SetOperation):
                scope = self.resolve_ctes(node, outer)
                left = self.resolve_query(node.this, scope)
                return self.resolve_set_operation(
                    node, left, self.resolve_query(node.expression, scope), scope
                )
            if isinstance(node, exp.Select):
                return self.resolve_select(node, self.resolve_ctes(node, outer))
            if isinstance(node, exp.Pivot):
                return self.from_items.resolve_pivot_statement(node, outer)
            if not isinstance(node, exp.Values):
                refuse("construct", node)
            self.mark_label(node.args.get("alias"))
            self.resolve_clauses(node, self.other_args(node, ("alias",)), outer.nested())
            return Outputs(
                self.names.column_list(node) or generated_columns(node, None, self.statement.grammar)
            )
        except self.tolerated:
            outer.mark_open()
            return UNKNOWN_OUTPUTS

    def resolve_bracketed(self, node: exp.Subquery, outer: Scope) -> Outputs:
        """Resolve `(SELECT …) ORDER BY …`. Clauses of a FROM item, such as a sample, are refused here."""
        if not isinstance(node.this, (exp.Query, exp.Values, exp.Pivot)) or any(
            node.args.get(key) for key in _FROM_ITEM_KEYS
        ):
            refuse("construct", node)
        outputs = self.resolve_query(node.this, outer)
        self.mark_label(node.args.get("alias"))
        self.resolve_result_clauses(node, outputs, outer)
        return outputs

    def resolve_set_operation(
        self, node: exp.SetOperation, left: Outputs, right: Outputs, outer: Scope
    ) -> Outputs:
        if node.args.get("by_name"):
            left_names = frozenset(left.names)
            new_names = tuple(name for name in right.names if name not in left_names)
            left = Outputs.joined([left, Outputs(new_names, right.open)])
        elif self.tolerant:
            left = left.union(right)
        elif not (left.open or right.open) and len(left.names) != len(right.names):
            refuse("set_shape", f"{len(left.names)} ≠ {len(right.names)}")
        for name in node.args.get("on") or ():
            self.mark_label(name)
        self.resolve_result_clauses(node, left, outer)
        return left

    def resolve_result_clauses(self, node: exp.Expr, outputs: Outputs, outer: Scope) -> None:
        """Resolve ORDER BY and LIMIT after a union or a bracketed query: they refer to its output columns."""
        scope = outer.nested()
        scope.add(Source(NAMELESS, outputs))
        handled = ("this", "expression", "with_", "alias", "on", *_FROM_ITEM_KEYS)
        self.resolve_clauses(node, self.other_args(node, handled), scope)

    def resolve_select(self, node: exp.Select, outer: Scope) -> Outputs:
        scope = outer.nested()
        scope.select = node
        scope.open = scope.is_hierarchy = bool(node.args.get("connect"))
        self.scopes.append(scope)
        self.from_items.add_all(node, scope)
        for cte in node.args["with_"].expressions if node.args.get("with_") else ():
            if cte.args.get("scalar"):
                self.resolve_clauses(cte, ("this",), scope)
        for part in node.expressions:
            if isinstance(part, exp.Alias):
                scope.aliases[self.names.column(part.args["alias"])] = part.this
        parts: list[Outputs] = []
        for part in node.expressions:
            if self.stars.is_item(part):
                try:
                    parts.append(self.stars.resolve(node, part, scope))
                except self.tolerated:
                    parts.append(UNKNOWN_OUTPUTS)
            else:
                self.resolve_expressions(part, scope)
                parts.append(self.output_of(part, scope))
        outputs = Outputs.joined(parts)
        self.resolve_clauses(node, self.other_args(node, _SELECT_HANDLED), scope)
        return outputs

    def output_of(self, part: exp.Expr, scope: Scope) -> Outputs:
        name = self.names.output(part)
        if self.tolerant and isinstance(column := part.unalias(), exp.Column):
            return Outputs((name,), origins={name: self.columns.origin(column, scope)})
        return Outputs((name,))

    # -- WITH --

    def resolve_ctes(self, node: exp.Expr, outer: Scope) -> Scope:
        """Resolve the CTEs of a query and return a scope that contains them.

        A CTE sees the CTEs before it. Engines differ in whether the name of a later CTE means that CTE or a
        table, so a reference to one is refused.
        """
        clause = node.args.get("with_")
        if not clause:
            return outer
        self.mark_visited(clause)
        if self.tolerant:  # some engines let a CTE refer to the enclosing query
            scope = outer.nested()
        else:
            scope = Scope(
                outer.parent, outer.ctes, outer.scalars, outer.sources, outer.aliases, outer.parameters
            )
        nested = self.statement.grammar.nested_ctes or self.tolerant
        visible = outer.ctes if nested else {}  # to the definitions of this clause
        keys = [self.names.alias(cte.args["alias"].this) for cte in clause.expressions]
        defined: set[str] = set()
        for key, cte in zip(keys, clause.expressions, strict=True):
            self.mark_visited(cte)
            try:
                self.mark_label(cte.args["alias"])
                if key in defined:
                    refuse("duplicate_name", cte.args["alias"])
                defined.add(key)
                later_ctes = frozenset(keys) - defined
                if cte.args.get("scalar"):
                    if not isinstance(node, exp.Select):  # else `resolve_select` does: it may use columns
                        self.resolve_clauses(cte, ("this",), scope)
                    scope.scalars = {**scope.scalars, key: cte.this}
                    continue
                inner = scope.sibling()
                inner.ctes, inner.later_ctes = visible, later_ctes | outer.later_ctes
                outputs = self.resolve_cte(clause, cte, key, inner)
            except self.tolerated:
                outputs = UNKNOWN_OUTPUTS
            scope.ctes, visible = {**scope.ctes, key: outputs}, {**visible, key: outputs}
        scope.later_ctes = outer.later_ctes - defined
        return scope

    def resolve_cte(self, clause: exp.Expr, cte: exp.Expr, key: str, inner: Scope) -> Outputs:
        """Resolve one CTE. The first arm of a recursive CTE names its columns, so it is resolved first."""
        names = self.names.column_list(cte)
        if not is_self_referencing(self.statement.grammar, clause, cte):
            return self.resolve_query(cte.this, inner).renamed(names, cte.args["alias"])
        union = cte.this
        self.mark_visited(union)
        left = self.resolve_query(union.this, inner)
        recursive = inner.sibling()
        recursive.ctes = {**inner.ctes, key: left.renamed(names, cte.args["alias"])}
        right = self.resolve_query(union.expression, recursive)
        return self.resolve_set_operation(union, left, right, inner).renamed(names, cte.args["alias"])

    # -- expressions --

    def other_args(self, node: exp.Expr, handled: Iterable[str]) -> list[str]:
        """The arguments of a node that the caller does not handle itself."""
        return [key for key in node.args if key not in handled]

    def resolve_clauses(self, node: exp.Expr, keys: Iterable[str], scope: Scope) -> None:
        for key in keys:
            value = node.args.get(key)
            for part in list(value) if isinstance(value, list) else (value,):
                if isinstance(part, exp.Expr):
                    self.resolve_expressions(part, scope)

    def resolve_expressions(self, root: exp.Expr, scope: Scope) -> None:
        """Resolve every column below `root`, and every query below it in a scope of its own."""
        stack = [root]
        try:
            while stack:
                node = stack.pop()
                self._visited[id(node)] = node
                if type(node) not in _SPECIAL:
                    stack.extend(reversed(list(node.iter_expressions())))
                elif isinstance(node, (exp.Query, exp.Values)):
                    self.resolve_query(node, scope)
                elif isinstance(node, exp.Column):
                    self.resolve_column(node, scope)
                elif isinstance(node, exp.Star):
                    if self.restricted and not isinstance(node.parent, exp.Count):
                        refuse("star", node.parent or node)  # hash(*), tuple(*), * LIKE …: the whole row
                    stack.extend(node.iter_expressions())
                elif isinstance(node, exp.Lambda):
                    self.resolve_with_parameters(node, ("this",), node.expressions, scope)
                elif isinstance(node, exp.Comprehension):
                    self.resolve_clauses(
                        node, self.other_args(node, ("this", "condition", "expression")), scope
                    )
                    self.resolve_with_parameters(node, ("this", "condition"), [node.expression], scope)
                elif isinstance(node, exp.In) and self.reads_table(node, scope):
                    stack.append(node.this)
                elif isinstance(node, _FROM_NODES):
                    refuse("unresolved", node)
                else:
                    stack.extend(reversed(list(node.iter_expressions())))
        except self.tolerated:
            scope.mark_open()

    def resolve_column(self, node: exp.Column, scope: Scope) -> None:
        if self.restricted:
            self.columns.resolve(node, scope)
        elif self.statement.grammar.calls_without_brackets and not self.tolerant:
            self.columns.refuse_call(node, scope)
        elif self.statement.dialect == "postgres" and not self.tolerant:
            self.columns.refuse_row_call(node, scope)
        elif self.tolerant and scope.select is not NO_SELECT and isinstance(node.this, exp.Identifier):
            scope.columns.append(node)
        for part in node.iter_expressions():
            if not isinstance(part, (exp.Identifier, exp.Star)):
                refuse("construct", node)
            self.mark_visited(part)

    def resolve_with_parameters(
        self, node: exp.Expr, body: tuple[str, ...], names: Iterable[exp.Expr], scope: Scope
    ) -> None:
        """Resolve `x -> f(x)` or `[f(x) FOR x IN list IF …]`, whose body may refer to the parameter x. A
        parameter with the name of a source is refused: `x.column` would be a column of that source.
        """
        inner = scope.nested()
        keys = []
        for name in names:
            self.mark_label(name)
            key = self.names.alias(name)
            if any(key in outer.sources for outer in scope.chain()):
                refuse("duplicate_name", name)
            keys.append(key)
        inner.parameters = frozenset(keys)
        inner.add(Source(NAMELESS, Outputs(tuple(self.names.column(name) for name in names))))
        self.resolve_clauses(node, body, inner)

    def reads_table(self, node: exp.In, scope: Scope) -> bool:
        """Whether `x IN name` reads a table, as it does in some engines; in ClickHouse `x IN (name)` does
        too. Only the name of a CTE is allowed there.
        """
        if not self.statement.grammar.in_reads_tables:
            return False
        name = node.args.get("field")
        if name is None and self.statement.dialect == "clickhouse" and len(node.expressions) == 1:
            name = _innermost(node.expressions[0])
            name = name if isinstance(name, (exp.Column, exp.Dot)) else None
        if name is None:
            return False
        if not isinstance(name, exp.Column) or name.table or self.names.alias(name.this) not in scope.ctes:
            refuse("table", name)
        self.mark_visited(*[part for value in (node.args.get("field"), *node.expressions) if value is not None
                     for part in value.walk()])  # fmt: skip
        return True


def _innermost(node: exp.Expr) -> exp.Expr:
    while isinstance(node, (exp.Paren, exp.Tuple)):
        if isinstance(node, exp.Tuple):
            if len(node.expressions) != 1:
                return node
            node = node.expressions[0]
        else:
            node = node.this
    return node


def _with_subclasses(*kinds: type[exp.Expr]) -> frozenset[type[exp.Expr]]:
    found = set(kinds)
    for kind in kinds:
        found |= _with_subclasses(*kind.__subclasses__())
    return frozenset(found)


_SELECT_HANDLED = frozenset({"with_", "from_", "joins", "laterals", "expressions"})
_FROM_ITEM_KEYS = ("joins", "laterals", "pivots", "sample")
_FROM_NODES = (exp.Table, exp.Final, exp.Join, exp.Pivot, exp.From, exp.With, exp.CTE, exp.TableAlias)
_SPECIAL = _with_subclasses(  # the nodes that `resolve_expressions` treats in a way of their own
    exp.Query, exp.Values, exp.Column, exp.Star, exp.Lambda, exp.Comprehension, exp.In, *_FROM_NODES
)
_REFERENCES = (exp.Query, exp.Values, exp.Table, exp.Column, exp.Func, exp.Lambda, exp.Join, exp.Pivot)
