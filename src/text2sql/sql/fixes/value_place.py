"""Move a comparison with a text to the one column that contains the text, if its own column does not."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.fixes.joins import add_joins, has_bare_star, shortest_path
from text2sql.sql.fixes.value_spelling import comparisons
from text2sql.sql.scope import Scope, copy_identifier


def value_place(context: FixContext) -> bool:
    """`museum_name = 'Tom Reed'` becomes `director = 'Tom Reed'`: in a table of the query, or in one that the
    shortest path of foreign keys reaches.
    """
    for scope, node, column, literals in list(comparisons(context)) if context.domains is not None else ():
        if isinstance(node, exp.NEQ) or isinstance(node.parent, exp.Not) or _is_repeated(node, column):
            continue
        candidates = _other_columns(context, scope, column, literals)
        moved = _move_within(context, scope, column, candidates) or _move_to_joined(
            context, scope, column, candidates
        )
        if moved is not None:
            _respell(context, literals, moved)
            return True  # the scopes have changed; the next round looks again
    return False


def _is_repeated(node: exp.Expr, column: exp.Column) -> bool:
    """`a = 'x' OR a = 'y'`: a column that is repeated is meant."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    others = parent.flatten() if isinstance(parent, exp.Or) else ()
    return any(other is not node and other.this == column for other in others)


def _other_columns(
    context: FixContext, scope: Scope, column: exp.Column, literals: list[exp.Literal]
) -> set[tuple[str, str]]:
    """The columns that contain all the texts, if the column itself contains none of them."""
    origin, domains = context.origin(scope, column), context.domains
    texts = [literal.this for literal in literals]
    if origin is None or domains is None:
        return set()
    if any(domains.contains(origin[0].name, origin[1].name, text) is not False for text in texts):
        return set()
    return set.intersection(*(set(domains.columns_with(text)) for text in texts))


def _move_within(
    context: FixContext, scope: Scope, column: exp.Column, candidates: set[tuple[str, str]]
) -> tuple[str, str] | None:
    """Bind the column to the only candidate in a source of the query, preferably its own source."""
    own = context.owner(scope, column)
    matches = [
        (source, key, candidate)
        for source in scope.sources.values()
        for candidate in candidates
        if source.entry is not None
        and source.entry.name == candidate[0]
        and (key := context.grammar.columns.key(candidate[1], True)) in source.entry.columns
    ]
    matches = [match for match in matches if own is not None and match[0].entry is own.entry] or matches
    if len(matches) != 1:
        return None
    (source, key, candidate) = matches[0]
    is_bare = not column.args.get("table") and len(scope.owners(key)) == 1
    context.bind(column, source, key)
    if is_bare:
        column.set("table", None)
    return candidate


def _move_to_joined(
    context: FixContext, scope: Scope, column: exp.Column, candidates: set[tuple[str, str]]
) -> tuple[str, str] | None:
    """Bind the column to the only candidate of all, after joining its table."""
    used = [(source, source.entry) for source in scope.sources.values() if source.entry is not None]
    if scope.open or has_bare_star(scope) or len(candidates) != 1:
        return None
    (candidate,) = candidates
    if any(entry.name == candidate[0] for _, entry in used):
        return None
    targets = [entry for entry in context.schema.entries() if entry.name == candidate[0]]
    path = shortest_path(used, targets)
    key = context.grammar.columns.key(candidate[1], True)
    if path is None or key not in targets[0].columns:
        return None
    name = add_joins(context, scope, *path)
    column.set("this", context.identifier(targets[0].columns[key].name))
    column.set("table", copy_identifier(name))
    context.invalidate()
    return candidate


def _respell(context: FixContext, literals: list[exp.Literal], candidate: tuple[str, str]) -> None:
    for literal in literals:
        spelled = context.domains.spelled(*candidate, literal.this) if context.domains is not None else None
        if spelled is not None and spelled != literal.this:
            context.replace(literal, exp.Literal.string(spelled))
