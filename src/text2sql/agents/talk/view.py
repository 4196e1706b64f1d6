"""Requests about the last answer: another chart, a file, the query in words. Its stored rows are read again,
without a model or a query.
"""

from dataclasses import replace
from typing import cast, get_args

from text2sql.agents.answer_builder import load_result, stored_rows
from text2sql.agents.node_context import NodeContext, Update
from text2sql.agents.query_description import describe_query
from text2sql.agents.state import Execution, SQLMessageState, Turn, ValidatedQuery
from text2sql.agents.talk.recognize import Talk
from text2sql.agents.talk.sort import last_answer, sort_rows
from text2sql.charts import Chart, Kind, fitting, from_plain, to_plain
from text2sql.i18n import Language
from text2sql.memory import StoredResult
from text2sql.result_columns import headers
from text2sql.types import QueryResult, RowsFound

_FORMATS = {"xlsx": "Excel", "csv": "CSV", "json": "JSON", "parquet": "Parquet"}


async def show_again(talk: Talk, state: SQLMessageState, ctx: NodeContext) -> tuple[str, Update]:
    """The same rows in another form: a new answer under its own id."""
    if talk.kind == "again" and talk.detail in get_args(Language):
        ctx = replace(ctx, language=cast("Language", talk.detail))
    turn = last_answer(state.get("turns", []))
    if turn is None:
        return ctx.say("talk.no_answer_yet"), {}
    stored = await _stored(turn, ctx)
    if stored is None:
        return ctx.say("talk.rows_gone", question=_question_of(turn)), {}
    result = await stored_rows(stored, ctx.resources)
    chart, text = _chart(talk, turn, result, ctx)
    if talk.kind == "sort":
        result, column = sort_rows(state["question"], result)
        stored = replace(stored, rows=result.rows)
        text = ctx.say("talk.sorted_part" if stored.truncated else "talk.sorted", column=column)
    if talk.kind == "again" and talk.detail:
        text = await explain_last_query(state, ctx)
    result_id = await ctx.resources.memory.keep_result(ctx.options.user, ctx.options.thread, stored)
    ctx.resources.cache_result(result_id, result)
    columns = tuple(column.name for column in result.columns)
    ctx.emit(RowsFound(turn["sql"], columns, result.rows, bool(result.truncated)))
    if talk.kind == "export":
        text = _export(talk.detail, result_id, ctx)
    execution = Execution(
        ok=True, result_id=result_id, sql=turn["sql"], columns=list(columns),
        labels=list(headers(result, ctx.language)), row_count=result.row_count,
        truncated=bool(result.truncated), seconds=0.0, agreement=None,
    )  # fmt: skip
    passed = ValidatedQuery(
        text=turn["sql"], sql=turn["sql"], tables=turn.get("tables", []), repairs=[], candidate=0
    )
    return text, {
        "status": "answered",
        "execution_result": execution,
        "generated_sql": turn["sql"],
        "validation_result": {"ok": True, "passed": [passed], "checks": ["guard"]},
        "chart_result": {**to_plain(chart), "title": _question_of(turn)} if chart else None,
        "answers": _question_of(turn),
        "kept_confidence": turn.get("confidence"),
    }


async def _stored(turn: Turn, ctx: NodeContext) -> StoredResult | None:
    """The stored result, if it belongs to this database and policy and has not expired."""
    result_id = turn.get("result_id", "")
    stored = await ctx.resources.memory.result(ctx.options.user, result_id) if result_id else None
    if stored is None or stored.source not in ("", ctx.resources.catalog_cache.mark):
        return None
    rows = await load_result(result_id, ctx.options.user, ctx.resources)
    return replace(stored, columns=rows.columns or stored.columns, rows=rows.rows or stored.rows)


def _chart(talk: Talk, turn: Turn, result: QueryResult, ctx: NodeContext) -> tuple[Chart | None, str]:
    """The chart for the answer, and the text about it."""
    stored = turn.get("chart")
    before = from_plain(stored) if stored else None
    if talk.kind != "chart":
        return before, ctx.say({"style": "talk.style", "again": "talk.again"}.get(talk.kind, "talk.again"))
    if talk.detail == "table":
        return None, ctx.say("talk.as_table")
    charts = fitting(result)
    if not charts:
        return None, ctx.say("talk.nothing_to_draw")
    if talk.detail in get_args(Kind):
        requested = next((chart for chart in charts if chart.kind == talk.detail), None)
    else:  # any chart; a different one than before, if there are several
        requested = next(
            (chart for chart in charts if before is None or chart.kind != before.kind), charts[0]
        )
    if requested is None:
        kinds = ", ".join(ctx.say(f"chart_kind.{chart.kind}") for chart in charts)
        text = ctx.say("talk.not_drawn", kind=ctx.say(f"chart_kind.{talk.detail}"), kinds=kinds)
        return before or charts[0], text
    return requested, ctx.say("talk.drawn", kind=ctx.say(f"chart_kind.{requested.kind}"))


def _export(requested: str, result_id: str, ctx: NodeContext) -> str:
    extension = requested or "xlsx"
    if extension not in _FORMATS:
        return ctx.say("talk.no_export", format=requested, formats=", ".join(_FORMATS.values()))
    file = "answer.json" if extension == "json" else "answer.csv"  # the file that the CLI writes
    return ctx.say("talk.export", format=_FORMATS[extension], file=file, result=result_id, ending=extension)


# -- the query in words ------------------------------------------------------------------------------


async def explain_last_query(state: SQLMessageState, ctx: NodeContext) -> str:
    turn = last_answer(state.get("turns", []))
    if turn is None:
        return ctx.say("talk.no_answer_yet")
    dialect = (await ctx.resources.catalog_cache.schema_context(values=False)).catalog.dialect
    words = await describe_query(turn["sql"], dialect, ctx.language, ctx.row_limit)
    if not words:
        return ctx.say("talk.explain_sql", question=_question_of(turn), sql=turn["sql"])
    return ctx.say("talk.explain", question=_question_of(turn), words=words) + f"\n{turn['sql']}"


async def explain_certainty(state: SQLMessageState, ctx: NodeContext) -> str:
    """How sure the last answer is, and how its question was understood."""
    turn = last_answer(state.get("turns", []))
    if turn is None:
        return ctx.say("talk.no_answer_yet")
    certainty = turn.get("certainty")
    text = ctx.say(f"talk.certainty.{certainty}") if certainty else ctx.say("talk.certainty.unknown")
    return f"{text} {await explain_last_query(state, ctx)}"


def _question_of(turn: Turn) -> str:
    """The question that the rows answer; a turn that only showed them again refers to it."""
    return turn.get("answers", "") or turn["question"]
