"""Join conditions, paths along foreign keys and added tables, shared by the fixes of joins."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.schema_index import Link, TableEntry
from text2sql.sql.scope import Scope, Source, copy_identifier


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """The parts of a condition that AND connects."""
    if condition is None:
        return []
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def is_inner_join(join: exp.Join) -> bool:
    """Whether it is an inner join with an ON clause."""
    return not (join.side or join.method or join.args.get("using")) and join.kind in ("", "INNER")


def join_sides(
    context: FixContext, scope: Scope, join: exp.Join
) -> tuple[tuple[Source, str], tuple[Source, str]] | None:
    """Both sides of a plain join on a single condition `T1.x = T2.y`; the joined source comes last."""
    parts = conjuncts(join.args.get("on")) if is_inner_join(join) else []
    sides = equality_sides(context, scope, parts[0]) if len(parts) == 1 else None
    if sides is None:
        return None
    near, far = sides[::-1] if sides[0][0].join is join else sides
    return (near, far) if far[0].join is join and near[0] is not far[0] else None


def equality_sides(
    context: FixContext, scope: Scope, part: exp.Expr
) -> tuple[tuple[Source, str], tuple[Source, str]] | None:
    """Source and column of both sides of `T1.x = T2.y`, whether or not these columns exist."""
    sides = []
    for side in (part.this, part.expression) if isinstance(part, exp.EQ) else ():
        if not isinstance(side, exp.Column) or not side.args.get("table") or side.args.get("db"):
            return None
        source = scope.sources.get(context.names.alias(side.args["table"]))
        if source is None or source.outputs.open:
            return None
        sides.append((source, context.key(side)))
    return (sides[0], sides[1]) if sides else None


def has_bare_star(scope: Scope) -> bool:
    return any(isinstance(item, exp.Star) for item in scope.select.expressions)


def shortest_path(
    starts: list[tuple[Source, TableEntry]], targets: list[TableEntry]
) -> tuple[Source, list[Link]] | None:
    """The shortest path of foreign keys from a source to a target; None if there is none or a tie."""
    target_ids = {id(entry) for entry in targets}
    visited_ids = {id(entry) for _, entry in starts}
    paths: list[tuple[Source, TableEntry, list[Link]]] = [(source, entry, []) for source, entry in starts]
    while paths and target_ids:
        paths = [
            (source, link.there, [*links, link])
            for source, end, links in paths
            for link in end.links
            if id(link.there) not in visited_ids and not _fans_out(links, link)
        ]
        complete = [(source, links) for source, end, links in paths if id(end) in target_ids]
        if complete:
            return complete[0] if len(complete) == 1 else None
        visited_ids |= {id(end) for _, end, _ in paths}
    return None


def _fans_out(links: list[Link], link: Link) -> bool:
    """Whether the path goes many-to-one and then one-to-many: visits and paintings only share a museum."""
    return bool(links) and links[-1].forward and not link.forward


def _qualify_all(context: FixContext, scope: Scope, keys: set[str]) -> None:
    """Qualify the bare columns that would become ambiguous when tables with these columns are joined."""
    for inner, column in context.columns():
        if not column.args.get("table") and context.key(column) in keys:
            owner = context.owner(inner, column)
            if owner is not None and owner in scope.sources.values():
                column.set("table", copy_identifier(owner.name))


def add_joins(
    context: FixContext, scope: Scope, source: Source, links: list[Link], alias: exp.Identifier | None = None
) -> exp.Identifier:
    """Join the tables along the links and return the name of the last one, which gets the alias."""
    _qualify_all(context, scope, {key for link in links for key in link.there.columns})
    previous_table: exp.Identifier = source.name
    for link in links:
        table = context.table(link.there)
        name = table.this
        if link is links[-1] and alias is not None:
            name = copy_identifier(alias)
            if context.names.alias(name) != context.names.alias(table.this):
                table.set("alias", exp.TableAlias(this=name))
        elif context.names.alias(name) in scope.sources:
            name = exp.to_identifier(f"{link.there.table.name}_{len(scope.sources)}")
            table.set("alias", exp.TableAlias(this=name))
        scope.select.append(
            "joins", exp.Join(this=table, on=join_condition(context, link, previous_table, name))
        )
        previous_table = name
    return previous_table


def join_condition(context: FixContext, link: Link, here: exp.Identifier, there: exp.Identifier) -> exp.Expr:
    """The condition of a join along a foreign key."""

    def column(entry: TableEntry, key: str, table: exp.Identifier) -> exp.Column:
        return exp.Column(this=context.identifier(entry.columns[key].name), table=copy_identifier(table))

    parts = (
        exp.EQ(this=column(link.here, key, here), expression=column(link.there, referred, there))
        for key, referred in link.pairs
    )
    return exp.and_(*parts, copy=False)
