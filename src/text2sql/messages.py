"""What people read, in their language: sentences from `messages.toml`, filled with the facts of an error."""

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from text2sql.errors import DatabaseError, Text2SQLError
from text2sql.types import SqlRejected

Language: TypeAlias = Literal["en", "zh"]


@cache
def sentences() -> Mapping[str, tuple[str, str]]:
    """key → (English, Chinese); what to do next has the key with `.hint` behind it. Read when needed."""
    text = resources.files("text2sql").joinpath("messages.toml").read_text(encoding="utf-8")
    found: dict[str, tuple[str, str]] = {}
    for key, entry in tomllib.loads(text).items():
        found[key] = entry["en"], entry["zh"]
        if "hint_en" in entry:
            found[f"{key}.hint"] = entry["hint_en"], entry["hint_zh"]
    return found


def language(wanted: str = "", environment: Mapping[str, str] = os.environ) -> Language:
    """The reader's language: as wanted, else by the setting, else by the system's locale."""
    spoken = (
        wanted
        or environment.get("TEXT2SQL_LANG")
        or environment.get("LC_ALL")
        or environment.get("LC_MESSAGES")
        or environment.get("LANG")
        or "en"
    )
    return "zh" if spoken.lower().startswith("zh") else "en"


def say(key: str, lang: Language, **facts: object) -> str:
    return sentences()[key][lang == "zh"].format_map(facts)


def explain(error: Text2SQLError, lang: Language) -> str:
    """What happened and why, then on a line of its own what to do next."""
    key = error.message_key
    told = say(key, lang, **error.facts)
    hint = f"{key}.hint"
    if hint not in sentences() and isinstance(error, DatabaseError):
        hint = f"database.{error.kind}.hint"
    return f"{told}\n{say(hint, lang, **error.facts)}" if hint in sentences() else told


def refusal(rejected: SqlRejected, lang: Language) -> str:
    """Which rule refused, on which piece, and where it stands."""
    told = say(f"guard.{rejected.rule}", lang, piece=rejected.piece)
    if rejected.line is None or rejected.column is None:
        return told
    return f"{told} " + say("guard.place", lang, line=rejected.line, column=rejected.column)
