"""Functions and clauses of other dialects."""

from collections.abc import Callable

from sqlglot import exp

from text2sql.sql import dates
from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.scope import Origin

Rewrite = Callable[[exp.Expr], exp.Expr | None]


def foreign_function(context: FixContext) -> bool:
    """`YEAR(d)` on SQLite, `STRFTIME('%Y', d)` on PostgreSQL, `GETDATE()` nearly everywhere."""
    done = False
    for node in reversed(list(context.tree.find_all(exp.Func, exp.Binary))):  # the innermost first
        new = _call(context, node)
        if new is not None:
            context.replace(node, new)
            done = True
    return done


def _call(context: FixContext, node: exp.Expr) -> exp.Expr | None:
    if context.dialect == "sqlite":
        rewrite = _SQLITE.get(type(node))
        if rewrite is not None:
            return rewrite(node)
    elif context.dialect == "postgres" and isinstance(node, exp.Quarter):
        return exp.Extract(this=exp.var("QUARTER"), expression=node.this.copy())
    elif context.dialect == "mysql" and isinstance(node, exp.Or):
        return _joined_texts(node)
    if isinstance(node, exp.ToChar):
        return dates.foreign_format(context.dialect, node, _origins(context))
    if isinstance(node, exp.Anonymous):
        return _named(context, node)
    return None


def _named(context: FixContext, node: exp.Anonymous) -> exp.Expr | None:
    name, arguments, dialect = node.name.upper(), node.expressions, context.dialect
    if not arguments:
        moment = _MOMENTS.get(name)
        return moment[0]() if moment and dialect in moment[1] else None
    if len(arguments) == 2:
        if name == "ISNULL" and dialect in _FOUR:
            return exp.Coalesce(this=arguments[0].copy(), expressions=[arguments[1].copy()])
        if name == "DATE_PART" and dialect == "sqlite" and arguments[0].is_string:
            return dates.sqlite_part(arguments[0].name, arguments[1])
    if (name, dialect) in _NATIVE:
        return None
    return dates.foreign_format(dialect, node, _origins(context))


_FOUR = ("sqlite", "postgres", "duckdb")
_MOMENTS: dict[str, tuple[type[exp.Expr], tuple[str, ...]]] = {
    "GETDATE": (exp.CurrentTimestamp, (*_FOUR, "mysql")),
    "NOW": (exp.CurrentTimestamp, ("sqlite",)),
    "CURDATE": (exp.CurrentDate, _FOUR),
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


def _joined_texts(node: exp.Or) -> exp.Expr | None:
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
    whole: exp.Expr = first
    for part in rest:
        whole = exp.DPipe(this=whole, expression=part, safe=True)
    return exp.Paren(this=whole) if isinstance(node.parent, exp.Binary) and rest else whole


def _left(node: exp.Expr) -> exp.Expr | None:
    return exp.Substring(this=node.this.copy(), start=exp.Literal.number(1), length=node.expression.copy())


def _right(node: exp.Expr) -> exp.Expr | None:
    length = node.expression
    if not isinstance(length, exp.Literal):
        return None
    return exp.Substring(this=node.this.copy(), start=exp.Neg(this=length.copy()))


def _signed(node: exp.Expr) -> exp.Expr | None:
    kind = node.args["to"].args.get("kind")
    name = kind if isinstance(kind, str) else getattr(kind, "name", "")
    return exp.cast(node.this.copy(), "int") if str(name).upper() in ("SIGNED", "UNSIGNED") else None


def _any(node: exp.Expr) -> exp.Expr | None:
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
    up = isinstance(node, (exp.GT, exp.GTE))
    simple = not any(query.args.get(clause) for clause in ("group", "limit", "distinct", "having", "order"))
    if not simple or not (up or isinstance(node, (exp.LT, exp.LTE))):
        return None
    most = up == isinstance(quantifier, exp.All)
    inner = query.copy()
    item = inner.expressions[0]
    item = item.this if isinstance(item, exp.Alias) else item
    inner.set("expressions", [(exp.Max if most else exp.Min)(this=item.copy())])
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
    exp.Cast: _signed,
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE), _any),
}


def bracketed_arm(context: FixContext) -> bool:
    """SQLite has no `(SELECT …) UNION (SELECT …)`."""
    if context.dialect != "sqlite":
        return False
    done = False
    for node in list(context.tree.find_all(exp.SetOperation)):
        for side in ("this", "expression"):
            arm = node.args[side]
            if isinstance(arm, exp.Subquery) and [key for key, value in arm.args.items() if value] == [
                "this"
            ]:
                node.set(side, _unbracketed(arm.this))
                context.invalidate()
                done = True
    return done


def _unbracketed(query: exp.Expr) -> exp.Expr:
    own = any(query.args.get(clause) for clause in ("order", "limit", "offset", "with_"))
    if isinstance(query, exp.Select) and not own:
        return query
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=exp.Subquery(this=query)))
