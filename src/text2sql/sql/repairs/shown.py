"""What is to be shown: a name and not the number that stands for it, of the thing that was asked about."""

from sqlglot import exp

from text2sql.sql.repairs.draft import ERRORS, Draft
from text2sql.sql.repairs.entities import title_of
from text2sql.sql.repairs.joins import add_joins, conditions, has_bare_star, is_given, referring
from text2sql.sql.repairs.known import Entry, Link, folded, is_text
from text2sql.sql.repairs.views import Source, View
from text2sql.sql.scope import again
from text2sql.types import Columns


def asked_name(draft: Draft) -> bool:
    """*The names of the campuses*, and `faculty.campus`, a number: the name of the row that it stands for."""
    entry = _wanted(draft)
    return entry is not None and sum(_titled(draft, view, entry) for view in draft.arms) > 0


def _wanted(draft: Draft) -> Entry | None:
    """The one table whose names are asked for."""
    said = draft.said
    if said is None or len(said.named) != 1 or any(draft.wrong(*ERRORS)):
        return None
    found = [one for one in draft.known.entries() if one.name == said.named[0]]
    return found[0] if len(found) == 1 else None


def _titled(draft: Draft, view: View, entry: Entry) -> bool:
    items = [one for one in view.select.expressions if isinstance(one, exp.Column)]
    numbers = [one for one in items if _stands_for(draft, view, one, entry)]
    if len(numbers) != 1 or any(_is_its_name(draft, view, one, entry) for one in items):
        return False
    (item,) = numbers
    title = title_of(entry, draft.key(item))
    if view.open or title is None or has_bare_star(view):
        return False
    source = _source_of(view, entry) or _join_of(draft, view, item, entry)
    if source is None:
        return False
    _show(draft, view, item, source, title)
    return True


def _stands_for(draft: Draft, view: View, item: exp.Column, entry: Entry) -> bool:
    """Its key, or a foreign key to it."""
    owner, key = draft.views.owner(view, item), draft.key(item)
    if owner is None or owner.entry is None or key not in owner.entry.columns:
        return False
    if is_text(owner.entry.columns[key]):
        return False
    if owner.entry is entry:
        return entry.is_key([key], draft.grammar)
    return any(one.forward and one.columns == (key,) and one.there is entry for one in owner.entry.links)


def _is_its_name(draft: Draft, view: View, item: exp.Column, entry: Entry) -> bool:
    owner = draft.views.owner(view, item)
    if owner is None or owner.entry is not entry:
        return False
    return is_text(entry.columns[draft.key(item)])


def _source_of(view: View, entry: Entry) -> Source | None:
    held = [one for one in view.sources.values() if one.entry is entry]
    return held[0] if len(held) == 1 else None


def _join_of(draft: Draft, view: View, item: exp.Column, entry: Entry) -> Source | None:
    owner, key = draft.views.owner(view, item), draft.key(item)
    if owner is None or owner.entry is None or any(one.entry is entry for one in view.sources.values()):
        return None
    (link,) = [one for one in owner.entry.links if one.columns == (key,) and one.there is entry][:1]
    item.set("table", again(owner.name))
    return _added(draft, view, owner, link)


def _added(draft: Draft, view: View, source: Source, link: Link) -> Source | None:
    """The table that a source refers to, joined to it."""
    name = add_joins(draft, view, source, [link])
    draft.changed()
    joined = next(one for one in draft.views.all if one.select is view.select)
    return joined.sources.get(draft.names.alias(name))


def _referred(draft: Draft, view: View, entry: Entry) -> Source | None:
    """Joined, if one source refers to it by one key."""
    ways = referring(view, entry.name)
    if len(ways) != 1 or has_bare_star(view) or title_of(entry, "name") is None:
        return None
    return _added(draft, view, *ways[0])


def _show(draft: Draft, view: View, item: exp.Column, source: Source, title: str) -> None:
    group = view.select.args.get("group")
    column = draft.column_in(view, source, title)
    if group is not None:
        group.append("expressions", column.copy())
    draft.put(item, column)


def asked_owner(draft: Draft) -> bool:
    """*The names and towns of the members*, and those of the branch that is joined to them."""
    entry, arms = _wanted(draft), draft.arms
    if entry is None or any(len(view.sources) < 2 for view in arms):
        return False  # an arm that is sure of its name says what the others show
    return sum(_owned(draft, view, entry) for view in arms) > 0


def _owned(draft: Draft, view: View, entry: Entry) -> bool:
    meant = _source_of(view, entry)
    named = [one.entry for one in view.sources.values()]
    items = [one for one in view.select.expressions if isinstance(one, exp.Column)]
    names = [one for one in items if folded(draft.key(one)).endswith("name")]
    if view.open or len(names) != 1 or view.select.args.get("group"):
        return False
    (name,) = names
    title, owner = title_of(entry, draft.key(name)), draft.views.owner(view, name)
    if title is None or owner is None or owner is meant:
        return False
    beside = [one for one in items if one is not name and draft.views.owner(view, one) is owner]
    if meant is None and entry not in named and len(named) > 1:
        meant = _referred(draft, view, entry)
    there = any(draft.key(one) == title and draft.views.owner(view, one) is meant for one in items)
    if meant is None or there or is_given(draft, view, meant, title):
        return False
    draft.bind(name, meant, title)
    for column in beside:
        if draft.key(column) in meant.shape.columns:
            draft.bind(column, meant)
    return True


def asked_column(draft: Draft) -> bool:
    """*Which model saves the most?*, *the name and age of …*, and `SELECT *`: what was asked for."""
    said, view = draft.said, draft.outermost
    if said is None or view is None or view.open or len(view.sources) != 1 or not has_bare_star(view):
        return False
    (source,) = view.sources.values()
    if source.entry is None or len(view.select.expressions) != 1 or view.select.args.get("group"):
        return False
    wanted = [_called_so(draft, source.entry, one) for one in said.listed or (said.sought,)]
    if any(len(one) != 1 or not one <= set(source.shape.columns) for one in wanted):
        return False
    columns = [draft.column_in(view, source, one.pop()) for one in wanted]
    view.select.set("expressions", columns)
    draft.changed()
    return True


def _called_so(draft: Draft, entry: Entry, pairs: Columns) -> set[str]:
    """Of a table, the columns among these."""
    return {draft.grammar.columns.key(name, True) for table, name in pairs if table == entry.table.name}


def asked_list(draft: Draft) -> bool:
    """*The names and towns of the members*, and only their names: the towns too."""
    said, arms = draft.said, draft.arms
    if said is None or len(said.listed) < 2 or not arms or any(draft.wrong(*ERRORS)):
        return False
    left_out = [_left_out(draft, view, said.listed) for view in arms]
    if not all(left_out):
        return False
    for view, columns in zip(arms, left_out, strict=True):
        for column in columns:
            view.select.append("expressions", column)
    draft.changed()
    return True


def _left_out(draft: Draft, view: View, listed: tuple[Columns, ...]) -> list[exp.Column]:
    """What is listed and not shown, if with it as many columns are shown as are listed."""
    items = view.select.expressions
    if view.open or view.select.args.get("group") or not all(isinstance(one, exp.Column) for one in items):
        return []
    source = draft.shown(view)
    if source is None or source.entry is None or has_bare_star(view):
        return []
    wanted = [_called_so(draft, source.entry, one) for one in listed]
    shown = {draft.key(one) for one in items}
    asked = {draft.key(one) for part in conditions(view) for one in part.find_all(exp.Column)}
    missing = [one.pop() for one in wanted if len(one) == 1 and not one & (shown | asked)]
    fits = len(items) + len(missing) == len(listed) and set(missing) <= set(source.shape.columns)
    return [draft.column_in(view, source, one) for one in missing] if fits else []


def unasked_column(draft: Draft) -> bool:
    """*The authors, sorted by score*, and the score beside them: it was asked to sort by, not to be shown."""
    said, view = draft.said, draft.outermost
    order = view.select.args.get("order") if view is not None else None
    if said is None or not said.ranked or view is None or order is None or view.open:
        return False
    items = view.select.expressions
    ranked = {draft.grammar.columns.key(name, True) for _, name in said.ranked}
    sorted_by = [one.this for one in order.expressions if isinstance(one.this, exp.Column)]
    extra = [
        one for one in items if isinstance(one, exp.Column) and one in sorted_by and draft.key(one) in ranked
    ]
    if len(extra) != 1 or len(items) < 2 or view.select.args.get("group") or view.select.args.get("distinct"):
        return False
    view.select.set("expressions", [one for one in items if one is not extra[0]])
    draft.changed()
    return True
