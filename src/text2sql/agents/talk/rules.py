"""The rules of one language: patterns, polite words, and names of charts, files and languages."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias, get_args

from text2sql.agents.talk.pattern import Node, Patterns, parse_pattern

TalkKind: TypeAlias = Literal[
    "describe", "schema", "tables", "complaint", "examples", "capabilities", "identity", "certainty", "chart",
    "style", "export", "remove", "again", "explain", "thanks", "farewell", "greeting", "chat",
]  # fmt: skip
# In order of precedence.
KINDS: tuple[TalkKind, ...] = get_args(TalkKind)


@dataclass(frozen=True, slots=True)
class Rules:
    language: Literal["en", "zh"]
    patterns: Mapping[TalkKind, tuple[Node, ...]]
    lists: Patterns
    before: tuple[str, ...]  # polite words, in English with the adjacent space
    after: tuple[str, ...]
    known_words: tuple[str, ...]
    charts: Mapping[str, str]  # word → kind of chart
    formats: Mapping[str, str]  # word → ending of a file
    languages: Mapping[str, str]  # word → language of a reply


@cache
def load_rules(language: Literal["en", "zh"]) -> Rules:
    text = resources.files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    space = " " if language == "en" else ""
    return Rules(
        language=language,
        patterns={kind: tuple(map(parse_pattern, patterns)) for kind, patterns in data["patterns"].items()},
        lists=Patterns(data["words"]),
        before=tuple(f"{word}{space}" for word in data["polite_before"]),
        after=tuple(f"{space}{word}" for word in data["polite_after"]),
        known_words=tuple(data["known_words"]),
        charts={word: kind for kind, words_of_kind in data["charts"].items() for word in words_of_kind},
        languages={word: lang for lang, words_of_lang in data["languages"].items() for word in words_of_lang},
        formats={word: ending for ending, words_of_kind in data["formats"].items() for word in words_of_kind},
    )
