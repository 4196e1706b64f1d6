"""Reads the settings: defaults ← `text2sql.toml` ← `.env` ← environment."""

import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path

from text2sql.config.files import ENV, TOML, SettingsFile, Value, is_env_file
from text2sql.config.settings import Settings, variable
from text2sql.config.values import from_text

log = logging.getLogger(__name__)

CONFIG = "TEXT2SQL_CONFIG"
_OTHER_VARIABLES = (CONFIG, "TEXT2SQL_DEBUG")  # which are not settings


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """The settings, the files that were read, and the origin of each value that is not a default."""

    settings: Settings
    files: tuple[Path, ...]
    origins: Mapping[str, str]
    unknown: Mapping[str, str]  # unknown variables, with the most similar known one


def from_environment(variables: Mapping[str, str] | None = None) -> Settings:
    """The settings of the files and the environment; of these variables alone, if they are given.

    An invalid value, key or file raises a `UsageError` that names it.
    """
    return read_settings(variables).settings


def read_settings(variables: Mapping[str, str] | None = None) -> ReadSettings:
    """Like `from_environment`, with what `text2sql doctor` reports."""
    files = () if variables is not None else settings_files()
    environment_variables = os.environ if variables is None else variables
    values = {name: value for file in files for name, value in file.values()}
    values |= dict(_environment_values(environment_variables))  # replaces refused values, too
    for value in values.values():
        if value.refused is not None:
            raise value.refused
    return ReadSettings(
        Settings(**{name: value.value for name, value in values.items()}),
        tuple(file.path for file in files),
        {name: value.origin for name, value in values.items()},
        _unknown(environment_variables),
    )


def environment() -> dict[str, str]:
    """The environment, with the variables of the `.env` file as defaults. `os.environ` is unchanged, so that
    child processes do not inherit keys.
    """
    files = [file for file in settings_files() if is_env_file(file.path)]
    return {name: value for file in files for name, value in file.variables().items()} | dict(os.environ)


def settings_files() -> tuple[SettingsFile, ...]:
    """The files to read, in order: the named one, or `text2sql.toml` from the current folder upwards; and the
    `.env` next to it, or in the current folder.
    """
    named = os.environ.get(CONFIG, "").strip()
    if named.lower() == "none":
        return ()
    folder = Path.cwd()
    if named:
        path = (folder / named).resolve()
        env_files = [] if is_env_file(path) else _existing(path.with_name(ENV))
        return (SettingsFile(path, trusted=True), *(SettingsFile(env, trusted=True) for env in env_files))
    toml = next((path for above in (folder, *folder.parents) for path in _existing(above / TOML)), None)
    env = [*_existing(folder / ENV), *(_existing(toml.with_name(ENV)) if toml else ())][:1]
    return tuple(SettingsFile(path, trusted=False) for path in (*([toml] if toml else ()), *env))


def _existing(path: Path) -> list[Path]:
    return [path] if path.is_file() else []


def _environment_values(variables: Mapping[str, str]) -> Iterator[tuple[str, Value]]:
    for setting_field in fields(Settings):
        name = variable(setting_field.name)
        text = variables.get(name, "").strip()
        old = setting_field.metadata["old_variable"]
        if not text and old and variables.get(old, "").strip():
            log.warning("%s is now called %s; the old name works until version 0.3", old, name)
            text = variables[old].strip()
        if text:
            yield setting_field.name, Value(from_text(setting_field, text, name), name)


def _unknown(variables: Mapping[str, str]) -> dict[str, str]:
    names = [variable(setting_field.name) for setting_field in fields(Settings)]
    old = [setting_field.metadata["old_variable"] for setting_field in fields(Settings)]
    known = {*names, *old, *_OTHER_VARIABLES}
    unknown = sorted(name for name in variables if name.startswith("TEXT2SQL_") and name not in known)
    return {name: "".join(get_close_matches(name, names, n=1)) for name in unknown}
