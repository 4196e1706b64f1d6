"""What a client is told about the tools. Every word of it stands in every prompt of that client, so it is
short; it is in English, as prompts are.
"""

from collections.abc import Mapping
from typing import Any

from mcp_types import Tool, ToolAnnotations

from text2sql.errors import UsageError

# Hints, as the protocol has it; what holds is the guard, and an engine that cannot write.
_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_MOST = 100_000  # characters of an argument: more is no question and no query


def _object(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(required)}


def _text(about: str) -> dict[str, str]:
    return {"type": "string", "description": about}


_STRING, _INTEGER, _LIST = {"type": "string"}, {"type": "integer"}, {"type": "array"}
_OBJECTS = {"type": "array", "items": {"type": "object"}}
_ROWS = {
    "status": _STRING,
    "answer": _STRING,
    "sql": _STRING,
    "columns": {"type": "array", "items": _STRING},
    "rows": {"type": "array", "items": _LIST},
    "row_count": _INTEGER,
    "truncated": {"type": "boolean"},
    "cut": _text("what was left out of this reply"),
    "hint": _STRING,
}
_CHOICES = {"choices": _OBJECTS, "thread_id": _STRING}

_INPUTS: Mapping[str, dict[str, Any]] = {
    "ask": _object(
        {
            "question": _text("the question, in Chinese or English"),
            "thread_id": _text("of an earlier answer, to follow up on it"),
        },
        "question",
    ),
    "list_tables": _object({"contains": _text("only names with this in them")}),
    "describe_table": _object({"name": _text("table, or schema.table")}, "name"),
    "run_query": _object({"sql": _text("one SELECT statement")}, "sql"),
}
_OUTPUTS: Mapping[str, dict[str, Any]] = {
    "ask": _object({**_ROWS, **_CHOICES}, "status", "answer"),
    "list_tables": _object({"dialect": _STRING, "tables": _OBJECTS, "cut": _STRING}, "dialect", "tables"),
    "describe_table": _object(
        {"name": _STRING, "columns": _OBJECTS, "foreign_keys": _OBJECTS, "cut": _STRING}, "name", "columns"
    ),
    "run_query": _object(_ROWS, "status", "answer"),
}
_TOLD: Mapping[str, str] = {
    "ask": (
        "Ask the database a question in plain words. A guarded read-only query is written and run. status: "
        "answered, clarify (call again with a choice), no_data, conversation, refused or failed."
    ),
    "list_tables": "The tables of the database.",
    "describe_table": "Columns, keys and sample values of one table.",
    "run_query": (
        "Run one SELECT of your own; see describe_table first. A guard refuses everything else, and rows are "
        "limited: aggregate, or use LIMIT and OFFSET."
    ),
}


def definitions() -> list[Tool]:
    return [
        Tool(
            name=name,
            description=_TOLD[name],
            input_schema={**schema, "additionalProperties": False},
            output_schema=_OUTPUTS[name],
            annotations=_READ_ONLY,
        )
        for name, schema in _INPUTS.items()
    ]


def arguments_of(name: str, given: Mapping[str, Any]) -> dict[str, str]:
    """What a tool was called with, if it is what the tool takes; what is wrong is told in words."""
    if name not in _INPUTS:
        raise UsageError("usage.mcp_tool", name=name[:80], tools=", ".join(_INPUTS))
    known, required = _INPUTS[name]["properties"], _INPUTS[name]["required"]
    told = {key: value for key, value in given.items() if value is not None}
    for key, value in told.items():
        if key not in known:
            raise UsageError("usage.mcp_unknown", name=str(key)[:80], known=", ".join(known) or "-")
        if not isinstance(value, str) or len(value) > _MOST:
            raise UsageError("usage.mcp_text", name=key, most=_MOST)
    for key in required:
        if not told.get(key, "").strip():
            raise UsageError("usage.mcp_missing", name=key)
    return told
