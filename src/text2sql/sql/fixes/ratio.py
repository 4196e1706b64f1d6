"""Fix ratios of integers, which SQLite and PostgreSQL truncate: `COUNT(a) / COUNT(b)` is 0 or 1."""

import re

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.scope import Scope

_INTEGER = re.compile(r"(?i)^(tiny|small|medium|big|unsigned big )?(int|integer|int[248])\b|serial")


def ratio(context: FixContext) -> bool:
    """`COUNT(a) / COUNT(b)` becomes `1.0 * COUNT(a) / COUNT(b)`."""
    if context.dialect not in ("sqlite", "postgres"):
        return False
    changed = False
    for scope in list(context.scopes):
        for node in scope.select.find_all(exp.Div):
            if node.find_ancestor(exp.Select) is scope.select and _is_truncated(context, scope, node):
                node.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=node.this.copy()))
                context.invalidate()
                changed = True
    return changed


def _is_truncated(context: FixContext, scope: Scope, node: exp.Div) -> bool:
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    if isinstance(parent, exp.Cast) and parent.to.is_type(*exp.DataType.INTEGER_TYPES):
        return False  # the query asks for an integer
    return _is_integer(context, scope, node.this) and _is_integer(context, scope, node.expression)


def _is_integer(context: FixContext, scope: Scope, node: exp.Expr) -> bool:
    """Whether it is certainly an integer: a count, a sum of integers, or one of them times an integer."""
    node = node.unnest()
    if isinstance(node, exp.Mul):
        left, right = node.this, node.expression
        number, other = (left, right) if isinstance(left, exp.Literal) else (right, left)
        return isinstance(number, exp.Literal) and number.is_int and _is_integer(context, scope, other)
    if isinstance(node, exp.Select):
        inner = next((inner for inner in context.scopes if inner.select is node), None)
        if inner is None or len(inner.select.expressions) != 1:
            return False
        return _is_integer(context, inner, inner.select.expressions[0].unalias())
    if isinstance(node, exp.Sum):
        return _is_integer_item(context, scope, node.this)
    return isinstance(node, (exp.Count, exp.CountIf))


def _is_integer_item(context: FixContext, scope: Scope, node: exp.Expr) -> bool:
    node = node.unnest()
    if isinstance(node, exp.Distinct) and len(node.expressions) == 1:
        return _is_integer_item(context, scope, node.expressions[0])
    if isinstance(node, exp.Column):
        origin = context.origin(scope, node)
        return origin is not None and bool(_INTEGER.search(origin[1].type))
    if isinstance(node, exp.Case):
        results = [*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")]
    elif isinstance(node, exp.If):
        results = [node.args.get("true"), node.args.get("false")]
    elif isinstance(node, exp.Literal):
        return node.is_int
    else:
        return isinstance(node, (exp.Predicate, exp.Null)) and not isinstance(node, exp.Query)
    return all(_is_integer_item(context, scope, result) for result in results if result is not None)
