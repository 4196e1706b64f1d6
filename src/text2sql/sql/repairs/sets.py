"""Things that have both, none, or the one and not the other: *offices in Paris and in Rome*, *schools without
a catcher*, *shown in the morning but not at night*.
"""

from collections.abc import Iterator

from sqlglot import exp

from text2sql.sql.repairs.asked import is_said
from text2sql.sql.repairs.contradictions import is_plain_list
from text2sql.sql.repairs.draft import ERRORS, Draft
from text2sql.sql.repairs.joins import conditions, conjuncts, filter_by, tied
from text2sql.sql.repairs.known import Link
from text2sql.sql.repairs.values import compared
from text2sql.sql.repairs.views import Source, View
from text2sql.types import Denial


def asked_both(draft: Draft) -> bool:
    """*Companies with offices both in Paris and in Rome*: not `city = 'Paris' OR city = 'Rome'`, but the ones
    INTERSECT the others, where a company may have many.
    """
    view, tree = draft.outermost, draft.tree
    if draft.said is None or not draft.said.both or view is None or not is_plain_list(view):
        return False
    if not any(link for link in _referring(draft, view, draft.shown(view))):
        return False
    choices = [one for one in view.select.args["where"].find_all(exp.Or, exp.In) if _either(one) is not None]
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
    draft.put(tree, exp.Intersect(this=arms[0], expression=arms[1]))
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


def counted_set(draft: Draft) -> bool:
    """`SELECT COUNT(DISTINCT city) … EXCEPT SELECT city …`: a number is no city. What is left is counted."""
    tree = draft.tree
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
    draft.put(tree, exp.select("COUNT(*)").from_(copy.subquery()))
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


def asked_without(draft: Draft) -> bool:
    """*Schools that have no player who is a catcher*, and a query for those who have one: NOT IN."""
    view, denial = draft.outermost, draft.denial
    if denial is None or view is None or not is_plain_list(view, where=False):
        return False
    if any(draft.wrong(*ERRORS)) or _denies(draft, view) or _is_about_another(draft, denial):
        return False
    shown = draft.shown(view)
    links = list(_referring(draft, view, shown))
    if shown is None or len(view.sources) != 2 or len(links) != 1:
        return False
    child, link = links[0]
    parts = conditions(view)
    owners = [{draft.views.owner(view, one) for one in _own_columns(view, part)} for part in parts]
    if any(one not in ({child}, {shown}) for one in owners):
        return False
    _denied(draft, view, (shown, child), link, [one == {child} for one in owners])
    return True


def _denies(draft: Draft, view: View) -> bool:
    """Whether the query denies something already. `<>` of each row is not *no* row, if that was said."""
    denial = draft.denial
    unequal = [one for one in conditions(view) if isinstance(one, exp.NEQ)]
    lacks = denial is not None and denial.lacks and len(unequal) == len(list(draft.tree.find_all(exp.NEQ)))
    return (
        draft.tree.find(*_DENIALS) is not None or bool(unequal and not lacks) or _is_correlated(draft, view)
    )


def _is_correlated(draft: Draft, view: View) -> bool:
    inner = ((one, column) for one, column in draft.views.every() if one is not view)
    return any(draft.views.owner(*one) in view.sources.values() for one in inner)


def _own_columns(view: View, part: exp.Expr) -> list[exp.Column]:
    """Without those of a sub-query in it."""
    return [one for one in part.find_all(exp.Column) if one.find_ancestor(exp.Select) is view.select]


def _is_about_another(draft: Draft, denial: Denial) -> bool:
    """A value is denied, and the query is about others."""
    texts = any(one.is_string for one in draft.tree.find_all(exp.Literal))
    return bool(denial.values) and texts and not _has_denied(denial, draft.tree)


_DENIALS = (exp.Not, exp.Except, exp.Null)


def _denied(draft: Draft, view: View, ends: tuple[Source, Source], link: Link, inside: list[bool]) -> None:
    shown, child = ends
    select = view.select
    parts = conditions(view)
    asked = [one for one, held in zip(parts, inside, strict=True) if held and not _is_made_up(draft, one)]
    either = [
        exp.EQ(this=one.this.copy(), expression=one.expression.copy())
        for one in asked
        if isinstance(one, exp.NEQ)
    ]
    if either:
        asked = [one for one in asked if not isinstance(one, exp.NEQ)]
        asked.append(exp.paren(exp.or_(*either, copy=False)) if either[1:] else either[0])
    key = draft.column(child, link.referred[0])
    if link.there.columns[link.referred[0]].nullable:
        asked.append(exp.Not(this=exp.Is(this=key, expression=exp.Null())))  # else NOT IN finds nobody
    inner = exp.Select(
        expressions=[key.copy()],
        from_=exp.From(this=child.node.copy()),
        where=exp.Where(this=_all(asked)) if asked else None,
    )
    outer = exp.Not(this=exp.In(this=draft.column(shown, link.columns[0]), query=exp.Subquery(this=inner)))
    rest = [one for one, held in zip(parts, inside, strict=True) if not held]
    select.set("from_", exp.From(this=shown.node.copy()))
    select.set("joins", None)
    filter_by(view, [*rest, outer])
    draft.changed()


def _is_made_up(draft: Draft, part: exp.Expr) -> bool:
    """*No visit at all*, and only visits of a kind that the question does not name."""
    said, denial = draft.said, draft.denial
    if said is None or denial is None or not denial.at_all or not isinstance(part, exp.EQ):
        return False
    written = [one.this for one in part.find_all(exp.Literal)]
    return len(written) == 1 and not is_said(said, written[0])


def _all(parts: list[exp.Expr]) -> exp.Expr:
    return exp.and_(*(one.copy() for one in parts), copy=False)


def asked_except(draft: Draft) -> bool:
    """*In the morning but not at night*, and a query for the morning alone, or for both: EXCEPT."""
    denial, tree, view = draft.denial, draft.tree, draft.outermost
    if (
        denial is None
        or not denial.values
        or any(draft.wrong(*ERRORS))
        or tree.find(*_DENIALS, exp.NEQ, exp.Subquery)
    ):
        return False
    if isinstance(tree, exp.Intersect):
        arms = (tree.this, tree.expression)
        denied = [_has_denied(denial, one) for one in arms]
        if sum(denied) != 1 or any(tree.args.get(one) for one in ("order", "limit", "with_")):
            return False
        one, other = arms[::-1] if denied[0] else arms
        draft.put(tree, exp.Except(this=one.copy(), expression=other.copy(), distinct=True))
        return True
    if view is None or not is_plain_list(view) or _has_denied(denial, tree):
        return False
    shown = draft.shown(view)
    found = [
        (at, hit)
        for at, part in enumerate(conditions(view))
        for hit in _else(draft, view, part, shown, denial)
    ]
    if shown is None or len(found) != 1:
        return False
    number, value = found[0]
    copy = tree.copy()
    part = conjuncts(copy.args["where"].this)[number]
    part.set("this" if isinstance(part.this, exp.Literal) else "expression", exp.Literal.string(value))
    draft.put(tree, exp.Except(this=tree.copy(), expression=copy, distinct=True))
    return True


def asked_having(draft: Draft) -> bool:
    """*Who placed an order but have no account*, and a query for those without an account: with an order."""
    view, denial = draft.outermost, draft.denial
    if denial is None or not denial.had or view is None or view.open or not view.select.args.get("where"):
        return False
    shown = draft.shown(view)
    if shown is None or shown.entry is None or any(draft.wrong(*ERRORS)):
        return False
    used = {one.name.casefold() for one in draft.tree.find_all(exp.Table)}
    links = [
        link
        for link in shown.entry.links
        if not link.forward and len(link.columns) == 1 and link.there.name in denial.had
    ]
    if len(links) != 1 or links[0].there.table.name.casefold() in used:
        return False
    if not any(isinstance(one, (exp.Not, exp.Is, exp.Null)) for one in view.select.args["where"].walk()):
        return False
    (link,) = links
    key = exp.Column(this=draft.identifier(link.there.columns[link.referred[0]].name))
    inner = exp.Select(expressions=[key], from_=exp.From(this=draft.table(link.there)))
    key_here = draft.column_in(view, shown, link.columns[0])
    has = exp.In(this=key_here, query=exp.Subquery(this=inner))
    filter_by(view, [*conditions(view), has])
    draft.changed()
    return True


def _else(draft: Draft, view: View, part: exp.Expr, shown: Source | None, denial: Denial) -> list[str]:
    """What is denied of the column that another value is asked for in, and that is not of what is shown: a
    thing has one value in a column of its own.
    """
    found = compared(part) if isinstance(part, exp.EQ) else None
    owner = draft.views.owner(view, found[0]) if found is not None else None
    if found is None or owner is None or owner.entry is None or owner is shown:
        return []
    place = (owner.entry.name, draft.key(found[0]))
    key = draft.grammar.columns.key
    return [hit.value for hit in denial.values if (hit.table, key(hit.column, True)) == place]


def _has_denied(denial: Denial, node: exp.Expr) -> bool:
    values = {hit.value.casefold() for hit in denial.values}
    return any(one.is_string and one.this.casefold() in values for one in node.find_all(exp.Literal))


def _referring(draft: Draft, view: View, shown: Source | None) -> Iterator[tuple[Source, Link]]:
    """The sources whose rows name a row of it, joined to it by that."""
    if shown is None or shown.entry is None:
        return
    for join in view.joins:
        near, far = tied(draft, view, join) or (None, None)
        for here, there in ((near, far), (far, near)):
            if here is None or there is None or here[0] is not shown:
                continue
            for link in shown.entry.links:
                if link.there is there[0].entry and not link.forward and link.pairs == ((here[1], there[1]),):
                    yield there[0], link
