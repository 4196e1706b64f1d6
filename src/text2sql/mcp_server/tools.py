"""Definitions of the tools: schemas and descriptions. They are part of every prompt of a client, so they are
short, and in English, as prompts are.
"""

from collections.abc import Mapping
from typing import Any

from mcp_types import Tool, ToolAnnotations

from text2sql.errors import UsageError

# Only hints to the client; the guard and a read-only engine enforce it.
_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_MAX_CHARACTERS = 100_000  # per argument


def _object_schema(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(required)}


def _text_schema(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


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
    "cut": _text_schema("what was left out of this reply"),
    "hint": _STRING,
}
_CHOICES = {
    "choices": _OBJECTS,
    "suggestions": {"type": "array", "items": _STRING},
    "thread_id": _STRING,
    "certainty": _text_schema("sure, probably or not_sure; unless sure, tell the user so"),
    "taken_for": _text_schema("what the query asks for, in words"),
}

_INPUTS: Mapping[str, dict[str, Any]] = {
    "ask": _object_schema(
        {
            "question": _text_schema("the question, in Chinese or English"),
            "thread_id": _text_schema("of an earlier answer, to follow up on it"),
        },
        "question",
    ),
    "list_tables": _object_schema({"contains": _text_schema("only names with this in them")}),
    "describe_table": _object_schema({"name": _text_schema("table, or schema.table")}, "name"),
    "run_query": _object_schema({"sql": _text_schema("one SELECT statement")}, "sql"),
}
_OUTPUTS: Mapping[str, dict[str, Any]] = {
    "ask": _object_schema({**_ROWS, **_CHOICES}, "status", "answer"),
    "list_tables": _object_schema(
        {"dialect": _STRING, "tables": _OBJECTS, "cut": _STRING}, "dialect", "tables"
    ),
    "describe_table": _object_schema(
        {"name": _STRING, "columns": _OBJECTS, "foreign_keys": _OBJECTS, "cut": _STRING}, "name", "columns"
    ),
    "run_query": _object_schema(_ROWS, "status", "answer"),
}
_DESCRIPTIONS: Mapping[str, str] = {
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
            description=_DESCRIPTIONS[name],
            input_schema={**schema, "additionalProperties": False},
            output_schema=_OUTPUTS[name],
            annotations=_READ_ONLY,
        )
        for name, schema in _INPUTS.items()
    ]


def arguments_of(name: str, raw: Mapping[str, Any]) -> dict[str, str]:
    """The validated arguments of a tool call; raises `UsageError` for invalid ones."""
    if name not in _INPUTS:
        raise UsageError("usage.mcp_tool", name=name[:80], tools=", ".join(_INPUTS))
    properties, required = _INPUTS[name]["properties"], _INPUTS[name]["required"]
    arguments = {key: value for key, value in raw.items() if value is not None}
    for key, value in arguments.items():
        if key not in properties:
            raise UsageError("usage.mcp_unknown", name=str(key)[:80], known=", ".join(properties) or "-")
        if not isinstance(value, str) or len(value) > _MAX_CHARACTERS:
            raise UsageError("usage.mcp_text", name=key, most=_MAX_CHARACTERS)
    for key in required:
        if not arguments.get(key, "").strip():
            raise UsageError("usage.mcp_missing", name=key)
    return arguments
