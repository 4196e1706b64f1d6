"""A join that nobody needs. Small models add them freely, most of all to questions in Chinese."""

from collections.abc import Iterator

from sqlglot import exp

from text2sql.sql.repairs.draft import Draft, Fault
from text2sql.sql.repairs.joins import conjuncts, has_bare_star, is_plain, sides_of
from text2sql.sql.repairs.views import Source, View


def needless_join(draft: Draft) -> bool:
    """A table of which nothing but its ON is used, joined many to one along a foreign key."""
    done = False
    if any(draft.wrong(*Fault)):
        return False  # a column that nobody has yet may be of that table
    while _dropped(draft):
        done = True
    return done


def _dropped(draft: Draft) -> bool:
    views = draft.views
    for view in views.all:
        joins = view.joins
        if view.open or view.merged or not joins or has_bare_star(view) or not all(map(is_plain, joins)):
            continue
        for source in view.sources.values():
            join = source.join or joins[0]
            if _only_names_rows(draft, view, source, join) and not _is_used(draft, view, source, join):
                _drop(view, source, join)
                draft.changed()
                return True
    return False


def _only_names_rows(draft: Draft, view: View, source: Source, join: exp.Join) -> bool:
    """Whether the join finds, for every row of another source, the one row that its foreign key names."""
    pairs: dict[str, str] = {}
    others: set[str] = set()
    for part in conjuncts(join.args.get("on")):
        sides = sides_of(draft, view, part)
        if sides is None:
            return False
        (one, left), (other, right) = sides if sides[0][0] is source else sides[::-1]
        if one is not source or other is source:
            return False
        pairs[right] = left
        others.add(other.key)
    if len(others) != 1 or source.entry is None:
        return False
    other = view.sources[others.pop()]
    if other.entry is None or (source.join is None and other.join is not join):
        return False
    links = [one for one in draft.known.links(other.entry, source.entry) if one.forward]
    key = source.entry.is_key(pairs.values(), draft.grammar)
    return key and any(dict(link.pairs) == pairs for link in links)


def _is_used(draft: Draft, view: View, source: Source, join: exp.Join) -> bool:
    own = {id(column) for column in join.args["on"].find_all(exp.Column)}
    for inner, column in _visible_from(draft, view):
        if id(column) in own:
            continue
        table = column.args.get("table")
        if table is not None and draft.names.alias(table) == source.key:
            return True
        if table is None and source.may_have(draft.key(column)):
            owner = draft.views.owner(inner, column)
            if owner is None or owner is source:
                return True
    return any(
        one.is_star and draft.names.alias(one.args["table"]) == source.key
        for one in view.select.find_all(exp.Column)
    )


def _visible_from(draft: Draft, view: View) -> Iterator[tuple[View, exp.Column]]:
    for inner, column in draft.views.every():
        where: View | None = inner
        while where is not None and where is not view:
            where = where.parent
        if where is view:
            yield inner, column


def _drop(view: View, source: Source, join: exp.Join) -> None:
    joins = [one for one in view.joins if one is not join]
    if source.join is None:
        view.select.args["from_"].set("this", join.this)
    view.select.set("joins", joins)
