"""Joins against the foreign keys: one on the wrong columns, one that is missing."""

from sqlglot import exp

from text2sql.sql.repairs.draft import Draft, Fault, Wrong
from text2sql.sql.repairs.joins import add_joins, conjuncts, has_bare_star, shortest_path, sides_of
from text2sql.sql.repairs.known import Entry, Link, of_two_kinds
from text2sql.sql.repairs.views import Source, View
from text2sql.sql.scope import again


def join_key(draft: Draft) -> bool:
    """`a JOIN b ON a.id = b.id` where the one foreign key between them is `a.b_id → b.id`."""
    done = False
    for view in list(draft.views.all):
        for join in view.joins:
            done = _on_itself(draft, view, join) or done
            for part in conjuncts(join.args.get("on")):
                done = _on_the_key(draft, view, part) or done
    return done


def _on_itself(draft: Draft, view: View, join: exp.Join) -> bool:
    """`JOIN club AS T3 ON T1.id = T2.guest_id`, where T1 is the club that plays at home: T3."""
    joined = next((one for one in view.sources.values() if one.join is join), None)
    sides = [sides_of(draft, view, part) for part in conjuncts(join.args.get("on"))]
    if joined is None or joined.entry is None or len(sides) != 1 or sides[0] is None:
        return False
    owners = [source for source, _ in sides[0]]
    same = [one for one in owners if one.entry is joined.entry]
    if joined in owners or len(same) != 1:
        return False
    for column in join.args["on"].find_all(exp.Column):
        if draft.views.owner(view, column) is same[0]:
            draft.bind(column, joined)
    return True


def _on_the_key(draft: Draft, view: View, part: exp.Expr) -> bool:
    sides = sides_of(draft, view, part)
    if sides is None:
        return False
    (one, left), (other, right) = sides
    if one is other or one.entry is None or other.entry is None or one.entry is other.entry:
        return False
    links = draft.known.links(one.entry, other.entry)
    if len(links) != 1 or len(links[0].columns) != 1:
        return False
    (pair,) = links[0].pairs
    if (left, right) == pair or not _is_no_pair(draft, (one.entry, left), (other.entry, right)):
        return False
    part.set("this", draft.column(one, pair[0]))
    part.set("expression", draft.column(other, pair[1]))
    draft.changed()
    return True


def _is_no_pair(draft: Draft, one: tuple[Entry, str], other: tuple[Entry, str]) -> bool:
    """Sure for a column that is not there, for a text and a number, and for two primary keys of which neither
    names another row.
    """
    sides = (one, other)
    if any(key in entry.hidden for entry, key in sides):
        return False
    if any(key not in entry.columns for entry, key in sides):
        return True
    if of_two_kinds(one[0].columns[one[1]], other[0].columns[other[1]]):
        return True
    keys = [tuple(draft.grammar.columns.key(name, True) for name in e.table.primary_key) for e, _ in sides]
    own = keys == [(one[1],), (other[1],)]
    return own and not any(
        link.forward and key in link.columns for entry, key in sides for link in entry.links
    )


_NOT_HERE = (Fault.ABSENT, Fault.STRANGE, Fault.UNKNOWN, Fault.OUTER)


def missing_join(draft: Draft) -> bool:
    """A column that only a table outside FROM has, and one shortest way of foreign keys leads to it."""
    done = False
    for _ in range(4):
        if not any(_joined(draft, wrong) for wrong in draft.wrong(*_NOT_HERE)):
            break
        done = True
    return done


def _joined(draft: Draft, wrong: Wrong) -> bool:
    view = wrong.at
    if not view.sources or view.open or has_bare_star(view):
        return False
    third = selects_twice(draft, wrong) or grouped_by(draft, wrong) is not None
    if wrong.fault is not Fault.OUTER and not third and _is_in_scope(draft, wrong):
        return False
    sources = [wrong.source] if third and wrong.source else view.sources.values()
    held = [(one, one.entry) for one in sources if one.entry is not None]
    there = [one.entry for one in view.sources.values()]
    named = grouped_by(draft, wrong)
    absent = [one for one in _tables_with(draft, wrong) if all(one is not entry for entry in there)]
    targets = [named] if named is not None else _said(draft, absent)
    path = shortest_path(held, targets) or _from_its_own(wrong, targets)
    sure = wrong.fault is Fault.STRANGE or len(targets) < 2 or _are_one(targets, draft.key(wrong.column))
    if path is None or not (sure or _is_beside(path)):
        return False
    called = wrong.column.args["table"] if wrong.fault is Fault.STRANGE else None
    meant_too = [one for one in wrong.view.columns if third and one == wrong.column]
    name = add_joins(draft, view, *path, called)
    for column in (wrong.column, *meant_too):
        column.set("table", again(name))
    draft.changed()
    return True


def _are_one(tables: list[Entry], key: str) -> bool:
    """Whether the column is the key of one of them, and the others name its rows by it: any will do."""
    return any(
        all(
            one is entry
            or any(link.forward and link.columns == (key,) and link.there is entry for link in one.links)
            for one in tables
        )
        for entry in tables
    )


def _from_its_own(wrong: Wrong, targets: list[Entry]) -> tuple[Source, list[Link]] | None:
    """Where several sources refer to the table, the way from the one that the column names."""
    source = wrong.source if wrong.fault is Fault.ABSENT else None
    if source is None or source.entry is None:
        return None
    path = shortest_path([(source, source.entry)], targets)
    return path if path is not None and _is_beside(path) else None


def _said(draft: Draft, tables: list[Entry]) -> list[Entry]:
    """Of several tables that have the column the one whose name was said: *the students' first names*."""
    said = [one for one in tables if draft.said is not None and one.name in draft.said.named]
    return said if len(said) == 1 else tables


def selects_twice(draft: Draft, wrong: Wrong) -> bool:
    """`SELECT T1.name, T2.name` where only T1 has one: nobody asks for it twice, it is of a third table; and
    so it is where the same is said again, in ORDER BY.
    """
    shown = wrong.view.select.expressions
    if wrong.fault is not Fault.ABSENT or wrong.column not in shown:
        return False
    key = draft.key(wrong.column)
    items = [one for one in shown if isinstance(one, exp.Column) and one != wrong.column]
    return any(draft.key(one) == key and draft.fault(wrong.view, one) is None for one in items)


def grouped_by(draft: Draft, wrong: Wrong) -> Entry | None:
    """`SELECT T1.name … GROUP BY T1.patient`: the table that has it, whose row the group is of."""
    group, source = wrong.view.select.args.get("group"), wrong.source
    if wrong.fault is not Fault.ABSENT or group is None or source is None or source.entry is None:
        return None
    owned = [one for one in group.expressions if isinstance(one, exp.Column)]
    keys = [draft.key(one) for one in owned if draft.views.owner(wrong.view, one) is source]
    found = [
        link.there
        for link in source.entry.links
        if link.forward and link.columns == tuple(keys) and draft.key(wrong.column) in link.there.columns
    ]
    there = [one.entry for one in wrong.at.sources.values()]
    return found[0] if len(found) == 1 and all(found[0] is not one for one in there) else None


def _is_in_scope(draft: Draft, wrong: Wrong) -> bool:
    """Whether what is asked for could be had from the sources that are there, or from the query around."""
    if (
        wrong.fault is Fault.STRANGE
        and _tables_with(draft, wrong) == draft.known.near(wrong.column.table) != []
    ):
        return False  # it names a table that has it
    keys = _called(draft, wrong)
    where: View | None = wrong.at
    while where is not None:
        if where.open or all(where.owners(key) for key in keys):
            return True
        where = where.parent
    return False


def _called(draft: Draft, wrong: Wrong) -> set[str]:
    """The column; and where its alias is of no source, all columns of that alias: they are of one table."""
    if wrong.fault is not Fault.STRANGE:
        return {draft.key(wrong.column)}
    alias = draft.names.alias(wrong.column.args["table"])
    tables = [(one, one.args.get("table")) for one in wrong.view.columns]
    return {
        draft.key(one) for one, table in tables if table is not None and draft.names.alias(table) == alias
    }


def _tables_with(draft: Draft, wrong: Wrong) -> list[Entry]:
    """The tables that could be meant."""
    key = draft.key(wrong.column)
    if wrong.fault is not Fault.STRANGE:
        return draft.known.holders.get(key, [])
    called = _called(draft, wrong)
    named = draft.known.near(wrong.column.table)
    return [one for one in named or draft.known.holders.get(key, []) if called <= set(one.columns)]


def _is_beside(path: tuple[Source, list[Link]]) -> bool:
    """Of several tables that have the column, the only one that a source refers to itself."""
    return len(path[1]) == 1 and path[1][0].forward
