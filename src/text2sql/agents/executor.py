"""Runs what passed, under limits, and picks among candidates by what they return. Rows go to the store and
are known by their id; a write that a person confirmed runs once, whatever happens.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Any

from text2sql.agents.confidence import DOUBTFUL, confidence_of, evidence, signals_of
from text2sql.agents.confirmation import checked_write
from text2sql.agents.desk import Desk, Update, detail_of, ended
from text2sql.agents.emptiness import is_empty, rows_in, why_empty
from text2sql.agents.library import checked
from text2sql.agents.state import Execution, Passed, SQLMessageState, Write, trouble
from text2sql.background import aside
from text2sql.errors import DatabaseError, LockConflict
from text2sql.memory import StoredResult
from text2sql.schema import Knowledge
from text2sql.types import CheckedSql, QueryResult, RowsFound

_TIMES = 3  # as long as the first query took must be left for others: there is one already
_LOCK_PAUSE = 0.2  # seconds
_SETTLING = 3.0  # seconds to wait for whoever has claimed a write and is running it


@dataclass(frozen=True, slots=True)
class _Ran:
    passed: Passed
    query: CheckedSql
    result: QueryResult
    evidence: float


async def executor(state: SQLMessageState, desk: Desk) -> Update:
    write = state.get("pending_write")
    if write is not None:
        return await _write(write, state, desk)
    knowledge = await desk.rooms.library.knowledge()
    validation = state["validation_result"]
    if validation is None:
        raise RuntimeError("the validator comes first")
    history = list(state.get("error_history", []))
    ran: list[_Ran] = []
    for passed in validation["passed"]:
        query = await again(passed["text"], desk, knowledge)
        try:
            held = desk.rooms.results.pop(_key(state, query), None)
            result = await _run(query, desk) if held is None else held
        except DatabaseError as error:
            if error.mend != "rewrite":
                raise
            history.append(trouble("executor", error.kind, detail_of(error), query.shown))
        else:
            ran.append(_Ran(passed, query, result, evidence(state, passed, rows_in(result))))
    update: Update = {
        "error_history": history,
        "statements": state.get("statements", 0) + len(validation["passed"]),
    }
    if not ran:
        return {**update, "execution_result": None}
    best, agreement = choose(ran)
    if _may_doubt(state, desk) and _is_doubtful(best, state):
        desk.rooms.hold(_key(state, best.query), best.result)
        return {**update, "execution_result": None, "doubted": True}
    return {**update, **await _kept(best, agreement, state, desk, knowledge)}


def _may_doubt(state: SQLMessageState, desk: Desk) -> bool:
    """Once, for one query of a model on this machine, which costs seconds and no money, if there is time."""
    enough = desk.left > _TIMES * state["seconds"].get("generator", 0.0)
    alone = len(state["candidates"]) == state.get("attempts") == 1
    return enough and alone and desk.model.capabilities.continues and not state.get("doubted")


def _is_doubtful(ran: _Ran, state: SQLMessageState) -> bool:
    """What came to nothing is: the person is asked back only if another query comes to nothing too."""
    rows = rows_in(ran.result)
    return not rows or confidence_of(signals_of(state, ran.passed, rows)) < DOUBTFUL


async def again(sql: str, desk: Desk, knowledge: Knowledge) -> CheckedSql:
    """A checkpoint is only data: what it holds goes through the guard once more before it runs. One row more
    than the limit is asked for, so that there being more is a fact.
    """
    query = await aside(sql, lambda: checked(sql, knowledge, desk.row_limit + 1))
    if isinstance(query, CheckedSql):
        return query
    raise RuntimeError("a query that passed the guard does not pass it again")


def _key(state: SQLMessageState, query: CheckedSql) -> str:
    """Of rows that wait for another way to put their question: they are not fetched twice."""
    return f"{state['turn_id']} {query.shown}"


async def _run(query: CheckedSql, desk: Desk) -> QueryResult:
    """A lock or a serialisation failure is met by trying once more."""
    limits = replace(desk.settings.limits, rows=desk.row_limit)
    try:
        return await desk.rooms.database.run(query, limits)
    except LockConflict:
        await asyncio.sleep(_LOCK_PAUSE)
        return await desk.rooms.database.run(query, limits)


def choose(ran: Sequence[_Ran]) -> tuple[_Ran, float | None]:
    """The result that most candidates agree on, each weighed by what speaks against it. Ties go to the
    earlier one.
    """
    if len(ran) == 1:
        return ran[0], None
    clusters: dict[Any, list[_Ran]] = {}
    for one in ran:
        clusters.setdefault(_shape(one.result), []).append(one)
    best = max(clusters.values(), key=lambda them: sum(exp(one.evidence) for one in them))
    return max(best, key=lambda one: one.evidence), round(len(best) / len(ran), 3)


def _shape(result: QueryResult) -> Any:
    """Rows without regard to their order and to names: two queries that say the same agree."""
    return len(result.columns), tuple(sorted(map(repr, result.rows)))


async def _kept(
    best: _Ran, agreement: float | None, state: SQLMessageState, desk: Desk, knowledge: Knowledge
) -> Update:
    result, query = best.result, best.query
    columns = tuple(column.name for column in result.columns)
    shown = best.passed["sql"]
    desk.emit(RowsFound(shown, columns, result.rows, bool(result.truncated)))
    # Pages and exports reach beyond our own row limit, so it is the text without it that is kept.
    fingerprint, source = knowledge.catalogue.fingerprint, desk.rooms.library.mark
    stored = replace(StoredResult.of(query, result, fingerprint, source), sql=best.passed["text"])
    result_id = await desk.rooms.memory.keep_result(desk.asked.user, desk.asked.thread, stored)
    desk.rooms.hold(result_id, result)
    execution = Execution(
        ok=True,
        result_id=result_id,
        sql=shown,
        columns=list(columns),
        row_count=result.row_count,
        telling=rows_in(result),
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
        update |= await why_empty(query, state, desk, knowledge)
    return update


def _validation(state: SQLMessageState) -> dict[str, Any]:
    return dict(state["validation_result"] or {})


async def _write(write: Write, state: SQLMessageState, desk: Desk) -> Update:
    """Claimed before it runs: should we die in between, nobody can know whether it ran, and it is not run
    again. That is said, not hidden.
    """
    if not write.get("confirmed"):
        raise RuntimeError("a write runs only after a person has confirmed it")
    memory = desk.rooms.memory
    statement = await checked_write(write, desk)
    rows: int | None
    if not await memory.claim(statement.key):
        rows = await _settled(statement.key, desk)
        if rows is None:
            return ended("failed", "database", desk.say("reason.write_unknown.told"), kind="write_unknown")
    else:
        rows = await desk.rooms.database.commit(statement)
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


async def _settled(key: str, desk: Desk) -> int | None:
    """How a write ended that somebody else has claimed; None if that cannot be known."""
    until = time.monotonic() + _SETTLING
    while True:
        claim = await desk.rooms.memory.claimed(key)
        if claim is None or claim.rows is not None or time.monotonic() >= until:
            return claim.rows if claim else None
        await asyncio.sleep(0.1)
