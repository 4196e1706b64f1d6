"""The interpreter node: ends every question with a sentence, the receipt, the `Answer` and the thread's
history.

A template describes most results better than a small model would, at no cost; a model is used if the settings
ask for it, and sees only the rows that it is given.
"""

import asyncio
from contextlib import aclosing
from dataclasses import asdict, replace
from typing import Any

from langchain_core.messages import AIMessage, RemoveMessage

from text2sql.agents.analytic.answering import described_query
from text2sql.agents.analytic.suggesting import suggestions_after
from text2sql.agents.answer_builder import (
    build_answer,
    choose_chart,
    load_result,
    result_text,
    with_doubt,
)
from text2sql.agents.confidence import certainty_of, confidence
from text2sql.agents.node_context import NodeContext, Update, failure_update, usage_update
from text2sql.agents.prompt_builder import conversation_prompt, require_fit
from text2sql.agents.query_description import describe_query
from text2sql.agents.result_pages import with_rows
from text2sql.agents.state import SQLMessageState, Turn, add_sent
from text2sql.agents.talk import Talk, reply, template_reply
from text2sql.agents.talk.schema_answers import named_tables
from text2sql.errors import ModelError, PromptTooLong, Text2SQLError
from text2sql.llm.prompts import render
from text2sql.types import Answer, AnswerToken, Message, ModelRequest, QueryResult, Reply

_TURNS = 10  # that a thread keeps in full
_MESSAGES = 40
_SHOWN_ROWS = 20  # of a result, in the prompt of the summary
_SUMMARY_LENGTH = 2_000  # characters
# Kinds of conversation that a large model answers.
_MODEL_KINDS = frozenset({"greeting", "thanks", "farewell", "chat"})


async def interpreter(state: SQLMessageState, ctx: NodeContext) -> Update:
    try:
        text, update = await _outcome(state, ctx)
    except Text2SQLError as error:  # no other node comes after this one: the failure is the answer
        update = failure_update("interpreter", error, ctx, state)
        text = update["user_prompt"]
    if not update.get("usage"):
        ctx.emit(AnswerToken(text))
    final_state: SQLMessageState = {**state, **update}  # type: ignore[typeddict-item]
    text = _without_rows(text, final_state, ctx)
    answer = build_answer(final_state, ctx, text, "interpreter")
    if answer.status == "answered":
        answer = replace(answer, suggestions=await suggestions_after(final_state, ctx))
    if not ctx.resources.owns_threads:
        answer = await with_rows(answer, state.get("pagination"), ctx)
    return {
        **update,
        "language": ctx.language,  # for readers of this update alone
        "pagination": None,  # the next question may be asked without one
        "answer": asdict(answer),
        "turns": _turns(final_state, answer, text),
        "summary": _summarize(final_state),
        "messages": [
            # LangGraph's own clients show the message and its metadata, not the receipt
            AIMessage(text, response_metadata={"certainty": answer.receipt.certainty}),
            *_removed_messages(state),
        ],
    }


async def _outcome(state: SQLMessageState, ctx: NodeContext) -> tuple[str, Update]:
    """The sentence, and an update with at least the status."""
    if state.get("status"):
        update: Update = {"status": state["status"]}
        if state["status"] == "answered":  # a draft
            update["taken_for"] = await _restate_query(state.get("generated_sql", ""), state, ctx)
        return state.get("user_prompt", ""), update
    if state.get("execution_result") is None:
        text, update = await _converse(state, ctx)
        return text, {"status": "conversation", **update}
    text, update = await _describe_result(state, ctx)
    return text, {**update, "status": "answered"}


def _without_rows(text: str, state: SQLMessageState, ctx: NodeContext) -> str:
    """A sentence that quotes rows is stored and expires with them; the thread keeps only their number.
    LangGraph's own server gets the sentence itself.
    """
    execution = state.get("execution_result")
    if not ctx.resources.owns_threads or execution is None or not execution["result_id"]:
        return text
    ctx.resources.cache_sentence(execution["result_id"], text)
    if state["status"] == "answered":
        return ctx.say("answer.kept", rows=execution["row_count"])
    return text


async def _describe_result(state: SQLMessageState, ctx: NodeContext) -> tuple[str, Update]:
    execution = state["execution_result"]
    if execution is None:
        raise RuntimeError("the executor must run first")
    if "written_rows" in execution:
        return ctx.say("answer.written", rows=execution["written_rows"]), {}
    result = await load_result(execution["result_id"], ctx.options.user, ctx.resources)
    taken_for = await described_query(state, ctx) or await _restate_query(execution["sql"], state, ctx)
    certainty = certainty_of(confidence(state))
    how = ctx.preset.summary
    text = await asyncio.to_thread(  # ten thousand rows take a tenth of a second
        result_text,
        result,
        state["question"],
        ctx.language,
        certainty=certainty,
        assumptions=state.get("assumptions", []),
        summary=how,
    )
    text = with_doubt(text, certainty, taken_for, ctx.language)
    update: Update = {
        "chart_result": await asyncio.to_thread(choose_chart, result, state["question"]),
        "taken_for": taken_for,
    }
    if how != "model" or not result.rows:
        return text, update
    if ctx.share_values != "samples":
        ctx.warn("warning.rows_not_shared", setting="TEXT2SQL_SHARE_VALUES=samples")
        return text, update
    prompt = render(
        "interpret",
        ctx.settings,
        ctx.language,
        question=state["question"],
        rows=str(execution["row_count"]),
        truncated=str(execution["truncated"]).lower(),
        result=_rows_text(result),
    )
    summary, cost = await _model_text((Message("user", prompt),), state, ctx, fallback=text)
    if summary != text:
        summary = with_doubt(summary, certainty, taken_for, ctx.language)
    sent = add_sent(state, rows=min(len(result.rows), _SHOWN_ROWS))
    return summary, {**update, **cost, "sent": sent}


async def _restate_query(sql: str, state: SQLMessageState, ctx: NodeContext) -> str:
    dialect = state.get("connection_id", "").partition(":")[0]
    return await describe_query(sql, dialect, ctx.language, ctx.row_limit)


async def _converse(state: SQLMessageState, ctx: NodeContext) -> tuple[str, Update]:
    """Rules answer what they recognize; a large model words greetings and answers everything else."""
    schema_context = await ctx.resources.catalog_cache.schema_context(values=False)
    stored = state.get("talk")
    talk = Talk(**stored) if stored else None  # type: ignore[arg-type]
    may_use_model = talk is None or talk.kind in _MODEL_KINDS
    if talk is not None and not (may_use_model and ctx.model.profile.size == "large"):
        return await reply(talk, state, ctx)
    fallback = template_reply(talk, schema_context, ctx)
    try:
        messages = await conversation_prompt(state, ctx, named_tables(schema_context.catalog))
    except PromptTooLong:
        return fallback, {}
    return await _model_text(messages, state, ctx, fallback=fallback)


async def _model_text(
    messages: tuple[Message, ...], state: SQLMessageState, ctx: NodeContext, fallback: str
) -> tuple[str, Update]:
    """The model's text, or the fallback if the call fails."""
    try:
        request = ModelRequest(
            await require_fit(messages, ctx), max_tokens=300, seconds=ctx.model_timeout, plain=True
        )
        async with aclosing(ctx.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Reply):
                    return piece.text.strip() or fallback, usage_update(state, piece)
                ctx.emit(AnswerToken(piece))
    except ModelError as error:
        ctx.warn("warning.no_summary", kind=error.kind)
    return fallback, {}


def _rows_text(result: QueryResult) -> str:
    lines = [" | ".join(column.name for column in result.columns)]
    lines += [" | ".join(str(value)[:80] for value in row) for row in result.rows[:_SHOWN_ROWS]]
    return "\n".join(lines)[:4_000]


def _turns(state: SQLMessageState, answer: Answer, text: str) -> list[Turn]:
    execution = state.get("execution_result")
    turn = Turn(
        question=state.get("question", ""),
        sql=answer.sql if execution or answer.status == "answered" else "",
        columns=execution["columns"] if execution else [],
        row_count=execution["row_count"] if execution else 0,
        status=state["status"] or "failed",
        answer=text[:500],
        choices=state.get("choices", []),
        result_id=answer.result_id,
        chart=state.get("chart_result"),
        tables=list(answer.receipt.tables),
        confidence=answer.receipt.confidence,
        certainty=answer.receipt.certainty,
        answers=state.get("answers", ""),
        talk=state.get("talk") is not None,
        analytic=state.get("analytic"),
        suggestions=list(answer.suggestions),
    )
    return [*state.get("turns", []), turn][-_TURNS:]


def _summarize(state: SQLMessageState) -> str:
    """Questions of turns that are dropped, one per line."""
    turns = state.get("turns", [])
    if len(turns) < _TURNS:
        return state.get("summary", "")
    return f"{state.get('summary', '')}\n{turns[0]['question']}".strip()[-_SUMMARY_LENGTH:]


def _removed_messages(state: SQLMessageState) -> list[Any]:
    old = state["messages"][: -_MESSAGES + 1]
    return [RemoveMessage(message.id) for message in old if message.id]
