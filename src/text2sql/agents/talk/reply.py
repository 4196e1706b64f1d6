"""Answers conversation: from the catalog, from the last answer, or from templates. No query is written."""

import re
from collections.abc import Callable, Mapping, Sequence

from text2sql.agents.analytic.suggesting import examples
from text2sql.agents.node_context import NodeContext, Update
from text2sql.agents.query_check import check_query
from text2sql.agents.state import Option, SQLMessageState
from text2sql.agents.talk import schema_answers, view
from text2sql.agents.talk.named_table import UNKNOWN
from text2sql.agents.talk.recognize import Talk
from text2sql.agents.talk.sort import last_answer
from text2sql.schema import SchemaContext, count_query
from text2sql.schema.table_labels import find
from text2sql.types import Catalog, CheckedSql

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


async def reply(talk: Talk, state: SQLMessageState, ctx: NodeContext) -> tuple[str, Update]:
    """The reply, and the update of the state."""
    if talk.kind in ("chart", "style", "export", "again", "sort"):
        return await view.show_again(talk, state, ctx)
    if talk.kind in ("explain", "certainty") or (
        talk.kind == "complaint" and last_answer(state.get("turns", []))
    ):
        return await _about_last_answer(talk, state, ctx), {}
    if talk.kind in ("capabilities", "examples"):
        return await _examples(talk, ctx)
    schema_context = await ctx.resources.catalog_cache.schema_context(values=False)
    if talk.kind in ("cause", "advice"):
        return await _answerable_questions(talk, state["question"], schema_context, ctx)
    if talk.kind == "row_count":
        return await _row_count(talk.detail, schema_context, ctx)
    return _from_catalog(talk, schema_context, ctx)


def _from_catalog(talk: Talk, schema_context: SchemaContext, ctx: NodeContext) -> tuple[str, Update]:
    catalog, lang = schema_context.catalog, ctx.language
    texts: Mapping[str, Callable[[], str]] = {
        "tables": lambda: schema_answers.tables_text(catalog, lang),
        "schema": lambda: schema_answers.schema_text(catalog, lang),
        "describe": lambda: _describe_table(talk.detail, schema_context, ctx),
        "complaint": lambda: f"{ctx.say('talk.complaint')} {_about_text(catalog, ctx)}",
        "world": lambda: f"{ctx.say('talk.world')} {_about_text(catalog, ctx)}",
        "remove": lambda: ctx.say("talk.remove"),
        "identity": lambda: ctx.say("talk.identity", model=ctx.model.name, about=_about_text(catalog, ctx)),
    }
    return texts.get(talk.kind, lambda: template_reply(talk, schema_context, ctx))(), {}


async def _answerable_questions(
    talk: Talk, question: str, schema_context: SchemaContext, ctx: NodeContext
) -> tuple[str, Update]:
    """Say that figures can be shown, but not judged, and offer questions about the tables that are named."""
    scores = schema_context.linker.scores(question)
    best = sorted((name for name in scores if scores[name] > 0), key=lambda name: -scores[name])[:2]
    year = _YEAR.search(question)
    questions = await examples(
        ctx.resources, ctx.language, about=tuple(best), year=int(year[0]) if year else 0
    )
    return _offer(questions, ctx.say(f"talk.{talk.kind}"), ctx)


async def _examples(talk: Talk, ctx: NodeContext) -> tuple[str, Update]:
    """Example questions; the user can choose one by its number."""
    text = ctx.say("talk.capabilities") if talk.kind == "capabilities" else ""
    questions = await examples(ctx.resources, ctx.language)
    return _offer(questions, text, ctx) if questions or text else (ctx.say("talk.about_nothing"), {})


def _offer(questions: Sequence[str], text: str, ctx: NodeContext) -> tuple[str, Update]:
    if not questions:
        return text, {}
    choices = [Option(label=question, question=question) for question in questions]
    return f"{text} {ctx.say('talk.examples')}".strip(), {"choices": choices}


def template_reply(talk: Talk | None, schema_context: SchemaContext, ctx: NodeContext) -> str:
    """A greeting, thanks, or another reply that needs no data."""
    tables, about = (
        schema_answers.named_tables(schema_context.catalog),
        _about_text(schema_context.catalog, ctx),
    )
    kind = talk.kind if talk is not None else "chat"
    if kind in ("thanks", "farewell") and not tables:
        kind = "chat"
    if kind in ("greeting", "thanks", "farewell", "chat") and talk is not None:
        return ctx.say(f"talk.{kind}", tables=tables, about=about)
    return about


def _about_text(catalog: Catalog, ctx: NodeContext) -> str:
    tables = schema_answers.named_tables(catalog)
    return ctx.say("talk.about", tables=tables) if tables else ctx.say("talk.about_nothing")


async def _about_last_answer(talk: Talk, state: SQLMessageState, ctx: NodeContext) -> str:
    if talk.kind == "certainty":
        return await view.explain_certainty(state, ctx)
    words = await view.explain_last_query(state, ctx)
    return f"{ctx.say('talk.complaint')} {words}" if talk.kind == "complaint" else words


async def _row_count(name: str, schema_context: SchemaContext, ctx: NodeContext) -> tuple[str, Update]:
    """From the catalog, or counted if the catalog has no number, as for a table that is partly visible."""
    table = find(name, schema_context.catalog)
    if table is None:
        return _describe_table(name, schema_context, ctx), {}
    rows, update = table.rows, Update()
    if rows is None:
        query = await check_query(count_query(table, schema_context.catalog), schema_context, 1)
        if not isinstance(query, CheckedSql):
            return _describe_table(name, schema_context, ctx), {}
        result = await ctx.resources.database.run(query, ctx.settings.limits)
        rows, update = int(str(result.rows[0][0])), {"statements": 1}
    return ctx.say("talk.row_count", table=name, count=f"{rows:,}"), update


def _describe_table(name: str, schema_context: SchemaContext, ctx: NodeContext) -> str:
    catalog = schema_context.catalog
    table = None if name.startswith(UNKNOWN) else find(name, catalog)
    if table is not None:
        return schema_answers.table_text(table, catalog, ctx.language)
    tables = schema_answers.tables_text(catalog, ctx.language)
    return ctx.say("talk.no_such_table", table=name.removeprefix(UNKNOWN), tables=tables)
