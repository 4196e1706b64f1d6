"""What the question says in so many words and the query does not: *different*, *each*, a value."""

import re

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.joins import add_joins, conditions, filter_by, has_bare_star, referring
from text2sql.sql.fixes.value_spelling import comparisons
from text2sql.sql.schema_index import Entry
from text2sql.sql.scope import Scope
from text2sql.types import QuestionIntent, ValueHit


def said_value(context: FixContext) -> bool:
    """*Violence incidents*, and `kind = 'NOISE'`, which nobody said: the value of that column that was said.
    *Those in France*, and `place = 'Lyon, France'`: whatever has that part.
    """
    said = context.intent
    done = False
    for scope, node, column, literals in list(comparisons(context)) if said is not None else ():
        origin, written = context.origin(scope, column), literals[0].this
        if (
            said is None
            or origin is None
            or not isinstance(node, (exp.EQ, exp.Like))
            or is_said(said, written)
        ):
            continue
        place = (origin[0].name, origin[1].name)
        denied = said.negation.values if said.negation is not None else ()
        values = {hit.value for hit in said.heard if (hit.table, hit.column) == place and hit not in denied}
        part = _part_said(said, written)
        if len(values - _texts(context)) == 1:
            context.replace(literals[0], exp.Literal.string((values - _texts(context)).pop()))
        elif not values and part:
            context.replace(node, exp.Like(this=column.copy(), expression=exp.Literal.string(f"%{part}%")))
        else:
            continue
        done = True
    return done


def is_said(said: QuestionIntent, value: str) -> bool:
    """In so many words, or as another word for it."""
    return bool(heard(said, value)) or any(hit.value == value for hit in said.heard)


def heard(said: QuestionIntent, text: str) -> list[tuple[int, int]]:
    """Where the question has it, as whole words."""
    how = rf"(?<![a-z0-9]){re.escape(text.casefold())}(?![a-z0-9])"
    return [found.span() for found in re.finditer(how, said.text)]


def _part_said(said: QuestionIntent, value: str) -> str:
    """The one part, between commas or brackets, that the question says."""
    parts = [one.strip() for one in re.split(r"[,;()/–—]", value)]
    found = [one for one in parts if len(one) > 2 and heard(said, one)]
    return found[0] if len(found) == 1 and len(parts) > 1 and not set(found[0]) & set("%_\\") else ""


def _texts(context: FixContext) -> set[str]:
    return {one.this for one in context.tree.find_all(exp.Literal) if one.is_string}


_UNITS = {
    "万": 10**4, "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8, "十亿": 10**9, "百亿": 10**10,
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_LARGE = re.compile(r"(\d+(?:\.\d+)?)\s*(十亿|百亿|十万|百万|千万|万|亿|thousand|million|billion|trillion)")
_IN_UNITS = re.compile(r"(?i)thousand|million|billion|trillion|[万亿]")


def said_number(context: FixContext) -> bool:
    """*Over 20 million*, 超过2000万, and a number with a nought too many: as it was said."""
    said = context.intent
    large = [(float(number), _UNITS[unit]) for number, unit in _LARGE.findall(said.text)] if said else []
    done = False
    for number, unit in large:
        meant = round(number * unit)
        held = [one for one in context.tree.find_all(exp.Literal) if not one.is_string and one.is_int]
        if any(int(one.this) == meant for one in held):
            continue
        slips = [one for one in held if _differs_in_noughts(int(one.this), meant) and _is_counted_out(one)]
        if len(slips) == 1:
            context.replace(slips[0], exp.Literal.number(str(meant)))
            done = True
    return done


def _differs_in_noughts(one: int, other: int) -> bool:
    digits = {str(abs(number)).rstrip("0") for number in (one, other)}
    return len(digits) == 1 and min(one, other) >= 1000


def _is_counted_out(literal: exp.Literal) -> bool:
    """Compared with a column that does not itself count in millions."""
    column = literal.parent.this if literal.parent is not None else None
    return isinstance(column, exp.Column) and not _IN_UNITS.search(column.name)


def asked_value(context: FixContext) -> bool:
    """*Banking companies with …*, and no condition on the one column in sight where `Banking` stands."""
    said, scope = context.intent, context.outermost
    if said is None or scope is None or scope.open or any(context.faulty_columns(*ERRORS)):
        return False
    texts = [one.this.casefold() for one in context.tree.find_all(exp.Literal) if one.is_string]
    done = False
    for hit in said.values:
        scope = context.outermost
        if scope is None or (said.negation and (hit in said.negation.values or not _is_shown(scope, hit))):
            continue
        if any(hit.value.casefold() in text or hit.said.casefold() in text for text in texts):
            continue
        done = _filtered(context, scope, hit) or done
    if done:
        _forget_numbers(context, said)
    return done


def _forget_numbers(context: FixContext, said: QuestionIntent) -> None:
    """`student_id = 100` for a student who was called by a name: the number is made up."""
    scope = context.outermost
    if scope is None:
        return
    parts = conditions(scope)
    kept = [one for one in parts if not _is_made_up(context, scope, one, said)]
    if 0 < len(kept) < len(parts):
        filter_by(scope, kept)
        context.invalidate()


def _is_made_up(context: FixContext, scope: Scope, part: exp.Expr, said: QuestionIntent) -> bool:
    column, number = part.this, part.args.get("expression")
    if not isinstance(part, exp.EQ) or not isinstance(column, exp.Column):
        return False
    if not isinstance(number, exp.Literal) or number.is_string or is_said(said, number.this):
        return False
    owner, key = context.owner(scope, column), context.key(column)
    if owner is None or owner.entry is None:
        return False
    return owner.entry.names_rows(key, context.grammar)


def _is_shown(scope: Scope, hit: ValueHit) -> bool:
    """Of the only table of FROM, or of the first: what is denied is said of what is joined to it."""
    first = next(iter(scope.sources.values()), None)
    return first is not None and first.entry is not None and first.entry.name == hit.table


def _filtered(context: FixContext, scope: Scope, hit: ValueHit) -> bool:
    key = context.grammar.columns.key(hit.column, True)
    found = [one for one in scope.sources.values() if one.entry is not None and one.entry.name == hit.table]
    if not found and joined(context, scope, hit.table):
        wider = context.outermost
        return wider is not None and _filtered(context, wider, hit)
    if len(found) != 1 or key not in found[0].outputs.known or is_used(context, found[0].entry, key):
        return False
    if _is_asked_inside(context, scope, hit.table):
        return False
    column = context.column_in(scope, found[0], key)
    condition = exp.EQ(this=column, expression=exp.Literal.string(hit.value))
    filter_by(scope, [*conditions(scope), condition])
    context.invalidate()
    return True


def _is_asked_inside(context: FixContext, scope: Scope, table: str) -> bool:
    """Whether a sub-query has a condition on that table too: the value may be said of those rows."""
    return any(
        conditions(inner) and any(one.entry and one.entry.name == table for one in inner.sources.values())
        for inner in context.scopes
        if inner is not scope
    )


def joined(context: FixContext, scope: Scope, table: str) -> bool:
    """The table of a value, if one source refers to it: `departments` for the Shipping of employees."""
    ways = referring(scope, table)
    if len(ways) != 1 or has_bare_star(scope) or context.tree.find(exp.SetOperation):
        return False
    source, link = ways[0]
    add_joins(context, scope, source, [link])
    context.invalidate()
    return True


def is_used(context: FixContext, entry: Entry | None, key: str) -> bool:
    """Whether the query says anything of that column: then what it leaves out, it leaves out knowingly."""
    owners = ((context.owner(scope, column), column) for scope, column in context.columns())
    return any(
        owner is not None and owner.entry is entry and context.key(column) == key for owner, column in owners
    )


def asked_each(context: FixContext) -> bool:
    """*The total of each city*, and one total of all of them: by city."""
    scope, said = context.outermost, context.intent
    if said is None or not said.each or scope is None or scope.open or scope.select.args.get("group"):
        return False
    items = [one.unalias() for one in scope.select.expressions]
    if (
        not items
        or not all(isinstance(one, exp.AggFunc) for one in items)
        or any(context.faulty_columns(*ERRORS))
    ):
        return False
    found = context.columns_among(scope, said.each)
    if len(found) != 1:
        return False
    source, key = found[0]
    if key not in source.outputs.known or is_used(context, source.entry, key):
        return False
    column = context.column_in(scope, source, key)
    scope.select.set("expressions", [column, *scope.select.expressions])
    scope.select.set("group", exp.Group(expressions=[column.copy()]))
    context.invalidate()
    return True


def asked_distinct(context: FixContext) -> bool:
    """*The different names of …*, *how many different cities …*"""
    scope = context.outermost
    if context.intent is None or not context.intent.different or scope is None:
        return False
    select = scope.select
    if select.args.get("distinct") or select.args.get("limit"):
        return False
    if select.args.get("group"):
        return _each_once(context, scope)
    items = [one.unalias() for one in select.expressions]
    if all(isinstance(one, exp.Column) and not one.is_star for one in items):
        select.set("distinct", exp.Distinct())
    elif len(items) == 1 and isinstance(items[0], exp.Count) and isinstance(items[0].this, exp.Column):
        items[0].set("this", exp.Distinct(expressions=[items[0].this]))
    else:
        return False
    context.invalidate()
    return True


def _each_once(context: FixContext, scope: Scope) -> bool:
    """*The number of different rooms* of each group: those counts of the column that is called so."""
    said = context.intent
    if said is None:
        return False
    names = {name for _, name in said.distinct}
    counts = [one for one in scope.select.find_all(exp.Count) if isinstance(one.this, exp.Column)]
    found = [one for one in counts if one.this.name in names]
    for one in found:
        one.set("this", exp.Distinct(expressions=[one.this.copy()]))
        context.invalidate()
    return bool(found)
