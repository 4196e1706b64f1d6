"""Row policies: every policed table of a query becomes a sub-query of the rows that may be seen.

    FROM orders AS o  →  FROM (SELECT b."id", b."total" FROM orders AS b WHERE (b.region = 'north') …) AS o

`enforce` puts it there once the names are resolved; `verify` looks for it again in the text that is sent,
with its own reading of what a name means. The sub-query ends in a limit that nothing reaches: without it an
engine may test the query's own conditions on hidden rows first, and an error or a NULL would tell of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp

from text2sql.sql.catalogue import ByIdentity, full_name, real_name
from text2sql.sql.dialects import GRAMMARS, ascii_lower
from text2sql.sql.predicates import BASE, bound, is_open, tables_of
from text2sql.sql.refusal import refuse
from text2sql.sql.scope import sees_itself
from text2sql.sql.statement import Statement
from text2sql.types import Policy, RowRule

_MARK = "policed"
_OUTSIDE = ("alias", "joins", "laterals", "pivots")  # of a table: they stay with the sub-query


@dataclass(frozen=True, slots=True)
class _Rules:
    """The row rules of one policy in one dialect, by the table's stored name."""

    policed: Mapping[str, tuple[tuple[str, ...], exp.Expr]]  # its visible columns and the condition
    names: frozenset[str]  # of these without their schema, in lower case
    listed: frozenset[str]  # those with a rule, open ones too
    read: frozenset[str]  # names, in lower case, that the predicates' own sub-queries read


def has_rules(statement: Statement) -> bool:
    return statement.policy is not None and bool(statement.policy.rows)


def mark(statement: Statement, node: exp.Table, stored: str) -> bool:
    """Note that a node is a policed table, if it is. The note goes along where the node is copied."""
    rules = _rules_of(statement)
    if stored not in rules.listed and _is_view(statement, stored):
        refuse("row_view", node)
    if stored in rules.policed:
        if node.args.get("sample"):
            refuse("row_policy", node)  # how many of ten rows are seen would tell how many there are
        node.meta[_MARK] = stored
    return stored in rules.policed


def names_are_free(statement: Statement) -> None:
    """No name of the query is one that a wrapper, or a predicate within it, relies on."""
    if not has_rules(statement):
        return
    read = _rules_of(statement).read
    for node in statement.nodes:
        if isinstance(node, exp.Identifier) and ascii_lower(node.name).startswith(BASE):
            refuse("row_policy", node)
        if isinstance(node, exp.CTE) and ascii_lower(node.alias) in read:
            refuse("row_policy", node.args["alias"])


def enforce(statement: Statement) -> None:
    """Wrap every table that was marked."""
    for node in [*statement.tree.find_all(exp.Table)]:
        stored = node.meta.get(_MARK) if node._meta else None
        if stored is not None:
            place = node.parent if isinstance(node.parent, exp.Final) else node
            _prewhere_as_where(place)
            place.replace(_wrapped(statement, node, stored, final=place is not node))


def verify(statement: Statement, tree: exp.Expr) -> exp.Expr:
    """Hold the tree of a finished text to the policy: each policed table stands in exactly its wrapper, and
    nothing else uses a wrapper's name. Gives the tree without them.
    """
    for wrapper in [*tree.find_all(exp.Subquery)]:
        plain = _unwrapped(statement, wrapper)
        if plain is not None:
            wrapper.replace(plain)
    rules = _rules_of(statement)
    for node in tree.walk():
        if isinstance(node, exp.Identifier) and ascii_lower(node.name).startswith(BASE):
            refuse("row_policy", node)
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            if (node._meta and node.meta.get(_MARK)) or _is_cte(statement, node):
                continue
            stored = real_name(statement, node)
            if stored in rules.policed or (stored is None and ascii_lower(node.name) in rules.names):
                refuse("row_policy", node)
    return tree


# -- the wrapper ---------------------------------------------------------------------------------


def _prewhere_as_where(place: exp.Expr) -> None:
    """ClickHouse's PREWHERE is of a table only; that of a sub-query is its WHERE."""
    select = place.parent.parent if isinstance(place.parent, exp.From) else None
    first = select.args.get("prewhere") if isinstance(select, exp.Select) else None
    if isinstance(select, exp.Select) and first is not None:
        second = select.args.get("where")
        both = [one.this for one in (first, second) if one is not None]
        select.set("prewhere", None)
        select.set("where", exp.Where(this=exp.and_(*both)))


def _wrapped(statement: Statement, node: exp.Table, stored: str, *, final: bool) -> exp.Subquery:
    outside = {key: node.args.get(key) for key in _OUTSIDE}
    for key in _OUTSIDE:
        node.set(key, None)
    alias = outside.pop("alias") or exp.TableAlias(this=node.this.copy())
    return exp.Subquery(this=_select(statement, node.copy(), stored, final=final), alias=alias, **outside)


def _select(statement: Statement, table: exp.Table, stored: str, *, final: bool) -> exp.Select:
    """The rows and columns that may be seen of a table, which is given the reserved name."""
    columns, condition = _rules_of(statement).policed[stored]
    base = exp.to_identifier(BASE)
    table.set("alias", exp.TableAlias(this=base))
    source = exp.Final(this=table) if final else table
    select = exp.Select(
        expressions=[
            exp.Column(this=exp.to_identifier(one, quoted=True), table=base.copy()) for one in columns
        ],
        from_=exp.From(this=source),
        where=exp.Where(this=condition.copy()),
    )
    for clause, held in _fence(statement.dialect).items():
        select.set(clause, held)
    return select


# What an engine will not move a condition past: it would change which rows a limit gives. SQLite's -1 is no
# limit; PostgreSQL drops `LIMIT ALL` but not an offset; the others have no number for "all".
def _fence(dialect: str) -> dict[str, exp.Expr]:
    if dialect == "postgres":
        return {"offset": exp.Offset(expression=exp.Literal.number(0))}
    if dialect == "sqlite":
        return {"limit": exp.Limit(expression=exp.Neg(this=exp.Literal.number(1)))}
    return {"limit": exp.Limit(expression=exp.Literal.number(_MOST))}


_MOST = 2**63 - 1


def _unwrapped(statement: Statement, node: exp.Subquery) -> exp.Expr | None:
    """The table of a sub-query that is exactly its wrapper."""
    select = node.this
    start = select.args.get("from_") if isinstance(select, exp.Select) else None
    source = start.this if start is not None else None
    table = source.this if isinstance(source, exp.Final) else source
    if not isinstance(table, exp.Table) or table.alias != BASE or not isinstance(table.this, exp.Identifier):
        return None
    stored = None if _is_cte(statement, table) else real_name(statement, table)
    if stored is None or stored not in _rules_of(statement).policed:
        return None
    final = source is not table
    expected = _select(statement, table.copy(), stored, final=final)
    if _spelled(expected, statement.dialect) != _spelled(select, statement.dialect):
        return None
    plain = table.copy()
    for key in _OUTSIDE:
        plain.set(key, node.args.get(key))
    if node.args["alias"] == exp.TableAlias(this=table.this):
        plain.set("alias", None)
    plain.meta[_MARK] = stored
    return exp.Final(this=plain) if final else plain


def _spelled(tree: exp.Expr, dialect: str) -> str:
    return tree.sql(dialect=dialect, comments=False)


# -- what a name means ---------------------------------------------------------------------------


def _is_cte(statement: Statement, node: exp.Table) -> bool:
    """Whether a bare name is that of a WITH around it, by the text alone."""
    if node.db:
        return False
    wanted = _alias_key(statement, node.this)
    way: list[exp.Expr] = [node]  # up to the root
    while (above := way[-1].parent) is not None:
        clause = above if isinstance(above, exp.With) else above.args.get("with_")
        if isinstance(clause, exp.With) and clause is not way[-1]:
            for cte in clause.expressions:
                if cte is way[-1] and not _is_recursive(statement, clause, cte, way):
                    break
                if _alias_key(statement, cte.args["alias"].this) == wanted:
                    return True
                if cte is way[-1]:
                    break
            if above is clause and not statement.grammar.nested_ctes:
                return False
        way.append(above)
    return False


def _alias_key(statement: Statement, name: exp.Expr) -> str:
    return statement.grammar.aliases.key(name.name, bool(name.args.get("quoted")))


def _is_recursive(statement: Statement, clause: exp.With, cte: exp.Expr, way: list[exp.Expr]) -> bool:
    """Whether the way out of a CTE leads through the one arm that sees it."""
    return sees_itself(statement.grammar, clause, cte) and way[-3] is cte.this.expression


def _is_view(statement: Statement, stored: str) -> bool:
    if statement.catalogue is None:
        return False
    fold = statement.grammar.tables.stored
    schema, _, name = stored.rpartition(".")
    return any(
        one.kind == "view"
        and fold(one.name, True) == name
        and (not schema or fold(one.schema, True) == schema)
        for one in statement.catalogue.tables
    )


def _rules_of(statement: Statement) -> _Rules:
    if statement.policy is None:
        raise RuntimeError("no policy")
    return _rules(ByIdentity(statement.policy), statement.dialect)


@lru_cache(maxsize=256)
def _rules(held: ByIdentity[Policy], dialect: str) -> _Rules:
    policy, grammar = held.held, GRAMMARS[dialect]
    seen: set[tuple[str, ...]] = set()
    policed: dict[str, tuple[tuple[str, ...], exp.Expr]] = {}
    listed: set[str] = set()
    read: set[str] = set()
    for name, columns in policy.tables.items():
        full, stored = full_name(policy, name, dialect, grammar)
        if full in seen:
            refuse("row_policy", name)  # one table under two names: which rules hold is not to be guessed
        seen.add(full)
        rules = policy.rows.get(name)
        if rules is None:
            continue
        listed.add(stored)
        if not any(is_open(one.predicate) for one in rules):
            shown = tuple(grammar.columns.stored(column, policy.exact) for column in columns)
            policed[stored] = (shown, _condition(name, rules))
            read.update(ascii_lower(table) for one in rules for table in tables_of(one.predicate))
    names = frozenset(ascii_lower(stored.rpartition(".")[2]) for stored in policed)
    return _Rules(policed, names, frozenset(listed), frozenset(read))


def _condition(name: str, rules: tuple[RowRule, ...]) -> exp.Expr:
    """A row is seen if one rule shows it; without a rule none is."""
    never = exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))
    each = [bound(one.predicate, one.claims, name) for one in rules]
    return exp.or_(*each, copy=False) if each else never
