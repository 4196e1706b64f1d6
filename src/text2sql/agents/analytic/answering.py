"""Answer an analytic question by a compiled query, without a model, where rules read all of it."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from text2sql.agents.analytic.reading import AnalyticContext, analytic_context, read_analytic, read_follow_up
from text2sql.agents.analytic.stored import from_plain, to_plain
from text2sql.agents.node_context import NodeContext, Resources, Update
from text2sql.agents.state import GeneratedQuery, SQLMessageState, Turn
from text2sql.answers import describe_query, facts_of
from text2sql.config import Settings
from text2sql.errors import CannotCompile
from text2sql.question.reading import AnalyticReading
from text2sql.schema import SchemaContext
from text2sql.semantics import discover
from text2sql.sql import compile_query
from text2sql.types import (
    AnalyticQuery,
    CompiledQuery,
    QueryResult,
    Ratio,
    ValueFilter,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CompiledReading:
    """A question, read and compiled."""

    reading: AnalyticReading
    compiled: CompiledQuery


async def compiled_update(state: SQLMessageState, ctx: NodeContext, schema_context: SchemaContext) -> Update:
    """The compiled query as the only candidate, if the question is analytic and rules read all of it. Else
    the reading alone, if it is sure: a follow-up may edit it. Empty if the question was not understood.
    """
    if not ctx.settings.analytic or state.get("wants_write") or state.get("error_history"):
        return {}
    try:
        answer = await asyncio.to_thread(_read_and_compile, state, ctx, schema_context)
    except Exception:  # a fault of the rules must not fail a question that a model can answer
        log.exception("an analytic question was not read")
        return {}
    if answer is None:
        return {}
    reading, compiled = answer.reading, answer.compiled
    update: Update = {
        "analytic": {
            "query": to_plain(reading.query),
            "columns": to_plain(list(compiled.columns)),
            "weakest": reading.weakest,
        }
    }
    if not _is_wanted(state, ctx, reading):
        return update
    candidate = GeneratedQuery(sql=compiled.sql, logprob=None, compiled=True)
    notes = [ctx.say("answer.assumed_measure", measure=name) for name in reading.assumptions]
    notes += [ctx.say("answer.corrected", word=word, value=value) for word, value in reading.corrections]
    return {
        **update,
        "candidates": [candidate],
        "generated_sql": compiled.sql,
        "compiled": True,
        "assumptions": [*state.get("assumptions", []), *notes],
    }


def _is_wanted(state: SQLMessageState, ctx: NodeContext, reading: AnalyticReading) -> bool:
    """A large model writes its own SQL, and any model the SQL of a plain count or list."""
    if ctx.model.profile.size == "large":
        return False
    return bool(state.get("follow_up") or reading.assumptions) or is_analytic(reading.query)


def _read_and_compile(
    state: SQLMessageState, ctx: NodeContext, schema_context: SchemaContext
) -> CompiledReading | None:
    context = context_of(ctx, schema_context)
    today, calendar = today_of(ctx), ctx.settings.calendar
    previous = previous_query(state.get("turns", [])) if state.get("follow_up") else None
    if state.get("follow_up") and previous is None:
        return None
    if previous is None:
        reading = read_analytic(state["question"], context, today, calendar)
    else:
        reading = read_follow_up(state["question"], previous, context, today, calendar)
    if not reading.is_sure:
        return None
    try:
        compiled = compile_query(
            reading.query, context.model, schema_context.profile, today, schema_context.catalog
        )
    except CannotCompile:
        return None
    return CompiledReading(reading, compiled)


def edits_previous(
    question: str, turns: Sequence[Turn], ctx: NodeContext, schema_context: SchemaContext
) -> bool:
    """Whether a message says nothing by itself, but what to change about the previous query: *compared with
    last year*.
    """
    previous = previous_query(turns)
    if previous is None or not ctx.settings.analytic:
        return False
    context, today, calendar = context_of(ctx, schema_context), today_of(ctx), ctx.settings.calendar
    if read_analytic(question, context, today, calendar).is_sure:
        return False
    edited = read_follow_up(question, previous, context, today, calendar)
    return edited.is_sure and edited.query != previous


def previous_query(turns: Sequence[Turn]) -> AnalyticQuery | None:
    """The analytic query of the turn that a follow-up refers to."""
    answers = [turn for turn in turns if not turn.get("talk")]
    return stored_query(answers[-1].get("analytic") if answers else None)


def stored_query(stored: dict[str, Any] | None) -> AnalyticQuery | None:
    if not stored:
        return None
    try:
        query = from_plain(stored["query"])
    except (ValueError, TypeError, KeyError):  # of another version
        return None
    return query if isinstance(query, AnalyticQuery) else None


def is_analytic(query: AnalyticQuery) -> bool:
    """Whether a small model seldom writes the SQL of such a query: periods, growth, shares, medians, ranks
    within groups, at least two and never.
    """
    return bool(
        query.comparison
        or (query.ranking and query.ranking.per)
        or any(grouping.bucket or grouping.part for grouping in query.groupings)
        or any(not isinstance(item, ValueFilter) for item in query.filters)
        or any(_is_calculated(use.value) or use.share or use.running or use.moving for use in query.measures)
        or any(threshold.of_average for threshold in query.thresholds)
    )


def _is_calculated(value: object) -> bool:
    return isinstance(value, Ratio) or getattr(value, "function", "") in ("median", "percentile")


def context_of(ctx: NodeContext, schema_context: SchemaContext) -> AnalyticContext:
    return context_in(ctx.resources, schema_context)


def context_in(resources: Resources, schema_context: SchemaContext) -> AnalyticContext:
    cached = known_context(resources, schema_context)
    if cached is not None:
        return cached
    model = discover(schema_context.catalog, schema_context.profile)
    return resources.cache_prepared(_key(schema_context), analytic_context(schema_context, model))


def known_context(resources: Resources, schema_context: SchemaContext) -> AnalyticContext | None:
    """The context, if it has been built."""
    cached = resources.prepared.get(_key(schema_context))
    return cached if isinstance(cached, AnalyticContext) else None


def _key(schema_context: SchemaContext) -> tuple[object, ...]:
    profile = schema_context.profile
    read_at = profile.read_at if profile else ""
    return ("analytic", schema_context.catalog.fingerprint, read_at, id(schema_context))


def today_of(ctx: NodeContext) -> date:
    return today_in(ctx.settings)


def today_in(settings: Settings) -> date:
    return date.fromisoformat(settings.today) if settings.today else date.today()


async def described_query(state: SQLMessageState, ctx: NodeContext) -> str:
    """The compiled query of this question in words; empty if there is none."""
    query = stored_query(state.get("analytic")) if state.get("compiled") else None
    if query is None:
        return ""
    schema_context = await ctx.resources.catalog_cache.schema_context()
    return describe_query(query, context_of(ctx, schema_context).model, ctx.language)


def with_query_facts(result: QueryResult, state: SQLMessageState) -> QueryResult:
    """The result of a compiled query with what that query says about its columns."""
    stored = state.get("analytic")
    query = stored_query(stored)
    if stored is None or query is None:
        return result
    return replace(result, facts=facts_of(query, from_plain(stored["columns"])))
