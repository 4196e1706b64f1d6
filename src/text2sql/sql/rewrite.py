"""Tree rewrites: add a row limit, select a page in a stable order, count rows.

Each turns a query into a query. If a LIMIT is not a plain number the whole query becomes a sub-query, so that
its meaning does not change.
"""

from sqlglot import exp

ALIAS = "text2sql_rows"


def limited(tree: exp.Expr, rows: int, dialect: str) -> tuple[exp.Expr, int]:
    """Limit a query to `rows` rows. Returns it with the limit that it now has at its root."""
    query, new_limit = _unwrapped(tree), row_limit(rows, dialect)
    if isinstance(query, (exp.Values, exp.Pivot)) or query.args.get("pivots"):
        return _with_limit(_wrapped(query), new_limit), rows
    limit = query.args.get("limit")
    if limit is None:
        if query.args.get("offset") is not None and not isinstance(query, (exp.Select, exp.SetOperation)):
            return _with_limit(_wrapped(query), new_limit), rows
        query.set("limit", new_limit)
        return query, rows
    number = _number(limit)
    offset = query.args.get("offset")
    if number is None or (offset is not None and offset.expressions):  # ClickHouse's LIMIT 1 OFFSET 1 BY x
        return _with_limit(_wrapped(query), new_limit), rows
    if number <= rows:
        return query, number
    key = "count" if isinstance(limit, exp.Fetch) else "expression"
    limit.set(key, exp.Literal.number(rows))
    return query, rows


def page(
    tree: exp.Expr, width: int | None, dialect: str, *, number: int, size: int, by: exp.Expr | None = None
) -> exp.Expr:
    """Select page `number` (from 1) of `size` rows, in the query's own order or in that of `by`.

    All `width` output columns break ties, so that pages neither repeat nor miss a row; if the width is
    unknown only the first column does.
    """
    query = _unwrapped(tree)
    order = query.args.get("order")
    is_simple = isinstance(query, exp.Select) and not (query.args.get("limit") or query.args.get("offset"))
    if not is_simple:
        query, order = _wrapped(query), None
    if by is not None:
        order = exp.Order(expressions=[by])
        query.set("order", order)
    # by position and without Ordered, whose NULLS FIRST some dialects can only express by an expression
    ties: list[exp.Expr] = [exp.Literal.number(position) for position in range(1, (width or 1) + 1)]
    if order is None:
        query.set("order", exp.Order(expressions=ties))
    else:
        order.set("expressions", [*order.expressions, *ties])
    query.set("limit", row_limit(size, dialect))
    if number > 1:
        query.set("offset", exp.Offset(expression=exp.Literal.number((number - 1) * size)))
    return query


def count(tree: exp.Expr) -> exp.Expr:
    """Count the rows of a query, without its ORDER BY."""
    query = _unwrapped(tree)
    if isinstance(query, exp.Select) and not (query.args.get("limit") or query.args.get("offset")):
        query.set("order", None)
    return exp.Select(
        expressions=[exp.alias_(exp.Count(this=exp.Star(), big_int=True), "row_count")],
        from_=exp.From(this=_derived(query)),
    )


def row_limit(rows: int, dialect: str) -> exp.Expr:
    """The clause that limits a query, as the parser reads it in this dialect."""
    number = exp.Literal.number(rows)
    if dialect == "oracle":
        return exp.Fetch(direction="FIRST", count=number, limit_options=exp.LimitOptions(rows=True))
    return exp.Limit(expression=number)


def _with_limit(query: exp.Expr, limit: exp.Expr) -> exp.Expr:
    query.set("limit", limit)
    return query


def _unwrapped(tree: exp.Expr) -> exp.Expr:
    """Remove brackets that have no clauses of their own."""
    while isinstance(tree, exp.Subquery) and not any(
        value for key, value in tree.args.items() if key != "this"
    ):
        tree = tree.this
    return tree


def _derived(query: exp.Expr) -> exp.Expr:
    if isinstance(query, exp.Values):
        query.set("alias", exp.TableAlias(this=exp.to_identifier(ALIAS)))
        return query
    inner = query if not isinstance(query, exp.Subquery) else exp.Select(
        expressions=[exp.Star()], from_=exp.From(this=query)
    )  # fmt: skip
    return exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(ALIAS)))


def _wrapped(query: exp.Expr) -> exp.Select:
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=_derived(query)))


def _number(limit: exp.Expr) -> int | None:
    """The limit as an integer; None for ALL, a percentage, ties, a sub-query or arithmetic."""
    options = limit.args.get("limit_options")
    if options and (options.args.get("percent") or options.args.get("with_ties")):
        return None
    if limit.args.get("offset") or limit.expressions:
        return None
    value = limit.args.get("count" if isinstance(limit, exp.Fetch) else "expression")
    if (
        isinstance(value, exp.Literal)
        and not value.is_string
        and value.this.isdigit()
        and len(value.this) < 19
    ):
        return int(value.this)
    return None
