"""A policy as people write it, in JSON: checked field by field, so that a slip never opens a table."""

import json
from collections.abc import Mapping
from typing import Any

from text2sql.errors import UsageError
from text2sql.types import Policy


def read_policy(text: str) -> Policy:
    """`{"tables": {name: [columns]}, "default_schema": {dialect: name}}`; other keys are for people."""
    try:
        held = json.loads(text)
    except ValueError as error:
        raise UsageError("usage.policy", problem=str(error)) from error
    tables = _object(held, "tables", required=True)
    for name, columns in tables.items():
        if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
            raise UsageError("usage.policy", problem=f"tables.{name}: not a list of column names")
    schemas = _object(held, "default_schema", required=False)
    for dialect, schema in schemas.items():
        if not isinstance(schema, str):
            raise UsageError("usage.policy", problem=f"default_schema.{dialect}: not a name")
    return Policy({name: tuple(columns) for name, columns in tables.items()}, dict(schemas))


def _object(held: Any, key: str, *, required: bool) -> Mapping[str, Any]:
    if not isinstance(held, dict):
        raise UsageError("usage.policy", problem="not a JSON object")
    if key not in held and not required:
        return {}
    value = held.get(key)
    if not isinstance(value, dict):
        raise UsageError("usage.policy", problem=f"{key}: missing, or not an object")
    return value
