"""Writes the query: one call, several candidates where the model can give them in one batch.

Under a grammar of the schema on the embedded model, as structured output on hosted ones.
"""

from collections.abc import Mapping
from contextlib import aclosing

from text2sql.agents.context import Alike, alike_to, generation
from text2sql.agents.desk import Desk, Update, noted, paid
from text2sql.agents.replies import object_in
from text2sql.agents.state import Reason, SQLMessageState, Written
from text2sql.agents.ways import ways
from text2sql.errors import PromptTooLong
from text2sql.llm.grammar import sql_grammar
from text2sql.schema import Knowledge
from text2sql.sql import read_reply
from text2sql.types import Candidate, Message, ModelRequest, Reply, SqlToken
from text2sql.wording import normalised

# What a hosted model fills in. `problem` gives it a way to say no that is not a made-up query.
REPLY: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "sql": {"type": "string", "description": "the query, or empty if the question cannot be answered"},
        "problem": {"enum": ["none", "missing_database_info", "ambiguous_question"]},
        "explanation": {"type": "string", "description": "one sentence, only with a problem"},
    },
    "required": ["sql", "problem", "explanation"],
    "additionalProperties": False,
}


async def generator(state: SQLMessageState, desk: Desk) -> Update:
    if desk.asked.previous is not None and not state.get("error_history"):
        return _failed_before(desk.asked.previous, state)
    alike = await alike_to(state, desk)
    verified = _verified(alike, state, desk)
    if verified is not None:
        return verified
    knowledge = await desk.rooms.library.knowledge()
    request = asking(await generation(state, desk, knowledge, alike), state, desk, knowledge)
    # A schema that the model has never seen takes it longer to read than a call may take to answer.
    await desk.model.warm(request.messages[:1])
    try:
        reply = await say(request, desk)
    except PromptTooLong:
        # Our count was wrong, or the provider's limit is lower than it says: half of it, once.
        alone: SQLMessageState = {**state, "turns": [], "follow_up": False}
        shorter = await generation(alone, desk, knowledge, alike, shrink=True)
        reply = await say(asking(shorter, alone, desk, knowledge), desk)
    return read(reply, state)


def _failed_before(previous: Mapping[str, str], state: SQLMessageState) -> Update:
    """Somebody has run a query for this question and it failed: recovery goes on from there. Who runs queries
    one after the other has read the catalogue before; it is not read again for each of them.
    """
    sql = str(previous.get("sql", ""))
    kind, detail = str(previous.get("kind", "other")), str(previous.get("detail", ""))
    history = noted(state, "executor", kind, detail, sql)
    return {"candidates": [], "generated_sql": sql, "error_history": history, "refreshed": True}


def _verified(alike: Alike, state: SQLMessageState, desk: Desk) -> Update | None:
    """A person has found a query right for this very question: no model knows better. It goes through the
    guard like any other.
    """
    if state.get("follow_up") or state.get("wants_write") or state.get("error_history"):
        return None
    if not alike or normalised(alike[0][1].question) != normalised(state["question"]):
        return None
    sql = alike[0][1].sql
    told = [*state.get("assumptions", []), desk.say("answer.verified")]
    return {"candidates": [{"sql": sql, "logprob": None}], "generated_sql": sql, "assumptions": told}


def asking(
    messages: tuple[Message, ...], state: SQLMessageState, desk: Desk, knowledge: Knowledge
) -> ModelRequest:
    settings = desk.settings
    grammar = ""
    if settings.grammar and desk.model.capabilities.grammar and not state.get("wants_write"):
        grammar = grammar_of(knowledge, desk)
    return ModelRequest(
        messages,
        max_tokens=settings.sql_tokens,
        candidates=desk.asked.candidates or settings.candidates,
        temperature=settings.temperature,
        stop=(";",) if not state.get("wants_write") and not desk.model.capabilities.schema else (),
        grammar=grammar,
        schema=REPLY,
        logprobs=True,
        seconds=desk.patience,
    )


def grammar_of(knowledge: Knowledge, desk: Desk) -> str:
    key = ("grammar", knowledge.catalogue.fingerprint)
    if key in desk.rooms.prepared:
        return str(desk.rooms.prepared[key])
    return desk.rooms.prepare(key, sql_grammar(knowledge.catalogue.dialect, knowledge.policy.tables))


async def say(request: ModelRequest, desk: Desk) -> Reply:
    """The whole reply; its pieces are told as they come."""
    async with aclosing(desk.model.stream(request)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Reply):
                return piece
            desk.emit(SqlToken(piece))
    raise AssertionError("a stream ends with a reply or an error")


def read(reply: Reply, state: SQLMessageState) -> Update:
    cost = {**paid(state, reply), "attempts": state.get("attempts", 0) + 1}
    alone = len(reply.candidates) == 1 and not state.get("wants_write")
    torn: Update = {"ways": ways(reply.candidates[0]) if alone else []}
    found: dict[str, Written] = {}
    for candidate in reply.candidates:
        sql = read_reply(candidate.text) if candidate.finish == "stop" else ""
        if sql and sql not in found:
            found[sql] = as_written(sql, candidate)
    written = list(found.values())
    if written:
        return {**cost, **torn, "candidates": written, "generated_sql": written[0]["sql"]}
    reason, told = why_nothing(reply.candidates[0])
    return {
        **cost,
        **torn,
        "candidates": [],
        "generated_sql": "",
        "sql_generation_failure_reason": reason,
        "user_prompt": told,
        "error_history": noted(state, "generator", reason, reply.text),
    }


def as_written(sql: str, candidate: Candidate) -> Written:
    sure = [token.logprob for token in candidate.tokens]
    if not sure:
        return {"sql": sql, "logprob": None}
    return {"sql": sql, "logprob": round(sum(sure) / len(sure), 4), "least": round(min(sure), 4)}


def why_nothing(candidate: Candidate) -> tuple[Reason, str]:
    """Why there is no query in a reply: as the model says it, else what can be seen from outside."""
    if candidate.finish == "length":
        return "unknown_generation_failure", ""
    held = object_in(candidate.text)
    explanation = str(held.get("explanation", ""))[:500]
    problem = held.get("problem")
    if problem == "missing_database_info":
        return "missing_database_info", explanation
    if problem == "ambiguous_question":
        return "ambiguous_question", explanation
    text = explanation or candidate.text.strip()
    return ("llm_explanation", text[:500]) if text and not held else ("unknown_generation_failure", "")
