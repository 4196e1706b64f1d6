"""The executor node: runs the validated queries under limits and picks a candidate by what they return. Rows
go to the store and are referred to by id; a confirmed write runs exactly once.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Any

from text2sql.agents.analytic.answering import with_query_facts
from text2sql.agents.confidence import DOUBTFUL, confidence_of, evidence, is_implausible, signals_of
from text2sql.agents.confirmation import checked_write
from text2sql.agents.empty_result import explain_empty_result, is_empty, rows_in
from text2sql.agents.node_context import NodeContext, Update, error_detail, final_update
from text2sql.agents.query_check import check_query
from text2sql.agents.result_facts import with_facts
from text2sql.agents.schema import no_data_update
from text2sql.agents.state import Execution, PendingWrite, SQLMessageState, ValidatedQuery, error_entry
from text2sql.charts import may_omit_groups
from text2sql.errors import DatabaseError, LockConflict
from text2sql.memory import StoredResult
from text2sql.result_columns import headers
from text2sql.schema import SchemaContext, names_nothing, uncovered_words
from text2sql.types import CheckedSql, QueryResult, RowsFound

_LOCK_PAUSE = 0.2  # seconds
_CLAIM_WAIT = 3.0  # seconds to wait for another run that has claimed the write


@dataclass(frozen=True, slots=True)
class _Executed:
    passed: ValidatedQuery
    query: CheckedSql
    result: QueryResult
    evidence: float


async def executor(state: SQLMessageState, ctx: NodeContext) -> Update:
    write = state.get("pending_write")
    if write is not None:
        return await _run_write(write, state, ctx)
    schema_context = await ctx.resources.catalog_cache.schema_context()
    validation = state["validation_result"]
    if validation is None:
        raise RuntimeError("the validator must run first")
    history = list(state.get("error_history", []))
    executed: list[_Executed] = []
    for passed in validation["passed"]:
        query = await recheck(passed["text"], ctx, schema_context)
        try:
            cached = ctx.resources.results.pop(_cache_key(state, query), None)
            result = await _run(query, ctx) if cached is None else cached
        except DatabaseError as error:
            if error.retry != "rewrite":
                raise
            history.append(error_entry("executor", error.kind, error_detail(error), passed["sql"]))
        else:
            executed.append(_Executed(passed, query, result, evidence(state, passed, rows_in(result))))
    update: Update = {
        "error_history": history,
        "statements": state.get("statements", 0) + len(validation["passed"]),
    }
    if not executed:
        return {**update, "execution_result": None}
    best, agreement = choose(executed)
    if _may_try_alternative(state, ctx) and _is_doubtful(best, state):
        ctx.resources.cache_result(_cache_key(state, best.query), best.result)
        return {**update, "execution_result": None, "doubted": True}
    if is_implausible(state, best.passed, rows_in(best.result), agreement):
        unmatched = ", ".join(uncovered_words(state["question"], schema_context)[:3])
        if names_nothing(state["question"], schema_context):
            declined = no_data_update(ctx, "missing_database_info", "reason.no_data", words=unmatched)
            return {**update, **declined, "execution_result": None}
        doubt = ctx.say("answer.unmatched", words=unmatched)
        update["assumptions"] = [*state.get("assumptions", []), doubt]
    return {**update, **await _store_result(best, agreement, state, ctx, schema_context)}


def _may_try_alternative(state: SQLMessageState, ctx: NodeContext) -> bool:
    """Once, and only for a small model's single query. Elapsed time is not considered, or the answer would
    depend on the load.
    """
    if state.get("compiled"):
        return False
    is_only_query = len(state["candidates"]) == state.get("attempts") == 1
    is_allowed = ctx.preset.retries > 0 and ctx.model.profile.size == "small"
    return is_only_query and is_allowed and not state.get("doubted")


def _is_doubtful(executed: _Executed, state: SQLMessageState) -> bool:
    """Whether an alternative is worth a call. An empty result always is: the user is asked only if another
    query is empty too.
    """
    rows = rows_in(executed.result)
    return not rows or confidence_of(signals_of(state, executed.passed, rows)) < DOUBTFUL


async def recheck(sql: str, ctx: NodeContext, schema_context: SchemaContext) -> CheckedSql:
    """Run the guard again, because a checkpoint is only data; with one row above the limit, to know whether
    there are more.
    """
    query = await check_query(sql, schema_context, ctx.row_limit + 1)
    if isinstance(query, CheckedSql):
        return query
    raise RuntimeError("a query that passed the guard does not pass it again")


def _cache_key(state: SQLMessageState, query: CheckedSql) -> str:
    """Key of rows that wait for an alternative query, so that they are not fetched twice."""
    return f"{state['turn_id']} {query.shown}"


async def _run(query: CheckedSql, ctx: NodeContext) -> QueryResult:
    """Retry once after a lock conflict or a serialization failure."""
    limits = replace(ctx.settings.limits, rows=ctx.row_limit)
    try:
        return await ctx.resources.database.run(query, limits)
    except LockConflict:
        await asyncio.sleep(_LOCK_PAUSE)
        return await ctx.resources.database.run(query, limits)


def choose(executed: Sequence[_Executed]) -> tuple[_Executed, float | None]:
    """The result that most candidates agree on, weighted by the evidence against each. Ties go to the earlier
    one.
    """
    if len(executed) == 1:
        return executed[0], None
    clusters: dict[Any, list[_Executed]] = {}
    for candidate in executed:
        clusters.setdefault(_cluster_key(candidate.result), []).append(candidate)
    best = max(clusters.values(), key=lambda members: sum(exp(candidate.evidence) for candidate in members))
    return max(best, key=lambda candidate: candidate.evidence), round(len(best) / len(executed), 3)


def _cluster_key(result: QueryResult) -> Any:
    """Rows regardless of their order and of column names: equivalent queries agree."""
    return len(result.columns), tuple(sorted(map(repr, result.rows)))


async def _store_result(
    best: _Executed,
    agreement: float | None,
    state: SQLMessageState,
    ctx: NodeContext,
    schema_context: SchemaContext,
) -> Update:
    result, query = replace(best.result, partial=may_omit_groups(best.passed["text"])), best.query
    if state.get("compiled"):
        result = with_query_facts(result, state)
    else:
        result = await with_facts(result, best.passed["text"], query.dialect)
    columns = tuple(column.name for column in result.columns)
    shown = best.passed["sql"]
    ctx.emit(RowsFound(shown, columns, result.rows, bool(result.truncated)))
    # Pages and exports go beyond our row limit, so the query is stored without it.
    fingerprint, source = schema_context.catalog.fingerprint, ctx.resources.catalog_cache.mark
    stored = replace(StoredResult.of(query, result, fingerprint, source), sql=best.passed["text"])
    result_id = await ctx.resources.memory.keep_result(ctx.options.user, ctx.options.thread, stored)
    ctx.resources.cache_result(result_id, result)
    execution = Execution(
        ok=True,
        result_id=result_id,
        sql=shown,
        columns=list(columns),
        labels=list(headers(result, ctx.language)),
        row_count=result.row_count,
        informative_rows=rows_in(result),
        truncated=bool(result.truncated),
        seconds=round(result.seconds, 4),
        agreement=agreement,
    )
    update: Update = {
        "execution_result": execution,
        "generated_sql": shown,
        "sql_repair_applied": bool(best.passed["repairs"]) or state.get("retry_count", 0) > 0,
        "validation_result": {**_validation(state), "passed": [best.passed]},
    }
    if is_empty(result):
        update |= await explain_empty_result(query, state, ctx, schema_context)
    return update


def _validation(state: SQLMessageState) -> dict[str, Any]:
    return dict(state["validation_result"] or {})


async def _run_write(write: PendingWrite, state: SQLMessageState, ctx: NodeContext) -> Update:
    """Run a confirmed write. It is claimed first: after a crash in between it is unknown whether the write
    ran, so it is not run again, and the answer says so.
    """
    if not write.get("confirmed"):
        raise RuntimeError("a write runs only after a person has confirmed it")
    memory = ctx.resources.memory
    statement = await checked_write(write, ctx)
    rows: int | None
    if not await memory.claim(statement.key):
        rows = await _wait_for_claim(statement.key, ctx)
        if rows is None:
            return final_update(
                "failed", "database", ctx.say("reason.write_unknown.told"), kind="write_unknown"
            )
    else:
        rows = await ctx.resources.database.commit(statement)
        await memory.settle(statement.key, rows)
    execution = Execution(
        ok=True, result_id="", sql=statement.sql, columns=[], row_count=0, truncated=False, seconds=0.0,
        agreement=None, written_rows=rows,
    )  # fmt: skip
    return {
        "execution_result": execution,
        "generated_sql": statement.sql,
        "statements": state.get("statements", 0) + 1,
    }


async def _wait_for_claim(key: str, ctx: NodeContext) -> int | None:
    """The row count of a write that another run has claimed; None if that is unknown."""
    deadline = time.monotonic() + _CLAIM_WAIT
    while True:
        claim = await ctx.resources.memory.claimed(key)
        if claim is None or claim.rows is not None or time.monotonic() >= deadline:
            return claim.rows if claim else None
        await asyncio.sleep(0.1)
