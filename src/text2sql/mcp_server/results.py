"""What a tool gives back: values cut to a budget of tokens, as structured content and as text.

Whatever a database, a model or a person wrote is data to the model that reads it here. So the text is JSON
between two marks which no value can write, and no value is longer than a reader needs.
"""

from collections.abc import Sequence
from typing import Any

from mcp_types import CallToolResult, TextContent

from text2sql.messages import Language, say
from text2sql.shapes import CELL, NAME, dumped, fill, fill_rows, short
from text2sql.types import Answer, Catalogue, Column, Table

_SAMPLE = 60
_SENTENCE = 2_000
OPENED, CLOSED = "<data>", "</data>"


def answer_result(answer: Answer, most: int, lang: Language) -> CallToolResult:
    failed = answer.status in ("failed", "refused")
    told: dict[str, Any] = {
        "status": answer.status,
        "answer": short(answer.answer, _SENTENCE),
        "sql": short(answer.sql, most),
        "hint": short(answer.error.hint, CELL) if answer.error else "",
        "choices": [
            {"label": short(one.label, NAME), "question": short(one.question, CELL)} for one in answer.choices
        ],
        "thread_id": answer.thread_id,
    }
    told = {name: value for name, value in told.items() if value}
    if answer.columns:
        told |= {"row_count": answer.row_count, "truncated": answer.truncated}
        fill_rows(told, answer, most, lang)
    return result(told, lang, failed=failed)


def tables_result(catalogue: Catalogue, tables: Sequence[Table], most: int, lang: Language) -> CallToolResult:
    told: dict[str, Any] = {"dialect": catalogue.dialect}
    lines = [
        _without_nothing(
            name=_label(table),
            kind=table.kind,
            rows=table.rows,
            columns=len(table.columns),
            comment=short(table.comment, NAME),
        )
        for table in tables
    ]
    shown = fill(told, "tables", lines, most)
    if shown < len(lines):
        told["cut"] = say("tool.cut_tables", lang, shown=shown, all=len(lines))
    return result(told, lang)


def table_result(table: Table, most: int, lang: Language) -> CallToolResult:
    told: dict[str, Any] = _without_nothing(
        name=_label(table),
        kind=table.kind,
        rows=table.rows,
        comment=short(table.comment, CELL),
        primary_key=[short(name, NAME) for name in table.primary_key],
    )
    keys = [
        {"columns": list(one.columns), "table": one.table, "referred": list(one.referred)}
        for one in table.foreign_keys
    ]
    fill(told, "foreign_keys", keys, most // 4)
    shown = fill(told, "columns", [_column(one) for one in table.columns], most)
    if shown < len(table.columns):
        told["cut"] = say("tool.cut_columns", lang, shown=shown, all=len(table.columns))
    return result(told, lang)


def result(told: dict[str, Any], lang: Language, *, failed: bool = False) -> CallToolResult:
    text = f"{say('tool.data', lang)}\n{OPENED}\n{dumped(told)}\n{CLOSED}"
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=told, is_error=failed
    )


def complaint(text: str) -> CallToolResult:
    """What went wrong before there was anything to tell."""
    return CallToolResult(content=[TextContent(type="text", text=short(text, _SENTENCE))], is_error=True)


def _column(column: Column) -> dict[str, Any]:
    return _without_nothing(
        name=short(column.name, NAME),
        type=short(column.type, NAME),
        nullable=column.nullable,
        comment=short(column.comment, CELL),
        samples=[short(one, _SAMPLE) for one in column.samples],
    )


def _label(table: Table) -> str:
    return short(f"{table.schema}.{table.name}" if table.schema else table.name, 2 * NAME)


def _without_nothing(**facts: Any) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if fact not in (None, "", [])}
