"""Answers conversation: from the catalog, from the last answer, or from templates. No query is written."""

from collections.abc import Callable, Mapping

from text2sql.agents.node_context import NodeContext, Update
from text2sql.agents.state import Option, SQLMessageState
from text2sql.agents.talk import schema_answers, view
from text2sql.agents.talk.recognize import UNKNOWN, Talk
from text2sql.schema import SchemaContext
from text2sql.schema.table_labels import find
from text2sql.types import Catalog


async def reply(talk: Talk, state: SQLMessageState, ctx: NodeContext) -> tuple[str, Update]:
    """The reply, and the update of the state."""
    if talk.kind in ("chart", "style", "export", "again"):
        return await view.show_again(talk, state, ctx)
    if talk.kind == "explain":
        return await view.explain_last_query(state, ctx), {}
    if talk.kind == "certainty":
        return await view.explain_certainty(state, ctx), {}
    if talk.kind == "complaint" and view.last_answer(state):
        return f"{ctx.say('talk.complaint')} {await view.explain_last_query(state, ctx)}", {}
    schema_context = await ctx.resources.catalog_cache.schema_context(values=False)
    return _from_catalog(talk, schema_context, ctx)


def _from_catalog(talk: Talk, schema_context: SchemaContext, ctx: NodeContext) -> tuple[str, Update]:
    catalog, lang = schema_context.catalog, ctx.language
    if talk.kind in ("capabilities", "examples"):
        return _examples(talk, catalog, ctx)
    texts: Mapping[str, Callable[[], str]] = {
        "tables": lambda: schema_answers.tables_text(catalog, lang),
        "schema": lambda: schema_answers.schema_text(catalog, lang),
        "describe": lambda: _describe_table(talk.detail, schema_context, ctx),
        "complaint": lambda: f"{ctx.say('talk.complaint')} {_about_text(catalog, ctx)}",
        "remove": lambda: ctx.say("talk.remove"),
        "identity": lambda: ctx.say("talk.identity", model=ctx.model.name, about=_about_text(catalog, ctx)),
    }
    return texts.get(talk.kind, lambda: template_reply(talk, schema_context, ctx))(), {}


def _examples(talk: Talk, catalog: Catalog, ctx: NodeContext) -> tuple[str, Update]:
    """Example questions; the user can choose one by its number."""
    questions = schema_answers.example_questions(catalog, ctx.language)
    text = ctx.say("talk.capabilities") if talk.kind == "capabilities" else ""
    if not questions:
        return text or ctx.say("talk.about_nothing"), {}
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


def _describe_table(name: str, schema_context: SchemaContext, ctx: NodeContext) -> str:
    catalog = schema_context.catalog
    table = None if name.startswith(UNKNOWN) else find(name, catalog)
    if table is not None:
        return schema_answers.table_text(table, catalog, ctx.language)
    tables = schema_answers.tables_text(catalog, ctx.language)
    return ctx.say("talk.no_such_table", table=name.removeprefix(UNKNOWN), tables=tables)
