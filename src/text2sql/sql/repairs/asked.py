"""What the question says in so many words and the query does not: *different*, *both*, *without*, a value."""

from collections.abc import Iterator

from sqlglot import exp

from text2sql.sql.repairs.contradictions import is_plain_list
from text2sql.sql.repairs.draft import ERRORS, Draft
from text2sql.sql.repairs.joins import add_joins, conjuncts, has_bare_star, is_plain, sides_of
from text2sql.sql.repairs.known import Link
from text2sql.sql.repairs.values import compared
from text2sql.sql.repairs.views import Source, View
from text2sql.types import ValueHit


def asked_value(draft: Draft) -> bool:
    """*Banking companies with …*, and no condition on the one column in sight where `Banking` stands."""
    said, view = draft.said, draft.outermost
    if said is None or said.denies or view is None or view.open or any(draft.wrong(*ERRORS)):
        return False
    texts = [one.this.casefold() for one in draft.tree.find_all(exp.Literal) if one.is_string]
    done = False
    for hit in said.values:
        if any(hit.value.casefold() in text or hit.said.casefold() in text for text in texts):
            continue
        done = _filtered(draft, view, hit) or done
    return done


def _filtered(draft: Draft, view: View, hit: ValueHit) -> bool:
    key = draft.grammar.columns.key(hit.column, True)
    found = [one for one in view.sources.values() if one.entry is not None and one.entry.name == hit.table]
    if not found and _joined(draft, view, hit):
        joined = draft.outermost
        return joined is not None and _filtered(draft, joined, hit)
    if len(found) != 1 or key not in found[0].shape.columns or _is_used(draft, found[0], key):
        return False
    column, select = draft.column(found[0], key), view.select
    if len(view.sources) == 1:
        column.set("table", None)
    condition = exp.EQ(this=column, expression=exp.Literal.string(hit.value))
    where = select.args.get("where")
    select.set("where", exp.Where(this=exp.and_(where.this, condition, copy=False) if where else condition))
    draft.changed()
    return True


def _joined(draft: Draft, view: View, hit: ValueHit) -> bool:
    """The table of a value, if one source refers to it: `departments` for the Shipping of employees."""
    ways = [
        (source, link)
        for source in view.sources.values()
        for link in (source.entry.links if source.entry is not None else ())
        if link.forward and link.there.name == hit.table
    ]
    if len(ways) != 1 or has_bare_star(view) or draft.tree.find(exp.SetOperation):
        return False
    source, link = ways[0]
    add_joins(draft, view, source, [link])
    draft.changed()
    return True


def _is_used(draft: Draft, source: Source, key: str) -> bool:
    """Whether the query says anything of that column: then what it leaves out, it leaves out knowingly."""
    owners = ((draft.views.owner(view, column), column) for view, column in draft.views.every())
    return any(
        owner is not None and owner.entry is source.entry and draft.key(column) == key
        for owner, column in owners
    )


def asked_each(draft: Draft) -> bool:
    """*The total of each city*, and one total of all of them: by city."""
    view, said = draft.outermost, draft.said
    if said is None or not said.each or view is None or view.open or view.select.args.get("group"):
        return False
    items = [one.unalias() for one in view.select.expressions]
    if not items or not all(isinstance(one, exp.AggFunc) for one in items) or any(draft.wrong(*ERRORS)):
        return False
    key = draft.grammar.columns.key
    found = [
        (source, key(column, True))
        for source in view.sources.values()
        for table, column in said.each
        if source.entry is not None and source.entry.table.name == table
    ]
    if len(found) != 1 or found[0][1] not in found[0][0].shape.columns or _is_used(draft, *found[0]):
        return False
    column = draft.column(*found[0])
    if len(view.sources) == 1:
        column.set("table", None)
    view.select.set("expressions", [column, *view.select.expressions])
    view.select.set("group", exp.Group(expressions=[column.copy()]))
    draft.changed()
    return True


def asked_distinct(draft: Draft) -> bool:
    """*The different names of …*, *how many different cities …*"""
    view = draft.outermost
    if draft.said is None or not draft.said.different or view is None:
        return False
    select = view.select
    if select.args.get("distinct") or select.args.get("group") or select.args.get("limit"):
        return False
    items = [one.unalias() for one in select.expressions]
    if all(isinstance(one, exp.Column) and not one.is_star for one in items):
        select.set("distinct", exp.Distinct())
    elif len(items) == 1 and isinstance(items[0], exp.Count) and isinstance(items[0].this, exp.Column):
        items[0].set("this", exp.Distinct(expressions=[items[0].this]))
    else:
        return False
    draft.changed()
    return True


def asked_both(draft: Draft) -> bool:
    """*Companies with offices both in Paris and in Rome*: not `city = 'Paris' OR city = 'Rome'`, but the ones
    INTERSECT the others, where a company may have many.
    """
    view, tree = draft.outermost, draft.tree
    if draft.said is None or not draft.said.both or view is None or not is_plain_list(view):
        return False
    if not any(link for link in _referring(draft, view, _shown(draft, view))):
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


def asked_without(draft: Draft) -> bool:
    """*Schools that have no player who is a catcher*, and a query for those who have one: NOT IN."""
    view, said = draft.outermost, draft.said
    if said is None or not said.denies or view is None or not is_plain_list(view, where=False):
        return False
    if any(draft.wrong(*ERRORS)) or draft.tree.find(*_DENIALS):
        return False
    shown = _shown(draft, view)
    links = list(_referring(draft, view, shown))
    if shown is None or len(view.sources) != 2 or len(links) != 1:
        return False
    child, link = links[0]
    parts = _conditions(view)
    owners = [{draft.views.owner(view, one) for one in part.find_all(exp.Column)} for part in parts]
    if any(one not in ({child}, {shown}) for one in owners):
        return False
    _denied(draft, view, (shown, child), link, [one == {child} for one in owners])
    return True


_DENIALS = (exp.Not, exp.NEQ, exp.Except, exp.Null, exp.Subquery)


def _denied(draft: Draft, view: View, ends: tuple[Source, Source], link: Link, inside: list[bool]) -> None:
    shown, child = ends
    select = view.select
    parts = _conditions(view)
    conditions = [one for one, held in zip(parts, inside, strict=True) if held]
    key = draft.column(child, link.referred[0])
    if link.there.columns[link.referred[0]].nullable:
        conditions.append(exp.Not(this=exp.Is(this=key, expression=exp.Null())))  # else NOT IN finds nobody
    inner = exp.Select(
        expressions=[key.copy()],
        from_=exp.From(this=child.node.copy()),
        where=exp.Where(this=_all(conditions)) if conditions else None,
    )
    outer = exp.Not(this=exp.In(this=draft.column(shown, link.columns[0]), query=exp.Subquery(this=inner)))
    rest = [one for one, held in zip(parts, inside, strict=True) if not held]
    select.set("from_", exp.From(this=shown.node.copy()))
    select.set("joins", None)
    select.set("where", exp.Where(this=_all([*rest, outer])))
    draft.changed()


def _conditions(view: View) -> list[exp.Expr]:
    where = view.select.args.get("where")
    return conjuncts(where.this) if where else []


def _all(parts: list[exp.Expr]) -> exp.Expr:
    return exp.and_(*(one.copy() for one in parts), copy=False)


def _shown(draft: Draft, view: View) -> Source | None:
    """The one source that everything selected is of."""
    owners = {draft.views.owner(view, one.unalias()) for one in view.select.expressions}
    return owners.pop() if len(owners) == 1 else None


def _referring(draft: Draft, view: View, shown: Source | None) -> Iterator[tuple[Source, Link]]:
    """The sources whose rows name a row of it, joined to it by that."""
    if shown is None or shown.entry is None:
        return
    for join in view.joins:
        parts = conjuncts(join.args.get("on")) if is_plain(join) else []
        sides = sides_of(draft, view, parts[0]) if len(parts) == 1 else None
        if sides is None or shown not in (sides[0][0], sides[1][0]):
            continue
        (_, key), (child, other) = sides if sides[0][0] is shown else sides[::-1]
        for link in shown.entry.links:
            if link.there is child.entry and not link.forward and link.pairs == ((key, other),):
                yield child, link
