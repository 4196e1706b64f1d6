"""Ends every question: the sentence, the receipt, the `Answer`, and what the thread remembers of it.

A template says most results better than a small model would, at no price; a model is asked where the settings
want one, and its words are held against nothing but the rows it was shown.
"""

from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from langchain_core.messages import AIMessage, RemoveMessage

from text2sql.agents.answering import answer_of, result_of
from text2sql.agents.chart import chart
from text2sql.agents.context import bounded, conversation
from text2sql.agents.desk import Desk, Update, paid
from text2sql.agents.sentences import sentence
from text2sql.agents.state import SQLMessageState, Turn
from text2sql.errors import ModelError, PromptTooLong
from text2sql.llm.prompts import render
from text2sql.types import AnswerToken, Message, ModelRequest, QueryResult, Reply

_TURNS = 10  # that a thread keeps whole
_MESSAGES = 40
_SHOWN_ROWS = 20  # of a result, in the prompt of the summary
_SUMMARY = 2_000  # characters


async def interpreter(state: SQLMessageState, desk: Desk) -> Update:
    update: Update = {}
    if state.get("status"):
        text = state.get("user_prompt", "")
    elif state.get("execution_result") is None:
        text, update = await _conversation(state, desk)
        update["status"] = "conversation"
    else:
        text, update = await _result(state, desk)
        update["status"] = "answered"
    if not update.get("usage"):
        desk.emit(AnswerToken(text))
    ended: SQLMessageState = {**state, **update}  # type: ignore[typeddict-item]
    text = _without_rows(text, ended, desk)
    answer = answer_of(ended, desk, text)
    return {
        **update,
        "answer": asdict(answer),
        "turns": _turns(ended, text),
        "summary": _summary(ended),
        "messages": [AIMessage(text), *_forgotten(state)],
    }


def _without_rows(text: str, state: SQLMessageState, desk: Desk) -> str:
    """A sentence that quotes rows is kept with them, by reference and for as long; a thread keeps their
    number. Whoever runs the graph without our memory gets the sentence itself.
    """
    execution = state.get("execution_result")
    if not desk.rooms.keeps or execution is None or not execution["result_id"]:
        return text
    desk.rooms.hold_sentence(execution["result_id"], text)
    if state["status"] == "answered":
        return desk.say("answer.kept", rows=execution["row_count"])
    return text


async def _result(state: SQLMessageState, desk: Desk) -> tuple[str, Update]:
    execution = state["execution_result"]
    if execution is None:
        raise RuntimeError("the executor comes first")
    if "written_rows" in execution:
        return desk.say("answer.written", rows=execution["written_rows"]), {}
    result = await result_of(execution["result_id"], desk.asked.user, desk.rooms)
    told = sentence(result, desk.language, state.get("assumptions", []))
    update: Update = {"chart_result": chart(result, state["question"])}
    if (desk.preset.summary or desk.settings.summary) != "model" or not result.rows:
        return told, update
    asked = render(
        "interpret",
        desk.settings,
        desk.language,
        question=state["question"],
        rows=str(execution["row_count"]),
        truncated=str(execution["truncated"]).lower(),
        result=_shown(result),
    )
    said, paid_for = await _said((Message("user", asked),), state, desk, otherwise=told)
    return said, {**update, **paid_for}


async def _conversation(state: SQLMessageState, desk: Desk) -> tuple[str, Update]:
    """A greeting needs no model; talk that the rules do not know does."""
    knowledge = await desk.rooms.library.knowledge(values=False)
    tables = [table.name for table in knowledge.catalogue.tables]
    about = ", ".join(tables[:6]) + ("…" if len(tables) > 6 else "")
    greeting = desk.say("answer.hello", about=about)
    analysis = state.get("query_analysis")
    by_rules = analysis is not None and analysis["method"] == "rules"
    if by_rules and not desk.model.capabilities.schema:
        return greeting, {}
    try:
        messages = await conversation(state, desk, about)
    except PromptTooLong:
        return greeting, {}
    return await _said(messages, state, desk, otherwise=greeting)


async def _said(
    messages: tuple[Message, ...], state: SQLMessageState, desk: Desk, otherwise: str
) -> tuple[str, Update]:
    """What the model says; should it fail now, the rows are there all the same and the template speaks."""
    try:
        request = ModelRequest(
            await bounded(messages, desk), max_tokens=300, seconds=desk.patience, plain=True
        )
        async with aclosing(desk.model.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Reply):
                    return piece.text.strip() or otherwise, paid(state, piece)
                desk.emit(AnswerToken(piece))
    except ModelError as error:
        desk.warn("warning.no_summary", kind=error.kind)
    return otherwise, {}


def _shown(result: QueryResult) -> str:
    lines = [" | ".join(column.name for column in result.columns)]
    lines += [" | ".join(str(value)[:80] for value in row) for row in result.rows[:_SHOWN_ROWS]]
    return "\n".join(lines)[:4_000]


def _turns(state: SQLMessageState, text: str) -> list[Turn]:
    execution = state.get("execution_result")
    turn = Turn(
        question=state.get("question", ""),
        sql=execution["sql"] if execution else "",
        columns=execution["columns"] if execution else [],
        row_count=execution["row_count"] if execution else 0,
        status=state["status"] or "failed",
        answer=text[:500],
        choices=state.get("choices", []),
    )
    return [*state.get("turns", []), turn][-_TURNS:]


def _summary(state: SQLMessageState) -> str:
    """What leaves the turns stays as a line: what was asked. Deterministic, so it costs nothing."""
    turns = state.get("turns", [])
    if len(turns) < _TURNS:
        return state.get("summary", "")
    return f"{state.get('summary', '')}\n{turns[0]['question']}".strip()[-_SUMMARY:]


def _forgotten(state: SQLMessageState) -> list[Any]:
    old = state["messages"][: -_MESSAGES + 1]
    return [RemoveMessage(one.id) for one in old if one.id]
