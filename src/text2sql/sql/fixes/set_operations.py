"""Things that have both, or the one and not the other: *offices in Paris and in Rome*, *shown in the morning
but not at night*. Those that have none are in `without.py`.
"""

from sqlglot import exp

from text2sql.sql.fixes.contradictions import is_plain_list
from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.joins import conditions, conjuncts, filter_by, referring_to, tied
from text2sql.sql.fixes.not_exists import DENIALS, has_denied
from text2sql.sql.fixes.value_spelling import compared
from text2sql.sql.scope import Scope, Source
from text2sql.types import Negation


def asked_both(context: FixContext) -> bool:
    """*Companies with offices both in Paris and in Rome*: not `city = 'Paris' OR city = 'Rome'`, but the ones
    INTERSECT the others, where a company may have many.
    """
    scope, tree = context.outermost, context.tree
    if context.intent is None or not context.intent.both or scope is None or not is_plain_list(scope):
        return False
    if not any(link for link in referring_to(context, scope, context.only_source_shown(scope))):
        return False
    choices = [one for one in scope.select.args["where"].find_all(exp.Or, exp.In) if _either(one) is not None]
    if len(choices) != 1:
        return False
    arms = []
    for number in (0, 1):
        copy = tree.copy()
        place = next(one for one in copy.args["where"].find_all(exp.Or, exp.In) if one == choices[0])
        either = _either(place)
        if either is not None:
            (place.parent if isinstance(place.parent, exp.Paren) else place).replace(either[number])
        arms.append(copy)
    context.replace(tree, exp.Intersect(this=arms[0], expression=arms[1]))
    return True


def _either(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """`c = 'a' OR c = 'b'`, `c IN ('a', 'b')`: the two conditions."""
    if isinstance(node, exp.In):
        found = compared(node)
        if found is None or len(found[1]) != 2 or isinstance(node.parent, exp.Not):
            return None
        one, other = (exp.EQ(this=found[0].copy(), expression=held.copy()) for held in found[1])
        return one, other
    parts = list(node.flatten())
    held = [compared(one) for one in parts if isinstance(one, exp.EQ)]
    alike = len(parts) == len(held) == 2 and held[0] and held[1] and held[0][0] == held[1][0]
    return (parts[0].copy(), parts[1].copy()) if alike else None


def counted_set(context: FixContext) -> bool:
    """`SELECT COUNT(DISTINCT city) … EXCEPT SELECT city …`: a number is no city. What is left is counted."""
    tree = context.tree
    if not isinstance(tree, exp.Except | exp.Intersect) or any(
        tree.args.get(one) for one in ("order", "limit", "with_")
    ):
        return False
    shown = [_one_shown(arm) for arm in (tree.this, tree.expression)]
    of = [_counted(one) for one in shown]
    if of[0] is None or not (isinstance(shown[1], exp.Column) or of[1] is not None):
        return False
    copy = tree.copy()
    for arm, column in zip((copy.this, copy.expression), of, strict=True):
        if column is not None:
            arm.set("expressions", [column.copy()])
    context.replace(tree, exp.select("COUNT(*)").from_(copy.subquery()))
    return True


def _one_shown(arm: exp.Expr) -> exp.Expr | None:
    """Of a plain SELECT of one thing."""
    plain = isinstance(arm, exp.Select) and not any(
        arm.args.get(one) for one in ("group", "limit", "distinct")
    )
    return arm.expressions[0].unalias() if plain and len(arm.expressions) == 1 else None


def _counted(shown: exp.Expr | None) -> exp.Column | None:
    """The column of `COUNT(c)`, `COUNT(DISTINCT c)`."""
    if not isinstance(shown, exp.Count):
        return None
    inner = shown.this.expressions if isinstance(shown.this, exp.Distinct) else [shown.this]
    return inner[0] if len(inner) == 1 and isinstance(inner[0], exp.Column) else None


def have_both(context: FixContext) -> bool:
    """*Who have a mentor and were praised*, joined to both: a row for each mentor and praise is nobody's
    wish, so each once.
    """
    scope = context.outermost
    if scope is None or not is_plain_list(scope, where=False) or scope.select.args.get("distinct"):
        return False
    shown = context.only_source_shown(scope)
    many = {source.key for source, _ in referring_to(context, scope, shown)}
    if any(context.faulty_columns(*ERRORS)) or not (len(many) > 1 or _is_shared(context, scope, shown)):
        return False
    scope.select.set("distinct", exp.Distinct())
    context.invalidate()
    return True


def _is_shared(context: FixContext, scope: Scope, shown: Source | None) -> bool:
    """Whether it shows the row that two tables name, joined by that alone."""
    sides = tied(context, scope, scope.joins[0]) if shown is not None and len(scope.sources) == 2 else None
    if sides is None or {context.key(one.unalias()) for one in scope.select.expressions} != {
        key for source, key in sides if source is shown
    }:
        return False
    named = [
        {id(link.there) for link in source.entry.links if link.forward and link.columns == (key,)}
        for source, key in sides
        if source.entry is not None
    ]
    return len(named) == 2 and bool(named[0] & named[1])


def asked_except(context: FixContext) -> bool:
    """*In the morning but not at night*, and a query for the morning alone, or for both: EXCEPT."""
    negation, tree, scope = context.negation, context.tree, context.outermost
    if (
        negation is None
        or not negation.values
        or any(context.faulty_columns(*ERRORS))
        or tree.find(*DENIALS, exp.NEQ, exp.Subquery)
    ):
        return False
    if isinstance(tree, exp.Intersect):
        arms = (tree.this, tree.expression)
        denied = [has_denied(negation, one) for one in arms]
        if sum(denied) != 1 or any(tree.args.get(one) for one in ("order", "limit", "with_")):
            return False
        one, other = arms[::-1] if denied[0] else arms
        context.replace(tree, exp.Except(this=one.copy(), expression=other.copy(), distinct=True))
        return True
    if scope is None or not is_plain_list(scope) or has_denied(negation, tree):
        return False
    shown = context.only_source_shown(scope)
    found = [
        (at, hit)
        for at, part in enumerate(conditions(scope))
        for hit in _else(context, scope, part, shown, negation)
    ]
    if shown is None or len(found) != 1:
        return False
    number, value = found[0]
    copy = tree.copy()
    part = conjuncts(copy.args["where"].this)[number]
    part.set("this" if isinstance(part.this, exp.Literal) else "expression", exp.Literal.string(value))
    context.replace(tree, exp.Except(this=tree.copy(), expression=copy, distinct=True))
    return True


def but_not(context: FixContext) -> bool:
    """`kind = 'bean' AND kind <> 'pea'` of rows that a thing may have many of: the `<>` says nothing. Those
    with a bean EXCEPT those with a pea.
    """
    scope, tree = context.outermost, context.tree
    if scope is None or not (is_plain_list(scope) or _counted(_one_shown(tree))):
        return False
    parts, shown = conditions(scope), context.only_source_shown(scope)
    pairs = [
        (had, denied, unequal)
        for had in parts
        for denied in parts
        if isinstance(had, exp.EQ) and (unequal := _unequal(denied)) and had.this == unequal.this
    ]
    if shown is None or len(pairs) != 1 or not isinstance(pairs[0][0].this, exp.Column):
        return False
    had, denied, unequal = pairs[0]
    if context.owner(scope, had.this) is shown:
        return False  # it has one value there, so this is true, if idle
    rest = [one for one in parts if one is not had and one is not denied]
    arms = []
    for kind in (had, exp.EQ(this=unequal.this.copy(), expression=unequal.expression.copy())):
        filter_by(scope, [*rest, kind])
        arms.append(tree.copy())
    context.replace(tree, exp.Except(this=arms[0], expression=arms[1], distinct=True))
    return True


def _unequal(part: exp.Expr) -> exp.Binary | None:
    """`c <> 'x'`, `NOT c = 'x'`."""
    if isinstance(part, exp.NEQ):
        return part
    return part.this if isinstance(part, exp.Not) and isinstance(part.this, exp.EQ) else None


def asked_having(context: FixContext) -> bool:
    """*Who placed an order but have no account*, and a query for those without an account: with an order."""
    scope, negation = context.outermost, context.negation
    if (
        negation is None
        or not negation.had
        or scope is None
        or scope.open
        or not scope.select.args.get("where")
    ):
        return False
    shown = context.only_source_shown(scope)
    if shown is None or shown.entry is None or any(context.faulty_columns(*ERRORS)):
        return False
    used = {one.name.casefold() for one in context.tree.find_all(exp.Table)}
    links = [
        link
        for link in shown.entry.links
        if not link.forward and len(link.columns) == 1 and link.there.name in negation.had
    ]
    if len(links) != 1 or links[0].there.table.name.casefold() in used:
        return False
    if not any(isinstance(one, (exp.Not, exp.Is, exp.Null)) for one in scope.select.args["where"].walk()):
        return False
    (link,) = links
    key = exp.Column(this=context.identifier(link.there.columns[link.referred[0]].name))
    inner = exp.Select(expressions=[key], from_=exp.From(this=context.table(link.there)))
    key_here = context.column_in(scope, shown, link.columns[0])
    has = exp.In(this=key_here, query=exp.Subquery(this=inner))
    filter_by(scope, [*conditions(scope), has])
    context.invalidate()
    return True


def _else(
    context: FixContext, scope: Scope, part: exp.Expr, shown: Source | None, negation: Negation
) -> list[str]:
    """What is denied of the column that another value is asked for in, and that is not of what is shown: a
    thing has one value in a column of its own.
    """
    found = compared(part) if isinstance(part, exp.EQ) else None
    owner = context.owner(scope, found[0]) if found is not None else None
    if found is None or owner is None or owner.entry is None or owner is shown:
        return []
    place = (owner.entry.name, context.key(found[0]))
    key = context.grammar.columns.key
    return [hit.value for hit in negation.values if (hit.table, key(hit.column, True)) == place]
