"""Localized texts: messages that all front ends share, and the texts of the command line."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from text2sql.errors import DatabaseError, Text2SQLError
from text2sql.types import SourceNote, SqlRejected

Language: TypeAlias = Literal["en", "zh"]


@cache
def sentences() -> Mapping[str, tuple[str, str]]:
    """Map each key of `messages.toml` to (English, Chinese). The hint of `x` has the key `x.hint`."""
    messages: dict[str, tuple[str, str]] = {}
    for key, entry in _entries("messages.toml"):
        messages[key] = entry["en"], entry["zh"]
        if "hint_en" in entry:
            messages[f"{key}.hint"] = entry["hint_en"], entry["hint_zh"]
    return messages


@cache
def cli_texts() -> Mapping[str, tuple[str, str]]:
    """Map each key of `cli.toml` to (English, Chinese)."""
    return {key: (entry["en"], entry["zh"]) for key, entry in _entries("cli.toml")}


def _entries(file: str) -> Iterable[tuple[str, dict[str, str]]]:
    text = resources.files("text2sql.i18n").joinpath(file).read_text(encoding="utf-8")
    return tomllib.loads(text).items()


def language(requested: str = "", environment: Mapping[str, str] = os.environ) -> Language:
    """The user's language: as requested, else TEXT2SQL_LANG, else the system locale."""
    locale = (
        requested
        or environment.get("TEXT2SQL_LANG")
        or environment.get("LC_ALL")
        or environment.get("LC_MESSAGES")
        or environment.get("LANG")
        or "en"
    )
    return "zh" if locale.lower().startswith("zh") else "en"


def say(key: str, lang: Language, **facts: object) -> str:
    """The message `key` with its placeholders filled in."""
    return sentences()[key][lang == "zh"].format_map(facts)


def cli_text(key: str, lang: Language, **facts: object) -> str:
    """The text `key` of the command line with its placeholders filled in."""
    return cli_texts()[key][lang == "zh"].format_map(facts)


def explain(error: Text2SQLError, lang: Language) -> str:
    """The message of an error, followed by its hint on a second line, if it has one."""
    key = error.message_key
    message = say(key, lang, **error.facts)
    hint = f"{key}.hint"
    if hint not in sentences() and isinstance(error, DatabaseError):
        hint = f"database.{error.kind}.hint"
    return f"{message}\n{say(hint, lang, **error.facts)}" if hint in sentences() else message


def note_text(note: SourceNote, lang: Language) -> str:
    """The sentence of a note about a file that was read."""
    reason = say(note.reason, lang, **note.reason_facts) if note.reason else ""
    return say(note.key, lang, **note.facts, table=note.table, name=note.column, reason=reason)


def refusal(rejected: SqlRejected, lang: Language) -> str:
    """The message of the violated rule with the offending fragment and its position."""
    message = say(f"guard.{rejected.rule}", lang, piece=rejected.piece)
    if rejected.line is None or rejected.column is None:
        return message
    return f"{message} " + say("guard.place", lang, line=rejected.line, column=rejected.column)
