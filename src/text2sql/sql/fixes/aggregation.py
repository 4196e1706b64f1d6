"""Aggregates: a ratio that integers would cut off, a condition in the wrong clause, a GROUP BY left out."""

import re

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ColumnFault, Fault, FixContext
from text2sql.sql.fixes.joins import conjuncts
from text2sql.sql.schema_index import folded
from text2sql.sql.scope import Scope

# -- ratios --

_INTEGER = re.compile(r"(?i)^(tiny|small|medium|big|unsigned big )?(int|integer|int[248])\b|serial")


def ratio(context: FixContext) -> bool:
    """`COUNT(a) / COUNT(b)`, where `/` between integers gives an integer."""
    if context.dialect not in ("sqlite", "postgres"):
        return False
    done = False
    for scope in list(context.scopes):
        for node in scope.select.find_all(exp.Div):
            if node.find_ancestor(exp.Select) is scope.select and _is_cut_off(context, scope, node):
                _as_fraction(node)
                context.invalidate()
                done = True
    return done


def _is_cut_off(context: FixContext, scope: Scope, node: exp.Div) -> bool:
    around = node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    if isinstance(around, exp.Cast) and around.to.is_type(*exp.DataType.INTEGER_TYPES):
        return False  # an integer is what was asked for
    return _is_whole(context, scope, node.this) and _is_whole(context, scope, node.expression)


def _is_whole(context: FixContext, scope: Scope, node: exp.Expr) -> bool:
    """A count, a sum of integers, or one of them times a whole number: an integer for sure."""
    node = node.unnest()
    if isinstance(node, exp.Mul):
        sides = (node.this, node.expression)
        number = next((one for one in sides if isinstance(one, exp.Literal)), None)
        other = sides[1] if number is sides[0] else sides[0]
        return number is not None and number.is_int and _is_whole(context, scope, other)
    if isinstance(node, (exp.Count, exp.CountIf)):
        return True
    if isinstance(node, exp.Select):
        found = next((one for one in context.scopes if one.select is node), None)
        if found is None or len(found.select.expressions) != 1:
            return False
        return _is_whole(context, found, found.select.expressions[0].unalias())
    return isinstance(node, exp.Sum) and _is_whole_item(context, scope, node.this)


def _is_whole_item(context: FixContext, scope: Scope, node: exp.Expr) -> bool:
    node = node.unnest()
    if isinstance(node, exp.Distinct) and len(node.expressions) == 1:
        return _is_whole_item(context, scope, node.expressions[0])
    if isinstance(node, exp.Column):
        origin = context.origin(scope, node)
        return origin is not None and bool(_INTEGER.search(origin[1].type))
    if isinstance(node, exp.Case):
        results = [one.args["true"] for one in node.args["ifs"]]
        results += [node.args["default"]] if node.args.get("default") else []
        return all(_is_whole_item(context, scope, one) for one in results)
    if isinstance(node, exp.If):
        held = [node.args.get("true"), node.args.get("false")]
        return all(_is_whole_item(context, scope, one) for one in held if one is not None)
    if isinstance(node, exp.Literal):
        return node.is_int
    return isinstance(node, (exp.Predicate, exp.Null)) and not isinstance(node, exp.Query)


def _as_fraction(node: exp.Div) -> None:
    node.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=node.this.copy()))


# -- conditions --


def aggregate_in_where(context: FixContext) -> bool:
    """`WHERE COUNT(*) > 3 GROUP BY x`: only HAVING knows the groups, which are those of what is shown."""
    done = False
    for scope in list(context.scopes):
        where, group = scope.select.args.get("where"), scope.select.args.get("group")
        items = [one.unalias() for one in scope.select.expressions]
        shown = [one for one in items if isinstance(one, exp.Column) and not one.is_star]
        if where is None or (group is None and not shown):
            continue
        parts = conjuncts(where.this)
        moved = [one for one in parts if own_aggregate(scope, one)]
        if not moved:
            continue
        kept = [one.copy() for one in parts if not any(one is other for other in moved)]
        having = scope.select.args.get("having")
        both = [*([having.this.copy()] if having else []), *(one.copy() for one in moved)]
        scope.select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
        scope.select.set("having", exp.Having(this=exp.and_(*both)))
        if group is None:
            scope.select.set("group", exp.Group(expressions=[one.copy() for one in shown]))
        context.invalidate()
        done = True
    return done


def aggregate_in_order(context: FixContext) -> bool:
    """`SELECT name … ORDER BY COUNT(*)`: of each name, which is what is shown."""
    done = False
    for scope in list(context.scopes):
        order, items = scope.select.args.get("order"), scope.select.expressions
        plain = [one for one in items if isinstance(one, exp.Column) and not one.is_star]
        if order is None or not plain or len(plain) != len(items) or scope.select.args.get("group"):
            continue
        if own_aggregate(scope, order):
            scope.select.set("group", exp.Group(expressions=[one.copy() for one in plain]))
            scope.select.set("distinct", None)
            context.invalidate()
            done = True
    return done


def own_aggregate(scope: Scope, node: exp.Expr) -> bool:
    return any(
        one.find_ancestor(exp.Select) is scope.select and one.find_ancestor(exp.Window) is None
        for one in node.find_all(exp.AggFunc)
    )


def count_rows(context: FixContext) -> bool:
    """`COUNT(T2.student_id)` where no table has such a column: its rows are counted."""
    counted = [
        one.column
        for one in context.faulty_columns(Fault.ABSENT, Fault.UNKNOWN)
        if isinstance(one.column.parent, exp.Count) and not _may_be_meant(context, one)
    ]
    for column in counted:
        context.replace(column, exp.Star())
    return bool(counted)


def _may_be_meant(context: FixContext, wrong: ColumnFault) -> bool:
    """A table has it, or a source something that is called so and more: `parent` is `parent_id`."""
    name = folded(wrong.column.name)
    called = (folded(key) for one in wrong.expected_scope.sources.values() for key in one.outputs.names)
    return bool(context.schema.holders.get(context.key(wrong.column))) or any(name in one for one in called)


# Where an engine does not know the aliases of its own SELECT list.
_BLIND = {
    "postgres": ("where", "having", "joins"),
    "mysql": ("where", "joins"),
    "bigquery": ("where", "joins"),
    "oracle": ("where", "having", "group", "joins"),
}


def alias_in_clause(context: FixContext) -> bool:
    """`SELECT price * 2 AS double … WHERE double > 3`: what the alias stands for, put in its place."""
    done = False
    for scope in list(context.scopes):
        for clause in _BLIND.get(context.dialect, ()):
            for column in list(scope.columns):
                meaning = scope.aliases.get(context.key(column)) if not column.args.get("table") else None
                if meaning is None or scope.open or _may_be_a_column(scope, context.key(column)):
                    continue
                if _clause_of(column, scope) == clause and _may_stand_in(meaning, clause):
                    whole = isinstance(meaning, (exp.Binary, exp.Connector, exp.Unary))
                    context.replace(column, exp.Paren(this=meaning.copy()) if whole else meaning.copy())
                    done = True
    return done


def _may_be_a_column(scope: Scope, key: str) -> bool:
    return any(one.may_have(key) for one in scope.sources.values())


def _clause_of(column: exp.Expr, scope: Scope) -> str:
    while column.parent is not None and column.parent is not scope.select:
        column = column.parent
    return column.arg_key or ""


def _may_stand_in(meaning: exp.Expr, clause: str) -> bool:
    if meaning.find(exp.Window, exp.Query):
        return False
    return clause == "having" or meaning.find(exp.AggFunc) is None


# -- GROUP BY --

_LAX = ("sqlite",)  # takes some row of the group
_DEDUCING = ("postgres", "mysql")  # know that a primary key decides its row
_FOLDED = (exp.Count, exp.Sum, exp.Avg)


def group_by(context: FixContext) -> bool:
    """`SELECT city, COUNT(*) FROM t`, and `GROUP BY id` where the name of that id is selected too."""
    if context.dialect in _LAX:
        return False
    done = False
    for scope in list(context.scopes):
        added = _left_out(context, scope)
        if added:
            group = scope.select.args.get("group") or exp.Group()
            group.set("expressions", [*group.expressions, *(one.copy() for one in added)])
            scope.select.set("group", group)
            context.invalidate()
            done = True
    return done


def _left_out(context: FixContext, scope: Scope) -> list[exp.Column]:
    """The plain columns of a list that has aggregates too, as far as they are not grouped by."""
    items = [one.unalias() for one in scope.select.expressions]
    plain = [one for one in items if isinstance(one, exp.Column) and not one.is_star]
    folded = [one for one in items if _is_folded(one)]
    if not plain or not folded or len(plain) + len(folded) != len(items) or scope.select.args.get("distinct"):
        return []
    group = scope.select.args.get("group")
    if group is None:
        # MAX or MIN alone may be meant to pick the row: two ways
        counted = any(isinstance(inner, _FOLDED) for one in folded for inner in one.walk())
        return plain if counted else []
    if any(key != "expressions" and held for key, held in group.args.items()):
        return []
    return [one for one in plain if _follows_from_key(context, scope, one, group)]


def _is_folded(item: exp.Expr) -> bool:
    """An aggregate, with no bare column beside it."""
    if item.find(exp.Window, exp.Query) or not item.find(exp.AggFunc):
        return False
    return all(one.find_ancestor(exp.AggFunc) for one in item.find_all(exp.Column))


def _follows_from_key(context: FixContext, scope: Scope, column: exp.Column, group: exp.Group) -> bool:
    grouped = [(context.origin(scope, one), one) for one in group.expressions if isinstance(one, exp.Column)]
    origin = context.origin(scope, column)
    if len(grouped) != len(group.expressions) or origin is None:
        return False
    owner = context.owner(scope, column)
    keys = {context.key(one) for _, one in grouped if context.owner(scope, one) is owner}
    if context.key(column) in keys or owner is None or owner.entry is None:
        return False
    deduces = context.dialect in _DEDUCING and not context.has_row_policy
    return not deduces and owner.entry.is_key(keys, context.grammar)
