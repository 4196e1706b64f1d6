"""What a query joins and asks for, read and written: for repairs of all kinds."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.schema_index import Entry, Link
from text2sql.sql.scope import Scope, Source, copy_identifier


def conjuncts(on: exp.Expr | None) -> list[exp.Expr]:
    if on is None:
        return []
    return list(on.flatten()) if isinstance(on, exp.And) else [on]


def conditions(scope: Scope) -> list[exp.Expr]:
    """What its WHERE asks for, all of it."""
    where = scope.select.args.get("where")
    return conjuncts(where.this) if where else []


def is_plain(join: exp.Join) -> bool:
    """An inner join on a condition."""
    return not (join.side or join.method or join.args.get("using")) and join.kind in ("", "INNER")


def tied(
    context: FixContext, scope: Scope, join: exp.Join
) -> tuple[tuple[Source, str], tuple[Source, str]] | None:
    """Both sides of a plain join on one condition `T1.x = T2.y`, what it joins last."""
    parts = conjuncts(join.args.get("on")) if is_plain(join) else []
    sides = sides_of(context, scope, parts[0]) if len(parts) == 1 else None
    if sides is None:
        return None
    near, far = sides[::-1] if sides[0][0].join is join else sides
    return (near, far) if far[0].join is join and near[0] is not far[0] else None


def sides_of(
    context: FixContext, scope: Scope, part: exp.Expr
) -> tuple[tuple[Source, str], tuple[Source, str]] | None:
    """Both sides of `T1.x = T2.y`, whether or not there are such columns."""
    found = []
    for side in (part.this, part.expression) if isinstance(part, exp.EQ) else ():
        if not isinstance(side, exp.Column) or not side.args.get("table") or side.args.get("db"):
            return None
        source = scope.sources.get(context.names.alias(side.args["table"]))
        if source is None or source.outputs.open:
            return None
        found.append((source, context.key(side)))
    return (found[0], found[1]) if found else None


def has_bare_star(scope: Scope) -> bool:
    return any(isinstance(one, exp.Star) for one in scope.select.expressions)


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


def _is_a_trap(links: list[Link], link: Link) -> bool:
    """Many rows to one and on to many others: visits and paintings that only share a museum."""
    return bool(links) and links[-1].forward and not link.forward


def _qualify_all(context: FixContext, scope: Scope, keys: set[str]) -> None:
    """Bare columns that the new tables have as well are told whose they are, before they come."""
    for inner, column in context.columns():
        if not column.args.get("table") and context.key(column) in keys:
            owner = context.owner(inner, column)
            if owner is not None and owner in scope.sources.values():
                column.set("table", copy_identifier(owner.name))


def add_joins(
    context: FixContext, scope: Scope, source: Source, links: list[Link], called: exp.Identifier | None = None
) -> exp.Identifier:
    """Join what the links lead to, the last under the name `called` if that is given. Gives its name."""
    _qualify_all(context, scope, {key for link in links for key in link.there.columns})
    before: exp.Identifier = source.name
    for link in links:
        table = context.table(link.there)
        name = table.this
        if link is links[-1] and called is not None:
            name = copy_identifier(called)
            if context.names.alias(name) != context.names.alias(table.this):
                table.set("alias", exp.TableAlias(this=name))
        elif context.names.alias(name) in scope.sources:
            name = exp.to_identifier(f"{link.there.table.name}_{len(scope.sources)}")
            table.set("alias", exp.TableAlias(this=name))
        scope.select.append("joins", exp.Join(this=table, on=equal(context, link, before, name)))
        before = name
    return before


def equal(context: FixContext, link: Link, here: exp.Identifier, there: exp.Identifier) -> exp.Expr:
    """The condition of a join along a foreign key."""
    pairs = [
        [
            exp.Column(this=context.identifier(entry.columns[key].name), table=copy_identifier(name))
            for entry, key, name in ((link.here, pair[0], here), (link.there, pair[1], there))
        ]
        for pair in link.pairs
    ]
    return exp.and_(*(exp.EQ(this=one, expression=other) for one, other in pairs), copy=False)
