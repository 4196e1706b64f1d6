"""What a query is made of, read from its tree: for measuring, never for deciding what may run."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

Hardness: TypeAlias = Literal["easy", "medium", "hard", "extra", "unknown"]

_FUNCTIONS_OF_TIME = (exp.CurrentDate, exp.CurrentTimestamp, exp.Date, exp.StrToTime, exp.TimeToStr)


def is_ordered(sql: str, dialect: str) -> bool:
    """Whether the rows of the whole query have an order: an ORDER BY at its top."""
    tree = _tree(sql, dialect)
    while isinstance(tree, exp.Subquery) and not tree.args.get("order"):
        tree = tree.this
    return tree is not None and tree.args.get("order") is not None


def hardness(sql: str, dialect: str) -> Hardness:
    """By a count of our own, in the spirit of Spider's four levels: a point for each join, condition after
    the first, GROUP BY, HAVING, ORDER BY, aggregate after the first and output column after the second; two
    for each query inside the query and each set operation. 1 is easy, 3 medium, 5 hard, more is extra.
    """
    tree = _tree(sql, dialect)
    if tree is None:
        return "unknown"
    points = len(list(tree.find_all(exp.Join, exp.Group, exp.Having, exp.Order)))
    points += max(0, len(_conditions(tree)) - 1)
    points += max(0, len(list(tree.find_all(exp.AggFunc))) - 1)
    points += max(0, len(_outputs(tree)) - 2)
    points += 2 * (len(list(tree.find_all(exp.Select))) - 1)
    for level, most in (("easy", 1), ("medium", 3), ("hard", 5)):
        if points <= most:
            return level  # type: ignore[return-value]
    return "extra"


@dataclass(frozen=True, slots=True)
class Named:
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()  # without those that only join
    texts: tuple[str, ...] = ()


def named(sql: str, dialect: str) -> Named:
    """What a query speaks of."""
    tree = _tree(sql, dialect)
    if tree is None:
        return Named()
    used = (one for one in tree.find_all(exp.Column) if not one.is_star)
    return Named(
        tuple(one.name for one in tree.find_all(exp.Table)),
        tuple(one.name for one in used if not isinstance(one.find_ancestor(exp.Join, exp.Query), exp.Join)),
        tuple(one.this for one in tree.find_all(exp.Literal) if one.is_string),
    )


def is_loose(sql: str, dialect: str, keys: Collection[str]) -> bool:
    """Whether something is shown of a group that its rows may differ in: `name … GROUP BY city`, `name,
    SUM(price)` of all. Engines that allow it take some row. `keys` are the primary ones.
    """
    tree = _tree(sql, dialect)
    return tree is not None and any(_shows_some_row(one, keys) for one in tree.find_all(exp.Select))


def _shows_some_row(select: exp.Select, keys: Collection[str]) -> bool:
    items = [one.unalias() for one in select.expressions]
    plain = {one.name.lower() for one in items if isinstance(one, exp.Column)}
    group = select.args.get("group")
    if group is None:
        # MAX or MIN alone may be meant to pick the row
        return bool(plain) and any(
            isinstance(one, (exp.Count, exp.Sum, exp.Avg)) and not one.find_ancestor(exp.Window)
            for item in items
            for one in item.find_all(exp.AggFunc)
        )
    grouped = {one.name.lower() for one in group.find_all(exp.Column)}
    return grouped.isdisjoint(one.lower() for one in keys) and not plain <= grouped


def differences(gold: str, got: str, dialect: str) -> tuple[str, ...]:
    """In what a wrong query differs from the reference, the most telling first; a query may be written in
    many ways, so these are classes of failures to be counted, not proofs.
    """
    wanted, found = _tree(gold, dialect), _tree(got, dialect)
    if wanted is None or found is None:
        return ("unreadable",)
    sides = [(name, facts(wanted), facts(found)) for name, facts in _FACETS.items()]
    return tuple(name for name, one, other in sides if one != other) or ("other",)


# -- facets: two queries that agree in one have the same value ------------------------------------


def _width(tree: exp.Expr) -> object:
    return len(_outputs(tree)) if not any(one.is_star for one in _outputs(tree)) else "*"


def _output_columns(tree: exp.Expr) -> object:
    return Counter(_plain(one.unalias()) for one in _outputs(tree))


def _tables(tree: exp.Expr) -> object:
    ctes = {one.alias.lower() for one in tree.find_all(exp.CTE)}
    return {one.name.lower() for one in tree.find_all(exp.Table)} - ctes


def _join_keys(tree: exp.Expr) -> object:
    keys = [one.args.get("on") for one in tree.find_all(exp.Join)]
    return Counter(
        frozenset(c.name.lower() for c in on.find_all(exp.Column)) for on in keys if on is not None
    )


def _nesting(tree: exp.Expr) -> object:
    sets = Counter(type(one).__name__ for one in tree.find_all(exp.SetOperation))
    return sets, len(list(tree.find_all(exp.Select)))


def _aggregation(tree: exp.Expr) -> object:
    calls = Counter(type(one).__name__ for one in tree.find_all(exp.AggFunc))
    groups = {_plain(one) for group in tree.find_all(exp.Group) for one in group.expressions}
    return calls, bool(groups), len(list(tree.find_all(exp.Having)))


def _distinct(tree: exp.Expr) -> object:
    return len(list(tree.find_all(exp.Distinct)))


def _ordering(tree: exp.Expr) -> object:
    keys = [(_plain(one.this), bool(one.args.get("desc"))) for one in tree.find_all(exp.Ordered)]
    return keys, [one.expression.sql() for one in tree.find_all(exp.Limit)]


def _condition_columns(tree: exp.Expr) -> object:
    return Counter(
        (type(one).__name__, column.name.lower())
        for one in _conditions(tree)
        for column in one.find_all(exp.Column)
    )


def _values(tree: exp.Expr) -> object:
    return Counter(one.name for condition in _conditions(tree) for one in condition.find_all(exp.Literal))


def _nulls(tree: exp.Expr) -> object:
    return len(list(tree.find_all(exp.Null)))


def _casts(tree: exp.Expr) -> object:
    return len(list(tree.find_all(exp.Cast))), len(list(tree.find_all(*_FUNCTIONS_OF_TIME)))


_FACETS = {
    "column_count": _width,
    "table": _tables,
    "nesting": _nesting,
    "aggregation": _aggregation,
    "distinct": _distinct,
    "condition": _condition_columns,
    "value": _values,
    "join_key": _join_keys,
    "ordering": _ordering,
    "output_column": _output_columns,
    "null": _nulls,
    "cast_or_date": _casts,
}


def _outputs(tree: exp.Expr) -> list[exp.Expr]:
    """Of the first SELECT: the others of a UNION are as wide."""
    first = tree if isinstance(tree, exp.Select) else tree.find(exp.Select)
    return list(first.expressions) if first is not None else []


def _conditions(tree: exp.Expr) -> list[exp.Expr]:
    """The comparisons of WHERE and HAVING, wherever they stand, not those that join."""
    clauses = [clause.this for clause in tree.find_all(exp.Where, exp.Having)]
    return [one for clause in clauses for one in _leaves(clause)]


def _leaves(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Connector):
        return [*_leaves(node.left), *_leaves(node.right)]
    if isinstance(node, exp.Paren | exp.Not):
        return _leaves(node.this)
    return [node]


def _plain(node: exp.Expr) -> str:
    """Without table names and case: `T1.Name` is `name`."""
    bare = node.copy()
    for column in list(bare.find_all(exp.Column)):
        column.set("table", None)
    return bare.sql().lower()


@lru_cache(maxsize=8)  # a query is looked at from several sides, and nothing here changes a tree
def _tree(sql: str, dialect: str) -> exp.Expr | None:
    try:
        return parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return None
