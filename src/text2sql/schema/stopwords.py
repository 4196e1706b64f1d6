"""Stop words of questions in English and Chinese, and abbreviations in schemas: `stopwords.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Vocabulary:
    english: frozenset[str]
    chinese: frozenset[str]
    abbreviations: Mapping[str, tuple[str, ...]]  # short form → long forms

    def is_general(self, word: str) -> bool:
        """Whether a word belongs to the phrasing of a question and not to its subject."""
        return word in self.english or word in self.chinese


@cache
def vocabulary() -> Vocabulary:
    data = tomllib.loads(files("text2sql.schema").joinpath("stopwords.toml").read_text("utf-8"))
    return Vocabulary(
        frozenset(data["english"].split()),
        frozenset(data["chinese"].split()),
        {short: tuple(long.split(",")) for short, long in data["abbreviations"].items()},
    )
