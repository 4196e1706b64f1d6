"""Renders tool results: values cut to a token budget, as structured content and as text.

Text from a database, a model or a person is untrusted data to the model that reads it here. So the text is
JSON between two marks that no value can contain, and the length of each value is bounded.
"""

from collections.abc import Sequence
from typing import Any

from mcp_types import CallToolResult, TextContent

from text2sql.i18n import Language, say
from text2sql.serialization import CELL, NAME, dumped, fill, fill_rows, short
from text2sql.types import Answer, Catalog, Column, Table

_SAMPLE = 60
_SENTENCE = 2_000
OPENED, CLOSED = "<data>", "</data>"


def answer_result(answer: Answer, max_tokens: int, lang: Language) -> CallToolResult:
    """The result of `ask` and `run_query`."""
    failed = answer.status in ("failed", "refused")
    content: dict[str, Any] = {
        "status": answer.status,
        "answer": short(answer.answer, _SENTENCE),
        "certainty": answer.receipt.certainty,
        "taken_for": short(answer.receipt.taken_for, CELL),
        "sql": short(answer.sql, max_tokens),
        "hint": short(answer.error.hint, CELL) if answer.error else "",
        "choices": [
            {"label": short(choice.label, NAME), "question": short(choice.question, CELL)}
            for choice in answer.choices
        ],
        "suggestions": [short(question, NAME) for question in answer.suggestions],
        "thread_id": answer.thread_id,
    }
    content = {name: value for name, value in content.items() if value}
    if answer.columns:
        content |= {"row_count": answer.row_count, "truncated": answer.truncated}
        fill_rows(content, answer, max_tokens, lang)
    return result(content, lang, failed=failed)


def tables_result(
    catalog: Catalog, tables: Sequence[Table], max_tokens: int, lang: Language
) -> CallToolResult:
    content: dict[str, Any] = {"dialect": catalog.dialect}
    entries = [
        _non_empty(
            name=_label(table),
            kind=table.kind,
            rows=table.rows,
            columns=len(table.columns),
            comment=short(table.comment, NAME),
        )
        for table in tables
    ]
    shown = fill(content, "tables", entries, max_tokens)
    if shown < len(entries):
        content["cut"] = say("tool.cut_tables", lang, shown=shown, all=len(entries))
    return result(content, lang)


def table_result(table: Table, max_tokens: int, lang: Language) -> CallToolResult:
    content: dict[str, Any] = _non_empty(
        name=_label(table),
        kind=table.kind,
        rows=table.rows,
        comment=short(table.comment, CELL),
        primary_key=[short(name, NAME) for name in table.primary_key],
    )
    keys = [
        {"columns": list(key.columns), "table": key.table, "referred": list(key.referred)}
        for key in table.foreign_keys
    ]
    fill(content, "foreign_keys", keys, max_tokens // 4)
    shown = fill(content, "columns", [_column(column) for column in table.columns], max_tokens)
    if shown < len(table.columns):
        content["cut"] = say("tool.cut_columns", lang, shown=shown, all=len(table.columns))
    return result(content, lang)


def result(content: dict[str, Any], lang: Language, *, failed: bool = False) -> CallToolResult:
    """A tool result as structured content and as marked JSON text."""
    text = f"{say('tool.data', lang)}\n{OPENED}\n{dumped(content)}\n{CLOSED}"
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=content, is_error=failed
    )


def error_result(text: str) -> CallToolResult:
    """An error without structured content."""
    return CallToolResult(content=[TextContent(type="text", text=short(text, _SENTENCE))], is_error=True)


def _column(column: Column) -> dict[str, Any]:
    return _non_empty(
        name=short(column.name, NAME),
        type=short(column.type, NAME),
        nullable=column.nullable,
        comment=short(column.comment, CELL),
        samples=[short(sample, _SAMPLE) for sample in column.samples],
    )


def _label(table: Table) -> str:
    return short(f"{table.schema}.{table.name}" if table.schema else table.name, 2 * NAME)


def _non_empty(**facts: Any) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if fact not in (None, "", [])}
