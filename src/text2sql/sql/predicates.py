"""Row predicates of a policy: parses them, checks them against an allow-list, and inserts the claims of a
person as literals of the tree.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite
from typing import NoReturn

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from text2sql.errors import UsageError
from text2sql.sql import pre_parse_checks as raw
from text2sql.sql.refusal import Refused
from text2sql.types import Claim

# The alias of a table inside its wrapper, and the prefix of the aliases inside its predicate. No query may
# use it, so no name in a query can come between a predicate and its columns.
BASE = "text2sql_base"

_BOOLEAN_NODES = (
    exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between, exp.Is,
    exp.Like, exp.Exists, exp.Boolean, exp.Column,
)  # fmt: skip
_ALLOWED_NODES = (
    *_BOOLEAN_NODES, exp.Paren, exp.Identifier, exp.Literal, exp.Placeholder, exp.Null, exp.Neg, exp.Add,
    exp.Sub, exp.Lower, exp.Upper, exp.Coalesce, exp.CurrentDate,
    exp.Subquery, exp.Select, exp.From, exp.Where, exp.Table, exp.TableAlias,
)  # fmt: skip
_CLAUSES: Mapping[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset({"expressions", "from_", "where"}),
    exp.Table: frozenset({"this", "db", "catalog", "alias"}),
    exp.Subquery: frozenset({"this"}),
    exp.In: frozenset({"this", "expressions", "query", "field"}),
}


def checked(name: str, predicate: str) -> None:
    """Raise `UsageError` unless the predicate is a single allowed condition on the table `name`."""
    tree = _parsed(predicate).copy()
    if not isinstance(tree.unnest(), _BOOLEAN_NODES):
        _fail(predicate, "is no condition")
    for node in tree.walk():
        _check_node(node, predicate)
    for select in tree.find_all(exp.Select):
        _check_subquery(select, predicate)
    qualified(tree, name)


def claims_of(predicate: str, claims: Mapping[str, object]) -> tuple[tuple[str, Claim], ...] | None:
    """The claims that a predicate uses; None if one is missing, is not a plain value, or is a list where a
    single value is needed.
    """
    values: dict[str, Claim] = {}
    for node in _parsed(predicate).find_all(exp.Placeholder):
        value = _plain_value(claims.get(node.name))
        if value is None or (isinstance(value, tuple) and not _takes_a_list(node)):
            return None
        values[node.name] = value
    return tuple(sorted(values.items()))


def bound(predicate: str, claims: tuple[tuple[str, Claim], ...], name: str) -> exp.Expr:
    """The condition with its claims as literals, and every column qualified by its alias in the wrapper."""
    tree = exp.Paren(this=_parsed(predicate).copy())
    values = dict(claims)
    for node in list(tree.find_all(exp.Placeholder)):
        _fill(node, values[node.name])
    qualified(tree, name)
    return tree


def tables_of(predicate: str) -> frozenset[str]:
    """The names of the tables in the sub-queries of a predicate, and of their schemas."""
    tables = _parsed(predicate).find_all(exp.Table)
    return frozenset(part.name for table in tables for part in table.parts)


def columns_of(predicate: str, name: str) -> Iterator[tuple[str, str]]:
    """The (table, column) pairs that a predicate on the table `name` reads."""
    tree = exp.Paren(this=_parsed(predicate).copy())
    qualified(tree, name)
    tables = {BASE: name}
    for table in tree.find_all(exp.Table):
        tables[table.alias] = ".".join(part.name for part in table.parts)
    for column in tree.find_all(exp.Column):
        yield tables[column.table], column.name


def is_open(predicate: str) -> bool:
    """Whether the predicate is `TRUE`: it shows all rows."""
    tree = _parsed(predicate).unnest()
    return isinstance(tree, exp.Boolean) and bool(tree.this)


# -- reading -------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _parsed(predicate: str) -> exp.Expr:
    """Parse a predicate as standard SQL, so that one policy serves every dialect."""
    reader = Dialect.get_or_raise("")
    try:
        raw.check_characters(predicate)
        trees = reader.parser().parse_into(exp.Condition, reader.tokenize(predicate), predicate)
    except Refused as refused:
        _fail(predicate, refused.rejected.rule)
    except Exception as error:  # any error of the parser means that it did not understand the text
        raise UsageError("usage.policy", problem=f"rows: {predicate!r} cannot be read") from error
    if len(trees) != 1 or trees[0] is None:
        _fail(predicate, "is not one condition")
    return trees[0]


def _check_node(node: exp.Expr, predicate: str) -> None:
    if type(node) not in _ALLOWED_NODES:
        _fail(predicate, f"may not hold {type(node).__name__}")
    allowed = _CLAUSES.get(type(node))
    for clause, value in node.args.items():
        if allowed is not None and value and clause not in allowed:
            _fail(predicate, f"may not hold {clause.rstrip('_')}")
    if isinstance(node, exp.Placeholder) and not node.this:
        _fail(predicate, "needs names for its claims, `:region`")
    if isinstance(node, exp.Like) and node.find(exp.Placeholder):
        _fail(predicate, "may not match a claim as a pattern: it could hold %")
    if isinstance(node, exp.Identifier) and node.name.lower().startswith(BASE):
        _fail(predicate, f"may not use the name {node.name}")


def _check_subquery(select: exp.Select, predicate: str) -> None:
    """Require that a sub-query reads one table, so that an unqualified column has one possible owner."""
    start = select.args.get("from_")
    if start is None or not isinstance(start.this, exp.Table):
        _fail(predicate, "needs one table in each sub-query")
    if len(select.expressions) != 1 or select.expressions[0].is_star:
        _fail(predicate, "needs one column in each sub-query")


def qualified(tree: exp.Expr, name: str) -> None:
    """Give every table a reserved alias and qualify every column by it: then a misspelled column is an error
    of the engine, and never a column of an outer query.
    """
    for identifier in tree.find_all(exp.Identifier):
        if not identifier.name.isascii():  # some engines require quotes, and none folds its case
            identifier.set("quoted", True)
    aliases: dict[int, str] = {}
    for number, select in enumerate(tree.find_all(exp.Select), 1):
        aliases[id(select)] = f"{BASE}_{number}"
    for column in list(tree.find_all(exp.Column)):
        column.set("table", exp.to_identifier(_owner(column, aliases, name)))
    for select in tree.find_all(exp.Select):
        table = select.args["from_"].this
        table.set("alias", exp.TableAlias(this=exp.to_identifier(aliases[id(select)])))


def _owner(column: exp.Column, aliases: Mapping[int, str], name: str) -> str:
    if column.args.get("db"):
        _fail(column.sql(), "names a column by its schema")
    qualifier = column.table
    for select in _enclosing_selects(column):
        table = select.args["from_"].this
        if not qualifier or qualifier.lower() == table.alias_or_name.lower():
            return aliases[id(select)]
    if qualifier and qualifier.lower() != name.rpartition(".")[2].lower():
        _fail(column.sql(), "is a column of another table")
    return BASE


def _enclosing_selects(node: exp.Expr) -> Iterator[exp.Select]:
    select = node.find_ancestor(exp.Select)
    while select is not None:
        yield select
        select = select.find_ancestor(exp.Select)


# -- claims --------------------------------------------------------------------------------------


def _plain_value(value: object) -> Claim | None:
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [
            item for item in map(_plain_value, value) if item is not None and not isinstance(item, tuple)
        ]
        ordered = sorted(items, key=lambda item: (type(item).__name__, item))
        return tuple(ordered) if len(items) == len(value) else None
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, str):
        return value if _is_clean(value) else None
    return value if isinstance(value, int) else None


def _is_clean(value: str) -> bool:
    """Whether a text contains no characters that are refused in SQL."""
    try:
        raw.check_characters(value or "-")
    except Refused as refused:
        return refused.rejected.rule == "empty"
    return True


def _takes_a_list(node: exp.Placeholder) -> bool:
    return isinstance(node.parent, (exp.In, exp.EQ)) and node.arg_key != "this"


def _fill(node: exp.Placeholder, value: Claim) -> None:
    comparison = node.parent
    items = value if isinstance(value, tuple) else (value,)
    if isinstance(comparison, exp.In) and node.arg_key != "this":
        others = [item for item in comparison.expressions if item is not node]
        comparison.set("field", None)
        comparison.set("expressions", [*others, *map(_literal, items)])
        if not comparison.expressions:
            comparison.replace(_never())
    elif isinstance(value, tuple):
        if comparison is None:
            raise ValueError(node.name)
        comparison.replace(
            exp.In(this=comparison.this, expressions=[*map(_literal, value)]) if value else _never()
        )
    else:
        node.replace(_literal(value))


def _literal(value: Claim) -> exp.Expr:
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, tuple):
        raise TypeError("a list in a list")
    number = exp.Literal.number(repr(abs(value)))
    return exp.Neg(this=number) if value < 0 else number


def _never() -> exp.Expr:
    return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))


def _fail(predicate: str, problem: str) -> NoReturn:
    raise UsageError("usage.policy", problem=f"rows: {predicate!r} {problem}")
