"""Values in the shapes that programs read: an answer, an event and a catalogue as JSON, a cell of a CSV file.

Every door that speaks to programs uses these, so that one answer looks the same through each of them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from text2sql.llm.chunks import estimate_tokens
from text2sql.messages import Language, say
from text2sql.types import (
    Answer,
    AnswerToken,
    Catalogue,
    Checked,
    Event,
    Finished,
    RowsFound,
    SqlToken,
    StageEnded,
    StageStarted,
    Table,
    Value,
    Warned,
)

CELL = 500  # characters of a value that another program's model reads
NAME = 120  # of a name
_ROOM = 120  # tokens of such a reply for saying what was cut
_DEEPEST = 50  # lists in lists of a cell
# A spreadsheet takes a cell that begins so for a formula, in the wide letters of East Asia too.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")

EVENT_NAMES: Mapping[type, str] = {
    StageStarted: "stage_started",
    StageEnded: "stage_ended",
    SqlToken: "sql_token",
    Checked: "checked",
    RowsFound: "rows_found",
    AnswerToken: "answer_token",
    Warned: "warned",
    Finished: "finished",
}


def answer_object(answer: Answer) -> dict[str, Any]:
    """The shape that docs/cli.md promises: a new field of a value does not get into it by itself."""
    error = answer.error
    return {
        "status": answer.status,
        "question": answer.question,
        "answer": answer.answer,
        "sql": answer.sql,
        "columns": list(answer.columns),
        "rows": plain(answer.rows),
        "row_count": answer.row_count,
        "truncated": answer.truncated,
        "chart": plain(answer.chart),
        "receipt": plain(asdict(answer.receipt)),
        "error": {"kind": error.kind, "message": error.message, "hint": error.hint} if error else None,
        "choices": [{"label": one.label, "question": one.question} for one in answer.choices],
        "result_id": answer.result_id,
        "thread_id": answer.thread_id,
    }


def event_object(event: Event) -> dict[str, Any]:
    """An event's fields; `EVENT_NAMES` says what it is called."""
    if isinstance(event, Finished):
        return {"answer": answer_object(event.answer)}
    if isinstance(event, RowsFound):  # `asdict` would copy every row first
        return {
            "sql": event.sql,
            "columns": list(event.columns),
            "rows": plain(event.rows),
            "truncated": event.truncated,
        }
    told: dict[str, Any] = plain(asdict(event))
    return told


def catalogue_object(catalogue: Catalogue, tables: Sequence[Table] | None = None) -> dict[str, Any]:
    """The shape that docs/cli.md promises, spelled out so that a new field of a value cannot change it.

    (`dataclasses.asdict` would also take four seconds for 5,000 tables of 20 columns.)
    """
    shown = catalogue.tables if tables is None else tables
    return {
        "dialect": catalogue.dialect,
        "default_schema": catalogue.default_schema,
        "fingerprint": catalogue.fingerprint,
        "tables": [_table(table) for table in shown],
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
                "name": one.name,
                "type": one.type,
                "nullable": one.nullable,
                "comment": one.comment,
                "samples": one.samples,
            }
            for one in table.columns
        ],
        "primary_key": table.primary_key,
        "foreign_keys": [
            {"columns": one.columns, "schema": one.schema, "table": one.table, "referred": one.referred}
            for one in table.foreign_keys
        ],
        "indexes": [
            {"name": one.name, "columns": one.columns, "unique": one.unique} for one in table.indexes
        ],
    }


def plain(value: object, deep: int = 0) -> Any:
    """What any JSON reader takes: no NaN, no key that is not text, nothing that never ends."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if deep >= _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {str(key): plain(held, deep + 1) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [plain(held, deep + 1) for held in value]
    return str(value)


# -- what another program's model reads ------------------------------------------------------------


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


def fill_rows(told: dict[str, Any], answer: Answer, most: int, lang: Language) -> None:
    """Columns first: rows of columns that are not all there could not be read."""
    told["rows"] = []
    shown = fill(told, "columns", [short(name, NAME) for name in answer.columns], most)
    if shown < len(answer.columns):
        told["cut"] = say("tool.wide", lang, shown=shown, all=len(answer.columns))
        return
    shown = fill(told, "rows", [[short_cell(value) for value in row] for row in answer.rows], most)
    if shown < len(answer.rows):
        told["cut"] = say("tool.cut", lang, shown=shown, all=len(answer.rows))


def dumped(value: object) -> str:
    """JSON in which nothing can look like a mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def short(text: str, most: int) -> str:
    """Whole characters only: what is half of one cannot be sent."""
    whole = text.encode("utf-8", "replace").decode()
    return whole if len(whole) <= most else whole[: most - 1] + "…"


def short_cell(value: object) -> Any:
    held = plain(value)
    if isinstance(held, str):
        return short(held, CELL)
    if isinstance(held, list | dict):
        # A half of a list is no list: a value too long for this reply is shown as the beginning of its text.
        text = json.dumps(held, ensure_ascii=False)
        return json.loads(short(text, len(text))) if len(text) <= CELL else short(text, CELL)
    return held


# -- cells of a spreadsheet ----------------------------------------------------------------------


def harmless(text: str) -> str:
    """A quote in front makes a formula a text again; a number is no formula."""
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def csv_cell(value: Value) -> str:
    """NULL is an empty cell; lists and objects are JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(plain(value), ensure_ascii=False)
