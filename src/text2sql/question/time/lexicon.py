"""The words of both languages, read from `en.toml` and `zh.toml`: word → tag → value."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from typing import Any, TypeAlias

Tags: TypeAlias = Mapping[str, Any]

_FILES = ("en.toml", "zh.toml", "holidays.toml")


@dataclass(frozen=True, slots=True)
class Lexicon:
    tags: Mapping[str, Tags]
    counted_before: frozenset[str]
    counted_after: frozenset[str]
    phrases: tuple[str, ...]  # the longest first


@cache
def _read(file: str) -> Mapping[str, Any]:
    text = resources.files("text2sql.question.time").joinpath(file).read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def lexicon() -> Lexicon:
    tags: dict[str, dict[str, Any]] = {}
    counted: dict[str, set[str]] = {"before": set(), "after": set()}
    for file in _FILES:
        for table, entries in _read(file).items():
            if table == "lunar":
                continue
            for key, entry in entries.items():
                if table == "counted":
                    counted[key].update(entry)
                elif table == "holiday":
                    _add(tags, table, key, entry["words"])
                else:
                    _add(tags, table, _value(key), entry)
    for words in counted.values():
        for word in words:
            tags.setdefault(word, {})
    phrases = sorted((word for word in tags if " " in word or not word.isascii()), key=len, reverse=True)
    return Lexicon(tags, frozenset(counted["before"]), frozenset(counted["after"]), tuple(phrases))


def _add(tags: dict[str, dict[str, Any]], table: str, value: Any, words: list[str]) -> None:
    for word in words:
        tags.setdefault(word, {})[table] = value


def _value(key: str) -> Any:
    return int(key) if re.fullmatch(r"-?\d+", key) else key


@cache
def holidays() -> Mapping[str, Mapping[str, Any]]:
    """The entries of `holidays.toml` by name."""
    entries: Mapping[str, Mapping[str, Any]] = _read("holidays.toml")["holiday"]
    return entries


def canonical(phrase: str) -> str:
    """A word as the lexicon has it: in lower case, with single spaces for spaces and hyphens."""
    return re.sub(r"[\s\-‐‑]+", " ", phrase.lower())


@cache
def lunar_dates(name: str) -> Mapping[int, date]:
    """Year → date of a day of the Chinese lunar calendar."""
    table = _read("holidays.toml")["lunar"]
    return {
        year: date.fromisoformat(f"{year}-{day}") for year, day in enumerate(table[name], table["first_year"])
    }
