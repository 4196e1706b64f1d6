"""Replace functions and clauses of other dialects by those of the engine."""

from collections.abc import Callable

from sqlglot import exp

from text2sql.sql import dates
from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.scope import Origin

Rewrite = Callable[[exp.Expr], exp.Expr | None]


def foreign_function(context: FixContext) -> bool:
    """`YEAR(d)` on SQLite, `STRFTIME('%Y', d)` on PostgreSQL, `GETDATE()` nearly everywhere."""
    changed = False
    for node in reversed(list(context.tree.find_all(exp.Func, exp.Binary))):  # the innermost first
        new = _translated(context, node)
        if new is not None:
            context.replace(node, new)
            changed = True
    return changed


def _translated(context: FixContext, node: exp.Expr) -> exp.Expr | None:
    if context.dialect == "sqlite":
        rewrite = _SQLITE.get(type(node))
        if rewrite is not None:
            return rewrite(node)
    elif context.dialect == "postgres" and isinstance(node, exp.Quarter):
        return exp.Extract(this=exp.var("QUARTER"), expression=node.this.copy())
    elif context.dialect == "mysql" and isinstance(node, exp.Or):
        return _concatenation(node)
    if isinstance(node, exp.ToChar):
        return dates.foreign_format(context.dialect, node, _origins(context))
    if isinstance(node, exp.Anonymous):
        return _translated_call(context, node)
    return None


def _translated_call(context: FixContext, node: exp.Anonymous) -> exp.Expr | None:
    name, arguments, dialect = node.name.upper(), node.expressions, context.dialect
    if not arguments:
        current_time = _CURRENT_TIME_CALLS.get(name)
        return current_time[0]() if current_time and dialect in current_time[1] else None
    if len(arguments) == 2:
        if name == "ISNULL" and dialect in _NON_MYSQL_DIALECTS:
            return exp.Coalesce(this=arguments[0].copy(), expressions=[arguments[1].copy()])
        if name == "DATE_PART" and dialect == "sqlite" and arguments[0].is_string:
            return dates.sqlite_part(arguments[0].name, arguments[1])
    if (name, dialect) in _NATIVE:
        return None
    return dates.foreign_format(dialect, node, _origins(context))


_NON_MYSQL_DIALECTS = ("sqlite", "postgres", "duckdb")
_CURRENT_TIME_CALLS: dict[str, tuple[type[exp.Expr], tuple[str, ...]]] = {
    "GETDATE": (exp.CurrentTimestamp, (*_NON_MYSQL_DIALECTS, "mysql")),
    "NOW": (exp.CurrentTimestamp, ("sqlite",)),
    "CURDATE": (exp.CurrentDate, _NON_MYSQL_DIALECTS),
    "TODAY": (exp.CurrentDate, ("sqlite", "postgres", "mysql")),
}
_NATIVE = {("STRFTIME", "sqlite"), ("STRFTIME", "duckdb"), ("DATE_FORMAT", "mysql")}


def _origins(context: FixContext) -> Callable[[exp.Expr], Origin]:
    def origin(value: exp.Expr) -> Origin:
        for scope, column in context.columns():
            if column is value:
                return context.origin(scope, column)
        return None

    return origin


def _concatenation(node: exp.Or) -> exp.Expr | None:
    """MySQL parses `a || ' ' || b` as OR; a text is meant, not a condition."""
    parts = list(node.flatten(unnest=False))
    has_text = any(isinstance(part, exp.Literal) and part.is_string for part in parts)
    if (
        isinstance(node.parent, exp.Or)
        or not has_text
        or any(isinstance(part, exp.Predicate) for part in parts)
    ):
        return None
    return exp.Concat(expressions=[part.copy() for part in parts], safe=True, coalesce=False)


# -- SQLite --


def _unit(node: exp.Expr) -> str:
    return type(node).__name__


def _concat(node: exp.Expr) -> exp.Expr | None:
    """SQLite has no CONCAT before 3.44. A NULL makes the whole NULL, as MySQL's CONCAT does."""
    first, *rest = (
        exp.paren(part) if isinstance(part, exp.Binary) else part.copy() for part in node.expressions
    )
    concatenation: exp.Expr = first
    for part in rest:
        concatenation = exp.DPipe(this=concatenation, expression=part, safe=True)
    return exp.Paren(this=concatenation) if isinstance(node.parent, exp.Binary) and rest else concatenation


def _left(node: exp.Expr) -> exp.Expr | None:
    return exp.Substring(this=node.this.copy(), start=exp.Literal.number(1), length=node.expression.copy())


def _right(node: exp.Expr) -> exp.Expr | None:
    length = node.expression
    if not isinstance(length, exp.Literal):
        return None
    return exp.Substring(this=node.this.copy(), start=exp.Neg(this=length.copy()))


def _integer_cast(node: exp.Expr) -> exp.Expr | None:
    kind = node.args["to"].args.get("kind")
    name = kind if isinstance(kind, str) else getattr(kind, "name", "")
    return exp.cast(node.this.copy(), "int") if str(name).upper() in ("SIGNED", "UNSIGNED") else None


def _quantified_comparison(node: exp.Expr) -> exp.Expr | None:
    """`= ANY (SELECT …)` as IN, `>= ALL (SELECT x …)` as `>= (SELECT MAX(x) …)`."""
    quantifier = node.expression
    if not isinstance(quantifier, (exp.Any, exp.All)):
        return None
    query = quantifier.this.unnest()
    if not isinstance(query, exp.Select) or len(query.expressions) != 1:
        return None
    if isinstance(node, exp.EQ) and isinstance(quantifier, exp.Any):
        return exp.In(this=node.this.copy(), query=exp.Subquery(this=query.copy()))
    if isinstance(node, exp.NEQ) and isinstance(quantifier, exp.All):
        return exp.Not(this=exp.In(this=node.this.copy(), query=exp.Subquery(this=query.copy())))
    is_greater_than = isinstance(node, (exp.GT, exp.GTE))
    is_simple = not any(
        query.args.get(clause) for clause in ("group", "limit", "distinct", "having", "order")
    )
    if not is_simple or not (is_greater_than or isinstance(node, (exp.LT, exp.LTE))):
        return None
    uses_maximum = is_greater_than == isinstance(quantifier, exp.All)
    inner = query.copy()
    item = inner.expressions[0]
    item = item.this if isinstance(item, exp.Alias) else item
    inner.set("expressions", [(exp.Max if uses_maximum else exp.Min)(this=item.copy())])
    return type(node)(this=node.this.copy(), expression=exp.Subquery(this=inner))


_SQLITE: dict[type[exp.Expr], Rewrite] = {
    **dict.fromkeys(
        (exp.Year, exp.Month, exp.Day, exp.Hour, exp.Minute, exp.Second, exp.Quarter),
        lambda node: dates.sqlite_part(_unit(node), node.this),
    ),
    exp.Extract: lambda node: dates.sqlite_part(node.name, node.expression),
    exp.DateTrunc: lambda node: dates.sqlite_start(node.text("unit"), node.this),
    exp.TimestampTrunc: lambda node: dates.sqlite_start(node.text("unit"), node.this),
    exp.Sub: dates.sqlite_step,
    exp.Add: dates.sqlite_step,
    exp.DateSub: dates.sqlite_step,
    exp.DateAdd: dates.sqlite_step,
    exp.Concat: _concat,
    exp.Left: _left,
    exp.Right: _right,
    exp.Cast: _integer_cast,
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE), _quantified_comparison),
}


def bracketed_arm(context: FixContext) -> bool:
    """SQLite has no `(SELECT …) UNION (SELECT …)`."""
    if context.dialect != "sqlite":
        return False
    changed = False
    for node in list(context.tree.find_all(exp.SetOperation)):
        for side in ("this", "expression"):
            arm = node.args[side]
            if isinstance(arm, exp.Subquery) and [key for key, value in arm.args.items() if value] == [
                "this"
            ]:
                node.set(side, _unbracketed(arm.this))
                context.invalidate()
                changed = True
    return changed


def _unbracketed(query: exp.Expr) -> exp.Expr:
    has_own_clauses = any(query.args.get(clause) for clause in ("order", "limit", "offset", "with_"))
    if isinstance(query, exp.Select) and not has_own_clauses:
        return query
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=exp.Subquery(this=query)))
