"""Random queries: joins, WITH, set operations and correlated sub-queries over the integer columns of the
tables of `policed.py`, without an order, in SQL that every engine reads in the same way.
"""

from functools import partial

from hypothesis import strategies as st

TABLES = {
    "orders": ("id", "customer_id", "total"),
    "customers": ("id",),
    "items": ("id", "order_id", "product_id", "quantity"),
    "products": ("id", "price"),
    "staff": ("id", "boss_id", "salary"),
}
Source = tuple[str, str, tuple[str, ...]]  # its text in FROM, its alias, its columns


@st.composite
def sources(draw: st.DrawFn, alias: str, depth: int, ctes: dict[str, tuple[str, ...]]) -> Source:
    """A table, a CTE (which may have a table's name), or a sub-query."""
    named = {**TABLES, **ctes}
    if depth > 0 and draw(st.integers(0, 3)) == 0:
        return f"({draw(selects(depth - 1, ctes, width=2))}) AS {alias}", alias, ("a", "b")
    name = draw(st.sampled_from(sorted(named)))
    if draw(st.booleans()):
        return f"{name} AS {alias}", alias, named[name]
    return f"{name} AS {name}_{alias}", f"{name}_{alias}", named[name]


@st.composite
def values(draw: st.DrawFn, scope: list[Source], depth: int, ctes: dict[str, tuple[str, ...]]) -> str:
    _, alias, columns = draw(st.sampled_from(scope))
    column = f"{alias}.{draw(st.sampled_from(columns))}"
    kind = draw(st.integers(0, 5))
    if kind == 0 and depth > 0:
        return f"(SELECT COUNT(*) {draw(inner(scope, depth - 1, ctes))})"
    if kind == 1:
        return f"COALESCE({column}, -1)"
    if kind == 2:
        return f"({column} + {draw(st.integers(0, 3))})"
    return column


@st.composite
def inner(draw: st.DrawFn, scope: list[Source], depth: int, ctes: dict[str, tuple[str, ...]]) -> str:
    """FROM and WHERE of a correlated sub-query."""
    source = draw(
        sources("s", depth, ctes).filter(lambda candidate: candidate[1] not in {s[1] for s in scope})
    )
    text, alias, columns = source
    _, outer, known = draw(st.sampled_from(scope))
    left, right = draw(st.sampled_from(columns)), draw(st.sampled_from(known))
    return f"FROM {text} WHERE {alias}.{left} {draw(_COMPARED)} {outer}.{right}"


_COMPARED = st.sampled_from(("=", "<", ">", "<>", "<=", ">="))


@st.composite
def conditions(draw: st.DrawFn, scope: list[Source], depth: int, ctes: dict[str, tuple[str, ...]]) -> str:
    value = draw(values(scope, 0, ctes))
    kind = draw(st.integers(0, 6))
    if kind == 0 and depth > 0:
        negated = draw(st.sampled_from(("", "NOT ")))
        return f"{negated}EXISTS (SELECT 1 {draw(inner(scope, depth - 1, ctes))})"
    if kind == 1 and depth > 0:
        negated = draw(st.sampled_from(("", "NOT ")))
        return f"{value} {negated}IN ({draw(selects(depth - 1, ctes, width=1))})"
    if kind == 2:
        left, right = (draw(conditions(scope, depth - 1, ctes)) for _ in range(2))
        return f"({left} {draw(st.sampled_from(('AND', 'OR')))} {right})" if depth > 0 else "1 = 1"
    if kind == 3:
        return f"{value} IS {draw(st.sampled_from(('', 'NOT ')))}NULL"
    return f"{value} {draw(_COMPARED)} {draw(st.integers(0, 60))}"


@st.composite
def selects(
    draw: st.DrawFn, depth: int, ctes: dict[str, tuple[str, ...]], width: int, *, arm: bool = False
) -> str:
    # Not nested: MariaDB miscounts columns if such a chain is inside EXISTS (…).
    if depth > 0 and not arm and draw(st.integers(0, 4)) == 0:
        left, right = (draw(selects(depth - 1, ctes, width, arm=True)) for _ in range(2))
        return f"{left} {draw(st.sampled_from(('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT')))} {right}"
    scope = [draw(sources("x", depth, ctes))]
    from_clause = scope[0][0]
    if draw(st.booleans()):
        other = draw(sources("y", depth, ctes))
        join = draw(st.sampled_from(("JOIN", "LEFT JOIN", "USING", ",")))
        common = set(scope[0][2]) & set(other[2])
        if join == "USING" and common:
            from_clause += f" JOIN {other[0]} USING ({min(common)})"
        elif join == ",":
            from_clause += f", {other[0]}"
        else:
            left, right = draw(st.sampled_from(scope[0][2])), draw(st.sampled_from(other[2]))
            on = f"{scope[0][1]}.{left} = {other[1]}.{right}"
            from_clause += f" {'LEFT JOIN' if join == 'LEFT JOIN' else 'JOIN'} {other[0]} ON {on}"
        scope.append(other)
    where = f" WHERE {draw(conditions(scope, depth, ctes))}" if draw(st.booleans()) else ""
    names = ("a", "b")[:width]
    if draw(st.integers(0, 3)) == 0:
        key = draw(values(scope, 0, ctes))
        totals = [f"{draw(st.sampled_from(('COUNT', 'MIN', 'MAX')))}({key})" for _ in names]
        select_list = ", ".join(f"{total} AS {name}" for total, name in zip(totals, names, strict=True))
        return f"SELECT {select_list} FROM {from_clause}{where} GROUP BY {key}"
    select_list = ", ".join(f"{draw(values(scope, depth, ctes))} AS {name}" for name in names)
    return f"SELECT {draw(st.sampled_from(('', 'DISTINCT ')))}{select_list} FROM {from_clause}{where}"


@st.composite
def queries(draw: st.DrawFn) -> str:
    ctes: dict[str, tuple[str, ...]] = {}
    written = []
    names = draw(st.lists(st.sampled_from(("orders", "items", "w", "v")), unique=True, max_size=2))
    for name in names:
        later = tuple(f" {cte} AS" for cte in names if cte not in ctes)  # SQLite would resolve it to that CTE
        body = draw(selects(1, ctes, width=2).filter(partial(_mentions_none, later)))
        written.append(f"{name} AS ({body})")
        ctes[name] = ("a", "b")
    return (f"WITH {', '.join(written)} " if written else "") + draw(selects(2, ctes, width=2))


def _mentions_none(words: tuple[str, ...], sql: str) -> bool:
    return not any(word in sql for word in words)
