"""The words that questions are made of, in both languages, and what databases shorten: `vocabulary.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Vocabulary:
    english: frozenset[str]
    chinese: frozenset[str]
    abbreviations: Mapping[str, tuple[str, ...]]  # what a short form may stand for

    def is_general(self, word: str) -> bool:
        """Whether a word says how to ask, and not what about."""
        return word in self.english or word in self.chinese


@cache
def vocabulary() -> Vocabulary:
    held = tomllib.loads(files("text2sql.schema").joinpath("vocabulary.toml").read_text("utf-8"))
    return Vocabulary(
        frozenset(held["english"].split()),
        frozenset(held["chinese"].split()),
        {short: tuple(long.split(",")) for short, long in held["abbreviations"].items()},
    )
