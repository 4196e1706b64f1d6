"""Column resolution under a policy: refuses every name that does not resolve to something visible.

Tables are wrapped afterwards (`table_wrapper.py`), so the engine cannot reach a hidden column. A name that
would mean a hidden column in the original statement is refused all the same: otherwise the engine would
silently bind it to something else, and answer another question.
"""

from sqlglot import exp

from text2sql.sql.dialects import ascii_lower
from text2sql.sql.refusal import refuse
from text2sql.sql.scope import NameNormalizer, Origin, Scope, Source

_HIERARCHY = frozenset({"level", "connect_by_isleaf", "connect_by_iscycle"})


class ColumnResolver:
    """Resolves single column references against a scope and the scopes around it."""

    def __init__(self, names: NameNormalizer) -> None:
        self.names = names
        self.grammar = names.grammar

    def resolve(self, node: exp.Column, scope: Scope) -> None:
        if isinstance(node.this, exp.Star):
            refuse("star", node)  # count(t.*), row(t.*): the whole row
        if node.args.get("table"):
            self.resolve_qualified(node, scope)
        else:
            self.resolve_bare(node.this, node, scope)

    def resolve_qualified(self, node: exp.Column, scope: Scope) -> None:
        table = node.args["table"]
        key = self.names.alias(table)
        if self.is_field_path(node, scope):
            return
        for enclosing in scope.chain():
            source = enclosing.sources.get(key)
            if source is None:
                continue
            column = self.names.column(node.this)
            # for an open source an engine may continue in outer scopes, where a hidden column could match
            is_missing = not source.outputs.open or _may_be_hidden(column, enclosing)
            if not source.shows(column) and is_missing:
                refuse("column", node)
            if node.args.get("db"):
                if not source.is_table:
                    refuse("column", node)
                node.set("db", None)  # a wrapped table is no longer qualified by its schema
                node.set("catalog", None)
            return
        if node.args.get("db") and not self.grammar.field_paths:
            refuse("column", node)
        self.resolve_bare(
            node.parts[0], node, scope
        )  # not a source: a field of a visible column, `payload.page`

    def is_field_path(self, node: exp.Column, scope: Scope) -> bool:
        """Whether `o.payload.page` is a field of a visible column of the source `o`. The name of a table
        without an alias could be a schema's as well.
        """
        if not (node.args.get("db") and self.grammar.field_paths):
            return False
        source_key, column = self.names.alias(node.parts[0]), self.names.column(node.parts[1])
        sources = (enclosing.sources.get(source_key) for enclosing in scope.chain())
        source = next((source for source in sources if source is not None), None)
        is_table_name = source is not None and source.is_table and not source.is_aliased
        return source is not None and not is_table_name and source.shows(column)

    def resolve_bare(self, name: exp.Expr, written: exp.Column, scope: Scope) -> None:
        """Find the owner of an unqualified name, from the innermost scope outwards. `written` is the whole
        column as in the query: for the field `payload.page`, `name` is `payload`.
        """
        key = self.names.column(name)
        captured = False  # a table in a nearer scope may have a hidden column of that name
        for enclosing in scope.chain():
            owner = _owner(key, enclosing)
            if owner is not None and not self.is_row_value(name, owner):
                if captured and not owner.is_table:
                    refuse("column", written)  # a sub-query's column would hide a table's own
                return
            has_rivals = any(source.may_hide(key) for source in enclosing.sources.values())
            if enclosing is scope and self.is_output_alias(
                written, key, enclosing, _may_be_hidden(key, enclosing)
            ):
                return
            row_source = enclosing.sources.get(self.names.alias(name))
            if row_source is not None:
                if row_source.is_table or not self.grammar.row_values or captured or has_rivals:
                    refuse("column", written)  # `SELECT c FROM customers c`: the whole row
                return
            captured = captured or has_rivals
        if not self.is_pseudo(name, scope):
            refuse("column", written)

    def is_row_value(self, name: exp.Expr, owner: Source) -> bool:
        """Whether the name means a whole row: BigQuery prefers an alias to a column of the same name."""
        return (
            self.grammar.rows_before_columns
            and owner.is_aliased
            and self.names.alias(owner.name) == self.names.alias(name)
        )

    def is_output_alias(self, node: exp.Column, key: str, scope: Scope, has_rivals: bool) -> bool:
        """Whether the name is an alias of this SELECT, or a scalar CTE, and means that in this clause even if
        a hidden column (a rival) has the same name.
        """
        meaning = scope.aliases.get(key, scope.scalars.get(key))
        if self.grammar.calls_without_brackets and _clause_of(node)[0] != "order":
            return False  # elsewhere the alias means nothing, and the name a function
        if meaning is None or node.find_ancestor(exp.Alias, exp.CTE) is meaning.parent:
            return False  # no such name, or `ssn || '' AS ssn`, whose inner name is a column's
        if not has_rivals or key not in scope.aliases:
            return True
        if _target_may_hide(key, scope):
            return False  # it is not wrapped, so the engine can reach its hidden column
        clause, whole_item = _clause_of(node)
        return (clause == "order" and whole_item) or clause in self.grammar.alias_clauses

    def is_pseudo(self, name: exp.Expr, scope: Scope) -> bool:
        """Whether the name is a pseudo-column. A quoted name is not; LEVEL is one in hierarchical queries
        only.
        """
        word = ascii_lower(name.name)
        if name.args.get("quoted") or word not in self.grammar.pseudo_columns:
            return False
        return word not in _HIERARCHY or any(enclosing.is_hierarchy for enclosing in scope.chain())

    # -- without a policy --

    def refuse_row_call(self, node: exp.Column, scope: Scope) -> None:
        """Refuse `g.name` if `g` is a generator without such a column: PostgreSQL calls the function `name`
        with its value.
        """
        key = self.names.alias(node.args["table"]) if node.args.get("table") else ""
        sources = (enclosing.sources.get(key) for enclosing in scope.chain())
        source = next((source for source in sources if source is not None), None)
        if source is not None and source.is_generator and not source.shows(self.names.column(node.this)):
            refuse("function", node)

    def refuse_call(self, node: exp.Column, scope: Scope) -> None:
        """Refuse a name that can only be a function called without brackets, `utl_inaddr.get_host_name`: no
        source has the name before the dot, or all sources are known and none has the column.
        """
        qualifiers = node.parts[:-1]
        if qualifiers:
            keys = {self.names.alias(part) for part in qualifiers}
            is_known = any(keys & set(enclosing.sources) for enclosing in scope.chain())
        else:
            is_known = self.is_pseudo(node.this, scope) or any(
                source.may_have(self.names.column(node.this))
                for enclosing in scope.chain()
                for source in enclosing.sources.values()
            )
            is_known = is_known or self.is_output_alias(node, self.names.column(node.this), scope, False)
        if not is_known:
            refuse("function", node)

    def owner(self, node: exp.Column, scope: Scope) -> Source | None:
        """The source that owns a column, if it is unambiguous."""
        if node.args.get("db") or not isinstance(node.this, exp.Identifier):
            return None
        key, table = self.names.column(node.this), node.args.get("table")
        for enclosing in scope.chain():
            if table:
                source = enclosing.sources.get(self.names.alias(table))
                if source is not None:
                    return source if source.shows(key) else None
            elif enclosing.open or any(source.may_have(key) for source in enclosing.sources.values()):
                owners = enclosing.owners(key)
                return owners[0] if len(owners) == 1 and not enclosing.open else None
        return None

    def origin(self, node: exp.Column, scope: Scope) -> Origin:
        source = self.owner(node, scope)
        return source.outputs.origins.get(self.names.column(node.this)) if source else None


def _may_be_hidden(key: str, scope: Scope) -> bool:
    return any(source.may_hide(key) for enclosing in scope.chain() for source in enclosing.sources.values())


def _target_may_hide(key: str, scope: Scope) -> bool:
    return any(
        source.is_target and source.may_hide(key)
        for enclosing in scope.chain()
        for source in enclosing.sources.values()
    )


def _owner(key: str, scope: Scope) -> Source | None:
    """The source that shows the column: a table before a sub-query, which then cannot capture the name."""
    owners = scope.owners(key)
    return next((source for source in owners if source.is_table), owners[0] if owners else None)


def _clause_of(node: exp.Column) -> tuple[str, bool]:
    """The clause of the SELECT that contains a column, and whether the column is a whole ORDER BY item."""
    child: exp.Expr = node
    while child.parent is not None and not isinstance(child.parent, exp.Query):
        child = child.parent
    whole_item = isinstance(node.parent, exp.Ordered) and node.parent.parent is child
    return child.arg_key or "", whole_item
