"""Builds prompts within the model's token budget, by real token counts.

What does not fit is dropped in this order: earlier turns, hints, samples, comments and types of the schema,
and the tables that score lowest. The question itself is bounded by the settings.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from text2sql.agents.node_context import NodeContext
from text2sql.agents.state import Hit, SchemaInfo, SQLMessageState
from text2sql.database.dialects import BY_NAME
from text2sql.errors import PromptTooLong
from text2sql.llm import AsyncChatModel
from text2sql.llm.prompts import between
from text2sql.llm.prompts import render as prompt
from text2sql.memory import Pair
from text2sql.schema import SchemaContext, ValueSharing, ddl, render
from text2sql.schema.table_labels import label
from text2sql.types import Catalog, Message, Table

SimilarPairs: TypeAlias = Sequence[tuple[float, Pair]]

_EXAMPLES, _MIN_SIMILARITY = 2, 0.3  # verified pairs to show, and their minimum similarity to the question
_TURNS = 3  # earlier questions shown with a follow-up
_EARLIER_TOKENS = 400  # tokens for the questions before those, one per line
_OVERHEAD = 16  # tokens per message of a chat template, rounded up


def schema_budget(ctx: NodeContext) -> int:
    """Tokens for the schema. A small model evaluates 45 per second; a large one reads a quarter of its window
    in no noticeable time.
    """
    profile = ctx.model.profile
    return ctx.settings.schema_tokens or (
        profile.context // 4 if profile.size == "large" else min(3_000, profile.context // 4)
    )


async def schema_fits(catalog: Catalog, ctx: NodeContext) -> bool:
    """Whether the whole schema fits into every prompt. Very large ones are not even rendered."""
    max_tokens = schema_budget(ctx)
    if sum(len(table.columns) for table in catalog.tables) > max_tokens:
        return False
    key = ("fits", catalog.fingerprint, ctx.model.name, max_tokens)
    if key in ctx.resources.prepared:
        return bool(ctx.resources.prepared[key])
    text = render(catalog)
    return ctx.resources.cache_prepared(
        key, len(text) <= max_tokens or await ctx.model.count_tokens(text) <= max_tokens
    )


async def generation_prompt(
    state: SQLMessageState,
    ctx: NodeContext,
    schema_context: SchemaContext,
    similar: SimilarPairs,
    *,
    shrink: bool = False,
    as_ddl: bool = False,
) -> tuple[Message, ...]:
    """The generator's prompt: rules and schema as a stable prefix, then turns or similar questions, then the
    question. With `as_ddl`, the schema as the engine's DDL, if that fits.
    """
    model = ctx.model
    token_limit = prompt_budget(model, ctx) // (2 if shrink else 1)
    info = _schema_info(state)
    sharing = ctx.sharing(schema_context)
    text = question_text(state["question"], info, sharing)
    if as_ddl:  # and no hints: the same hints would lead to the same mistakes
        system, text = await _ddl_message(ctx, schema_context, token_limit), state["question"]
    else:
        system = await schema_prefix(state, ctx, schema_context, token_limit)
    user_message = Message("user", await _earlier_text(state, model) + text)
    tokens_left = token_limit - await count_message_tokens(model, (system, user_message))
    if tokens_left < 0:
        user_message, tokens_left = Message("user", state["question"]), 0
    earlier_pairs = _turns(state, sharing) if state.get("follow_up") else _examples(similar, sharing)
    shown_pairs = await _fit_pairs(earlier_pairs, model, tokens_left)
    return await require_fit((system, *shown_pairs, user_message), ctx, token_limit)


async def conversation_prompt(state: SQLMessageState, ctx: NodeContext, about: str) -> tuple[Message, ...]:
    """The prompt for a reply without data: what the database is about, and earlier questions."""
    questions = await _fit_lines(earlier_questions(state), ctx.model)
    system = prompt("chat", ctx.settings, ctx.language, about=about, earlier=questions)
    return await require_fit((Message("system", system), Message("user", state["question"])), ctx)


async def schema_prefix(
    state: SQLMessageState, ctx: NodeContext, schema_context: SchemaContext, token_limit: int
) -> Message:
    """The stable part of the prompts, whose evaluation is cached."""
    name = "write_sql" if state.get("wants_write") else "generate_sql"
    return await _system_message(name, _schema_info(state), ctx, schema_context, token_limit)


def _schema_info(state: SQLMessageState) -> SchemaInfo:
    info = state["schema_info"]
    if info is None:
        raise RuntimeError("the schema node must run first")
    return info


async def similar_pairs(state: SQLMessageState, ctx: NodeContext) -> SimilarPairs:
    """Verified queries of similar questions, best first."""
    source, user = ctx.resources.catalog_cache.key, ctx.options.user
    return await ctx.resources.memory.recall(source, state["question"], _EXAMPLES, user)


async def require_fit(
    messages: tuple[Message, ...], ctx: NodeContext, token_limit: int | None = None
) -> tuple[Message, ...]:
    """Returns the messages, or raises `PromptTooLong`."""
    token_limit = prompt_budget(ctx.model, ctx) if token_limit is None else token_limit
    used = await count_message_tokens(ctx.model, messages)
    if used > token_limit:
        raise PromptTooLong(ctx.model.name, f"{used} tokens of prompt, {token_limit} fit")
    return messages


def prompt_budget(model: AsyncChatModel, ctx: NodeContext) -> int:
    """Tokens for a prompt: the model's window minus its reply."""
    return model.profile.context - ctx.settings.max_tokens - 64


async def system_message(ctx: NodeContext, schema_context: SchemaContext) -> Message:
    """The stable prefix of a database whose schema fits; evaluated when warming up."""
    info = SchemaInfo(fingerprint="", tables=[], values=[], hints=[])
    return await _system_message("generate_sql", info, ctx, schema_context, prompt_budget(ctx.model, ctx))


async def _system_message(
    name: str, info: SchemaInfo, ctx: NodeContext, schema_context: SchemaContext, token_limit: int
) -> Message:
    catalog = schema_context.catalog
    shared, decline = (ctx.model.name, ctx.share_values), _decline_rule(ctx)
    key = ("system", name, catalog.fingerprint, tuple(info["tables"]), shared, token_limit, bool(decline))
    if key in ctx.resources.prepared:
        return cast("Message", ctx.resources.prepared[key])
    dialect = BY_NAME[catalog.dialect].product
    bare = prompt(name, ctx.settings, dialect=dialect, schema="") + decline
    max_tokens = min(schema_budget(ctx), token_limit // 2 - await ctx.model.count_tokens(bare))
    tables = shown_tables(info, ctx.sharing(schema_context))
    samples = ctx.share_values == "samples"
    text = (
        await render_within(catalog, tables, max_tokens, ctx.model, samples=samples) if max_tokens > 0 else ""
    )
    system = Message("system", prompt(name, ctx.settings, dialect=dialect, schema=text) + decline)
    return ctx.resources.cache_prepared(key, system)


def _decline_rule(ctx: NodeContext) -> str:
    """How a large model without structured output says that no query answers the question."""
    profile = ctx.model.profile
    if profile.structured_output or profile.size == "small":
        return ""
    return "\n" + prompt("decline", ctx.settings)


async def _ddl_message(ctx: NodeContext, schema_context: SchemaContext, token_limit: int) -> Message:
    """The stable prefix, with the schema as DDL."""
    catalog = schema_context.catalog
    key = ("printed", catalog.fingerprint, ctx.model.name, ctx.share_values, token_limit)
    if key in ctx.resources.prepared:
        return cast("Message", ctx.resources.prepared[key])
    max_tokens = min(schema_budget(ctx), token_limit // 2)
    shown = replace(catalog, tables=tuple(map(ctx.sharing(schema_context).table, catalog.tables)))
    text = ddl(shown) if await schema_fits(catalog, ctx) else ""
    if not text or await ctx.model.count_tokens(text) > max_tokens:
        raise PromptTooLong(ctx.model.name, f"the schema does not fit in {max_tokens} tokens")
    dialect = BY_NAME[catalog.dialect].product
    system = prompt("generate_sql", ctx.settings, dialect=dialect, schema=text)
    return ctx.resources.cache_prepared(key, Message("system", system))


async def render_within(
    catalog: Catalog, tables: Sequence[Table], max_tokens: int, model: AsyncChatModel, *, samples: bool
) -> str:
    """The fullest rendering that fits. `render` counts characters; their token cost is measured."""
    text = render(catalog, tables, samples=samples)
    token_count = await model.count_tokens(text)
    while token_count > max_tokens and text:
        characters = int(len(text) * max_tokens / token_count * 0.98)
        text = render(catalog, tables, budget=characters)
        token_count = await model.count_tokens(text)
    return text


def shown_tables(info: SchemaInfo, sharing: ValueSharing) -> list[Table]:
    """The tables of the prompt, with the values that may be shown."""
    catalog = sharing.schema_context.catalog
    by_label = {label(table, catalog): table for table in catalog.tables}
    chosen = (
        [by_label[name] for name in info["tables"] if name in by_label] if info["tables"] else catalog.tables
    )
    return [sharing.table(table) for table in chosen]


def values_sent(state: SQLMessageState, sharing: ValueSharing) -> list[str]:
    """`table.column` of all values in this question's prompts."""
    info = _schema_info(state)
    hits = [f"{hit['table']}.{hit['column']}" for hit in _shown_hits(state["question"], info, sharing)]
    return [*sharing.columns(shown_tables(info, sharing)), *hits]


def question_text(question: str, info: SchemaInfo, sharing: ValueSharing) -> str:
    """The question, followed by what the database has about its words, one fact per line."""
    lines = [question]
    hits = _shown_hits(question, info, sharing)
    lines += [f"{hit['table']}.{hit['column']} = {_quote(hit['value'])}" for hit in hits]
    lines += [f"{word}: {name}" for word, name in info["hints"]]
    return "\n".join(lines)


def _shown_hits(question: str, info: SchemaInfo, sharing: ValueSharing) -> list[Hit]:
    return [
        hit
        for hit in _unambiguous(info["values"])
        if sharing.may_show(hit["table"], hit["column"], hit["value"], question)
    ]


def _unambiguous(hits: Sequence[Hit]) -> list[Hit]:
    """Hits of words that occur in one column only: given two, a small model uses both."""
    columns_by_phrase: dict[str, set[tuple[str, str]]] = {}
    for hit in hits:
        columns_by_phrase.setdefault(hit["said"], set()).add((hit["table"], hit["column"]))
    return [hit for hit in hits if len(columns_by_phrase[hit["said"]]) == 1]


def _quote(value: str) -> str:
    return "'" + " ".join(value.split()).replace("'", "''") + "'"


def user_texts(state: SQLMessageState) -> list[str]:
    """The questions that the user typed in this thread, or chose when asked."""
    return [state["question"], *(turn["question"] for turn in state.get("turns", []))]


def _turns(state: SQLMessageState, sharing: ValueSharing) -> list[tuple[str, str]]:
    """Earlier questions with their queries, for follow-ups only: otherwise they distract a small model."""
    turns = [turn for turn in state.get("turns", []) if turn["sql"] and not turn.get("answers")][-_TURNS:]
    return [(turn["question"], sharing.sql(turn["sql"], user_texts(state))) for turn in turns]


def earlier_questions(state: SQLMessageState, shown: int = 0) -> list[str]:
    """The questions of this thread, without the last turns if those are shown in full."""
    turns = state.get("turns", [])
    return [
        *state.get("summary", "").splitlines(),
        *(turn["question"] for turn in turns[: len(turns) - shown]),
    ]


async def _earlier_text(state: SQLMessageState, model: AsyncChatModel) -> str:
    """Questions before those shown in full with a follow-up. They would distract a small model."""
    if not state.get("follow_up") or model.profile.size == "small":
        return ""
    questions = await _fit_lines(earlier_questions(state, _TURNS), model)
    return f"{between('asked_earlier', questions)}\n" if questions else ""


async def _fit_lines(questions: Sequence[str], model: AsyncChatModel) -> str:
    """One question per line; the last ones that fit."""
    lines: list[str] = []
    tokens_left = _EARLIER_TOKENS
    for question in reversed(questions):
        line = " ".join(question.split())
        tokens_left -= await model.count_tokens(line) + 1
        if tokens_left < 0:
            break
        lines.insert(0, line)
    return "\n".join(lines)


def _examples(similar: SimilarPairs, sharing: ValueSharing) -> list[tuple[str, str]]:
    """The most similar pair comes last, next to the question."""
    pairs = [pair for score, pair in reversed(similar) if score >= _MIN_SIMILARITY]
    return [(pair.question, sharing.sql(pair.sql, (pair.question,))) for pair in pairs]


async def _fit_pairs(
    pairs: Sequence[tuple[str, str]], model: AsyncChatModel, tokens_left: int
) -> list[Message]:
    """Pairs as a conversation; the last ones that fit."""
    fitting: list[Message] = []
    for question, sql in reversed(pairs):
        pair = [Message("user", question), Message("assistant", sql)]
        cost = await count_message_tokens(model, pair)
        if cost > tokens_left:
            break
        tokens_left -= cost
        fitting = [*pair, *fitting]
    return fitting


async def count_message_tokens(model: AsyncChatModel, messages: Sequence[Message]) -> int:
    return sum([await model.count_tokens(message.content) + _OVERHEAD for message in messages])
