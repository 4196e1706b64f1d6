"""Joins against the foreign keys: one on the wrong columns, one that is missing."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from text2sql.sql.repairs.draft import Draft, Fault, Wrong
from text2sql.sql.repairs.known import Entry, Link, of_two_kinds
from text2sql.sql.repairs.views import Source, View
from text2sql.sql.scope import again


def conjuncts(on: exp.Expr | None) -> list[exp.Expr]:
    if on is None:
        return []
    return list(on.flatten()) if isinstance(on, exp.And) else [on]


def conditions(view: View) -> list[exp.Expr]:
    """What its WHERE asks for, all of it."""
    where = view.select.args.get("where")
    return conjuncts(where.this) if where else []


def filter_by(view: View, parts: Sequence[exp.Expr]) -> None:
    """These, copied, become its WHERE."""
    asked = exp.and_(*(one.copy() for one in parts), copy=False) if parts else None
    view.select.set("where", exp.Where(this=asked) if asked is not None else None)


def is_given(draft: Draft, view: View, source: Source, key: str) -> bool:
    """Whether the WHERE says what stands there, or one of what: who asks does not ask for that."""

    def says(part: exp.Expr) -> bool:
        part = part.unnest()
        if isinstance(part, exp.Or):
            return all(map(says, part.flatten()))
        return (
            isinstance(part, exp.EQ)
            and isinstance(part.this, exp.Column)
            and isinstance(part.expression, exp.Literal)
            and part.expression.is_string
            and draft.views.owner(view, part.this) is source
            and draft.key(part.this) == key
        )

    return any(map(says, conditions(view)))


def is_plain(join: exp.Join) -> bool:
    """An inner join on a condition."""
    return not (join.side or join.method or join.args.get("using")) and join.kind in ("", "INNER")


def tied(draft: Draft, view: View, join: exp.Join) -> tuple[tuple[Source, str], tuple[Source, str]] | None:
    """Both sides of a plain join on one condition `T1.x = T2.y`, what it joins last."""
    parts = conjuncts(join.args.get("on")) if is_plain(join) else []
    sides = sides_of(draft, view, parts[0]) if len(parts) == 1 else None
    if sides is None:
        return None
    near, far = sides[::-1] if sides[0][0].join is join else sides
    return (near, far) if far[0].join is join and near[0] is not far[0] else None


def referring_to(draft: Draft, view: View, shown: Source | None) -> Iterator[tuple[Source, Link]]:
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


# -- on the wrong columns --


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


def sides_of(
    draft: Draft, view: View, part: exp.Expr
) -> tuple[tuple[Source, str], tuple[Source, str]] | None:
    """Both sides of `T1.x = T2.y`, whether or not there are such columns."""
    found = []
    for side in (part.this, part.expression) if isinstance(part, exp.EQ) else ():
        if not isinstance(side, exp.Column) or not side.args.get("table") or side.args.get("db"):
            return None
        source = view.sources.get(draft.names.alias(side.args["table"]))
        if source is None or source.shape.open:
            return None
        found.append((source, draft.key(side)))
    return (found[0], found[1]) if found else None


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


# -- missing --

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


def referring(view: View, name: str) -> list[tuple[Source, Link]]:
    """The sources whose rows name a row of that table, each with the key by which they do."""
    return [
        (source, link)
        for source in view.sources.values()
        for link in (source.entry.links if source.entry is not None else ())
        if link.forward and link.there.name == name
    ]


def has_bare_star(view: View) -> bool:
    return any(isinstance(one, exp.Star) for one in view.select.expressions)


def shortest_path(
    starts: list[tuple[Source, Entry]], targets: list[Entry]
) -> tuple[Source, list[Link]] | None:
    """The one shortest way from a source to a table; None where there is none, or a second one as short."""
    wanted = {id(one) for one in targets}
    reached = {id(entry) for _, entry in starts}
    ways: list[tuple[Source, Entry, list[Link]]] = [(source, entry, []) for source, entry in starts]
    while ways and wanted:
        ways = [
            (source, link.there, [*links, link])
            for source, at, links in ways
            for link in at.links
            if id(link.there) not in reached and not _is_a_trap(links, link)
        ]
        found = [(source, links) for source, at, links in ways if id(at) in wanted]
        if found:
            return found[0] if len(found) == 1 else None
        reached |= {id(at) for _, at, _ in ways}
    return None


def _is_beside(path: tuple[Source, list[Link]]) -> bool:
    """Of several tables that have the column, the only one that a source refers to itself."""
    return len(path[1]) == 1 and path[1][0].forward


def _is_a_trap(links: list[Link], link: Link) -> bool:
    """Many rows to one and on to many others: visits and paintings that only share a museum."""
    return bool(links) and links[-1].forward and not link.forward


def _qualify_all(draft: Draft, view: View, keys: set[str]) -> None:
    """Bare columns that the new tables have as well are told whose they are, before they come."""
    for inner, column in draft.views.every():
        if not column.args.get("table") and draft.key(column) in keys:
            owner = draft.views.owner(inner, column)
            if owner is not None and owner in view.sources.values():
                column.set("table", again(owner.name))


def add_joins(
    draft: Draft, view: View, source: Source, links: list[Link], called: exp.Identifier | None = None
) -> exp.Identifier:
    """Join what the links lead to, the last under the name `called` if that is given. Gives its name."""
    _qualify_all(draft, view, {key for link in links for key in link.there.columns})
    before: exp.Identifier = source.name
    for link in links:
        table = draft.table(link.there)
        name = table.this
        if link is links[-1] and called is not None:
            name = again(called)
            if draft.names.alias(name) != draft.names.alias(table.this):
                table.set("alias", exp.TableAlias(this=name))
        elif draft.names.alias(name) in view.sources:
            name = exp.to_identifier(f"{link.there.table.name}_{len(view.sources)}")
            table.set("alias", exp.TableAlias(this=name))
        view.select.append("joins", exp.Join(this=table, on=equal(draft, link, before, name)))
        before = name
    return before


def equal(draft: Draft, link: Link, here: exp.Identifier, there: exp.Identifier) -> exp.Expr:
    """The condition of a join along a foreign key."""
    pairs = [
        [
            exp.Column(this=draft.identifier(entry.columns[key].name), table=again(name))
            for entry, key, name in ((link.here, pair[0], here), (link.there, pair[1], there))
        ]
        for pair in link.pairs
    ]
    return exp.and_(*(exp.EQ(this=one, expression=other) for one, other in pairs), copy=False)
