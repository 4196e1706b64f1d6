"""Columns that say yes or no: *covered services*, and no condition on `is_covered`."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.joins import conditions, filter_by
from text2sql.sql.fixes.question_terms import is_used, joined
from text2sql.sql.schema_index import Entry, is_number
from text2sql.sql.scope import Scope, Source

_SAYS_SO = ("is", "has")  # how a name begins, if a number tells


def asked_flag(context: FixContext) -> bool:
    """*Clinics where laser is a covered service*: of the services those that are. What the question denies is
    denied of the list that the query leaves out; where it leaves out none, nobody knows of what.
    """
    said = context.intent
    if said is None or any(context.faulty_columns(*ERRORS)):
        return False
    done = False
    for table, column in said.words:
        key = context.grammar.columns.key(column, True)
        entry = next((one for one in context.schema.entries() if one.name == table), None)
        true = _true(context, entry, key) if entry is not None else None
        if true is None or is_used(context, entry, key):
            continue
        places = _places(context, table)
        if not places and said.negation is None and table in said.things and _joined(context, table):
            places = _places(context, table)
        if len({id(scope) for scope, _ in places}) < len(places):
            continue  # which of two rows is it said of?
        for scope, source in places:
            if said.negation is None or _is_left_out(scope):
                condition = exp.EQ(this=context.column_in(scope, source, key), expression=true.copy())
                filter_by(scope, [*conditions(scope), condition])
                context.invalidate()
                done = True
    return done


def _places(context: FixContext, table: str) -> list[tuple[Scope, Source]]:
    return [
        (scope, source)
        for scope in context.scopes
        for source in scope.sources.values()
        if source.entry is not None and source.entry.name == table and not scope.open
    ]


def _joined(context: FixContext, table: str) -> bool:
    """*More than two approved medicines*, counted by the keys that name them."""
    scope = context.outermost
    return scope is not None and not scope.open and joined(context, scope, table)


def _is_left_out(scope: Scope) -> bool:
    """By NOT IN, NOT EXISTS, or EXCEPT."""
    around = scope.select.find_ancestor(exp.Not, exp.SetOperation)
    return isinstance(around, exp.Not) or (
        isinstance(around, exp.Except) and scope.select in around.expression.find_all(exp.Select)
    )


def _true(context: FixContext, entry: Entry, key: str) -> exp.Expr | None:
    """What the column holds where it is so; None of a column that says something else."""
    domains = context.domains
    if key not in entry.columns:
        return None
    column = entry.columns[key]
    if domains is not None:
        yes, no = (domains.spelled(entry.name, column.name, one) for one in ("yes", "no"))
        if yes and no:
            return exp.Literal.string(yes)
    return exp.Literal.number(1) if is_number(column) and _says_so(column.name) else None


def _says_so(name: str) -> bool:
    """`is_covered`, `IsCovered`; an `island` is none."""
    rest = next((name[len(one) :] for one in _SAYS_SO if name.casefold().startswith(one)), "")
    return rest[:1] == "_" or rest[:1].isupper()
