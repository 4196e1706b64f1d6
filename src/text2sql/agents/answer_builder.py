"""Builds the `Answer` and its receipt from the final state of a question."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from text2sql.agents.confidence import certainty_of, confidence_of, signals
from text2sql.agents.node_context import NodeContext, Resources
from text2sql.agents.result_facts import with_facts
from text2sql.agents.state import SQLMessageState, stage_errors, usage_of
from text2sql.answers import describe_result
from text2sql.charts import choose, from_plain, may_omit_groups, spec, to_plain
from text2sql.i18n import Language, say
from text2sql.memory import StoredResult
from text2sql.types import (
    Answer,
    Certainty,
    Choice,
    Classification,
    Problem,
    QueryResult,
    Receipt,
    Shared,
    StageError,
    Summary,
    Usage,
    ValueHit,
)


def build_answer(state: SQLMessageState, ctx: NodeContext, text: str, stage: str) -> Answer:
    """The answer of a question that is at `stage`, without its rows: those are stored apart, and attached
    later.
    """
    execution = state.get("execution_result")
    failure = state.get("failure")
    return Answer(
        status=state["status"] or "failed",
        question=state.get("question", ""),
        answer=text,
        sql=_shown_sql(state),
        columns=tuple(execution["columns"]) if execution else (),
        row_count=execution["row_count"] if execution else 0,
        truncated=execution["truncated"] if execution else False,
        chart=state.get("chart_result"),
        receipt=replace(_build_receipt(state, stage), shared=_shared(state, ctx), summary=ctx.preset.summary),
        error=Problem(failure["kind"], failure["message"], failure["hint"]) if failure else None,
        choices=tuple(Choice(choice["label"], choice["question"]) for choice in state.get("choices", [])),
        result_id=execution["result_id"] if execution else "",
        thread_id=ctx.options.thread,
        labels=tuple(execution.get("labels", ())) if execution else (),
    )


def _shared(state: SQLMessageState, ctx: NodeContext) -> Shared:
    """What a model was shown, if one was asked."""
    sent = state.get("sent")
    if not usage_of(state).calls or sent is None:
        return Shared()
    return Shared(ctx.model.profile.location, ctx.share_values, tuple(sent["columns"]), sent["rows"])


def _shown_sql(state: SQLMessageState) -> str:
    """The query that ran; without rows, the one of a draft, or the last one that failed or was refused. A
    declined question has none: what was tried is not about it.
    """
    execution = state.get("execution_result")
    if execution:
        return execution["sql"]
    return _last_sql(state) if (state["status"] or "failed") in ("answered", "failed", "refused") else ""


def _last_sql(state: SQLMessageState) -> str:
    failed_queries = (error["sql"] for error in reversed(state.get("error_history", ())))
    return state.get("generated_sql", "") or next(filter(None, failed_queries), "")


def _failure_reason(state: SQLMessageState) -> str:
    """An earlier attempt may have failed for a reason that the outcome does not have."""
    if state.get("status") in ("", "answered", "conversation", "confirm"):
        return ""
    failure = state.get("failure")
    return failure["reason"] if failure else state.get("sql_generation_failure_reason", "")


async def load_result(result_id: str, user: str, resources: Resources) -> QueryResult:
    """The rows of an answer: cached, else read from the store until they expire."""
    cached = resources.results.get(result_id)
    if cached is not None:
        return cached
    stored = await resources.memory.result(user, result_id)
    if stored is None or stored.source not in ("", resources.catalog_cache.mark):
        return QueryResult((), ())
    return await stored_rows(stored, resources)


async def stored_rows(stored: StoredResult, resources: Resources) -> QueryResult:
    cut: Literal["rows", ""] = "rows" if stored.truncated else ""
    result = QueryResult(stored.columns, stored.rows, cut, partial=may_omit_groups(stored.sql))
    schema_context = await resources.catalog_cache.schema_context(values=False)
    return await with_facts(result, stored.sql, schema_context.catalog.dialect)


async def load_rows(answer: Answer, user: str, language: Language, resources: Resources) -> Answer:
    """An answer from a thread's state, with its rows and sentence, which are stored apart."""
    if not answer.result_id:
        return answer
    return attach_rows(answer, await load_result(answer.result_id, user, resources), language, resources)


def attach_rows(answer: Answer, result: QueryResult, language: Language, resources: Resources) -> Answer:
    text = resources.sentences.get(answer.result_id, answer.answer)
    if text == answer.answer and answer.status == "answered" and result.columns:
        receipt = answer.receipt
        text = result_text(
            result,
            answer.question,
            language,
            certainty=receipt.certainty,
            assumptions=receipt.assumptions,
            summary=receipt.summary,
        )
        text = with_doubt(text, receipt.certainty, receipt.taken_for, language)
    chart = chart_specification(answer.chart, result, language, answer.question)
    return replace(answer, rows=result.rows, answer=text, chart=chart)


def choose_chart(result: QueryResult, question: str) -> dict[str, Any] | None:
    """The chart of an answer as column positions, which a checkpoint stores without the data."""
    chosen = choose(result, question)
    return to_plain(chosen) if chosen else None


def chart_specification(
    stored: Mapping[str, Any] | None, result: QueryResult, lang: Language, question: str
) -> dict[str, Any] | None:
    """The chart with its data; None if the rows are gone. Rows that are shown again keep their title."""
    if not stored or not result.rows:
        return None
    return spec(from_plain(stored), result, lang, stored.get("title") or question)


def result_text(
    result: QueryResult,
    question: str,
    language: Language,
    *,
    certainty: Certainty | None,
    assumptions: Sequence[str],
    summary: Summary,
) -> str:
    """The answer in words, its findings on a second line; only the number of rows where no summary is wanted.

    A doubtful answer does not use the words of the question: it says what was computed.
    """
    if summary == "off":
        return say("answer.kept", language, rows=result.row_count)
    text = describe_result(result, question=question, language=language, echo=certainty != "not_sure")
    findings = ("" if language == "zh" else " ").join(text.findings)
    return "\n".join(filter(None, (text.sentence, findings, *assumptions)))


def with_doubt(text: str, certainty: Certainty | None, taken_for: str, language: Language) -> str:
    """For a doubtful answer, append how the question was understood."""
    if certainty != "not_sure" or not taken_for:
        return text
    return f"{text}\n{say('answer.taken_for', language, words=taken_for)}"


def _build_receipt(state: SQLMessageState, stage: str) -> Receipt:
    execution, info = state.get("execution_result"), state.get("schema_info")
    validation, analysis = state.get("validation_result"), state.get("query_analysis")
    passed = validation["passed"][0] if validation and validation["passed"] else None
    is_repeated = bool(state.get("answers"))  # rows of an earlier answer keep its confidence
    found_signals = {} if is_repeated else signals(state)
    confidence = (
        state.get("kept_confidence")
        if is_repeated
        else confidence_of(found_signals)
        if found_signals
        else None
    )
    checks = [*(validation["checks"] if validation else []), *(["ran"] if execution else [])]
    return Receipt(
        sql=execution["sql"] if execution else _last_sql(state),
        dialect=state.get("connection_id", "").partition(":")[0],
        tables=tuple(passed["tables"]) if passed else (),
        values=tuple(ValueHit(**hit) for hit in info["values"]) if info else (),
        assumptions=tuple(state.get("assumptions", [])),
        checks=tuple(checks),
        repairs=tuple(passed["repairs"]) if passed else (),
        classification=Classification(**analysis) if analysis else Classification(),
        path=(*state.get("execution_path", []), stage),
        errors=stage_errors(state),
        attempts=state.get("attempts", 0),
        candidates=tuple(candidate["sql"] for candidate in state.get("candidates", [])),
        confidence=confidence,
        certainty=certainty_of(confidence),
        taken_for=state.get("taken_for", ""),
        signals=found_signals,
        model=state.get("model", ""),
        usage=usage_of(state),
        seconds=dict(state.get("seconds", {})),
        statements=state.get("statements", 0),
        mode=state.get("mode", "hybrid"),
        preset=state.get("preset", "default"),
        reason=_failure_reason(state),
    )


def answer_from_state(stored: Mapping[str, Any]) -> Answer:
    """Rebuild the `Answer` that a checkpoint stores as plain data."""
    receipt = stored["receipt"]
    return Answer(
        **{
            **stored,
            "columns": tuple(stored["columns"]),
            "labels": tuple(stored.get("labels", ())),
            "suggestions": tuple(stored.get("suggestions", ())),
            "rows": (),
            "error": Problem(**stored["error"]) if stored["error"] else None,
            "choices": tuple(Choice(**item) for item in stored["choices"]),
            "receipt": Receipt(
                **{
                    **receipt,
                    **{
                        name: tuple(receipt[name])
                        for name in ("tables", "assumptions", "checks", "repairs", "path", "candidates")
                        if name in receipt
                    },
                    "values": tuple(ValueHit(**item) for item in receipt["values"]),
                    "errors": tuple(StageError(**item) for item in receipt["errors"]),
                    "classification": Classification(**receipt["classification"]),
                    "usage": Usage(**receipt["usage"]),
                    "shared": _read_shared(receipt.get("shared") or {}),
                }
            ),
        }
    )


def pending_answer(interrupt: Mapping[str, Any]) -> Answer:
    """The answer of a write that waits for confirmation. Interrupts of version 0.1 do not have one."""
    if "answer" in interrupt:
        return answer_from_state(interrupt["answer"])
    return Answer("confirm", "", "", sql=interrupt["sql"], row_count=interrupt["rows"])


def _read_shared(stored: Mapping[str, Any]) -> Shared:
    return Shared(**{**stored, "columns": tuple(stored.get("columns", ()))})
