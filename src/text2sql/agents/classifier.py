"""The classifier node: is a message a question about the data, conversation, or a follow-up?

Rules first; a model is asked only when they are unsure, and at most once per question.
"""

import asyncio
import json
import re
from dataclasses import asdict, replace
from typing import cast
from uuid import uuid4

from text2sql.agents.analytic.answering import edits_previous
from text2sql.agents.intent_patterns import looks_like_follow_up, wants_write
from text2sql.agents.node_context import NodeContext, Update, failure_update, final_update, usage_update
from text2sql.agents.prompt_builder import require_fit
from text2sql.agents.result_pages import check_pagination
from text2sql.agents.state import Option, SQLMessageState, Turn, new_question_state
from text2sql.agents.talk import can_sort, talk_of
from text2sql.errors import ModelError, Text2SQLError
from text2sql.i18n import Language
from text2sql.llm.prompts import render
from text2sql.schema import SchemaContext, coverage, evidence
from text2sql.types import Classification, Message, ModelRequest

_CJK = re.compile(r"[\u3400-\u9fff]")
# Words that only the sentence has, not the names in it.
_ENGLISH_FRAME = re.compile(
    r"\b(?:how|what|which|who|where|when|show|list|the|of|per|by|for|with)\b", re.IGNORECASE
)
_CHINESE_FRAME = re.compile(r"[的是有吗呢多少几哪什么请把按每各和在了显示列查看给谁为怎导出画]")
_SURE = 0.75  # below this confidence a model is asked, if it is quick


async def classifier(state: SQLMessageState, ctx: NodeContext) -> Update:
    message = state["messages"][-1]
    # without NUL, which PostgreSQL cannot store
    full_text, max_length = str(message.text).replace("\0", "").strip(), ctx.settings.question_length
    text = full_text[:max_length]
    turns = state.get("turns", [])
    question, is_choice = _resolve_choice(text, turns)
    ctx = replace(ctx, language=_language(question, ctx, turns))
    base: Update = {
        **new_question_state(),
        "turn_id": message.id or uuid4().hex,
        "question": question,
        "language": ctx.language,
        "mode": ctx.options.mode or ctx.settings.mode,
        "preset": ctx.options.preset or ctx.settings.preset,
    }
    has_words = any(character.isalnum() for character in question)  # "?!" and smileys ask nothing
    if not has_words or len(full_text) > max_length:
        key = "long" if has_words else "empty"
        return {**base, **_reason_update(ctx, "ambiguous_question", key, most=max_length)}
    try:
        pagination = state.get("pagination")
        if pagination:
            check_pagination(pagination)
        schema_context = await ctx.resources.catalog_cache.schema_context(values=False)
        may_talk = not is_choice and base["mode"] != "database_direct"
        talk = await asyncio.to_thread(talk_of, question, schema_context) if may_talk else None
        if talk is not None and talk.kind == "sort" and not can_sort(question, turns):
            talk = None  # a column that the rows do not have needs a query
        if talk is not None:  # before the check for writes: "change it to a pie chart" changes no data
            kind = Classification("conversation", 0.95, ctx.say("reason.talk"))
            return {**base, "query_analysis": asdict(kind), "talk": asdict(talk)}
        # only now: classification may need the values, conversation does not
        schema_context = await ctx.resources.catalog_cache.schema_context()
        write = wants_write(question)
        if write and not ctx.allow_writes:
            return {
                **base,
                **_reason_update(ctx, "write_not_allowed", "write_not_allowed"),
                "status": "refused",
            }
        classification, cost = await _classify(question, turns, schema_context, ctx)
        edits = bool(turns) and await asyncio.to_thread(edits_previous, question, turns, ctx, schema_context)
    except Text2SQLError as error:  # still a new question: clear the state of the previous one
        return {**base, **failure_update("classifier", error, ctx, cast("SQLMessageState", base))}
    base |= {**cost, "query_analysis": asdict(classification)}
    if classification.kind == "conversation":
        return base
    follow_up = not is_choice and (edits or _continues(question, turns))
    return {**base, "wants_write": write, "follow_up": follow_up}


async def _classify(
    question: str, turns: list[Turn], schema_context: SchemaContext, ctx: NodeContext
) -> tuple[Classification, Update]:
    mode = ctx.options.mode or ctx.settings.mode
    if mode != "hybrid":
        kind = "data" if mode == "database_direct" else "conversation"
        return Classification(kind, 1.0, ctx.say("reason.mode", mode=mode), "mode"), {}  # type: ignore[arg-type]
    classification = _classify_by_rules(question, turns, schema_context, ctx)
    if classification.confidence >= _SURE:
        return classification, {}
    return await _classify_by_model(classification, question, schema_context, ctx)


def _classify_by_rules(
    question: str, turns: list[Turn], schema_context: SchemaContext, ctx: NodeContext
) -> Classification:
    if _continues(question, turns):
        return Classification("data", 0.85, ctx.say("reason.follow_up"))
    share = coverage(question, schema_context)
    if share == 1.0 or evidence(question, schema_context) >= 1.0:
        return Classification("data", round(_SURE + share / 5, 2), ctx.say("reason.names"))
    return Classification("data", 0.6, ctx.say("reason.unsure"))


async def _classify_by_model(
    unsure: Classification, question: str, schema_context: SchemaContext, ctx: NodeContext
) -> tuple[Classification, Update]:
    """Ask a large model, which is quick. A small one would read a second prompt for seconds, and its opinion
    is worth little: there the rules decide.
    """
    if ctx.model.profile.size == "small":
        return unsure, {}
    tables = ", ".join(table.name for table in schema_context.catalog.tables)[:4_000]
    messages = (
        Message("system", render("classify", ctx.settings, tables=tables)),
        Message("user", question),
    )
    try:
        reply = await ctx.ask(
            ModelRequest(await require_fit(messages, ctx), max_tokens=120, schema=_SCHEMA, plain=True)
        )
    except ModelError:
        return unsure, {}  # the next call will raise the same error, and explain it
    return _parse_reply(reply.text) or unsure, usage_update(new_question_state(), reply)


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


def _parse_reply(text: str) -> Classification | None:
    """The reply is untrusted, and may have text around its JSON object."""
    try:
        fields = json.loads(text[text.find("{") : text.rfind("}") + 1])
        kind, confidence = fields["kind"], float(fields["confidence"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if kind not in ("data", "conversation"):
        return None
    return Classification(kind, min(1.0, max(0.0, confidence)), str(fields.get("reason", ""))[:200], "model")


def _resolve_choice(text: str, turns: list[Turn]) -> tuple[str, bool]:
    """Resolve an answer to our clarifying question (a choice, its number or its words) to the question it
    stands for.
    """
    if not turns or not turns[-1]["choices"]:
        return text, False
    last = turns[-1]
    choice = _choice(text, last["choices"])
    if choice is not None:
        return choice["question"], True
    return text, False


def _continues(question: str, turns: list[Turn]) -> bool:
    """Whether it sounds like a follow-up, or was suggested as one after the last answer."""
    answers = [turn for turn in turns if not turn.get("talk")]
    suggested = answers[-1].get("suggestions", []) if answers else []
    is_suggested = question.casefold() in (suggestion.casefold() for suggestion in suggested)
    return is_suggested or (bool(turns) and looks_like_follow_up(question))


def _choice(text: str, choices: list[Option]) -> Option | None:
    reply = text.strip(" .。'\"“”‘’").casefold()
    if reply.isdigit() and 1 <= int(reply) <= len(choices):
        return choices[int(reply) - 1]
    return next((choice for choice in choices if choice["label"].casefold() == reply), None)


def _language(question: str, ctx: NodeContext, turns: list[Turn]) -> Language:
    """The requested language, else the question's own: a Chinese name in an English sentence leaves it
    English.
    """
    if ctx.options.language:
        return "zh" if ctx.options.language.startswith("zh") else "en"
    if any(character.isalnum() for character in question):
        is_english = _ENGLISH_FRAME.search(question) and not _CHINESE_FRAME.search(question)
        return "zh" if _CJK.search(question) and not is_english else "en"
    return "zh" if turns and _CJK.search(turns[-1]["question"]) else "en"


def _reason_update(ctx: NodeContext, reason: str, key: str, **facts: object) -> Update:
    message, hint = ctx.say(f"reason.{key}.told", **facts), ctx.say(f"reason.{key}.told.hint", **facts)
    return {**final_update("failed", reason, message, hint), "sql_generation_failure_reason": reason}
