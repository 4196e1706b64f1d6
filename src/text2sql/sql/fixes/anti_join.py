"""An inner join that looks for missing rows: no row meets `JOIN visit AS v … WHERE v.id IS NULL`."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.fixes.joins import conjuncts, is_plain
from text2sql.sql.scope import Scope, Source


def anti_join(context: FixContext) -> bool:
    """`JOIN visit AS v ON … WHERE v.id IS NULL`: those without one, whom only an outer join keeps."""
    done = False
    for scope in list(context.scopes):
        where = scope.select.args.get("where")
        for part in conjuncts(where.this) if where else ():
            if isinstance(part, exp.Is) and isinstance(part.expression, exp.Null):
                done = _made_outer(context, scope, part.this) or done
    return done


def _made_outer(context: FixContext, scope: Scope, column: exp.Expr) -> bool:
    """Whether the column is what its table is joined by, or its key: NULL only if there is no row."""
    if not isinstance(column, exp.Column):
        return False
    source, key = context.owner(scope, column), context.key(column)
    if source is None or source.entry is None or source.join is None or not is_plain(source.join):
        return False
    on = source.join.args["on"].find_all(exp.Column)
    joined = [context.key(part) for part in on if _is_of(context, part, source)]
    parts = [context.grammar.columns.key(name, True) for name in source.entry.table.primary_key]
    if key not in (*joined, *parts) and not source.entry.is_key([key], context.grammar):
        return False
    source.join.set("kind", None)
    source.join.set("side", "LEFT")
    context.invalidate()
    return True


def _is_of(context: FixContext, column: exp.Column, source: Source) -> bool:
    table = column.args.get("table")
    return table is not None and context.names.alias(table) == source.key
