"""The `Answer` and its receipt, from the state of a question that has ended."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from text2sql.agents.chart import drawn
from text2sql.agents.confidence import confidence_of, signals
from text2sql.agents.desk import Desk, Rooms
from text2sql.agents.sentences import sentence
from text2sql.agents.state import SQLMessageState, troubles, usage_of
from text2sql.messages import Language
from text2sql.types import (
    Answer,
    Choice,
    Classification,
    Problem,
    QueryResult,
    Receipt,
    Trouble,
    Usage,
    ValueHit,
)


def answer_of(state: SQLMessageState, desk: Desk, text: str) -> Answer:
    """Without its rows: those are kept by reference, and joined by the app."""
    execution = state.get("execution_result")
    failure = state.get("failure")
    return Answer(
        status=state["status"] or "failed",
        question=state.get("question", ""),
        answer=text,
        sql=execution["sql"] if execution else _drafted(state),
        columns=tuple(execution["columns"]) if execution else (),
        row_count=execution["row_count"] if execution else 0,
        truncated=execution["truncated"] if execution else False,
        chart=state.get("chart_result"),
        receipt=receipt_of(state, "interpreter"),
        error=Problem(failure["kind"], failure["message"], failure["hint"]) if failure else None,
        choices=tuple(Choice(one["label"], one["question"]) for one in state.get("choices", [])),
        result_id=execution["result_id"] if execution else "",
        thread_id=desk.asked.thread,
    )


def _drafted(state: SQLMessageState) -> str:
    """The query of a question that was answered without running it."""
    return state.get("generated_sql", "") if state.get("status") == "answered" else ""


async def result_of(result_id: str, user: str, rooms: Rooms) -> QueryResult:
    """The rows of an answer: at hand, or after a restart in the store, until their lifetime is over."""
    held = rooms.results.get(result_id)
    if held is not None:
        return held
    kept = await rooms.memory.result(user, result_id)
    if kept is None or kept.source not in ("", rooms.library.mark):
        return QueryResult((), ())
    return QueryResult(kept.columns, kept.rows, "rows" if kept.truncated else "")


async def with_rows(answer: Answer, user: str, language: Language, rooms: Rooms) -> Answer:
    """An answer as it stands in a thread, with the rows and the sentence that are kept by reference."""
    if not answer.result_id:
        return answer
    result = await result_of(answer.result_id, user, rooms)
    text = rooms.sentences.get(answer.result_id, answer.answer)
    if text == answer.answer and answer.status == "answered" and result.columns:
        text = sentence(result, language, answer.receipt.assumptions)
    chart = drawn(answer.chart, result, language, answer.question)
    return replace(answer, rows=result.rows, answer=text, chart=chart)


def receipt_of(state: SQLMessageState, stage: str) -> Receipt:
    """As it stands in a stage that has not ended yet."""
    execution, info = state.get("execution_result"), state.get("schema_info")
    validation, analysis = state.get("validation_result"), state.get("query_analysis")
    passed = validation["passed"][0] if validation and validation["passed"] else None
    found = signals(state)
    checks = [*(validation["checks"] if validation else []), *(["ran"] if execution else [])]
    return Receipt(
        sql=execution["sql"] if execution else state.get("generated_sql", ""),
        dialect=state.get("connection_id", "").partition(":")[0],
        tables=tuple(passed["tables"]) if passed else (),
        values=tuple(ValueHit(**hit) for hit in info["values"]) if info else (),
        assumptions=tuple(state.get("assumptions", [])),
        checks=tuple(checks),
        repairs=tuple(passed["repairs"]) if passed else (),
        classification=Classification(**analysis) if analysis else Classification(),
        path=(*state.get("execution_path", []), stage),
        errors=troubles(state),
        attempts=state.get("attempts", 0),
        candidates=tuple(one["sql"] for one in state.get("candidates", [])),
        confidence=confidence_of(found) if found else None,
        signals=found,
        model=state.get("model", ""),
        usage=usage_of(state),
        seconds=dict(state.get("seconds", {})),
        statements=state.get("statements", 0),
        mode=state.get("mode", "hybrid"),
        preset=state.get("preset", "default"),
    )


def read_answer(held: Mapping[str, Any]) -> Answer:
    """The `Answer` that a checkpoint holds as plain data."""
    receipt = held["receipt"]
    return Answer(
        **{
            **held,
            "columns": tuple(held["columns"]),
            "rows": (),
            "error": Problem(**held["error"]) if held["error"] else None,
            "choices": tuple(Choice(**one) for one in held["choices"]),
            "receipt": Receipt(
                **{
                    **receipt,
                    **{
                        name: tuple(receipt[name])
                        for name in ("tables", "assumptions", "checks", "repairs", "path", "candidates")
                        if name in receipt
                    },
                    "values": tuple(ValueHit(**one) for one in receipt["values"]),
                    "errors": tuple(Trouble(**one) for one in receipt["errors"]),
                    "classification": Classification(**receipt["classification"]),
                    "usage": Usage(**receipt["usage"]),
                }
            ),
        }
    )
