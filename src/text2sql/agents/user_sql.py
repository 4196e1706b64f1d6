"""Runs a user's own SQL and returns an `Answer`: same guard, limits and rows as for generated queries."""

from dataclasses import replace

from text2sql.agents.empty_result import emptying_conditions, is_empty
from text2sql.agents.node_context import Resources, error_detail
from text2sql.agents.query_check import check_query
from text2sql.agents.result_facts import with_facts
from text2sql.answers import describe_result
from text2sql.charts import may_omit_groups
from text2sql.errors import DatabaseError
from text2sql.i18n import Language, explain, language, refusal, say, sentences
from text2sql.memory import StoredResult
from text2sql.result_columns import headers
from text2sql.types import Answer, CheckedSql, Problem, Receipt, RunOptions, SqlRejected, StageError


async def run_user_sql(sql: str, options: RunOptions, resources: Resources) -> Answer:
    """`answered`, `refused` by the guard, or `failed` in the database."""
    lang = language(options.language)
    schema_context = await resources.catalog_cache.schema_context(values=False)
    catalog, rows = schema_context.catalog, resources.settings.row_limit
    # One row above the limit, to know whether there are more.
    query = await check_query(sql, schema_context, rows + 1)
    if isinstance(query, SqlRejected):
        return _refused(sql, query, catalog.dialect, options, lang)
    receipt = Receipt(query.shown, query.dialect, query.tables, checks=("guard",), statements=1)
    try:
        result = await resources.database.run(query, resources.settings.limits)
    except DatabaseError as error:
        return _failed(query, error, receipt, options, lang)
    result = await with_facts(replace(result, partial=may_omit_groups(sql)), sql, query.dialect)
    stored = StoredResult.of(query, result, catalog.fingerprint, resources.catalog_cache.mark)
    result_id = await resources.memory.keep_result(options.user, options.thread, replace(stored, sql=sql))
    resources.cache_result(result_id, result)
    assumptions: list[str] = []
    if is_empty(result):
        conditions, probes = await emptying_conditions(query, schema_context, resources.database)
        assumptions = [say("answer.emptied", lang, condition=condition) for condition in conditions]
        receipt = replace(receipt, assumptions=tuple(assumptions), statements=1 + probes)
    text = describe_result(result, language=lang)
    findings = ("" if lang == "zh" else " ").join(text.findings)
    return Answer(
        status="answered",
        question="",
        answer="\n".join(filter(None, (text.sentence, findings, *assumptions))),
        sql=query.shown,
        columns=tuple(column.name for column in result.columns),
        labels=headers(result, lang),
        rows=result.rows,
        row_count=result.row_count,
        truncated=bool(result.truncated),
        receipt=replace(receipt, checks=("guard", "ran"), seconds={"executor": round(result.seconds, 4)}),
        result_id=result_id,
        thread_id=options.thread,
    )


def _refused(sql: str, rejected: SqlRejected, dialect: str, options: RunOptions, lang: Language) -> Answer:
    message = refusal(rejected, lang)
    stage_error = StageError("guard", rejected.rule, rejected.piece, sql)
    return Answer(
        status="refused",
        question="",
        answer=message,
        receipt=Receipt(sql=sql, dialect=dialect, errors=(stage_error,)),
        error=Problem(rejected.rule, message, _hint(lang)),
        thread_id=options.thread,
    )


def _failed(
    query: CheckedSql, error: DatabaseError, receipt: Receipt, options: RunOptions, lang: Language
) -> Answer:
    message, _, hint = explain(error, lang).partition("\n")
    stage_error = StageError("executor", error.kind, error_detail(error), query.shown)
    return Answer(
        status="failed",
        question="",
        answer=message,
        sql=query.shown,
        receipt=replace(receipt, errors=(stage_error,)),
        error=Problem(error.kind, message, hint),
        thread_id=options.thread,
    )


def _hint(lang: Language) -> str:
    return sentences()["usage.query_refused.hint"][lang == "zh"]
