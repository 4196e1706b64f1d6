"""Columns against a policy: what cannot be resolved is refused, and a bare name that a hidden column could
claim is qualified, or replaced by what it stands for, so that the engine has no choice left.
"""

from sqlglot import exp

from text2sql.sql.dialects import ascii_lower
from text2sql.sql.refusal import refuse
from text2sql.sql.scope import Names, Scope, Source, again


class Columns:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.grammar = names.grammar

    def resolve(self, node: exp.Column, scope: Scope) -> None:
        if isinstance(node.this, exp.Star):
            refuse("star", node)  # count(t.*), row(t.*): the whole row
        if node.args.get("table"):
            self.qualified(node, scope)
        else:
            self.bare(node, node, scope)

    def qualified(self, node: exp.Column, scope: Scope) -> None:
        table = node.args["table"]
        where: Scope | None = scope
        while where is not None:
            source = where.sources.get(self.names.alias(table))
            if source is not None:
                if not source.shows(self.names.column(node.this)):
                    refuse("column", node)
                if node.args.get("db") and not source.hides:
                    refuse("column", node)
                if source.wrapped:
                    node.set("db", None)
                    node.set("catalog", None)
                return
            where = where.parent
        if node.args.get("db"):
            refuse("column", node)
        # not a source: a field of a visible column, `payload.page`
        self.bare(exp.Column(this=table.copy()), node, scope)

    def bare(self, node: exp.Column, written: exp.Column, scope: Scope) -> None:
        """Find the owner of a name outwards, and leave no hidden column a chance to be it. `written` is the
        column as it stands in the query; `node` differs where it is only the first part of `payload.page`.
        """
        key = self.names.column(node.this)
        where: Scope | None = scope
        captured = False  # a real table nearer than the owner might have a hidden column of that name
        while where is not None:
            row = where.sources.get(self.names.alias(node.this))
            if row is not None and row.hides:
                if where is scope and node is written and self.stands_for(node, key, where, rivals=True):
                    return  # `count(*) AS orders FROM orders ORDER BY orders`
                refuse("column", written)  # `SELECT c FROM customers c`: the row with its hidden columns
            rivals = any(source.may_hide(key) for source in where.sources.values())
            owner = self.owner(key, where)
            if owner is not None:
                if captured and not owner.hides:
                    refuse("column", written)  # a sub-query's column posing as that of a table within
                if (captured or rivals) and not where.is_merged(key):
                    self.qualify(written, owner)
                return
            if row is not None and self.grammar.row_values and not captured and not rivals:
                return
            if where is scope and node is written and self.stands_for(node, key, where, rivals):
                return
            if not captured and not rivals and any(one.columns is None for one in where.sources.values()):
                return
            captured = captured or rivals
            where = where.parent
        if ascii_lower(node.name) not in self.grammar.pseudo_columns:
            refuse("column", written)

    def owner(self, key: str, scope: Scope) -> Source | None:
        return next((s for s in scope.sources.values() if s.columns is not None and key in s.columns), None)

    def qualify(self, node: exp.Column, owner: Source) -> None:
        if owner.name is not None:
            node.set("db" if node.args.get("table") else "table", again(owner.name))

    def stands_for(self, node: exp.Column, key: str, scope: Scope, rivals: bool) -> bool:
        """Whether the name is an alias of this SELECT, or a scalar CTE. Where a hidden column could be meant
        as well, what it stands for is put in its place.
        """
        meaning = scope.aliases.get(key, scope.scalars.get(key))
        if meaning is None or node.find_ancestor(exp.Alias) is meaning.parent:
            return False  # no such name, or `ssn || '' AS ssn`, which cannot explain itself
        if not rivals:
            return True
        clause, whole_item = self.clause_of(node)
        if key in scope.aliases and clause == "order" and whole_item:
            return True
        if key in scope.aliases and clause not in self.grammar.alias_clauses:
            return False
        self.put_in_place(node, meaning)
        return True

    def clause_of(self, node: exp.Column) -> tuple[str, bool]:
        """The clause of its SELECT that a column stands in, and whether it is all there is of an item."""
        child: exp.Expr = node
        while child.parent is not None and not isinstance(child.parent, exp.Query):
            child = child.parent
        whole_item = isinstance(node.parent, exp.Ordered) and node.parent.parent is child
        return child.arg_key or "", whole_item

    def put_in_place(self, node: exp.Column, meaning: exp.Expr) -> None:
        if isinstance(node.parent, exp.Group) and isinstance(meaning.parent, exp.Alias):
            # by its place: `GROUP BY unnest(x)` is an error where `GROUP BY 1` is not
            items = meaning.parent.parent.expressions if meaning.parent.parent else []
            place = next(i for i, part in enumerate(items, 1) if part is meaning.parent)
            node.replace(exp.Literal.number(place))
        elif isinstance(meaning, (exp.Binary, exp.Connector, exp.Unary)):
            node.replace(exp.Paren(this=meaning.copy()))
        else:
            node.replace(meaning.copy())
