"""Checks the value of a setting: its type, its choices, its range."""

import math
from dataclasses import Field
from datetime import date
from typing import Any

from text2sql.errors import UsageError

_BOOLEANS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def from_text(setting_field: Field[Any], text: str, location: str) -> Any:
    """The value of a variable; `place` names it in errors."""
    kind = _kind(setting_field)
    try:
        value = _BOOLEANS[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        raise _wrong_type(setting_field, text, location) from None
    return _checked(setting_field, value, location)


def from_toml(setting_field: Field[Any], value: object, location: str) -> Any:
    """The value of a key. A list of strings may be written for names that are separated by commas."""
    kind = _kind(setting_field)
    if kind is str and isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = ",".join(value)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise _wrong_type(setting_field, value, location)
    return _checked(setting_field, value, location)


def _kind(setting_field: Field[Any]) -> type[str] | type[int] | type[float] | type[bool]:
    return type(setting_field.default)  # type: ignore[return-value]


def _checked(setting_field: Field[Any], value: Any, location: str) -> Any:
    choices = setting_field.metadata["choices"]
    facts = {"name": location, "value": _shown(setting_field, value)}
    if choices and value not in ("", *choices):
        raise UsageError("usage.setting_choice", **facts, choices=", ".join(map(str, choices)))
    if setting_field.metadata["is_date"] and value and not _is_date(value):
        raise UsageError("usage.setting", **facts, kind="date (YYYY-MM-DD)")
    if isinstance(value, str | bool):
        return value
    if not math.isfinite(value) or value < 0 or (value == 0 and not setting_field.metadata["may_be_zero"]):
        raise UsageError("usage.setting_positive", **facts)
    return value


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _wrong_type(setting_field: Field[Any], value: object, location: str) -> UsageError:
    kind = _kind(setting_field).__name__
    return UsageError("usage.setting", name=location, value=_shown(setting_field, value), kind=kind)


def _shown(setting_field: Field[Any], value: object) -> object:
    return "…" if setting_field.metadata["secret"] else value
