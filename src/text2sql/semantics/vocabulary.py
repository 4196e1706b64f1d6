"""The words that entities and sales are recognized by; they are in `vocabulary.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from text2sql.naming import Name


@dataclass(frozen=True, slots=True)
class Words:
    """Words that any name may contain."""

    english: frozenset[str]
    chinese: tuple[str, ...]

    def are_in(self, name: Name) -> bool:
        return name.has(self.english) or any(word in name.chinese for word in self.chinese)


@cache
def words(entry: str) -> Words:
    found = _entries()[entry]
    return Words(frozenset(found["en"].split()), tuple(found["zh"].split()))


@cache
def names(entry: str) -> tuple[tuple[str, ...], ...]:
    """Whole names, as the singular words that they consist of, the best first."""
    return tuple(tuple(name.split()) for name in _list(_entries()[entry]["names"]))


@cache
def measure_synonyms(measure: str) -> tuple[str, ...]:
    return tuple(_list(_entries()["synonyms"][measure]))


def _list(text: str) -> list[str]:
    return [entry.strip() for entry in text.replace("\n", " ").split(",")]


@cache
def _entries() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("text2sql.semantics").joinpath("vocabulary.toml").read_text("utf-8"))
