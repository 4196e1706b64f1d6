"""An average or a total where the question speaks of one."""

import re

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.joins import conditions, filter_by
from text2sql.sql.schema_index import is_number
from text2sql.sql.scope import Scope
from text2sql.text_normalization import words
from text2sql.types import QuestionIntent

_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_MEASURES: dict[str, type[exp.AggFunc]] = {"avg": exp.Avg, "sum": exp.Sum}
_FOLDED = re.compile(r"(?i)avg|average|mean|total|sum")


def asked_measure(context: FixContext) -> bool:
    """*Stations whose average rainfall is above 50*, and those with any rain above 50: HAVING AVG."""
    said, scope = context.intent, context.outermost
    if said is None or scope is None or scope.open or any(context.faulty_columns(*ERRORS)):
        return False
    group, where = scope.select.args.get("group"), scope.select.args.get("where")
    if group is None or where is None or scope.select.args.get("having"):
        return False
    parts = conditions(scope)
    found = [(one, measure) for one in parts if (measure := _measure_of(context, scope, one, group, said))]
    if len(found) != 1:
        return False
    ((part, measure),) = found
    measured = part.copy()
    measured.set("this", _MEASURES[measure](this=measured.this))
    filter_by(scope, [one for one in parts if one is not part])
    scope.select.set("having", exp.Having(this=measured))
    context.invalidate()
    return True


def _measure_of(
    context: FixContext, scope: Scope, part: exp.Expr, group: exp.Group, said: QuestionIntent
) -> str:
    """What is meant of a number that is compared row by row: where the question names the column only so, or
    speaks of one measure, and the query of none.
    """
    if not _is_numbered(part):
        return ""
    origin = context.origin(scope, part.this)
    place = (origin[0].table.name, origin[1].name) if origin is not None else None
    if place in said.averaged:
        return "avg"
    if context.tree.find(exp.AggFunc) or not _is_measured(context, scope, part, group):
        return ""
    return said.measure


def _is_numbered(part: exp.Expr) -> bool:
    """A column compared with a number."""
    if not isinstance(part, _COMPARED) or not isinstance(part.this, exp.Column):
        return False
    return isinstance(part.expression, exp.Literal) and not part.expression.is_string


def _is_measured(context: FixContext, scope: Scope, part: exp.Expr, group: exp.Group) -> bool:
    """A number of something else than what the rows are grouped by, and not itself an average or a total."""
    owner = context.owner(scope, part.this)
    grouped = {context.owner(scope, one) for one in group.find_all(exp.Column)}
    return owner is not None and owner not in grouped and not _FOLDED.search(part.this.name)


def asked_total(context: FixContext) -> bool:
    """*The total number of rooms*, and a count of rows that each say how many `rooms` they have: the sum."""
    said, scope = context.intent, context.outermost
    if (
        said is None
        or not said.totalled
        or scope is None
        or scope.open
        or any(context.faulty_columns(*ERRORS))
    ):
        return False
    counts = [one for one in scope.select.find_all(exp.Count) if not isinstance(one.this, exp.Distinct)]
    found = context.columns_among(scope, said.totalled)
    if len(counts) != 1 or len(found) != 1 or context.tree.find(exp.Sum):
        return False
    (source, column), entry = found[0], found[0][0].entry
    if entry is None or column not in entry.columns or not is_number(entry.columns[column]):
        return False
    if entry.names_rows(column, context.grammar):
        return False
    context.replace(counts[0], exp.Sum(this=context.column_in(scope, source, column)))
    return True


def said_measure(context: FixContext) -> bool:
    """*The average ranking*, and `AVG(ranking_points)`, of which nobody said the points: `AVG(ranking)`."""
    said = context.intent
    if said is None or not said.text.isascii() or any(context.faulty_columns(*ERRORS)):
        return False
    done = False
    for scope, column in list(context.columns()):
        folded = column.parent
        if not isinstance(folded, (exp.Avg, exp.Sum)):
            continue
        measured = said.averaged if isinstance(folded, exp.Avg) else said.totalled
        origin, owner = context.origin(scope, column), context.owner(scope, column)
        if origin is None or owner is None:
            continue
        table, name = origin[0].table.name, set(words(origin[1].name))
        meant = [one for of, one in measured if of == table and set(words(one)) < name]
        if len(meant) == 1 and not name - set(words(meant[0])) & set(words(said.text)):
            context.replace(
                column, context.column_in(scope, owner, context.grammar.columns.key(meant[0], True))
            )
            done = True
    return done
