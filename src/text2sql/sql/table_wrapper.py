"""Policy enforcement in the generated SQL: wraps every table in a sub-query of its visible columns and rows.

    FROM orders AS o  →  FROM (SELECT b."id", b."total" FROM orders AS b WHERE (b.region = 'north') …) AS o

So the rest of the statement cannot reach a hidden column. `enforce` wraps the tables once their names are
resolved; `wrapper_verification` then looks for the wrappers in the generated text. If rows are hidden, the
wrapper ends in a limit that no table reaches: without it an engine may evaluate the query's own conditions on
hidden rows first, and an error would reveal them.

The SELECT of a wrapper depends on the table and the policy only. It is generated and parsed once, and then
reused as a text, which is a leaf of the checked tree.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from sqlglot import exp

from text2sql.sql import parse
from text2sql.sql.dialects import GRAMMARS, ascii_lower
from text2sql.sql.pre_parse_checks import MAX_WRITTEN
from text2sql.sql.predicates import BASE, bound, is_open, tables_of
from text2sql.sql.refusal import refuse
from text2sql.sql.scope import copy_identifier
from text2sql.sql.statement import Statement
from text2sql.sql.table_policy import ByIdentity, full_name, is_view, known_columns
from text2sql.types import Policy, RowRule

MAX_COLUMNS = 1_200  # in all wrappers of a statement
OUTSIDE = ("alias", "joins", "laterals", "pivots")  # arguments of a table that move to its wrapper
_NAME = ("catalog", "db", "this")


@dataclass(frozen=True, slots=True)
class _PolicyRules:
    """A policy in one dialect, by stored table name."""

    columns: Mapping[str, tuple[str, ...]]  # the visible columns of each table
    conditions: Mapping[str, exp.Expr]  # row conditions of the tables that show some rows only
    ruled: frozenset[str]  # tables with a row rule, including those that show all rows
    tables_read: frozenset[str]  # names, in lower case, in the sub-queries of the predicates


def wraps(statement: Statement) -> bool:
    """Whether tables are wrapped. A policy that shows a complete database hides nothing, so it needs no
    wrappers.
    """
    return statement.policy is not None and not statement.policy.complete


def mark(statement: Statement, node: exp.Table, stored: str) -> bool:
    """Mark a table to be wrapped, and return whether a row rule hides some of its rows."""
    if not wraps(statement):
        return False
    rules = _rules_of(statement)
    if rules.ruled and stored not in rules.ruled and is_view(statement, stored):
        refuse("row_view", node)
    if stored in rules.conditions and node.args.get("sample"):
        refuse("row_policy", node)  # the visible rows of a sample would reveal the number of hidden rows
    statement.marked[id(node)] = node, stored
    return stored in rules.conditions


def refuse_reserved_names(statement: Statement) -> None:
    """Refuse a query that defines a name that a wrapper, or a predicate inside it, relies on."""
    if not wraps(statement):
        return
    tables_read = _rules_of(statement).tables_read
    for node in statement.nodes:
        if isinstance(node, exp.Identifier):
            if is_reserved(node):
                refuse("row_policy", node)
            continue
        if isinstance(node, exp.CTE) and ascii_lower(node.alias) in tables_read:
            refuse("row_policy", node.args["alias"])
        # BigQuery reads `shop.regions` as a field of a source named `shop`
        aliased = isinstance(node, exp.TableAlias) and node.this and statement.dialect == "bigquery"
        if aliased and ascii_lower(node.this.name) in tables_read:
            refuse("row_policy", node)


def is_reserved(name: exp.Identifier) -> bool:
    """Whether only wrappers may use a name."""
    return ascii_lower(name.this[: len(BASE)]) == BASE


def enforce(statement: Statement) -> None:
    """Wrap every marked table."""
    marked = statement.marked.values()
    count = sum(len(_rules_of(statement).columns[stored]) for _, stored in marked)
    if count > MAX_COLUMNS:
        refuse("too_long", f"{count} columns")
    for node, stored in marked:
        item = node.parent if isinstance(node.parent, exp.Final) else node
        _prewhere_as_where(item)
        outside = {key: node.args.get(key) for key in OUTSIDE}
        alias = outside.pop("alias") or exp.TableAlias(this=copy_identifier(node.this))
        wrapper = wrapper_of(statement, node, stored, final=item is not node)
        item.replace(exp.Subquery(this=wrapper.leaf(), alias=alias, **outside))


def _prewhere_as_where(item: exp.Expr) -> None:
    """Move ClickHouse's PREWHERE to WHERE: it applies to tables only, not to sub-queries."""
    select = item.parent.parent if isinstance(item.parent, exp.From) else None
    first = select.args.get("prewhere") if isinstance(select, exp.Select) else None
    if isinstance(select, exp.Select) and first is not None:
        second = select.args.get("where")
        conditions = [clause.this for clause in (first, second) if clause is not None]
        select.set("prewhere", None)
        select.set("where", exp.Where(this=exp.and_(*conditions)))


@dataclass(frozen=True, slots=True, eq=False)
class Wrapper:
    """The SELECT of the visible rows and columns of a table: its text, and the tree of that text."""

    text: str
    tree: exp.Expr
    table_text: str = ""  # the table's name, if there is nothing else in the FROM clause
    table_position: int = 0  # of the last part of its name in the text

    def leaf(self) -> exp.Expr:
        """A SELECT that is generated as the text. Its hash tells apart texts that differ in case."""
        return exp.Select(expressions=[exp.Var(this=self.text[len(_SELECT) :], exact=hash(self.text))])


_SELECT = "SELECT "


def wrapper_of(statement: Statement, table: exp.Table, stored: str, *, final: bool) -> Wrapper:
    """The wrapper of a table. The arguments that move outside it are ignored."""
    rules = _rules_of(statement)
    columns = known_columns(statement, stored, rules.columns[stored])
    given = [(key, value) for key, value in table.args.items() if value and key not in OUTSIDE]
    is_named = all(key in _NAME and isinstance(value, exp.Identifier) for key, value in given)
    if is_named and not table._meta and statement.policy is not None:  # BigQuery's `a.b.c` has metadata
        name = tuple([(key, part.this, bool(part.args.get("quoted"))) for key, part in given])
        named = _NamedTable(stored, columns, name, final)
        return _named_wrapper(ByIdentity(statement.policy), statement.dialect, named)
    inner = table.copy()
    for key in OUTSIDE:
        inner.set(key, None)
    return _wrapper(inner, columns, rules.conditions.get(stored), statement.dialect, final=final)


class _NamedTable(NamedTuple):
    """A table of which a statement says no more than the name."""

    stored: str
    columns: tuple[str, ...]  # visible and existing
    name: tuple[tuple[str, str, bool], ...]  # its parts: argument, identifier, whether quoted
    final: bool


@lru_cache(maxsize=512)
def _named_wrapper(policy: ByIdentity[Policy], dialect: str, table: _NamedTable) -> Wrapper:
    parts = {key: exp.Identifier(this=part, quoted=quoted) for key, part, quoted in table.name}
    condition = _rules(policy, dialect).conditions.get(table.stored)
    node = exp.Table(**parts)
    wrapper = _wrapper(node.copy(), table.columns, condition, dialect, final=table.final)
    position = None if table.final else wrapper.tree.args["from_"].this.this.meta.get("start")
    if position is None:
        return wrapper
    return replace(wrapper, table_text=parse.text_of(node, dialect), table_position=position)


def _wrapper(
    table: exp.Table, columns: tuple[str, ...], condition: exp.Expr | None, dialect: str, *, final: bool
) -> Wrapper:
    table.set("alias", exp.TableAlias(this=exp.to_identifier(BASE)))
    items: list[exp.Expr] = [
        exp.Column(this=exp.Identifier(this=name, quoted=True), table=exp.Identifier(this=BASE, quoted=False))
        for name in columns
    ]
    select = exp.Select(
        expressions=items or [exp.alias_(exp.Literal.number(1), BASE)],  # rows can still be counted
        from_=exp.From(this=exp.Final(this=table) if final else table),
    )
    if condition is not None:
        select.set("where", exp.Where(this=condition.copy()))
        for clause, fence in _optimization_fence(dialect).items():
            select.set(clause, fence)
    text = parse.text_of(select, dialect)
    if not text.startswith(_SELECT):
        refuse("unreadable", text)
    return Wrapper(text, parse.tree_of(text, dialect, MAX_WRITTEN))


def _optimization_fence(dialect: str) -> dict[str, exp.Expr]:
    """A limit or offset, past which no engine moves a condition: that would change which rows it returns.

    In SQLite -1 means no limit. PostgreSQL optimizes `LIMIT ALL` away, but not an offset. The other dialects
    have no number that means all rows.
    """
    if dialect == "postgres":
        return {"offset": exp.Offset(expression=exp.Literal.number(0))}
    if dialect == "sqlite":
        return {"limit": exp.Limit(expression=exp.Neg(this=exp.Literal.number(1)))}
    return {"limit": exp.Limit(expression=exp.Literal.number(_LARGEST_LIMIT))}


_LARGEST_LIMIT = 2**63 - 1


def _rules_of(statement: Statement) -> _PolicyRules:
    if statement.policy is None:
        raise RuntimeError("no policy")
    return _rules(ByIdentity(statement.policy), statement.dialect)


@lru_cache(maxsize=256)
def _rules(policy_key: ByIdentity[Policy], dialect: str) -> _PolicyRules:
    policy, grammar = policy_key.value, GRAMMARS[dialect]
    full_names: set[tuple[str, ...]] = set()
    visible: dict[str, tuple[str, ...]] = {}
    conditions: dict[str, exp.Expr] = {}
    ruled: set[str] = set()
    tables_read: set[str] = set()
    for name, columns in policy.tables.items():
        parts, stored = full_name(policy, name, dialect, grammar)
        if parts in full_names:
            refuse("row_policy", name)  # one table under two names: it is ambiguous which rules apply
        full_names.add(parts)
        names = (grammar.columns.stored(column, policy.exact) for column in columns)
        visible[stored] = tuple(dict.fromkeys(names))
        rules = policy.rows.get(name)
        if rules is None:
            continue
        ruled.add(stored)
        if not any(is_open(rule.predicate) for rule in rules):
            conditions[stored] = _condition(name, rules)
            tables_read.update(ascii_lower(table) for rule in rules for table in tables_of(rule.predicate))
    return _PolicyRules(visible, conditions, frozenset(ruled), frozenset(tables_read))


def _condition(name: str, rules: tuple[RowRule, ...]) -> exp.Expr:
    """A row is visible if any rule shows it. Without a rule no row is."""
    never = exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))
    conditions = [bound(rule.predicate, rule.claims, name) for rule in rules]
    return exp.or_(*conditions, copy=False) if conditions else never
