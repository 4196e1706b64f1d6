"""A statement of a person's own, in the shape of an answer: guard, limits and rows as for a model's."""

from dataclasses import replace

from text2sql.agents.desk import Asked, Rooms, detail_of
from text2sql.agents.sentences import sentence
from text2sql.background import aside
from text2sql.errors import DatabaseError
from text2sql.memory import StoredResult
from text2sql.messages import Language, explain, language, refusal, sentences
from text2sql.sql import check
from text2sql.types import Answer, CheckedSql, Problem, Receipt, SqlRejected, Trouble


async def run_own(sql: str, asked: Asked, rooms: Rooms) -> Answer:
    """`answered`, `refused` by the guard, or `failed` in the database."""
    lang = language(asked.language)
    known = await rooms.library.knowledge(values=False)
    catalogue, rows = known.catalogue, rooms.settings.row_limit
    # One row more than the limit, so that there being more is a fact.
    query = await aside(sql, lambda: check(sql, catalogue.dialect, catalogue, known.policy, rows=rows + 1))
    if isinstance(query, SqlRejected):
        return _refused(sql, query, catalogue.dialect, asked, lang)
    receipt = Receipt(query.shown, query.dialect, query.tables, checks=("guard",), statements=1)
    try:
        result = await rooms.database.run(query, rooms.settings.limits)
    except DatabaseError as error:
        return _failed(query, error, receipt, asked, lang)
    stored = StoredResult.of(query, result, catalogue.fingerprint, rooms.library.mark)
    result_id = await rooms.memory.keep_result(asked.user, asked.thread, replace(stored, sql=sql))
    rooms.hold(result_id, result)
    return Answer(
        status="answered",
        question="",
        answer=sentence(result, lang),
        sql=query.shown,
        columns=tuple(column.name for column in result.columns),
        rows=result.rows,
        row_count=result.row_count,
        truncated=bool(result.truncated),
        receipt=replace(receipt, checks=("guard", "ran"), seconds={"executor": round(result.seconds, 4)}),
        result_id=result_id,
        thread_id=asked.thread,
    )


def _refused(sql: str, rejected: SqlRejected, dialect: str, asked: Asked, lang: Language) -> Answer:
    told = refusal(rejected, lang)
    trouble = Trouble("guard", rejected.rule, rejected.piece, sql)
    return Answer(
        status="refused",
        question="",
        answer=told,
        receipt=Receipt(sql=sql, dialect=dialect, errors=(trouble,)),
        error=Problem(rejected.rule, told, _hint(lang)),
        thread_id=asked.thread,
    )


def _failed(
    query: CheckedSql, error: DatabaseError, receipt: Receipt, asked: Asked, lang: Language
) -> Answer:
    message, _, hint = explain(error, lang).partition("\n")
    trouble = Trouble("executor", error.kind, detail_of(error), query.shown)
    return Answer(
        status="failed",
        question="",
        answer=message,
        sql=query.shown,
        receipt=replace(receipt, errors=(trouble,)),
        error=Problem(error.kind, message, hint),
        thread_id=asked.thread,
    )


def _hint(lang: Language) -> str:
    return sentences()["usage.query_refused.hint"][lang == "zh"]
