"""The schema node: picks tables, values and translated names for a question from the cached catalog.

As long as the whole schema fits, all of it stays in the prompt: that prefix is evaluated once per database,
and choosing tables per question would discard it. The choice depends only on the question, the thread, the
database and the settings: never on earlier questions or on what the model has already evaluated.
"""

from text2sql.agents.analytic.answering import context_of, today_of
from text2sql.agents.analytic.hints import analytic_hints
from text2sql.agents.node_context import NodeContext, Update, final_update
from text2sql.agents.prompt_builder import schema_fits
from text2sql.agents.state import Option, SchemaInfo, SQLMessageState
from text2sql.agents.talk import is_unrelated
from text2sql.schema import (
    AmbiguousTables,
    SchemaContext,
    find_ambiguous_tables,
    hints,
    is_out_of_scope,
    uncovered_words,
)
from text2sql.schema.table_labels import label


async def schema(state: SQLMessageState, ctx: NodeContext) -> Update:
    schema_context = await ctx.resources.catalog_cache.schema_context()
    question = state["question"]
    if not schema_context.catalog.tables:
        return no_data_update(ctx, "missing_database_info", "reason.empty_database", words="")
    stands_alone = not state.get("follow_up") and not state.get("wants_write")
    # a large model says itself that the database has no data; the words only lower the confidence
    declines = stands_alone and ctx.model.profile.size == "small"
    if declines and (is_out_of_scope(question, schema_context) or is_unrelated(question, schema_context)):
        words = ", ".join(uncovered_words(question, schema_context)[:3])
        return no_data_update(ctx, "missing_database_info", "reason.no_data", words=words)
    if stands_alone and ctx.preset.ask_back:
        ambiguous = find_ambiguous_tables(question, schema_context)
        if ambiguous:
            return ask_which_table(ambiguous[0], ctx)
    hits = schema_context.values.find(question)
    max_tables, tables = ctx.preset.tables, []
    if max_tables is not None or not await schema_fits(schema_context.catalog, ctx):
        chosen = schema_context.linker.link(
            _with_context(state), hits, most=max_tables or ctx.settings.linked_tables
        )
        tables = [label(table, schema_context.catalog) for table in chosen]
    info = SchemaInfo(
        fingerprint=schema_context.catalog.fingerprint,
        tables=tables,
        values=[
            {"said": hit.said, "value": hit.value, "table": hit.table, "column": hit.column}
            for hit in hits[:8]
        ],
        hints=[*hints(question, schema_context), *_analytic_hints(question, ctx, schema_context)],
    )
    return {"schema_info": info, "connection_id": ctx.resources.catalog_cache.key}


def _analytic_hints(question: str, ctx: NodeContext, schema_context: SchemaContext) -> list[tuple[str, str]]:
    return analytic_hints(question, context_of(ctx, schema_context), today_of(ctx), ctx.settings.calendar)


def _with_context(state: SQLMessageState) -> str:
    """A follow-up takes its tables from the previous question; conversation in between has none."""
    turns = [turn for turn in state.get("turns", []) if not turn.get("talk")]
    if state.get("follow_up") and turns:
        return f"{turns[-1]['question']} {turns[-1]['sql']} {state['question']}"
    return state["question"]


def no_data_update(ctx: NodeContext, reason: str, key: str, **facts: object) -> Update:
    """The update that says that the database has no data about the question."""
    message = ctx.say(key, **facts)
    return {**final_update("no_data", reason, message), "sql_generation_failure_reason": reason}


def ask_which_table(ambiguous: AmbiguousTables, ctx: NodeContext) -> Update:
    """Ask which table is meant, when two match a word equally well."""
    message = ctx.say("reason.two_tables", phrase=ambiguous.phrase)
    return {
        "status": "clarify",
        "sql_generation_failure_reason": "ambiguous_question",
        "user_prompt": message,
        "choices": [Option(label=choice.label, question=choice.question) for choice in ambiguous.choices],
    }
