"""Compile an analytic query: one SELECT where that is enough, else CTEs on top of each other."""

from dataclasses import replace
from datetime import date

from text2sql.errors import CannotCompile
from text2sql.sql.compile.calculations import calculate
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.listing import listing
from text2sql.sql.compile.output import finish, plain
from text2sql.sql.compile.periods import compares_periods, period_statement
from text2sql.sql.compile.plan import Plan, is_plain, measured, plan
from text2sql.sql.compile.previous import with_previous
from text2sql.sql.compile.statement import Statement
from text2sql.sql.dialects import GRAMMARS
from text2sql.types import (
    AnalyticQuery,
    Catalog,
    CompiledQuery,
    DatabaseProfile,
    Grouping,
    SemanticModel,
)


def compile_query(
    query: AnalyticQuery,
    model: SemanticModel,
    profile: DatabaseProfile | None,
    today: date,
    catalog: Catalog | None = None,
    *,
    week_start: int = 1,
) -> CompiledQuery:
    """The SQL of an analytic query, in the dialect of the model.

    `catalog` gives the types of columns; `profile` gives formats and the known range of dates. `week_start`
    is the first day of a week, 1 for Monday. Raises `CannotCompile` with the reason.
    """
    if model.dialect not in GRAMMARS:
        raise CannotCompile("dialect", dialect=model.dialect)
    context = Context(model, profile, today, catalog, week_start, query.subject)
    statement = _aggregated(context, query) if query.measures else listing(context, query)
    return statement.compiled(context)


def _aggregated(context: Context, query: AnalyticQuery) -> Statement:
    query = _with_per(context, query)
    planned = plan(context, query)
    if compares_periods(planned):
        return period_statement(context, planned)
    if is_plain(context, planned):
        return plain(context, planned)
    if _compares_buckets(planned):
        layers, values = with_previous(context, planned)
    else:
        layers, values = measured(context, planned)
    values = calculate(context, planned, layers, values)
    return finish(context, planned, layers, values)


def _compares_buckets(planned: Plan) -> bool:
    comparison = planned.query.comparison
    return comparison is not None and comparison.kind != "members"


def _with_per(context: Context, query: AnalyticQuery) -> AnalyticQuery:
    """The groups that a ranking is within are groups of the query."""
    per = query.ranking.per if query.ranking else ""
    if not per or any(
        per in (each.dimension, each.entity, each.bucket, each.part) for each in query.groupings
    ):
        return query
    is_table = context.model.dimension(per.rpartition(">")[2]) is None
    added = Grouping(entity=per) if is_table else Grouping(dimension=per)
    return replace(query, groupings=(added, *query.groupings))
