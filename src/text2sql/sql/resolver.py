"""Who sees what: a statement walked scope by scope, every table and column resolved as the engine will.

A rewrite happens in place (`stars.py`, `columns.py`); what cannot be resolved under a policy is refused.
Without a policy the walk still finds the real tables and keeps the engine's own catalogue closed.
"""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from text2sql.sql.columns import Columns
from text2sql.sql.refusal import refuse
from text2sql.sql.scope import Names, Outputs, Scope, Source, sees_itself
from text2sql.sql.sources import Sources
from text2sql.sql.stars import write_out_stars
from text2sql.sql.statement import Statement


class Resolver:
    """One pass over one statement; `tables` are the real ones it reads."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.names = Names(statement.grammar)
        self.restricted = statement.policy is not None
        self.tables: set[str] = set()
        self.sources = Sources(self)
        self.columns = Columns(self.names)

    def run(self) -> None:
        self.query(self.statement.tree, Scope())

    # -- queries --

    def query(self, node: exp.Expr, outer: Scope) -> Outputs:
        """Check a query and everything inside it; `outer` is what it may refer to."""
        if isinstance(node, exp.Subquery):
            return self.bracketed(node, self.with_ctes(node, outer))
        if isinstance(node, exp.SetOperation):
            scope = self.with_ctes(node, outer)
            return self.set_operation(node, scope, scope)
        if isinstance(node, exp.Select):
            return self.select(node, self.with_ctes(node, outer))
        if isinstance(node, exp.Pivot):
            return self.sources.pivot_statement(node, outer)
        if not isinstance(node, exp.Values):
            refuse("construct", node)
        self.clauses(node, ("expressions",), outer.inside())
        return None

    def bracketed(self, node: exp.Subquery, outer: Scope) -> Outputs:
        if isinstance(node.this, exp.Table):
            self.sources.add(node, outer.beside())
            return None
        outputs = self.query(node.this, outer)
        self.clauses_of_result(node, outputs, outer)
        return outputs

    def set_operation(self, node: exp.SetOperation, outer: Scope, last: Scope) -> Outputs:
        """`last` is what the arm on the right may refer to: in a recursive CTE it is more."""
        left = self.query(node.this, outer)
        right = self.query(node.expression, last)
        known = left is not None and right is not None and not node.args.get("by_name")
        if known and len(left or ()) != len(right or ()):
            refuse("set_shape", f"{len(left or ())} ≠ {len(right or ())}")
        self.clauses_of_result(node, left, outer)
        return None if right is None else left

    def clauses_of_result(self, node: exp.Expr, outputs: Outputs, outer: Scope) -> None:
        """ORDER BY and LIMIT after a union or a bracketed query speak of its output columns."""
        scope = outer.inside()
        scope.add(Source(None, outputs))
        self.clauses(node, ("order", "limit", "offset"), scope)

    def select(self, node: exp.Select, outer: Scope) -> Outputs:
        scope = outer.inside()
        for part in self.from_items(node):
            self.sources.add(part, scope)
        for part in node.expressions:
            if isinstance(part, exp.Alias):
                scope.aliases[self.names.column(part.args["alias"])] = part.this
        outputs: Outputs = None
        if self.restricted:
            outputs = write_out_stars(node, scope, self.names)
        for part in [part for part in node.expressions if not part.is_star or isinstance(part, exp.Count)]:
            self.expressions(part, scope)
        rest = [clause for clause in node.args if clause not in _WALKED]
        self.clauses(node, rest, scope)
        for join in node.args.get("joins") or ():
            self.clauses(join, ("on", "match_condition"), scope)
        return outputs

    def from_items(self, node: exp.Expr) -> Iterator[exp.Expr]:
        start = node.args.get("from_")
        if start:
            yield start.this
        yield from list(node.args.get("joins") or ())
        yield from list(node.args.get("laterals") or ())

    # -- WITH --

    def with_ctes(self, node: exp.Expr, outer: Scope) -> Scope:
        """The scope with a query's CTEs in it. A CTE sees those before it; a name that comes later is a
        real table to most engines, so it is one here.
        """
        clause = node.args.get("with_")
        if not clause:
            return outer
        scope = Scope(outer.parent, outer.ctes, outer.scalars, outer.sources, outer.aliases)
        known = outer.ctes if self.statement.grammar.nested_ctes else {}  # to the definitions of this clause
        for cte in clause.expressions:
            key = self.names.alias(cte.args["alias"].this)
            if cte.args.get("scalar"):
                self.clauses(cte, ("this",), scope)
                scope.scalars = {**scope.scalars, key: cte.this}
                continue
            inner, itself = scope.beside(), scope.beside()
            inner.ctes = known
            if sees_itself(self.statement.grammar, clause, cte):
                itself.ctes = {**known, key: self.names.listed(cte) or self.first_branch(cte.this)}
                found = self.set_operation(cte.this, inner, itself)
            else:
                found = self.query(cte.this, inner)
            outputs = self.sources.renamed(cte, found)
            scope.ctes, known = {**scope.ctes, key: outputs}, {**known, key: outputs}
        return scope

    def first_branch(self, node: exp.Expr) -> Outputs:
        """The columns of a recursive CTE as its first branch names them, before anything is resolved."""
        while isinstance(node, (exp.SetOperation, exp.Subquery)):
            node = node.this
        if not isinstance(node, exp.Select) or any(part.is_star for part in node.expressions):
            return None
        return tuple(self.names.output(part) for part in node.expressions)

    # -- expressions --

    def clauses(self, node: exp.Expr, wanted: Iterable[str], scope: Scope) -> None:
        for clause in wanted:
            held = node.args.get(clause)
            for part in list(held) if isinstance(held, list) else (held,):
                if isinstance(part, exp.Expr):
                    self.expressions(part, scope)

    def expressions(self, root: exp.Expr, scope: Scope) -> None:
        """Resolve every column below `root`, and every query in it as a scope of its own."""
        stack = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, (exp.Query, exp.Values)):
                self.query(node, scope)
            elif isinstance(node, exp.Column):
                if self.restricted:
                    self.columns.resolve(node, scope)
            elif isinstance(node, exp.Star):
                if self.restricted and not isinstance(node.parent, exp.Count):
                    refuse("star", node.parent or node)  # hash(*), tuple(*), * LIKE …: the whole row
            elif isinstance(node, exp.Comprehension):
                self.comprehension(node, scope)
            elif isinstance(node, exp.In) and self.names_a_table(node, scope):
                stack.append(node.this)
            else:
                stack.extend(reversed(list(node.iter_expressions())))

    def comprehension(self, node: exp.Comprehension, scope: Scope) -> None:
        """`[f(x) FOR x IN list IF …]`: x is a source of its own inside; the list is not."""
        inner = scope.inside()
        inner.add(Source(None, (self.names.column(node.expression),)))
        self.clauses(node, ("this", "condition"), inner)
        self.clauses(node, ("iterator",), scope)

    def names_a_table(self, node: exp.In, scope: Scope) -> bool:
        """`x IN name` reads a table in some engines; only a CTE's name may stand there."""
        held = node.args.get("field")
        if not self.statement.grammar.in_reads_tables or not isinstance(held, exp.Column):
            return False
        if held.table or self.names.alias(held.this) not in scope.ctes:
            refuse("table", held)
        return True


_WALKED = frozenset({"with_", "from_", "joins", "laterals", "expressions"})
