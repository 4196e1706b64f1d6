"""The predicate of a row policy: read once, held to a short list of what may stand in it, and given the
claims of a person as literals of the tree.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite
from typing import NoReturn

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from text2sql.errors import UsageError
from text2sql.sql import text as raw
from text2sql.sql.refusal import Refused
from text2sql.types import Claim

# The name of a policed table inside its own sub-query, and how the names of its predicate's tables begin.
# No query may use it, so nothing that somebody writes can stand between a predicate and its columns.
BASE = "text2sql_base"

_TRUTHS = (
    exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between, exp.Is,
    exp.Like, exp.Exists, exp.Boolean, exp.Column,
)  # fmt: skip
_NODES = (
    *_TRUTHS, exp.Paren, exp.Identifier, exp.Literal, exp.Placeholder, exp.Null, exp.Neg, exp.Add, exp.Sub,
    exp.Lower, exp.Upper, exp.Coalesce, exp.CurrentDate,
    exp.Subquery, exp.Select, exp.From, exp.Where, exp.Table, exp.TableAlias,
)  # fmt: skip
_CLAUSES: Mapping[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset({"expressions", "from_", "where"}),
    exp.Table: frozenset({"this", "db", "catalog", "alias"}),
    exp.Subquery: frozenset({"this"}),
    exp.In: frozenset({"this", "expressions", "query", "field"}),
}


def checked(name: str, predicate: str) -> None:
    """Raise if it is no single condition over the columns of the table `name`."""
    tree = _parsed(predicate).copy()
    if not isinstance(tree.unnest(), _TRUTHS):
        _wrong(predicate, "is no condition")
    for node in tree.walk():
        _allowed(node, predicate)
    for select in tree.find_all(exp.Select):
        _one_table(select, predicate)
    qualified(tree, name)


def claims_of(predicate: str, claims: Mapping[str, object]) -> tuple[tuple[str, Claim], ...] | None:
    """The claims that a predicate names; None where one is missing, is no plain value, or is a list in a
    place for one value.
    """
    found: dict[str, Claim] = {}
    for node in _parsed(predicate).find_all(exp.Placeholder):
        value = _plain(claims.get(node.name))
        if value is None or (isinstance(value, tuple) and not _takes_a_list(node)):
            return None
        found[node.name] = value
    return tuple(sorted(found.items()))


def bound(predicate: str, claims: tuple[tuple[str, Claim], ...], name: str) -> exp.Expr:
    """The condition with the claims in it, every column given the name of its table within the wrapper."""
    tree = exp.Paren(this=_parsed(predicate).copy())
    values = dict(claims)
    for node in list(tree.find_all(exp.Placeholder)):
        _fill(node, values[node.name])
    qualified(tree, name)
    return tree


def tables_of(predicate: str) -> frozenset[str]:
    """The names, without their schema, of the tables that its sub-queries read."""
    return frozenset(table.name for table in _parsed(predicate).find_all(exp.Table))


def columns_of(predicate: str, name: str) -> Iterator[tuple[str, str]]:
    """(table, column) of everything that a predicate of the table `name` reads."""
    tree = exp.Paren(this=_parsed(predicate).copy())
    qualified(tree, name)
    tables = {BASE: name}
    for table in tree.find_all(exp.Table):
        tables[table.alias] = ".".join(part.name for part in table.parts)
    for column in tree.find_all(exp.Column):
        yield tables[column.table], column.name


def is_open(predicate: str) -> bool:
    """`TRUE`: all rows, and said so."""
    tree = _parsed(predicate).unnest()
    return isinstance(tree, exp.Boolean) and bool(tree.this)


# -- reading -------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _parsed(predicate: str) -> exp.Expr:
    """Standard SQL: one text serves every dialect that the policy is used with."""
    reader = Dialect.get_or_raise("")
    try:
        raw.characters(predicate)
        trees = reader.parser().parse_into(exp.Condition, reader.tokenize(predicate), predicate)
    except Refused as refused:
        _wrong(predicate, refused.rejected.rule)
    except Exception as error:  # a parser that stumbles, however it does, has not understood
        raise UsageError("usage.policy", problem=f"rows: {predicate!r} cannot be read") from error
    if len(trees) != 1 or trees[0] is None:
        _wrong(predicate, "is not one condition")
    return trees[0]


def _allowed(node: exp.Expr, predicate: str) -> None:
    if type(node) not in _NODES:
        _wrong(predicate, f"may not hold {type(node).__name__}")
    known = _CLAUSES.get(type(node))
    for clause, held in node.args.items():
        if known is not None and held and clause not in known:
            _wrong(predicate, f"may not hold {clause.rstrip('_')}")
    if isinstance(node, exp.Placeholder) and not node.this:
        _wrong(predicate, "needs names for its claims, `:region`")
    if isinstance(node, exp.Like) and node.find(exp.Placeholder):
        _wrong(predicate, "may not match a claim as a pattern: it could hold %")
    if isinstance(node, exp.Identifier) and node.name.lower().startswith(BASE):
        _wrong(predicate, f"may not use the name {node.name}")


def _one_table(select: exp.Select, predicate: str) -> None:
    """A sub-query reads one table, so that each bare column in it has one owner."""
    start = select.args.get("from_")
    if start is None or not isinstance(start.this, exp.Table):
        _wrong(predicate, "needs one table in each sub-query")
    if len(select.expressions) != 1 or select.expressions[0].is_star:
        _wrong(predicate, "needs one column in each sub-query")


def qualified(tree: exp.Expr, name: str) -> None:
    """Give every table a name that no query can use, and every column its table's: what is misspelt is
    then an error of the engine's and never a column of the query around it.
    """
    called: dict[int, str] = {}
    for number, select in enumerate(tree.find_all(exp.Select), 1):
        called[id(select)] = f"{BASE}_{number}"
    for column in list(tree.find_all(exp.Column)):
        column.set("table", exp.to_identifier(_owner(column, called, name)))
    for select in tree.find_all(exp.Select):
        table = select.args["from_"].this
        table.set("alias", exp.TableAlias(this=exp.to_identifier(called[id(select)])))


def _owner(column: exp.Column, called: Mapping[int, str], name: str) -> str:
    if column.args.get("db"):
        _wrong(column.sql(), "names a column by its schema")
    before = column.table
    for select in _around(column):
        table = select.args["from_"].this
        if not before or before.lower() == table.alias_or_name.lower():
            return called[id(select)]
    if before and before.lower() != name.rpartition(".")[2].lower():
        _wrong(column.sql(), "is a column of another table")
    return BASE


def _around(node: exp.Expr) -> Iterator[exp.Select]:
    select = node.find_ancestor(exp.Select)
    while select is not None:
        yield select
        select = select.find_ancestor(exp.Select)


# -- claims --------------------------------------------------------------------------------------


def _plain(value: object) -> Claim | None:
    if isinstance(value, (list, tuple, set, frozenset)):
        many = [one for one in map(_plain, value) if one is not None and not isinstance(one, tuple)]
        ordered = sorted(many, key=lambda one: (type(one).__name__, one))
        return tuple(ordered) if len(many) == len(value) else None
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, str):
        return value if _is_clean(value) else None
    return value if isinstance(value, int) else None


def _is_clean(value: str) -> bool:
    """Without what a text of SQL may not hold either."""
    try:
        raw.characters(value or "-")
    except Refused as refused:
        return refused.rejected.rule == "empty"
    return True


def _takes_a_list(node: exp.Placeholder) -> bool:
    return isinstance(node.parent, (exp.In, exp.EQ)) and node.arg_key != "this"


def _fill(node: exp.Placeholder, value: Claim) -> None:
    test = node.parent
    listed = value if isinstance(value, tuple) else (value,)
    if isinstance(test, exp.In) and node.arg_key != "this":
        others = [one for one in test.expressions if one is not node]
        test.set("field", None)
        test.set("expressions", [*others, *map(_literal, listed)])
        if not test.expressions:
            test.replace(_never())
    elif isinstance(value, tuple):
        if test is None:
            raise ValueError(node.name)
        test.replace(exp.In(this=test.this, expressions=[*map(_literal, value)]) if value else _never())
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


def _wrong(predicate: str, problem: str) -> NoReturn:
    raise UsageError("usage.policy", problem=f"rows: {predicate!r} {problem}")
