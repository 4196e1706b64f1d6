"""The recovery node: after a failure or a doubtful result, it refreshes the catalog, tries alternative
tokens, or asks the model again with the facts of the error and guidance. Limited by retries, time and tokens;
the same query twice ends it.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from text2sql.agents.alternative_candidates import regenerate_from_ddl, resample_alternatives
from text2sql.agents.generator import (
    build_request,
    failure_reason,
    generated_query,
    read_candidate,
    stream_reply,
)
from text2sql.agents.node_context import NodeContext, Update, final_update, usage_update, with_error
from text2sql.agents.prompt_builder import (
    generation_prompt,
    prompt_budget,
    require_fit,
    schema_prefix,
    similar_pairs,
    user_texts,
    values_sent,
)
from text2sql.agents.query_check import check_query
from text2sql.agents.state import GeneratedQuery, Reason, SQLMessageState, add_sent, usage_of
from text2sql.errors import ModelError
from text2sql.llm.prompts import between, render
from text2sql.schema import SchemaContext, ValueSharing, label
from text2sql.sql import in_worker, with_row_limit
from text2sql.types import CheckedSql, Limits, Message, Status

_STATUS: Mapping[Reason, Status] = {"missing_database_info": "no_data", "ambiguous_question": "clarify"}
_UNKNOWN_NAMES = frozenset({"table", "column", "unknown_table", "unknown_column"})
_PROBE_CHARACTERS = 1_500  # characters of a probe in a prompt
# For a small model, which would repeat its mistake in a single candidate.
_RETRY_CANDIDATES, _RETRY_TEMPERATURE = 4, 0.8
_RETRY_TOKENS = 160  # tokens of each candidate: a long one delays the others
_RESERVED_SECONDS = 3.0  # left for the answer when an alternative is tried
_LIMITED_ROWS = 100  # for a list that was too slow or too large
_PROBE = Limits(rows=10, bytes=20_000, cell_bytes=80, seconds=3.0)
# Guidance for the model by kind of error, in English like all prompts.
GUIDANCE = {
    "table": "Use only tables of the schema above.",
    "unknown_table": "Use only tables of the schema above.",
    "column": "That column is not in that table. Find the table of the schema that has it, and join it.",
    "unknown_column": "That column is not in that table. Find the table of the schema above that has it.",
    "ambiguous_column": "Two tables have that column. Write the table's alias before it.",
    "syntax": "Write one plain SELECT statement.",
    "unreadable": "Write one plain SELECT statement.",
    "function": "Use only common functions, such as COUNT, SUM, AVG, MIN, MAX, ROUND, LOWER, COALESCE.",
    "type": "The types do not fit. Cast one side, or compare with another column.",
    "empty_result": "The query returned no rows. Check that condition: its column, its spelling, its range.",
    "timeout": "The query took too long. Make it cheaper: filter early, aggregate, fewer tables.",
    "resource": "The result was too large. Aggregate it, or add a LIMIT.",
    "bounds": "The query asks for too much at once. Aggregate it, or add a LIMIT.",
    "set_shape": "Both sides of UNION, INTERSECT and EXCEPT need the same number of columns.",
    "unknown_generation_failure": "Answer with one SELECT statement and nothing else. Keep it short.",
    "llm_explanation": "Answer with one SELECT statement and nothing else.",
}


async def recovery(state: SQLMessageState, ctx: NodeContext) -> Update:
    doubtful = _doubtful_queries(state)
    if doubtful:
        return await _try_alternatives(state, ctx, doubtful)
    last = state["error_history"][-1]
    if last["kind"] in _UNKNOWN_NAMES and ctx.preset.refresh and not state.get("refreshed"):
        if await ctx.resources.catalog_cache.refresh():
            ctx.warn("warning.schema_changed")
            return {"refreshed": True, "schema_info": None, "candidates": [], "validation_result": None}
        state = {**state, "refreshed": True}
    exhausted = exhausted_budget(state, ctx)
    if exhausted:
        return {"refreshed": state.get("refreshed", False), **give_up(state, ctx, exhausted)}
    update = await _limit_rows(last, state, ctx)
    if update is None and state.get("token_alternatives"):
        update = await _try_alternatives(state, ctx, [])
        state = {**state, **update}  # type: ignore[typeddict-item]
    if not update or not update["candidates"]:
        update = {**(update or {}), **await _regenerate(state, ctx)}
    return {"refreshed": state.get("refreshed", False), **update}


def _doubtful_queries(state: SQLMessageState) -> list[GeneratedQuery]:
    """Queries that ran with a doubtful result: nothing failed, but an alternative may be better."""
    validation, candidates = state.get("validation_result"), state.get("candidates", [])
    failed = {error["sql"] for error in state.get("error_history", ())}
    passed = validation["passed"] if validation is not None and state.get("doubted") else []
    return [candidates[query["candidate"]] for query in passed if query["sql"] not in failed]


async def _try_alternatives(
    state: SQLMessageState, ctx: NodeContext, doubtful: list[GeneratedQuery]
) -> Update:
    """Generate alternatives beside the doubtful queries; the executor chooses. If the model fails now, an
    existing answer is kept.
    """
    schema_context = await ctx.resources.catalog_cache.schema_context()
    similar = await similar_pairs(state, ctx)
    known_queries = {_normalized(query["sql"]) for query in state.get("candidates", ())}
    candidates, cost = list(doubtful), Update()
    try:
        # Leave time to answer with the existing query.
        async with asyncio.timeout(max(0.0, ctx.seconds_left - _RESERVED_SECONDS) if doubtful else None):
            prompt = await generation_prompt(state, ctx, schema_context, similar, as_ddl=bool(doubtful))
            request = build_request(prompt, state, ctx, schema_context)
            if doubtful:
                replies = await regenerate_from_ddl(request, ctx)
            else:
                replies = await resample_alternatives(state["token_alternatives"], request, ctx)
    except (ModelError, TimeoutError):
        if not doubtful:
            raise
        replies = []
    for gap, reply in replies:
        cost = usage_update(state, reply)
        state = {**state, **cost}  # type: ignore[typeddict-item]
        sql = read_candidate(reply.candidates[0]).sql
        if _normalized(sql) not in ("", *known_queries):
            known_queries.add(_normalized(sql))
            candidates.append({**generated_query(sql, reply.candidates[0]), "gap": gap})
    attempts = state.get("attempts", 0) + len(replies)
    return {**cost, "candidates": candidates, "attempts": attempts, "token_alternatives": []}


async def _limit_rows(last: dict[str, str], state: SQLMessageState, ctx: NodeContext) -> Update | None:
    """Limit a plain list that is too slow or too large to its first rows, without a model."""
    if last["kind"] not in ("timeout", "resource"):
        return None
    schema_context = await ctx.resources.catalog_cache.schema_context(values=False)
    catalog = schema_context.catalog
    validation = state.get("validation_result")
    passed = validation["passed"] if validation is not None else []
    unlimited_sql = next((query["text"] for query in passed if query["sql"] == last["sql"]), last["sql"])
    query = await in_worker(
        with_row_limit, unlimited_sql, catalog.dialect, catalog, schema_context.policy, rows=_LIMITED_ROWS
    )
    if not isinstance(query, CheckedSql) or _normalized(query.shown) == _normalized(last["sql"]):
        return None
    return {
        "candidates": [{"sql": query.shown, "logprob": None, "narrowed": True}],
        "generated_sql": query.shown,
        "retry_count": state.get("retry_count", 0) + 1,
        "assumptions": [*state.get("assumptions", []), ctx.say("answer.narrowed", rows=_LIMITED_ROWS)],
    }


def exhausted_budget(state: SQLMessageState, ctx: NodeContext) -> Reason:
    """Why nothing more may be tried; empty while something may."""
    reason, usage = state["sql_generation_failure_reason"], usage_of(state)
    if reason in ("missing_database_info", "ambiguous_question"):
        return reason  # the model has said so: asking again invites an invention
    no_retries_left = state.get("retry_count", 0) >= ctx.preset.retries
    tokens = usage.prompt_tokens + usage.completion_tokens
    if no_retries_left or ctx.seconds_left <= 0 or tokens >= ctx.settings.question_tokens:
        return reason or "budget_exhausted"
    return ""


async def _regenerate(state: SQLMessageState, ctx: NodeContext) -> Update:
    schema_context = await ctx.resources.catalog_cache.schema_context()
    messages, sample = await _messages(state, ctx, schema_context)
    request = replace(build_request(messages, state, ctx, schema_context), candidates=1, logprobs=False)
    if ctx.model.profile.size == "small":
        request = replace(
            request,
            max_tokens=min(_RETRY_TOKENS, request.max_tokens),
            candidates=_RETRY_CANDIDATES,
            temperature=_RETRY_TEMPERATURE,
        )
    reply = await stream_reply(request, ctx)
    cost = {
        **usage_update(state, reply),
        "attempts": state.get("attempts", 0) + 1,
        "retry_count": state.get("retry_count", 0) + 1,
        "probes": state.get("probes", 0) + bool(sample.text),
        "sent": add_sent(
            state, (*values_sent(state, ctx.sharing(schema_context)), *sample.columns), sample.rows
        ),
    }
    model_queries = [read_candidate(item).sql for item in reply.candidates]
    failed = [item["sql"] for item in state["error_history"]]
    known_queries = {
        _normalized(sql) for sql in ("", *failed, *(item["sql"] for item in state.get("candidates", [])))
    }
    new_queries = {_normalized(sql): sql for sql in model_queries if _normalized(sql) not in known_queries}
    if not new_queries:
        if any(model_queries):
            history = with_error(state, "recovery", "budget_exhausted", "the same query again")
            return {**cost, **give_up(state, ctx, "budget_exhausted"), "error_history": history}
        reason, explanation = failure_reason(reply.candidates[0])
        history = with_error(state, "recovery", reason, reply.text)
        ended: SQLMessageState = {**state, "error_history": history, "user_prompt": explanation}
        return {**cost, **give_up(ended, ctx, reason), "error_history": history}
    candidates = [{"sql": sql, "logprob": None} for sql in new_queries.values()]
    return {**cost, "candidates": candidates, "generated_sql": candidates[0]["sql"]}


async def _messages(
    state: SQLMessageState, ctx: NodeContext, schema_context: SchemaContext
) -> tuple[tuple[Message, ...], "_DataSample"]:
    """The prompt with the error's facts, and the data sample in it. On the second retry of a small model, the
    original prompt: seeing its own query keeps it from changing it.
    """
    if state.get("retry_count", 0) and ctx.model.profile.size == "small":
        return await generation_prompt(state, ctx, schema_context, ()), _DataSample()
    last = state["error_history"][-1]
    failed_sql = last["sql"] or state.get("generated_sql", "")
    sharing, known_texts = ctx.sharing(schema_context), (*user_texts(state), *_model_queries(state))
    sample = await _sample_data(failed_sql, state, ctx, sharing)
    prompt = render(
        "repair_sql",
        ctx.settings,
        dialect=schema_context.catalog.dialect,
        question=state["question"],
        sql=sharing.sql(failed_sql, known_texts),
        kind=last["kind"],
        error=sharing.error(last["kind"], last["detail"], failed_sql, known_texts),
        guidance="\n\n".join(filter(None, (GUIDANCE.get(last["kind"], ""), sample.text))),
    )
    system = await schema_prefix(state, ctx, schema_context, prompt_budget(ctx.model, ctx))
    return await require_fit((system, Message("user", prompt)), ctx), sample


def _model_queries(state: SQLMessageState) -> list[str]:
    """Queries that the model itself wrote: it knows the values in them."""
    others = ("verified", "narrowed")
    return [query["sql"] for query in state.get("candidates", []) if not any(map(query.get, others))]


def _normalized(sql: str) -> str:
    return " ".join(sql.split()).rstrip(";").casefold()


@dataclass(frozen=True, slots=True)
class _DataSample:
    """Data that is shown to the model to repair a query."""

    text: str = ""
    columns: tuple[str, ...] = ()
    rows: int = 0


async def _sample_data(
    sql: str, state: SQLMessageState, ctx: NodeContext, sharing: ValueSharing
) -> _DataSample:
    """If a probe is left: ten rows of the query's table, or the values of its category columns where rows may
    not be shown.
    """
    if state.get("probes", 0) >= ctx.preset.probes:
        return _DataSample()
    catalog = sharing.schema_context.catalog
    tables = {label(table, catalog): table for table in catalog.tables}
    name = next((name for name in tables if name.casefold() in sql.casefold()), None)
    if name is None:
        return _DataSample()
    if not sharing.everything:
        lines = sharing.categories(tables[name])
        columns = tuple(f"{name}.{line.partition(':')[0]}" for line in lines)
        return (
            _DataSample(_section(f"Values of {name}", "\n".join(lines)), columns) if lines else _DataSample()
        )
    query = await _probe_query(name, sharing.schema_context)
    if query is None:
        return _DataSample()
    result = await ctx.resources.database.run(query, _PROBE)
    rows = [" | ".join(str(value) for value in row) for row in result.rows]
    text = "\n".join([" | ".join(column.name for column in result.columns), *rows])
    return _DataSample(_section(f"Rows of {name}", text), rows=len(rows))


def _section(title: str, text: str) -> str:
    return f"{title}, which are data:\n{between('rows', text[:_PROBE_CHARACTERS])}"


async def _probe_query(table: str, schema_context: SchemaContext) -> CheckedSql | None:
    """A query for ten rows of a table, through the guard."""
    query = await check_query(f"SELECT * FROM {table}", schema_context, _PROBE.rows)
    return query if isinstance(query, CheckedSql) else None


def give_up(state: SQLMessageState, ctx: NodeContext, reason: Reason) -> Update:
    """The hint depends on the reason, the facts on the last error."""
    last = state["error_history"][-1] if state["error_history"] else {"kind": reason, "detail": ""}
    explanation = state.get("user_prompt", "")
    if reason == "llm_explanation" and explanation:
        message = explanation
    else:
        message = ctx.say(f"reason.{reason}.told", kind=last["kind"], detail=explanation or last["detail"])
    hint = ctx.say(f"reason.{reason}.told.hint")
    return {
        **final_update(_STATUS.get(reason, "failed"), reason, message, hint, last["kind"]),
        "sql_generation_failure_reason": reason,
    }
