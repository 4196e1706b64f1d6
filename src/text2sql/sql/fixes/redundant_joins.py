"""Drop joins that a query does not need. Small models add them often, most of all to Chinese questions."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.joins import conjuncts, equality_sides, has_bare_star, is_inner_join
from text2sql.sql.scope import Scope, Source


def needless_join(context: FixContext) -> bool:
    """Drop a table that is joined many-to-one along a foreign key and not used otherwise."""
    if any(context.faulty_columns(*ERRORS)):
        return False  # an unknown column may belong to that table
    changed = False
    while any(_drop_one(context, scope) for scope in context.scopes):
        changed = True
    return changed


def _drop_one(context: FixContext, scope: Scope) -> bool:
    joins = scope.joins
    if scope.open or scope.merged or not joins or has_bare_star(scope) or not all(map(is_inner_join, joins)):
        return False
    for source in scope.sources.values():
        join = source.join or joins[0]
        if _only_checks_key(context, scope, source, join) and not _is_used(context, scope, source, join):
            if source.join is None:
                scope.select.args["from_"].set("this", join.this)
            scope.select.set("joins", [other for other in joins if other is not join])
            context.invalidate()
            return True
    return False


def _only_checks_key(context: FixContext, scope: Scope, source: Source, join: exp.Join) -> bool:
    """Whether the join finds, for each row of another source, the row that its foreign key refers to."""
    columns: dict[str, str] = {}  # column of the other source → the equal column of this one
    others: set[str] = set()
    for part in conjuncts(join.args.get("on")):
        sides = equality_sides(context, scope, part)
        if sides is None:
            return False
        (own, left), (other, right) = sides if sides[0][0] is source else sides[::-1]
        if own is not source or other is source:
            return False
        columns[right] = left
        others.add(other.key)
    if len(others) != 1:
        return False
    other = scope.sources[others.pop()]
    if source.entry is None or other.entry is None or (source.join is None and other.join is not join):
        return False
    links = [link for link in context.schema.links(other.entry, source.entry) if link.forward]
    return source.entry.is_key(columns.values(), context.grammar) and any(
        dict(link.pairs) == columns for link in links
    )


def _is_used(context: FixContext, scope: Scope, source: Source, join: exp.Join) -> bool:
    """Whether a column outside of the ON clause belongs, or may belong, to the source."""
    in_join = {id(column) for column in join.args["on"].find_all(exp.Column)}
    stars = (column for column in scope.select.find_all(exp.Column) if column.is_star)
    if any(context.names.alias(star.args["table"]) == source.key for star in stars):
        return True
    for inner, column in context.columns():
        if scope not in inner.chain() or id(column) in in_join:
            continue
        table = column.args.get("table")
        if table is not None and context.names.alias(table) == source.key:
            return True
        if table is None and source.may_have(context.key(column)):
            owner = context.owner(inner, column)
            if owner is None or owner is source:
                return True
    return False
