"""Conversion to JSON and CSV: answers, events, catalogs and cells.

The CLI, the HTTP server, the MCP server and the agents share it, so an answer looks the same everywhere.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict
from math import isfinite
from typing import Any
from unicodedata import category, normalize

from text2sql.i18n import Language, note_text, say
from text2sql.llm.langchain_messages import estimate_tokens
from text2sql.types import (
    Answer,
    AnswerToken,
    Catalog,
    Checked,
    DatabaseProfile,
    Event,
    Finished,
    Queued,
    RowsFound,
    SourceNote,
    SqlToken,
    StageEnded,
    StageStarted,
    Table,
    Value,
    Warned,
)

CELL = 500  # maximum characters of a value in a tool result
NAME = 120  # maximum characters of a column name in a tool result
_ROOM = 120  # tokens reserved in a tool result for the note about truncation
_DEEPEST = 50  # maximum nesting of lists and objects in a cell
_FORMULA = "=+-@"  # characters that start a formula in a spreadsheet
# White space, control and invisible characters, byte order marks, characters without a form of their own.
_SKIPPED = ("Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Zs", "Zl", "Zp")
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"  # letters and symbols that show nothing
_SPLITS = ("\t", "\r", "\n")  # a leading separator may move the text to another cell
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")

EVENT_NAMES: Mapping[type, str] = {
    StageStarted: "stage_started",
    StageEnded: "stage_ended",
    SqlToken: "sql_token",
    Checked: "checked",
    RowsFound: "rows_found",
    AnswerToken: "answer_token",
    Warned: "warned",
    Queued: "queued",
    Finished: "finished",
}


def answer_object(answer: Answer) -> dict[str, Any]:
    """The JSON object of an answer, as documented in docs/cli.md. New dataclass fields are not added to it
    automatically.
    """
    error = answer.error
    pagination = {} if answer.pagination is None else {"pagination": dict(answer.pagination)}
    return {
        **pagination,
        "status": answer.status,
        "question": answer.question,
        "answer": answer.answer,
        "sql": answer.sql,
        "columns": list(answer.columns),
        "labels": list(answer.labels or answer.columns),
        "rows": plain(answer.rows),
        "row_count": answer.row_count,
        "truncated": answer.truncated,
        "chart": plain(answer.chart),
        "receipt": plain(asdict(answer.receipt)),
        "error": {"kind": error.kind, "message": error.message, "hint": error.hint} if error else None,
        "choices": [{"label": choice.label, "question": choice.question} for choice in answer.choices],
        "suggestions": list(answer.suggestions),
        "result_id": answer.result_id,
        "thread_id": answer.thread_id,
    }


def event_object(event: Event) -> dict[str, Any]:
    """The JSON object of an event, without its name (see `EVENT_NAMES`)."""
    if isinstance(event, Finished):
        return {"answer": answer_object(event.answer)}
    if isinstance(event, RowsFound):  # `asdict` would copy every row first
        return {
            "sql": event.sql,
            "columns": list(event.columns),
            "rows": plain(event.rows),
            "truncated": event.truncated,
        }
    fields: dict[str, Any] = plain(asdict(event))
    return fields


def typed_event(event: Event) -> dict[str, Any]:
    """The JSON object of an event with its name as `type`, for streams without event names."""
    return {"type": EVENT_NAMES[type(event)], **within_64_bits(event_object(event))}


def within_64_bits(value: Any) -> Any:
    """JSON with longer integers as text: LangGraph's server cannot write them."""
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, Mapping):
        return {key: within_64_bits(item) for key, item in value.items()}
    return [within_64_bits(item) for item in value] if isinstance(value, list | tuple) else value


def page_numbers(total: int, number: int, size: int) -> dict[str, int | bool]:
    """The `pagination` of an answer."""
    pages = -(-total // size)
    return {
        "total_count": total,
        "page": number,
        "page_size": size,
        "total_pages": pages,
        "has_next": number < pages,
        "has_prev": number > 1,
    }


def catalog_object(
    catalog: Catalog, tables: Sequence[Table] | None = None, profile: DatabaseProfile | None = None
) -> dict[str, Any]:
    """The JSON object of a catalog, as documented in docs/cli.md. New dataclass fields do not change it.

    (`dataclasses.asdict` would also take four seconds for 5,000 tables of 20 columns.)
    """
    shown = catalog.tables if tables is None else tables
    catalog_fields = {
        "dialect": catalog.dialect,
        "default_schema": catalog.default_schema,
        "fingerprint": catalog.fingerprint,
        "tables": [_table(table) for table in shown],
        **({"notes": [_note(note) for note in catalog.notes]} if catalog.notes else {}),
    }
    if profile is None:
        return catalog_fields
    return {**catalog_fields, "profile": profile_object(profile, {catalog.label(table) for table in shown})}


def _note(note: SourceNote) -> dict[str, Any]:
    return {
        "table": note.table,
        "column": note.column,
        "key": note.key,
        "facts": dict(note.facts),
        "text": {"en": note_text(note, "en"), "zh": note_text(note, "zh")},
    }


def profile_object(profile: DatabaseProfile, tables: Set[str]) -> dict[str, Any]:
    return {
        "read_at": profile.read_at,
        "is_complete": profile.is_complete,
        "tables": [asdict(table) for table in profile.tables if table.table in tables],
        "joins": [asdict(join) for join in profile.joins if {join.table, join.to} <= tables],
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "schema": table.schema,
        "name": table.name,
        "kind": table.kind,
        "comment": table.comment,
        "rows": table.rows,
        "columns": [
            {
                "name": column.name,
                "type": column.type,
                "nullable": column.nullable,
                "comment": column.comment,
                "samples": column.samples,
                **({"hidden": True} if column.hidden else {}),
            }
            for column in table.columns
        ],
        "primary_key": table.primary_key,
        "foreign_keys": [
            {"columns": key.columns, "schema": key.schema, "table": key.table, "referred": key.referred}
            for key in table.foreign_keys
        ],
        "indexes": [
            {"name": index.name, "columns": index.columns, "unique": index.unique} for index in table.indexes
        ],
    }


def plain(value: object, deep: int = 0) -> Any:
    """Convert a value to strict JSON: string keys, no NaN or infinity, limited nesting."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if deep >= _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {str(key): plain(item, deep + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, deep + 1) for item in value]
    return str(value)


# -- Tool results within a token limit -----------------------------------------------------------


def fill(reply: dict[str, Any], name: str, items: Sequence[Any], token_limit: int) -> int:
    """Add as many items to `reply[name]` as the token limit allows; return their number."""
    tokens_left = token_limit - _ROOM - estimate_tokens(dumped(reply))
    taken: list[Any] = []
    for item in items:
        tokens_left -= estimate_tokens(dumped(item)) + 1
        if tokens_left < 0:
            break
        taken.append(item)
    reply[name] = taken
    return len(taken)


def fill_rows(reply: dict[str, Any], answer: Answer, token_limit: int, lang: Language) -> None:
    """Add columns and rows within the token limit. Rows are left out if not all columns fit."""
    reply["rows"] = []
    shown = fill(reply, "columns", [short(name, NAME) for name in answer.columns], token_limit)
    if shown < len(answer.columns):
        reply["cut"] = say("tool.wide", lang, shown=shown, all=len(answer.columns))
        return
    shown = fill(reply, "rows", [[short_cell(value) for value in row] for row in answer.rows], token_limit)
    if shown < len(answer.rows):
        reply["cut"] = say("tool.cut", lang, shown=shown, all=len(answer.rows))


def dumped(value: object) -> str:
    """Compact JSON with `<` escaped, so that data cannot imitate the tags that delimit it in a prompt."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def short(text: str, most: int) -> str:
    """Shorten a text. Lone surrogates, which cannot be encoded, are replaced."""
    encodable = text.encode("utf-8", "replace").decode()
    return encodable if len(encodable) <= most else encodable[: most - 1] + "…"


def short_cell(value: object) -> Any:
    json_value = plain(value)
    if isinstance(json_value, str):
        return short(json_value, CELL)
    if isinstance(json_value, list | dict):
        # Half a list is not valid JSON: a long value becomes the beginning of its text.
        text = json.dumps(json_value, ensure_ascii=False)
        return json.loads(short(text, len(text))) if len(text) <= CELL else short(text, CELL)
    return json_value


# -- CSV cells -----------------------------------------------------------------------------------


def escape_formula(text: str) -> str:
    """Prefix text that a spreadsheet would run as a formula with a quote. Numbers stay as they are.

    Spreadsheets skip invisible characters before a formula and accept the full-width and small forms of
    `=+-@`.
    """
    if text[:1].isalnum() and text[0] not in _BLANK_LETTERS:
        return text
    start = next((at for at, char in enumerate(text) if not _is_skipped(char)), len(text))
    is_formula = normalize("NFKC", text[start : start + 1]).startswith(tuple(_FORMULA))
    if not (is_formula or text.startswith(_SPLITS)) or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def _is_skipped(char: str) -> bool:
    return category(char) in _SKIPPED or char in _BLANK_LETTERS


def csv_text(rows: Iterable[Sequence[Value]]) -> str:
    """Rows, or column names, as lines of CSV."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows([csv_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def csv_cell(value: Value) -> str:
    """A CSV cell: NULL is empty, lists and objects are JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return escape_formula(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(plain(value), ensure_ascii=False)
