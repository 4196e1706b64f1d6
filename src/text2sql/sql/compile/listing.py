"""Lists of rows: columns of the subject and of what it refers to."""

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.conditions import conditions
from text2sql.sql.compile.context import Context, Reference
from text2sql.sql.compile.expressions import bound
from text2sql.sql.compile.nodes import number, ordered
from text2sql.sql.compile.scope import Scope
from text2sql.sql.compile.statement import Statement
from text2sql.sql.compile.value_conditions import shown
from text2sql.types import AnalyticQuery, OutputColumn


def listing(context: Context, query: AnalyticQuery) -> Statement:
    if not query.subject:
        raise CannotCompile("nothing")
    entity = context.entity(query.subject)
    scope = Scope(context, entity.table)
    names = query.columns or tuple(
        context.dimension_of(entity.table, label).name for label in entity.labels or context.key(entity.table)
    )
    items: list[exp.Expr] = []
    outputs: list[OutputColumn] = []
    aliases: dict[str, str] = {}
    for name in names:
        value, output = _shown(context, scope, name)
        items.append(context.named(value, output.name))
        outputs.append(output)
        aliases |= {name: output.name, output.name: output.name}
    hidden = [order.dimension for order in query.order if order.dimension not in aliases]
    values = {name: _value(context, scope, name) for name in hidden}
    distinct = (query.distinct or scope.multiplies) and not hidden
    for name, item in zip(names, items, strict=True):
        # the alias may be the name of several columns; only after DISTINCT the columns are out of reach
        by_alias = distinct and context.dialect != "mysql"
        values[name] = context.column(aliases[name]) if by_alias else item.unalias()
        values.setdefault(aliases[name], values[name])
    by: list[exp.Expr] = []
    for name, descending in _order(context, query, entity.table, names, distinct=distinct):
        by += ordered(values[name].copy(), context.dialect, descending=descending)
    select = scope.select(*items, where=conditions(context, scope, query.filters))
    if distinct:
        select.set("distinct", exp.Distinct())
    if by:
        select.set("order", exp.Order(expressions=by))
    if query.limit:
        select.set("limit", exp.Limit(expression=number(query.limit)))
    return Statement(select, outputs)


def _order(
    context: Context, query: AnalyticQuery, table: str, names: tuple[str, ...], *, distinct: bool
) -> list[tuple[str, bool]]:
    """As asked for; else by the labels, where they are shown."""
    if query.order:
        return [(order.dimension, order.descending) for order in query.order]
    labels = {context.dimension_of(table, label).name for label in context.entity(table).labels}
    shown_labels = [name for name in names if name in labels]
    return [(name, False) for name in shown_labels or (names if distinct else ())]


def _shown(context: Context, scope: Scope, name: str) -> tuple[exp.Expr, OutputColumn]:
    measure = None if _is_dimension(context, name) else context.row_measure(name)
    if measure is not None:
        short = measure.name.rpartition(".")[2]
        alias = context.names.new(short, f"{short}_value", is_own_column=measure.expression == short)
        return _value(context, scope, name), OutputColumn(alias, "shown", measure.name, unit=measure.unit)
    reference = context.reference(name)
    dimension = reference.dimension
    table = (reference.hints or (dimension.table.rpartition(".")[2],))[-1]
    short = dimension.column if "." in dimension.name else dimension.name
    alias = context.names.new(short, f"{table}_{short}", is_own_column=True)
    return _value(context, scope, name), OutputColumn(alias, "shown", dimension.name, unit=dimension.unit)


def _is_dimension(context: Context, name: str) -> bool:
    return context.model.dimension(name.rpartition(">")[2]) is not None


def _value(context: Context, scope: Scope, name: str) -> exp.Expr:
    if not _is_dimension(context, name):
        measure = context.row_measure(name)
        path = context.graph.path(scope.table, measure.table)
        return bound(context, scope, path, measure, measure.expression)
    reference: Reference = context.reference(name)
    path = context.graph.path(scope.table, reference.dimension.table, reference.hints)
    column = scope.column(reference.dimension.column, scope.alias(path))
    return shown(context, reference.dimension, column)
