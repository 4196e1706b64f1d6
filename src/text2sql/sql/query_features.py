"""Measures features of a query, such as its hardness. They are informative and never decide what may run."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from text2sql.sql import pre_parse_checks as raw
from text2sql.sql.refusal import Refused

Hardness: TypeAlias = Literal["easy", "medium", "hard", "extra", "unknown"]

_FUNCTIONS_OF_TIME = (exp.CurrentDate, exp.CurrentTimestamp, exp.Date, exp.StrToTime, exp.TimeToStr)


def is_ordered(sql: str, dialect: str) -> bool:
    """Whether the query has an ORDER BY at its top level."""
    tree = _tree(sql, dialect)
    while isinstance(tree, exp.Subquery) and not tree.args.get("order"):
        tree = tree.this
    return tree is not None and tree.args.get("order") is not None


def hardness(sql: str, dialect: str) -> Hardness:
    """The difficulty of a query by a point system, modeled on Spider's four levels.

    One point for each join, condition after the first, GROUP BY, HAVING, ORDER BY, aggregate after the first
    and output column after the second; two for each sub-query and set operation. Up to 1 is easy, 3 medium, 5
    hard.
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
class UsedNames:
    """The names and texts that a query uses."""

    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()  # except those in join conditions
    texts: tuple[str, ...] = ()


def used_names(sql: str, dialect: str) -> UsedNames:
    """The tables, columns and text literals of a query."""
    tree = _tree(sql, dialect)
    if tree is None:
        return UsedNames()
    used = (column for column in tree.find_all(exp.Column) if not column.is_star)
    return UsedNames(
        tuple(node.name for node in tree.find_all(exp.Table)),
        tuple(
            node.name for node in used if not isinstance(node.find_ancestor(exp.Join, exp.Query), exp.Join)
        ),
        tuple(node.this for node in tree.find_all(exp.Literal) if node.is_string),
    )


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """The features of a query that confidence depends on."""

    used_names: UsedNames = UsedNames()
    shows_arbitrary_row: bool = False  # of a group
    hardness: Hardness = "unknown"


def query_features(text: str, shown: str, dialect: str, keys: Collection[str]) -> QueryFeatures:
    """The features of a query, given its original text and the generated text with expanded stars."""
    return QueryFeatures(
        used_names(text, dialect), shows_arbitrary_row(text, dialect, keys), hardness(shown, dialect)
    )


def shows_arbitrary_row(sql: str, dialect: str, keys: Collection[str]) -> bool:
    """Whether the query shows a column that may differ between the rows of a group: `name … GROUP BY city`,
    or `name, SUM(price)` without groups. Engines that allow it pick an arbitrary row. `keys` are primary
    keys.
    """
    tree = _tree(sql, dialect)
    return tree is not None and any(_shows_some_row(select, keys) for select in tree.find_all(exp.Select))


def _shows_some_row(select: exp.Select, keys: Collection[str]) -> bool:
    items = [node.unalias() for node in select.expressions]
    shown_columns = {node.name.lower() for node in items if isinstance(node, exp.Column)}
    group = select.args.get("group")
    if group is None:
        # MAX or MIN alone may intentionally select the row
        return bool(shown_columns) and any(
            isinstance(node, (exp.Count, exp.Sum, exp.Avg)) and not node.find_ancestor(exp.Window)
            for item in items
            for node in item.find_all(exp.AggFunc)
        )
    grouped = {node.name.lower() for node in group.find_all(exp.Column)}
    return grouped.isdisjoint(node.lower() for node in keys) and not shown_columns <= grouped


def differences(expected_sql: str, actual_sql: str, dialect: str) -> tuple[str, ...]:
    """The facets in which a wrong query differs from the reference, the most significant first. Equivalent
    queries may differ, so these classify failures and prove nothing.
    """
    expected, actual = _tree(expected_sql, dialect), _tree(actual_sql, dialect)
    if expected is None or actual is None:
        return ("unreadable",)
    sides = [(name, facts(expected), facts(actual)) for name, facts in _FACETS.items()]
    return tuple(name for name, expected_value, actual_value in sides if expected_value != actual_value) or (
        "other",
    )


# -- facets: equal values for queries that agree in that facet ------------------------------------


def _width(tree: exp.Expr) -> object:
    return len(_outputs(tree)) if not any(output.is_star for output in _outputs(tree)) else "*"


def _output_columns(tree: exp.Expr) -> object:
    return Counter(_plain(output.unalias()) for output in _outputs(tree))


def _tables(tree: exp.Expr) -> object:
    ctes = {node.alias.lower() for node in tree.find_all(exp.CTE)}
    return {node.name.lower() for node in tree.find_all(exp.Table)} - ctes


def _join_keys(tree: exp.Expr) -> object:
    keys = [join.args.get("on") for join in tree.find_all(exp.Join)]
    return Counter(
        frozenset(c.name.lower() for c in on.find_all(exp.Column)) for on in keys if on is not None
    )


def _nesting(tree: exp.Expr) -> object:
    sets = Counter(type(node).__name__ for node in tree.find_all(exp.SetOperation))
    return sets, len(list(tree.find_all(exp.Select)))


def _aggregation(tree: exp.Expr) -> object:
    calls = Counter(type(node).__name__ for node in tree.find_all(exp.AggFunc))
    groups = {_plain(node) for group in tree.find_all(exp.Group) for node in group.expressions}
    return calls, bool(groups), len(list(tree.find_all(exp.Having)))


def _distinct(tree: exp.Expr) -> object:
    return len(list(tree.find_all(exp.Distinct)))


def _ordering(tree: exp.Expr) -> object:
    keys = [(_plain(node.this), bool(node.args.get("desc"))) for node in tree.find_all(exp.Ordered)]
    return keys, [node.expression.sql() for node in tree.find_all(exp.Limit)]


def _condition_columns(tree: exp.Expr) -> object:
    return Counter(
        (type(condition).__name__, column.name.lower())
        for condition in _conditions(tree)
        for column in condition.find_all(exp.Column)
    )


def _values(tree: exp.Expr) -> object:
    return Counter(
        literal.name for condition in _conditions(tree) for literal in condition.find_all(exp.Literal)
    )


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
    """The output columns of the first SELECT: the other arms of a UNION have the same number."""
    first = tree if isinstance(tree, exp.Select) else tree.find(exp.Select)
    return list(first.expressions) if first is not None else []


def _conditions(tree: exp.Expr) -> list[exp.Expr]:
    """All comparisons in WHERE and HAVING clauses, without join conditions."""
    clauses = [clause.this for clause in tree.find_all(exp.Where, exp.Having)]
    return [condition for clause in clauses for condition in _leaves(clause)]


def _leaves(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Connector):
        return [*_leaves(node.left), *_leaves(node.right)]
    if isinstance(node, exp.Paren | exp.Not):
        return _leaves(node.this)
    return [node]


def _plain(node: exp.Expr) -> str:
    """The text without qualifiers and in lower case: `T1.Name` becomes `name`."""
    bare = node.copy()
    for column in list(bare.find_all(exp.Column)):
        column.set("table", None)
    return bare.sql().lower()


@lru_cache(maxsize=8)  # one query is measured several times, and nothing here modifies the tree
def _tree(sql: str, dialect: str) -> exp.Expr | None:
    reader = Dialect.get_or_raise(dialect)
    try:
        trees = raw.parse_tokens(raw.tokenize(sql, reader), sql, reader)
    except (Refused, SqlglotError, RecursionError):
        return None
    return trees[0] if trees else None
