"""What is to be shown: a name and not the number that stands for it, of the thing that was asked about."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.group_by_key import title_of
from text2sql.sql.fixes.joins import add_joins, conditions, has_bare_star, is_given, referring
from text2sql.sql.schema_index import Entry, Link, folded, is_text
from text2sql.sql.scope import Scope, Source, copy_identifier
from text2sql.types import Columns


def asked_name(context: FixContext) -> bool:
    """*The names of the campuses*, and `faculty.campus`, a number: the name of the row that it stands for."""
    entry = _wanted(context)
    return entry is not None and sum(_titled(context, scope, entry) for scope in context.arms) > 0


def _wanted(context: FixContext) -> Entry | None:
    """The one table whose names are asked for."""
    said = context.intent
    if said is None or len(said.named) != 1 or any(context.faulty_columns(*ERRORS)):
        return None
    found = [one for one in context.schema.entries() if one.name == said.named[0]]
    return found[0] if len(found) == 1 else None


def _titled(context: FixContext, scope: Scope, entry: Entry) -> bool:
    items = [one for one in scope.select.expressions if isinstance(one, exp.Column)]
    numbers = [one for one in items if _stands_for(context, scope, one, entry)]
    if len(numbers) != 1 or any(_is_its_name(context, scope, one, entry) for one in items):
        return False
    (item,) = numbers
    title = title_of(entry, context.key(item))
    if scope.open or title is None or has_bare_star(scope):
        return False
    source = _source_of(scope, entry) or _join_of(context, scope, item, entry)
    if source is None:
        return False
    _show(context, scope, item, source, title)
    return True


def _stands_for(context: FixContext, scope: Scope, item: exp.Column, entry: Entry) -> bool:
    """Its key, or a foreign key to it."""
    owner, key = context.owner(scope, item), context.key(item)
    if owner is None or owner.entry is None or key not in owner.entry.columns:
        return False
    if is_text(owner.entry.columns[key]):
        return False
    if owner.entry is entry:
        return entry.is_key([key], context.grammar)
    return any(one.forward and one.columns == (key,) and one.there is entry for one in owner.entry.links)


def _is_its_name(context: FixContext, scope: Scope, item: exp.Column, entry: Entry) -> bool:
    owner = context.owner(scope, item)
    if owner is None or owner.entry is not entry:
        return False
    return is_text(entry.columns[context.key(item)])


def _source_of(scope: Scope, entry: Entry) -> Source | None:
    held = [one for one in scope.sources.values() if one.entry is entry]
    return held[0] if len(held) == 1 else None


def _join_of(context: FixContext, scope: Scope, item: exp.Column, entry: Entry) -> Source | None:
    owner, key = context.owner(scope, item), context.key(item)
    if owner is None or owner.entry is None or any(one.entry is entry for one in scope.sources.values()):
        return None
    (link,) = [one for one in owner.entry.links if one.columns == (key,) and one.there is entry][:1]
    item.set("table", copy_identifier(owner.name))
    return _added(context, scope, owner, link)


def _added(context: FixContext, scope: Scope, source: Source, link: Link) -> Source | None:
    """The table that a source refers to, joined to it."""
    name = add_joins(context, scope, source, [link])
    context.invalidate()
    joined = next(one for one in context.scopes if one.select is scope.select)
    return joined.sources.get(context.names.alias(name))


def _referred(context: FixContext, scope: Scope, entry: Entry) -> Source | None:
    """Joined, if one source refers to it by one key."""
    ways = referring(scope, entry.name)
    if len(ways) != 1 or has_bare_star(scope) or title_of(entry, "name") is None:
        return None
    return _added(context, scope, *ways[0])


def _show(context: FixContext, scope: Scope, item: exp.Column, source: Source, title: str) -> None:
    group = scope.select.args.get("group")
    column = context.column_in(scope, source, title)
    if group is not None:
        group.append("expressions", column.copy())
    context.replace(item, column)


def asked_owner(context: FixContext) -> bool:
    """*The names and towns of the members*, and those of the branch that is joined to them."""
    entry, arms = _wanted(context), context.arms
    if entry is None or any(len(scope.sources) < 2 for scope in arms):
        return False  # an arm that is sure of its name says what the others show
    return sum(_owned(context, scope, entry) for scope in arms) > 0


def _owned(context: FixContext, scope: Scope, entry: Entry) -> bool:
    meant = _source_of(scope, entry)
    named = [one.entry for one in scope.sources.values()]
    items = [one for one in scope.select.expressions if isinstance(one, exp.Column)]
    names = [one for one in items if folded(context.key(one)).endswith("name")]
    if scope.open or len(names) != 1 or scope.select.args.get("group"):
        return False
    (name,) = names
    title, owner = title_of(entry, context.key(name)), context.owner(scope, name)
    if title is None or owner is None or owner is meant:
        return False
    beside = [one for one in items if one is not name and context.owner(scope, one) is owner]
    if meant is None and entry not in named and len(named) > 1:
        meant = _referred(context, scope, entry)
    there = any(context.key(one) == title and context.owner(scope, one) is meant for one in items)
    if meant is None or there or is_given(context, scope, meant, title):
        return False
    context.bind(name, meant, title)
    for column in beside:
        if context.key(column) in meant.outputs.known:
            context.bind(column, meant)
    return True


def asked_column(context: FixContext) -> bool:
    """*Which model saves the most?*, *the name and age of …*, and `SELECT *`: what was asked for."""
    said, scope = context.intent, context.outermost
    if said is None or scope is None or scope.open or len(scope.sources) != 1 or not has_bare_star(scope):
        return False
    (source,) = scope.sources.values()
    if source.entry is None or len(scope.select.expressions) != 1 or scope.select.args.get("group"):
        return False
    wanted = [_called_so(context, source.entry, one) for one in said.listed or (said.sought,)]
    if any(len(one) != 1 or not one <= source.outputs.known for one in wanted):
        return False
    columns = [context.column_in(scope, source, one.pop()) for one in wanted]
    scope.select.set("expressions", columns)
    context.invalidate()
    return True


def _called_so(context: FixContext, entry: Entry, pairs: Columns) -> set[str]:
    """Of a table, the columns among these."""
    return {context.grammar.columns.key(name, True) for table, name in pairs if table == entry.table.name}


def asked_list(context: FixContext) -> bool:
    """*The names and towns of the members*, and only their names: the towns too."""
    said, arms = context.intent, context.arms
    if said is None or len(said.listed) < 2 or not arms or any(context.faulty_columns(*ERRORS)):
        return False
    left_out = [_left_out(context, scope, said.listed) for scope in arms]
    if not all(left_out):
        return False
    for scope, columns in zip(arms, left_out, strict=True):
        for column in columns:
            scope.select.append("expressions", column)
    context.invalidate()
    return True


def _left_out(context: FixContext, scope: Scope, listed: tuple[Columns, ...]) -> list[exp.Column]:
    """What is listed and not shown, if with it as many columns are shown as are listed."""
    items = scope.select.expressions
    if scope.open or scope.select.args.get("group") or not all(isinstance(one, exp.Column) for one in items):
        return []
    source = context.only_source_shown(scope)
    if source is None or source.entry is None or has_bare_star(scope):
        return []
    wanted = [_called_so(context, source.entry, one) for one in listed]
    shown = {context.key(one) for one in items}
    asked = {context.key(one) for part in conditions(scope) for one in part.find_all(exp.Column)}
    missing = [one.pop() for one in wanted if len(one) == 1 and not one & (shown | asked)]
    fits = len(items) + len(missing) == len(listed) and set(missing) <= source.outputs.known
    return [context.column_in(scope, source, one) for one in missing] if fits else []


def unasked_column(context: FixContext) -> bool:
    """*The authors, sorted by score*, and the score beside them: it was asked to sort by, not to be shown."""
    said, scope = context.intent, context.outermost
    order = scope.select.args.get("order") if scope is not None else None
    if said is None or not said.ranked or scope is None or order is None or scope.open:
        return False
    items = scope.select.expressions
    ranked = {context.grammar.columns.key(name, True) for _, name in said.ranked}
    sorted_by = [one.this for one in order.expressions if isinstance(one.this, exp.Column)]
    extra = [
        one
        for one in items
        if isinstance(one, exp.Column) and one in sorted_by and context.key(one) in ranked
    ]
    if (
        len(extra) != 1
        or len(items) < 2
        or scope.select.args.get("group")
        or scope.select.args.get("distinct")
    ):
        return False
    scope.select.set("expressions", [one for one in items if one is not extra[0]])
    context.invalidate()
    return True
