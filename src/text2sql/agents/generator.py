"""The generator node: writes the query in one model call, with several candidates where the model supports
it.

The embedded model is constrained by a grammar of the schema; hosted models use structured output.
"""

from collections.abc import Mapping
from contextlib import aclosing

from text2sql.agents.alternative_candidates import token_alternatives
from text2sql.agents.analytic.answering import compiled_update
from text2sql.agents.node_context import NodeContext, Update, usage_update, with_error
from text2sql.agents.prompt_builder import SimilarPairs, generation_prompt, similar_pairs, values_sent
from text2sql.agents.state import GeneratedQuery, Reason, SQLMessageState, add_sent
from text2sql.errors import PromptTooLong
from text2sql.llm.grammar import sql_grammar
from text2sql.schema import SchemaContext
from text2sql.sql import ModelReply, parse_reply
from text2sql.text_normalization import normalised
from text2sql.types import Candidate, Message, ModelRequest, Reply, SqlToken

# The structured output; `problem` lets a model decline instead of inventing a query. Models without
# structured output reply with a line for that (`prompts/decline.md`).
REPLY: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "sql": {"type": "string", "description": "the query, or empty if the question cannot be answered"},
        "problem": {
            "type": "string",
            "enum": ["none", "missing_database_info", "ambiguous_question"],
            "description": "why there is no query: the database holds nothing that answers the question, or "
            "the question can be understood in ways that lead to different results; otherwise none",
        },
        "explanation": {
            "type": "string",
            "description": "only with a problem: one sentence in the language of the question that says what "
            "is missing, or asks what is meant; otherwise empty",
        },
    },
    "required": ["sql", "problem", "explanation"],
    "additionalProperties": False,
}


async def generator(state: SQLMessageState, ctx: NodeContext) -> Update:
    if ctx.options.previous is not None and not state.get("error_history"):
        return _start_from_failure(ctx.options.previous, state)
    similar = await similar_pairs(state, ctx)
    verified = _verified_update(similar, state)
    if verified is not None:
        return verified
    schema_context = await ctx.resources.catalog_cache.schema_context()
    analytic = await compiled_update(state, ctx, schema_context)
    if analytic.get("candidates"):
        return analytic
    request = build_request(
        await generation_prompt(state, ctx, schema_context, similar), state, ctx, schema_context
    )
    try:
        reply = await stream_reply(request, ctx)
    except PromptTooLong:
        # The token count was wrong, or the provider's limit is lower than documented: retry once with half.
        without_turns: SQLMessageState = {**state, "turns": [], "follow_up": False}
        shorter = await generation_prompt(without_turns, ctx, schema_context, similar, shrink=True)
        reply = await stream_reply(build_request(shorter, without_turns, ctx, schema_context), ctx)
    sent = add_sent(state, values_sent(state, ctx.sharing(schema_context)))
    return {**analytic, **candidates_update(reply, state), "sent": sent}


def _start_from_failure(previous: Mapping[str, str], state: SQLMessageState) -> Update:
    """The caller has run a query for this question and it failed: start at recovery. Such callers have just
    read the catalog, so it is not refreshed for each query.
    """
    sql = str(previous.get("sql", ""))
    kind, detail = str(previous.get("kind", "other")), str(previous.get("detail", ""))
    history = with_error(state, "executor", kind, detail, sql)
    return {"candidates": [], "generated_sql": sql, "error_history": history, "refreshed": True}


def _verified_update(similar: SimilarPairs, state: SQLMessageState) -> Update | None:
    """A query that a person has verified for exactly this question is used as it is; the guard still checks
    it.
    """
    if state.get("follow_up") or state.get("wants_write") or state.get("error_history"):
        return None
    if not similar or normalised(similar[0][1].question) != normalised(state["question"]):
        return None
    sql = similar[0][1].sql
    return {"candidates": [GeneratedQuery(sql=sql, logprob=None, verified=True)], "generated_sql": sql}


def build_request(
    messages: tuple[Message, ...], state: SQLMessageState, ctx: NodeContext, schema_context: SchemaContext
) -> ModelRequest:
    settings = ctx.settings
    grammar = ""
    if settings.grammar and ctx.model.profile.grammar and not state.get("wants_write"):
        grammar = cached_grammar(schema_context, ctx)
    return ModelRequest(
        messages,
        max_tokens=settings.sql_tokens,
        candidates=ctx.options.candidates or settings.candidates,
        temperature=settings.temperature,
        stop=(";",) if not state.get("wants_write") and not ctx.model.profile.structured_output else (),
        grammar=grammar,
        schema=REPLY,
        logprobs=True,
        seconds=ctx.model_timeout,
    )


def cached_grammar(schema_context: SchemaContext, ctx: NodeContext) -> str:
    key = ("grammar", schema_context.catalog.fingerprint)
    if key in ctx.resources.prepared:
        return str(ctx.resources.prepared[key])
    return ctx.resources.cache_prepared(
        key, sql_grammar(schema_context.catalog.dialect, schema_context.policy.tables)
    )


async def stream_reply(request: ModelRequest, ctx: NodeContext) -> Reply:
    """The whole reply; its tokens are emitted as they arrive."""
    async with aclosing(ctx.stream(request)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Reply):
                return piece
            ctx.emit(SqlToken(piece))
    raise AssertionError("a stream ends with a reply or an error")


def candidates_update(reply: Reply, state: SQLMessageState) -> Update:
    cost = {**usage_update(state, reply), "attempts": state.get("attempts", 0) + 1}
    is_single = len(reply.candidates) == 1 and not state.get("wants_write")
    alternatives: Update = {
        "token_alternatives": token_alternatives(reply.candidates[0]) if is_single else []
    }
    queries: dict[str, GeneratedQuery] = {}
    for candidate in reply.candidates:
        sql = read_candidate(candidate).sql
        if sql and sql not in queries:
            queries[sql] = generated_query(sql, candidate)
    generated = list(queries.values())
    if generated:
        first = read_candidate(reply.candidates[0])
        doubts = [first.explanation[:500]] if first.problem and first.explanation else []
        return {
            **cost,
            **alternatives,
            "candidates": generated,
            "generated_sql": generated[0]["sql"],
            "assumptions": [*state.get("assumptions", []), *doubts],
        }
    reason, explanation = failure_reason(reply.candidates[0])
    return {
        **cost,
        **alternatives,
        "candidates": [],
        "generated_sql": "",
        "sql_generation_failure_reason": reason,
        "user_prompt": explanation,
        "error_history": with_error(state, "generator", reason, reply.text),
    }


def generated_query(sql: str, candidate: Candidate) -> GeneratedQuery:
    logprobs = [token.logprob for token in candidate.tokens]
    if not logprobs:
        return {"sql": sql, "logprob": None}
    return {"sql": sql, "logprob": round(sum(logprobs) / len(logprobs), 4), "least": round(min(logprobs), 4)}


def read_candidate(candidate: Candidate) -> ModelReply:
    """The reply of a candidate; one that was cut off is never run."""
    return parse_reply(candidate.text) if candidate.finish == "stop" else ModelReply()


def failure_reason(candidate: Candidate) -> tuple[Reason, str]:
    """Why a reply has no query: as the model says, else by its text."""
    reply = read_candidate(candidate)
    explanation = reply.explanation.strip()[:500]
    if reply.problem:
        return reply.problem, explanation
    return ("llm_explanation", explanation) if explanation else ("unknown_generation_failure", "")
