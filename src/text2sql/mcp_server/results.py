"""What a tool gives back: values cut to a budget of tokens, as structured content and as text.

Whatever a database, a model or a person wrote is data to the model that reads it here. So the text is JSON
between two marks which no value can write, and no value is longer than a reader needs.
"""

import json
from collections.abc import Sequence
from typing import Any

from mcp_types import CallToolResult, TextContent

from text2sql.llm.chunks import estimate_tokens
from text2sql.messages import Language, say
from text2sql.shapes import plain
from text2sql.types import Answer, Catalogue, Column, Table

CELL = 500  # characters of a value
_NAME = 120
_SAMPLE = 60
_SENTENCE = 2_000
_ROOM = 120  # tokens for the marks, and for saying what was cut
OPENED, CLOSED = "<data>", "</data>"


def answer_result(answer: Answer, most: int, lang: Language) -> CallToolResult:
    failed = answer.status in ("failed", "refused")
    told: dict[str, Any] = {
        "status": answer.status,
        "answer": short(answer.answer, _SENTENCE),
        "sql": short(answer.sql, most),
        "hint": short(answer.error.hint, CELL) if answer.error else "",
        "choices": [
            {"label": short(one.label, _NAME), "question": short(one.question, CELL)}
            for one in answer.choices
        ],
        "thread_id": answer.thread_id,
    }
    told = {name: value for name, value in told.items() if value}
    if answer.columns:
        told |= {"row_count": answer.row_count, "truncated": answer.truncated}
        _fill_rows(told, answer, most, lang)
    return result(told, lang, failed=failed)


def _fill_rows(told: dict[str, Any], answer: Answer, most: int, lang: Language) -> None:
    """Columns first: rows of columns that are not all there could not be read."""
    told["rows"] = []
    shown = fill(told, "columns", [short(name, _NAME) for name in answer.columns], most)
    if shown < len(answer.columns):
        told["cut"] = say("mcp.wide", lang, shown=shown, all=len(answer.columns))
        return
    shown = fill(told, "rows", [[_cell(value) for value in row] for row in answer.rows], most)
    if shown < len(answer.rows):
        told["cut"] = say("mcp.cut", lang, shown=shown, all=len(answer.rows))


def tables_result(catalogue: Catalogue, tables: Sequence[Table], most: int, lang: Language) -> CallToolResult:
    told: dict[str, Any] = {"dialect": catalogue.dialect}
    lines = [
        _without_nothing(
            name=_label(table),
            kind=table.kind,
            rows=table.rows,
            columns=len(table.columns),
            comment=short(table.comment, _NAME),
        )
        for table in tables
    ]
    shown = fill(told, "tables", lines, most)
    if shown < len(lines):
        told["cut"] = say("mcp.cut_tables", lang, shown=shown, all=len(lines))
    return result(told, lang)


def table_result(table: Table, most: int, lang: Language) -> CallToolResult:
    told: dict[str, Any] = _without_nothing(
        name=_label(table),
        kind=table.kind,
        rows=table.rows,
        comment=short(table.comment, CELL),
        primary_key=[short(name, _NAME) for name in table.primary_key],
    )
    keys = [
        {"columns": list(one.columns), "table": one.table, "referred": list(one.referred)}
        for one in table.foreign_keys
    ]
    fill(told, "foreign_keys", keys, most // 4)
    shown = fill(told, "columns", [_column(one) for one in table.columns], most)
    if shown < len(table.columns):
        told["cut"] = say("mcp.cut_columns", lang, shown=shown, all=len(table.columns))
    return result(told, lang)


def result(told: dict[str, Any], lang: Language, *, failed: bool = False) -> CallToolResult:
    text = f"{say('mcp.data', lang)}\n{OPENED}\n{dumped(told)}\n{CLOSED}"
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=told, is_error=failed
    )


def complaint(text: str) -> CallToolResult:
    """What went wrong before there was anything to tell."""
    return CallToolResult(content=[TextContent(type="text", text=short(text, _SENTENCE))], is_error=True)


def fill(told: dict[str, Any], name: str, items: Sequence[Any], most: int) -> int:
    """As many items under this name as there is room for; how many that are."""
    left = most - _ROOM - estimate_tokens(dumped(told))
    taken: list[Any] = []
    for item in items:
        left -= estimate_tokens(dumped(item)) + 1
        if left < 0:
            break
        taken.append(item)
    told[name] = taken
    return len(taken)


def dumped(value: object) -> str:
    """JSON in which nothing can look like a mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def short(text: str, most: int) -> str:
    """Whole characters only: what is half of one cannot be sent."""
    whole = text.encode("utf-8", "replace").decode()
    return whole if len(whole) <= most else whole[: most - 1] + "…"


def _cell(value: object) -> Any:
    held = plain(value)
    if isinstance(held, str):
        return short(held, CELL)
    if isinstance(held, list | dict):
        # A half of a list is no list: a value too long for this reply is shown as the beginning of its text.
        text = json.dumps(held, ensure_ascii=False)
        return json.loads(short(text, len(text))) if len(text) <= CELL else short(text, CELL)
    return held


def _column(column: Column) -> dict[str, Any]:
    return _without_nothing(
        name=short(column.name, _NAME),
        type=short(column.type, _NAME),
        nullable=column.nullable,
        comment=short(column.comment, CELL),
        samples=[short(one, _SAMPLE) for one in column.samples],
    )


def _label(table: Table) -> str:
    return short(f"{table.schema}.{table.name}" if table.schema else table.name, 2 * _NAME)


def _without_nothing(**facts: Any) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if fact not in (None, "", [])}
