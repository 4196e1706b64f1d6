"""Policy enforcement in the generated SQL: wraps every table in a sub-query of its visible columns and rows.

    FROM orders AS o  →  FROM (SELECT b."id", b."total" FROM orders AS b WHERE (b.region = 'north') …) AS o

So the rest of the statement cannot reach a hidden column. `enforce` wraps the tables once their names are
resolved. `verify` then looks for the wrappers in the generated text, with an independent interpretation of
names. If rows are hidden, the wrapper ends in a limit that no table reaches: without it an engine may
evaluate the query's own conditions on hidden rows first, and an error would reveal them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp

from text2sql.sql.dialects import GRAMMARS, ascii_lower
from text2sql.sql.predicates import BASE, bound, is_open, tables_of
from text2sql.sql.refusal import refuse
from text2sql.sql.scope import is_self_referencing
from text2sql.sql.statement import Statement
from text2sql.sql.table_policy import ByIdentity, full_name, known_columns, real_name
from text2sql.types import Policy, RowRule

MAX_COLUMNS = 1_200  # in all wrappers of a statement
_MARK = "wrapped"
_OUTSIDE = ("alias", "joins", "laterals", "pivots")  # arguments of a table that move to its wrapper


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
    """Mark a table to be wrapped, and return whether a row rule hides some of its rows. Copies of the node
    keep the mark.
    """
    if not wraps(statement):
        return False
    rules = _rules_of(statement)
    if rules.ruled and stored not in rules.ruled and _is_view(statement, stored):
        refuse("row_view", node)
    if stored in rules.conditions and node.args.get("sample"):
        refuse("row_policy", node)  # the visible rows of a sample would reveal the number of hidden rows
    node.meta[_MARK] = stored
    return stored in rules.conditions


def refuse_reserved_names(statement: Statement) -> None:
    """Refuse a query that defines a name that a wrapper, or a predicate inside it, relies on."""
    if not wraps(statement):
        return
    tables_read = _rules_of(statement).tables_read
    for node in statement.nodes:
        if isinstance(node, exp.Identifier) and ascii_lower(node.name).startswith(BASE):
            refuse("row_policy", node)
        if isinstance(node, exp.CTE) and ascii_lower(node.alias) in tables_read:
            refuse("row_policy", node.args["alias"])
        # BigQuery reads `shop.regions` as a field of a source named `shop`
        aliased = isinstance(node, exp.TableAlias) and node.this and statement.dialect == "bigquery"
        if aliased and ascii_lower(node.this.name) in tables_read:
            refuse("row_policy", node)


def enforce(statement: Statement) -> None:
    """Wrap every marked table."""
    marked = [(node, node.meta[_MARK]) for node in statement.tree.find_all(exp.Table)
              if node._meta and _MARK in node.meta]  # fmt: skip
    count = sum(len(_rules_of(statement).columns[stored]) for _, stored in marked)
    if count > MAX_COLUMNS:
        refuse("too_long", f"{count} columns")
    for node, stored in marked:
        item = node.parent if isinstance(node.parent, exp.Final) else node
        _prewhere_as_where(item)
        item.replace(_wrapped(statement, node, stored, final=item is not node))


def verify(statement: Statement, tree: exp.Expr) -> exp.Expr:
    """Check the tree of a generated text: each table is inside exactly its wrapper, and nothing else uses a
    wrapper's name. Returns the tree without the wrappers.
    """
    for wrapper in [*tree.find_all(exp.Subquery)]:
        plain = _unwrapped(statement, wrapper)
        if plain is not None:
            wrapper.replace(plain)
    target = _write_target(tree)
    for node in tree.walk():
        if isinstance(node, exp.Identifier) and ascii_lower(node.name).startswith(BASE):
            refuse("row_policy", node)
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) and node is not target:
            marked = node._meta and node.meta.get(_MARK)
            if not marked and not _is_cte(statement, node) and not _is_dummy(statement, node):
                refuse("unresolved", node)
    return tree


def _write_target(tree: exp.Expr) -> exp.Expr | None:
    """The table that a write modifies. It cannot be a sub-query; the guard checks its columns by name."""
    if not isinstance(tree, (exp.Insert, exp.Update, exp.Delete)):
        return None
    target: exp.Expr = tree.this
    return target.this if isinstance(target, exp.Schema) else target


# -- the wrapper ---------------------------------------------------------------------------------


def _prewhere_as_where(item: exp.Expr) -> None:
    """Move ClickHouse's PREWHERE to WHERE: it applies to tables only, not to sub-queries."""
    select = item.parent.parent if isinstance(item.parent, exp.From) else None
    first = select.args.get("prewhere") if isinstance(select, exp.Select) else None
    if isinstance(select, exp.Select) and first is not None:
        second = select.args.get("where")
        conditions = [clause.this for clause in (first, second) if clause is not None]
        select.set("prewhere", None)
        select.set("where", exp.Where(this=exp.and_(*conditions)))


def _wrapped(statement: Statement, node: exp.Table, stored: str, *, final: bool) -> exp.Subquery:
    outside = {key: node.args.get(key) for key in _OUTSIDE}
    for key in _OUTSIDE:
        node.set(key, None)
    alias = outside.pop("alias") or exp.TableAlias(this=node.this.copy())
    return exp.Subquery(this=_select(statement, node.copy(), stored, final=final), alias=alias, **outside)


def _select(statement: Statement, table: exp.Table, stored: str, *, final: bool) -> exp.Select:
    """The SELECT of the visible rows and columns of a table, under the reserved alias."""
    rules = _rules_of(statement)
    base = exp.to_identifier(BASE)
    table.set("alias", exp.TableAlias(this=base))
    columns: list[exp.Expr] = [
        # built, not copied: a copy costs ten times as much
        exp.Column(this=exp.Identifier(this=name, quoted=True), table=exp.Identifier(this=BASE, quoted=False))
        for name in known_columns(statement, stored, rules.columns[stored])
    ]
    constant_item: list[exp.Expr] = [exp.alias_(exp.Literal.number(1), BASE)]  # rows can still be counted
    select = exp.Select(
        expressions=columns or constant_item,
        from_=exp.From(this=exp.Final(this=table) if final else table),
    )
    condition = rules.conditions.get(stored)
    if condition is not None:
        select.set("where", exp.Where(this=condition.copy()))
        for clause, fence in _optimization_fence(statement.dialect).items():
            select.set(clause, fence)
    return select


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


def _unwrapped(statement: Statement, node: exp.Subquery) -> exp.Expr | None:
    """The table inside a sub-query that is exactly its wrapper; None for any other sub-query."""
    select = node.this
    start = select.args.get("from_") if isinstance(select, exp.Select) else None
    source = start.this if start is not None else None
    table = source.this if isinstance(source, exp.Final) else source
    if not isinstance(table, exp.Table) or table.alias != BASE or not isinstance(table.this, exp.Identifier):
        return None
    stored = None if _is_cte(statement, table) else real_name(statement, table)
    if stored is None:
        return None
    final = source is not table
    expected = _select(statement, table.copy(), stored, final=final)
    if _text(expected, statement.dialect, copy=False) != _text(select, statement.dialect):
        return None
    plain = table.copy()
    for key in _OUTSIDE:
        plain.set(key, node.args.get(key))
    if node.args["alias"] == exp.TableAlias(this=table.this):
        plain.set("alias", None)
    plain.meta[_MARK] = stored
    return exp.Final(this=plain) if final else plain


def _text(tree: exp.Expr, dialect: str, *, copy: bool = True) -> str:
    return tree.sql(dialect=dialect, comments=False, copy=copy)


# -- independent name lookup ---------------------------------------------------------------------------


def _is_cte(statement: Statement, node: exp.Table) -> bool:
    """Whether an unqualified name means a CTE of an enclosing WITH, judged by the tree alone."""
    if node.db:
        return False
    key = _alias_key(statement, node.this)
    path: list[exp.Expr] = [node]  # up to the root
    while (parent := path[-1].parent) is not None:
        clause = parent if isinstance(parent, exp.With) else parent.args.get("with_")
        if isinstance(clause, exp.With) and clause is not path[-1]:
            for cte in clause.expressions:
                if cte is path[-1] and not _is_recursive(statement, clause, cte, path):
                    break
                if _alias_key(statement, cte.args["alias"].this) == key:
                    return True
                if cte is path[-1]:
                    break
            if parent is clause and not statement.grammar.nested_ctes:
                return False
        path.append(parent)
    return False


def _is_dummy(statement: Statement, node: exp.Table) -> bool:
    return not node.db and ascii_lower(node.name) in statement.grammar.dummy_tables


def _alias_key(statement: Statement, name: exp.Expr) -> str:
    return statement.grammar.aliases.key(name.name, bool(name.args.get("quoted")))


def _is_recursive(statement: Statement, clause: exp.With, cte: exp.Expr, path: list[exp.Expr]) -> bool:
    """Whether the path to the root leaves a CTE through the arm that may refer to it."""
    return is_self_referencing(statement.grammar, clause, cte) and path[-3] is cte.this.expression


def _is_view(statement: Statement, stored: str) -> bool:
    if statement.catalog is None:
        return False
    fold = statement.grammar.tables.stored
    schema, _, name = stored.rpartition(".")
    return any(
        table.kind == "view"
        and fold(table.name, True) == name
        and (not schema or fold(table.schema, True) == schema)
        for table in statement.catalog.tables
    )


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
