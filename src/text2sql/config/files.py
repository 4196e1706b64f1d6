"""Reads `text2sql.toml` and `.env`: values by the name of their setting, and the line of each."""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from text2sql.config.settings import GROUPS, Settings, variable
from text2sql.config.values import from_text, from_toml
from text2sql.errors import UsageError

TOML, ENV = "text2sql.toml", ".env"
_KEYS = {name: group for group, settings in GROUPS.items() for name in settings}


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a setting, and where it comes from."""

    value: Any
    origin: str  # a file with the line, or a variable of the environment
    refused: UsageError | None = None  # if the file may not set it


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file with settings. It is trusted only if the user named it."""

    path: Path
    trusted: bool

    def values(self) -> Iterator[tuple[str, Value]]:
        """The settings of the file. An invalid one raises an error that names the file and the line."""
        yield from self._env_values() if is_env_file(self.path) else self._toml_values()

    def variables(self) -> Mapping[str, str]:
        """The variables of a `.env` that text2sql reads: its own, and the keys of model providers."""
        read = re.compile(r"TEXT2SQL_\w+|\w+_API_KEY")
        return {name: value for name, value in _env_lines(self._text()).items() if read.fullmatch(name)}

    def _toml_values(self) -> Iterator[tuple[str, Value]]:
        text = self._text()
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise UsageError("usage.config_syntax", path=self.path, detail=str(error)) from None
        for group, table in document.items():
            if group not in GROUPS or not isinstance(table, dict):
                raise self._unknown(text, "", group)
            for key, value in table.items():
                if _KEYS.get(key) != group:
                    raise self._unknown(text, group, key)
                location = f"[{group}] {key} ({self._line(text, group, key)})"
                yield key, self._toml_value(GROUPS[group][key], value, location)

    def _toml_value(self, setting_field: Field[Any], raw: object, location: str) -> Value:
        if setting_field.name in ("api_key", "token_secret") or _has_password(raw):
            raise UsageError("usage.config_secret", name=location, variable=variable(setting_field.name))
        value = from_toml(setting_field, raw, location)
        if setting_field.metadata["path"] and _is_relative_path(value):
            value = str(self.path.parent / value)
        return Value(value, location, self._refusal(setting_field, location))

    def _env_values(self) -> Iterator[tuple[str, Value]]:
        variables = self.variables()
        for setting_field in fields(Settings):
            name = variable(setting_field.name)
            text = variables.get(name, "").strip()
            if not text:
                continue
            location = f"{name} ({self.path})"
            refused = self._refusal(setting_field, location)
            # A base_url may come with its own key; a key of the environment must not be sent to it.
            if setting_field.name == "base_url" and variables.get(variable("api_key")):
                refused = refused if os.environ.get(variable("api_key")) else None
            yield setting_field.name, Value(from_text(setting_field, text, location), location, refused)

    def _refusal(self, setting_field: Field[Any], location: str) -> UsageError | None:
        if self.trusted or not setting_field.metadata["protected"]:
            return None
        name = variable(setting_field.name)
        return UsageError("usage.config_protected", name=location, path=self.path, variable=name)

    def _unknown(self, text: str, group: str, key: str) -> UsageError:
        names = [f"[{known_group}] {name}" for name, known_group in _KEYS.items()] if group else list(GROUPS)
        if key in _KEYS:
            close = [f"[{_KEYS[key]}] {key}"]
        else:
            close = get_close_matches(f"[{group}] {key}" if group else key, names, n=1) or list(GROUPS)
        location = f"[{group}] {key}" if group else key
        line = self._line(text, group, key) if group else self._line(text, key, "")
        return UsageError("usage.config_key", name=f"{location} ({line})", close=", ".join(close))

    def _line(self, text: str, group: str, key: str) -> str:
        """`file:line` of a key, or of the header of its table."""
        in_group, header = False, 0
        for number, line in enumerate(text.splitlines(), 1):
            if table := re.match(r"\s*\[\s*[\"']?([^\"'\]\s]+)", line):
                in_group = table[1] == group
                header = number if in_group else header
            elif in_group and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
                return f"{self.path}:{number}"
        return f"{self.path}:{header}" if header else str(self.path)

    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            detail = getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error)
            raise UsageError("usage.config_file", path=self.path, detail=detail) from None


def is_env_file(path: Path) -> bool:
    return ENV in (path.name, path.suffix)


def _env_lines(text: str) -> dict[str, str]:
    """`NAME=value` lines, with comments and quotes but without variable expansion."""
    variables = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and name.strip().isidentifier():
            value = value.strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
            variables[name.strip()] = value[1:-1] if quoted else value.partition(" #")[0].strip()
    return variables


def _has_password(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(urlsplit(value).password)
    except ValueError:
        return False


def _is_relative_path(value: str) -> bool:
    """Not a URL, a name such as `openai:gpt-5`, an absolute path or a word such as `none`."""
    return (
        bool(value) and value not in ("none", "local") and ":" not in value and not Path(value).is_absolute()
    )
