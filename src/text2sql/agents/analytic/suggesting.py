"""Suggested questions for an app: computed in a thread, and cached per schema."""

import asyncio

from text2sql.agents.analytic.answering import context_in, known_context, stored_query, today_in
from text2sql.agents.analytic.next_questions import next_questions
from text2sql.agents.analytic.suggestions import example_questions
from text2sql.agents.node_context import NodeContext, Resources
from text2sql.agents.state import SQLMessageState
from text2sql.i18n import Language


async def examples(
    resources: Resources, language: Language, most: int = 4, *, about: tuple[str, ...] = (), year: int = 0
) -> tuple[str, ...]:
    """Example questions. `about`: tables that they should be about; `year`: of a trend."""
    schema_context = await resources.catalog_cache.schema_context()
    today = today_in(resources.settings)
    fingerprint = schema_context.catalog.fingerprint
    key = ("examples", id(schema_context), fingerprint, language, about, year, most, today)
    cached: tuple[str, ...] | None = resources.prepared.get(key)
    if cached is not None:
        return cached

    def compute() -> tuple[str, ...]:
        context = context_in(resources, schema_context)
        calendar = resources.settings.calendar
        return example_questions(context, today, calendar, language, most=most, about=about, year=year)

    return resources.cache_prepared(key, await asyncio.to_thread(compute))


async def suggestions_after(state: SQLMessageState, ctx: NodeContext) -> tuple[str, ...]:
    """The next questions after an answer with rows whose question rules have read; else none."""
    execution = state.get("execution_result")
    query = stored_query(state.get("analytic"))
    if query is None or state.get("talk") or not execution or not execution["row_count"]:
        return ()
    schema_context = await ctx.resources.catalog_cache.schema_context(values=False)
    context = known_context(ctx.resources, schema_context)
    if context is None:  # the schema has just changed: an answer does not wait for its reading
        return ()
    key = ("suggestions", id(schema_context), repr(query), ctx.language)
    cached: tuple[str, ...] | None = ctx.resources.prepared.get(key)
    if cached is not None:
        return cached
    today, calendar = today_in(ctx.settings), ctx.settings.calendar
    found = await asyncio.to_thread(next_questions, query, context, today, calendar, ctx.language)
    return ctx.resources.cache_prepared(key, found)
