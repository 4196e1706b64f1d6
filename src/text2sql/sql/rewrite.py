"""Rewrites in the tree: a row limit that is always there, a page with a stable order, a count.

Each takes a query and gives a query; where a clause cannot be read as a number the whole query becomes a
sub-query, so nothing that was asked for changes its meaning.
"""

from sqlglot import exp

ALIAS = "text2sql_rows"


def limited(tree: exp.Expr, rows: int) -> tuple[exp.Expr, int]:
    """The query with at most `rows` rows, and the limit that now stands at its root."""
    query = _unwrapped(tree)
    if isinstance(query, (exp.Values, exp.Pivot)) or query.args.get("pivots"):
        return _wrapped(query).limit(rows, copy=False), rows
    present = query.args.get("limit")
    if present is None:
        if query.args.get("offset") is not None and not isinstance(query, (exp.Select, exp.SetOperation)):
            return _wrapped(query).limit(rows, copy=False), rows
        query.set("limit", exp.Limit(expression=exp.Literal.number(rows)))
        return query, rows
    number = _number(present)
    offset = query.args.get("offset")
    if number is None or (offset is not None and offset.expressions):  # ClickHouse's LIMIT 1 OFFSET 1 BY x
        return _wrapped(query).limit(rows, copy=False), rows
    if number <= rows:
        return query, number
    key = "count" if isinstance(present, exp.Fetch) else "expression"
    present.set(key, exp.Literal.number(rows))
    return query, rows


def page(tree: exp.Expr, number: int, size: int, by: exp.Expr | None = None) -> exp.Expr:
    """Page `number` (from 1) of `size` rows, in the query's own order or in that of `by`. Rows that it leaves
    tied, or all of them when there is none, are ordered by every output column, so that pages neither repeat
    nor miss a row.
    """
    query = _unwrapped(tree)
    width = _width(query)
    order = query.args.get("order")
    simple = isinstance(query, exp.Select) and not (query.args.get("limit") or query.args.get("offset"))
    if not simple:
        query, order = _wrapped(query), None
    if by is not None:
        order = exp.Order(expressions=[by])
        query.set("order", order)
    # by place and without Ordered: a word on NULLs would be spelled as an expression in some dialects
    ties: list[exp.Expr] = [exp.Literal.number(place) for place in range(1, width + 1)]
    if order is None:
        query.set("order", exp.Order(expressions=ties))
    else:
        order.set("expressions", [*order.expressions, *ties])
    query.set("limit", exp.Limit(expression=exp.Literal.number(size)))
    if number > 1:
        query.set("offset", exp.Offset(expression=exp.Literal.number((number - 1) * size)))
    return query


def count(tree: exp.Expr) -> exp.Expr:
    """How many rows the query has, without its order."""
    query = _unwrapped(tree)
    if isinstance(query, exp.Select) and not (query.args.get("limit") or query.args.get("offset")):
        query.set("order", None)
    return exp.Select(
        expressions=[exp.alias_(exp.Count(this=exp.Star(), big_int=True), "row_count")],
        from_=exp.From(this=_derived(query)),
    )


def _unwrapped(tree: exp.Expr) -> exp.Expr:
    """`(SELECT …)` as the query it is, where the brackets carry nothing of their own."""
    while isinstance(tree, exp.Subquery) and not any(
        held for key, held in tree.args.items() if key != "this"
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
    """The limit as a whole number; None for ALL, a percentage, ties, a sub-query or arithmetic."""
    options = limit.args.get("limit_options")
    if options and (options.args.get("percent") or options.args.get("with_ties")):
        return None
    if limit.args.get("offset") or limit.expressions:
        return None
    held = limit.args.get("count" if isinstance(limit, exp.Fetch) else "expression")
    if isinstance(held, exp.Literal) and not held.is_string and held.this.isdigit():
        return int(held.this)
    return None


def _width(query: exp.Expr) -> int:
    while isinstance(query, (exp.SetOperation, exp.Subquery)):
        query = query.this
    if isinstance(query, exp.Values):
        first = query.expressions[0]
        return len(first.expressions) if isinstance(first, exp.Tuple) else 1
    if any(part.is_star for part in query.expressions):
        return 1
    return len(query.expressions)
