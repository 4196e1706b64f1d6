"""Begins a question: is it about the data, is it conversation, does it follow up on the last one?

Rules first; a model is asked only when they are unsure, and never a second time for one question.
"""

import re
from dataclasses import asdict, replace
from typing import cast
from uuid import uuid4

from text2sql.agents.context import bounded
from text2sql.agents.desk import Desk, Update, ended, failed, paid
from text2sql.agents.manners import looks_like_follow_up, small_talk, wants_write
from text2sql.agents.replies import object_in
from text2sql.agents.state import Option, SQLMessageState, Turn, fresh
from text2sql.errors import ModelError, Text2SQLError
from text2sql.llm.prompts import render
from text2sql.messages import Language
from text2sql.schema import Knowledge, about
from text2sql.schema.coverage import ENOUGH
from text2sql.types import Classification, Message, ModelRequest

_CJK = re.compile(r"[\u3400-\u9fff]")
_SURE = 0.75  # a rule below this asks a model, where one is quick enough to be asked


async def classifier(state: SQLMessageState, desk: Desk) -> Update:
    message = state["messages"][-1]
    # NUL: PostgreSQL cannot keep it, and nobody means it
    said = str(message.text).replace("\0", "").strip()[: desk.settings.question_length]
    turns = state.get("turns", [])
    question, chosen = _answered(said, turns)
    desk = replace(desk, language=_language(question, desk, turns))
    begun: Update = {
        **fresh(),
        "turn_id": message.id or uuid4().hex,
        "question": question,
        "language": desk.language,
        "mode": desk.asked.mode or desk.settings.mode,
        "preset": desk.asked.preset or desk.settings.preset,
    }
    if not question:
        return {**begun, **_failure(desk, "ambiguous_question", "empty")}
    write = wants_write(question)
    if write and not desk.allow_writes:
        return {**begun, **_failure(desk, "write_not_allowed", "write_not_allowed"), "status": "refused"}
    try:
        knowledge = await desk.rooms.library.knowledge(values=False)
        found, cost = await _kind(question, turns, knowledge, desk)
    except Text2SQLError as error:  # the question has begun all the same: nothing of the last one stays
        return {**begun, **failed("classifier", error, desk, cast("SQLMessageState", begun))}
    begun |= {**cost, "query_analysis": asdict(found)}
    if found.kind == "conversation":
        return begun
    follow_up = not chosen and bool(turns) and looks_like_follow_up(question)
    return {**begun, "wants_write": write, "follow_up": follow_up}


async def _kind(
    question: str, turns: list[Turn], knowledge: Knowledge, desk: Desk
) -> tuple[Classification, Update]:
    mode = desk.asked.mode or desk.settings.mode
    if mode != "hybrid":
        kind = "data" if mode == "database_direct" else "conversation"
        return Classification(kind, 1.0, desk.say("reason.mode", mode=mode), "mode"), {}  # type: ignore[arg-type]
    found = by_rules(question, turns, knowledge, desk)
    if found.confidence >= _SURE:
        return found, {}
    return await _by_model(found, question, knowledge, desk)


def by_rules(question: str, turns: list[Turn], knowledge: Knowledge, desk: Desk) -> Classification:
    if small_talk(question):
        return Classification("conversation", 0.95, desk.say("reason.small_talk"))
    if turns and looks_like_follow_up(question):
        return Classification("data", 0.85, desk.say("reason.follow_up"))
    share = about(question, knowledge)
    if share >= ENOUGH:
        return Classification("data", round(0.75 + share / 5, 2), desk.say("reason.names"))
    return Classification("data", 0.6, desk.say("reason.unsure"))


async def _by_model(
    unsure: Classification, question: str, knowledge: Knowledge, desk: Desk
) -> tuple[Classification, Update]:
    """A hosted model is quick to ask. The embedded one would read a second prompt for seconds, and its
    opinion is worth little: it keeps to the rules.
    """
    model = desk.model
    if not model.capabilities.schema:
        return unsure, {}
    tables = ", ".join(table.name for table in knowledge.catalogue.tables)[:4_000]
    messages = (
        Message("system", render("classify", desk.settings, tables=tables)),
        Message("user", question),
    )
    try:
        reply = await model.ask(
            ModelRequest(await bounded(messages, desk), max_tokens=120, schema=_SCHEMA, plain=True)
        )
    except ModelError:
        return unsure, {}  # the next call will meet the same error, and explain it
    return _read(reply.text) or unsure, paid(fresh(), reply)


_SCHEMA = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["data", "conversation"]},
        "confidence": {"type": "number"},
        "reason": {"type": "string"},
    },
    "required": ["kind", "confidence", "reason"],
    "additionalProperties": False,
}


def _read(text: str) -> Classification | None:
    held = object_in(text)
    try:
        kind, confidence = held["kind"], float(held["confidence"])
    except (ValueError, KeyError, TypeError):
        return None
    if kind not in ("data", "conversation"):
        return None
    return Classification(kind, min(1.0, max(0.0, confidence)), str(held.get("reason", ""))[:200], "model")


def _answered(said: str, turns: list[Turn]) -> tuple[str, bool]:
    """The question that an answer to our question back stands for: a choice, its number, or its words."""
    if not turns or turns[-1]["status"] != "clarify":
        return said, False
    last = turns[-1]
    choice = _choice(said, last["choices"])
    if choice is not None:
        return choice["question"], True
    return said, False


def _choice(said: str, choices: list[Option]) -> Option | None:
    wanted = said.strip(" .。'\"“”‘’").casefold()
    if wanted.isdigit() and 1 <= int(wanted) <= len(choices):
        return choices[int(wanted) - 1]
    return next((one for one in choices if one["label"].casefold() == wanted), None)


def _language(question: str, desk: Desk, turns: list[Turn]) -> Language:
    """As wanted, else the question's own: one who asks in Chinese reads Chinese."""
    if desk.asked.language:
        return "zh" if desk.asked.language.startswith("zh") else "en"
    if question:
        return "zh" if _CJK.search(question) else "en"
    return "zh" if turns and _CJK.search(turns[-1]["question"]) else "en"


def _failure(desk: Desk, reason: str, key: str) -> Update:
    message, hint = desk.say(f"reason.{key}.told"), desk.say(f"reason.{key}.told.hint")
    return {**ended("failed", reason, message, hint), "sql_generation_failure_reason": reason}
