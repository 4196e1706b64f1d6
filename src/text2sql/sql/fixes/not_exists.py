"""Those that have none: *schools without a catcher*, *gardeners who grow no tomatoes*. A condition on each
row that is joined to them says something else: who grows beans and tomatoes has a row without tomatoes.
"""

from collections.abc import Sequence

from sqlglot import exp

from text2sql.sql.fixes.contradictions import is_plain_list
from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.joins import conditions, filter_by, referring_to, tied
from text2sql.sql.fixes.question_terms import is_said
from text2sql.sql.schema_index import Link
from text2sql.sql.scope import Scope, Source
from text2sql.types import Negation

DENIALS = (exp.Not, exp.Except, exp.Null)


def asked_without(context: FixContext) -> bool:
    """*Schools that have no player who is a catcher*, and a query for those who have one: NOT IN."""
    scope, negation = context.outermost, context.negation
    if negation is None or scope is None or not _is_about_one(scope):
        return False
    if any(context.faulty_columns(*ERRORS)) or _is_about_another(context, negation):
        return False
    shown = context.only_source_shown(scope)
    links = list(referring_to(context, scope, shown))
    if shown is None or len(links) != 1 or not _is_a_chain(context, scope, shown):
        return False
    parts = conditions(scope)
    owners = [{context.owner(scope, one) for one in _own_columns(scope, part)} for part in parts]
    if any(None in one or (shown in one and one != {shown}) for one in owners):
        return False
    inside = [part for part, one in zip(parts, owners, strict=True) if shown not in one]
    if _denies(context, scope, inside):
        return False
    _leave_out(context, scope, (shown, *links[0]), inside)
    return True


def _is_about_one(scope: Scope) -> bool:
    """Columns of rows, or one number about all of them."""
    select = scope.select
    folded = [one for one in select.expressions if isinstance(one.unalias(), exp.AggFunc)]
    if not folded:
        return is_plain_list(scope, where=False)
    plain = not scope.open and len(folded) == len(select.expressions)
    return plain and not any(select.args.get(one) for one in ("group", "having", "order", "limit", "with_"))


def _is_a_chain(context: FixContext, scope: Scope, shown: Source) -> bool:
    """Plain joins of one condition each, and one of them only is with what is shown."""
    ties = [tied(context, scope, join) for join in scope.joins]
    return all(ties) and sum(shown in (one[0][0], one[1][0]) for one in ties if one) == 1


def _denies(context: FixContext, scope: Scope, inside: Sequence[exp.Expr]) -> bool:
    """Whether the query denies something already. `<>` of each row is not *no* row, if that was said; `<>` of
    the thing itself may be all that *do not* was said of.
    """
    negation = context.negation
    if any(_says_no(context, scope, one) and not _is_made_up(context, one) for one in inside):
        return True
    of_rows = (
        sum(_is_denied(context, scope, one) for one in inside)
        if negation and (negation.lacks or negation.fails)
        else 0
    )
    of_itself = [one for one in conditions(scope) if isinstance(one, exp.NEQ) and one not in inside]
    written = list(context.tree.find_all(exp.NEQ, *DENIALS))
    meant = of_rows + (len(of_itself) if negation and negation.lacks else 0)
    return len(written) > meant or _is_correlated(context, scope)


def _is_denied(context: FixContext, scope: Scope, part: exp.Expr) -> bool:
    """`kind <> 'bean'`, `NOT plant_id IN (SELECT …)`; but `NOT id IN (…)` are rows that lack something."""
    listed = part.this if isinstance(part, exp.Not) else None
    if not isinstance(listed, exp.In) or not isinstance(listed.this, exp.Column):
        return isinstance(part, exp.NEQ)
    owner = context.owner(scope, listed.this)
    entry = owner.entry if owner is not None else None
    return entry is None or not entry.is_key([context.key(listed.this)], context.grammar)


def _says_no(context: FixContext, scope: Scope, part: exp.Expr) -> bool:
    """`medals = 0`, `is_paid = 'No'`: that is the denial."""
    literal, column = part.args.get("expression"), part.this
    if not isinstance(part, exp.EQ) or not isinstance(literal, exp.Literal):
        return False
    origin = context.origin(scope, column) if isinstance(column, exp.Column) else None
    domains = context.domains
    no = domains.spelled(origin[0].name, origin[1].name, "no") if origin and domains is not None else None
    return literal.this in ("0", no)


def _is_correlated(context: FixContext, scope: Scope) -> bool:
    inner = ((one, column) for one, column in context.columns() if one is not scope)
    return any(context.owner(*one) in scope.sources.values() for one in inner)


def _own_columns(scope: Scope, part: exp.Expr) -> list[exp.Column]:
    """Without those of a sub-query in it."""
    return [one for one in part.find_all(exp.Column) if one.find_ancestor(exp.Select) is scope.select]


def _is_about_another(context: FixContext, negation: Negation) -> bool:
    """A value is denied, and the query is about others."""
    texts = any(one.is_string for one in context.tree.find_all(exp.Literal))
    return bool(negation.values) and texts and not has_denied(negation, context.tree)


def has_denied(negation: Negation, node: exp.Expr) -> bool:
    values = {hit.value.casefold() for hit in negation.values}
    return any(one.is_string and one.this.casefold() in values for one in node.find_all(exp.Literal))


def _leave_out(
    context: FixContext, scope: Scope, ends: tuple[Source, Source, Link], inside: Sequence[exp.Expr]
) -> None:
    shown, child, link = ends
    select = scope.select
    denied = [one for one in inside if _is_denied(context, scope, one)]
    asked = [one for one in inside if one not in denied and not _is_made_up(context, one)]
    either = [_as_said(one) for one in denied]
    if either:
        asked.append(exp.paren(exp.or_(*either, copy=False)) if either[1:] else either[0])
    key = context.column(child, link.referred[0])
    if link.there.columns[link.referred[0]].nullable:
        asked.append(exp.Not(this=exp.Is(this=key, expression=exp.Null())))  # else NOT IN finds nobody
    inner = exp.Select(
        expressions=[key.copy()],
        from_=exp.From(this=child.node.copy()),
        joins=_joins_inside(context, scope, shown, child) or None,
        where=exp.Where(this=exp.and_(*(one.copy() for one in asked), copy=False)) if asked else None,
    )
    outer = exp.Not(this=exp.In(this=context.column(shown, link.columns[0]), query=exp.Subquery(this=inner)))
    rest = [one for one in conditions(scope) if not any(one is held for held in inside)]
    select.set("from_", exp.From(this=shown.node.copy()))
    select.set("joins", None)
    filter_by(scope, [*rest, outer])
    context.invalidate()


def _as_said(part: exp.Expr) -> exp.Expr:
    listed: exp.Expr = part.this.copy()
    return exp.EQ(this=listed, expression=part.expression.copy()) if isinstance(part, exp.NEQ) else listed


def _joins_inside(context: FixContext, scope: Scope, shown: Source, child: Source) -> list[exp.Join]:
    """All joins but the one with what is shown, in an order that begins at its child."""
    left = [
        (join, {near[0].key: near[0], far[0].key: far[0]})
        for join in scope.joins
        for near, far in filter(None, [tied(context, scope, join)])
        if shown not in (near[0], far[0])
    ]
    there, made = {child.key}, []
    while left:
        at = next(n for n, (_, ends) in enumerate(left) if there & set(ends))
        join, ends = left.pop(at)
        for key in set(ends) - there:
            made.append(exp.Join(this=ends[key].node.copy(), on=join.args["on"].copy()))
            there.add(key)
    return made


def _is_made_up(context: FixContext, part: exp.Expr) -> bool:
    """*No visit at all*, and only visits of a kind that the question does not name."""
    said, negation = context.intent, context.negation
    if said is None or negation is None or not negation.at_all or not isinstance(part, exp.EQ):
        return False
    written = [one.this for one in part.find_all(exp.Literal)]
    return len(written) == 1 and not is_said(said, written[0])
