"""A query that found nothing, or too much: the same query without one of its conditions, or with fewer rows.

Each goes through the guard like every other query.
"""

from sqlglot import exp

from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.guard import check
from text2sql.sql.repairs.draft import Draft
from text2sql.sql.repairs.joins import conjuncts
from text2sql.sql.repairs.known import known
from text2sql.sql.repairs.reading import read, written
from text2sql.types import Catalogue, CheckedSql, Policy

_CLAUSES = ("where", "having")


def without_each_condition(
    sql: str, dialect: str, catalogue: Catalogue, policy: Policy | None = None, most: int = 4
) -> tuple[tuple[str, CheckedSql], ...]:
    """Each condition of the outermost WHERE and HAVING as a person reads it, and whether there is a row
    without it: a query of one row at most. Where that one finds a row, the condition emptied the result.
    """
    select = _outermost(sql, dialect)
    if select is None:
        return ()
    places = [
        (clause, place, part)
        for clause in _CLAUSES
        for place, part in enumerate(conjuncts(_held(select, clause)))
    ]
    found: list[tuple[str, CheckedSql]] = []
    for clause, place, part in places[:most]:
        probe = written(_probe(_without(select, clause, place)), dialect)
        checked = check(probe, dialect, catalogue, policy, rows=1)
        if isinstance(checked, CheckedSql):
            found.append((_readable(select, part, dialect, catalogue), checked))
    return tuple(found)


def narrowed(
    sql: str, dialect: str, catalogue: Catalogue, policy: Policy | None = None, *, rows: int
) -> CheckedSql | None:
    """The first rows of a query that need not see all of them to give some: no order, no aggregate. None
    where fewer rows would cost the engine as much, or would be another answer.
    """
    select = _outermost(sql, dialect)
    if select is None or any(select.args.get(one) for one in _NEEDS_ALL) or _folds(select):
        return None
    checked = check(sql, dialect, catalogue, policy, rows=rows)
    return checked if isinstance(checked, CheckedSql) and checked.limit == rows else None


_NEEDS_ALL = ("order", "group", "having", "distinct", "qualify", "limit", "offset")


def _folds(select: exp.Select) -> bool:
    return any(one.find(exp.AggFunc, exp.Window) for one in select.expressions)


def _outermost(sql: str, dialect: str) -> exp.Select | None:
    tree, foreign = read(sql, dialect) if dialect in GRAMMARS else (None, False)
    while isinstance(tree, exp.Subquery) and not any(
        held for key, held in tree.args.items() if key != "this"
    ):
        tree = tree.this
    return tree if isinstance(tree, exp.Select) and not foreign else None


def _held(select: exp.Select, clause: str) -> exp.Expr | None:
    held = select.args.get(clause)
    return held.this if held is not None else None


def _without(select: exp.Select, clause: str, place: int) -> exp.Select:
    query = select.copy()
    kept = [part for at, part in enumerate(conjuncts(_held(query, clause))) if at != place]
    if kept:
        query.args[clause].set("this", exp.and_(*kept))
    else:
        query.set(clause, None)
    return query


def _probe(query: exp.Select) -> exp.Select:
    """Whether it has a row. An aggregate without groups always has one, so it is its input that is asked."""
    for clause in ("order", "limit", "offset"):
        query.set(clause, None)
    one = [exp.Literal.number(1)]
    if not any(query.args.get(clause) for clause in ("group", "having", "qualify")):
        query.set("distinct", None)
        query.set("expressions", one)
        return query
    inner = exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier("text2sql_rows")))
    return exp.Select(expressions=one, from_=exp.From(this=inner))


def _readable(select: exp.Select, part: exp.Expr, dialect: str, catalogue: Catalogue) -> str:
    """With the names of tables for their aliases, and without them where there is only one."""
    draft = Draft(select, dialect, known(catalogue, None, dialect))
    plain = part.copy()
    (view, *_) = [one for one in draft.views.all if one.select is select]
    for column in plain.find_all(exp.Column):
        table = column.args.get("table")
        source = view.sources.get(draft.names.alias(table)) if table is not None else None
        if source is not None and len(view.sources) == 1:
            column.set("table", None)
        elif source is not None and source.entry is not None:
            column.set("table", draft.identifier(source.entry.table.name))
    return written(plain, dialect)
