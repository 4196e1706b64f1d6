"""Load the patterns of both languages."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("en", "zh")


@cache
def _files() -> tuple[Mapping[str, Any], ...]:
    folder = resources.files("text2sql.question")
    texts = (folder.joinpath(f"patterns_{lang}.toml").read_text(encoding="utf-8") for lang in LANGUAGES)
    return tuple(map(tomllib.loads, texts))


@cache
def analytic_patterns() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    """Kind of analysis → its patterns, for questions in lower case."""
    files = [file["analytic"] for file in _files()]
    kinds = dict.fromkeys(kind for file in files for kind in file)
    return {
        kind: tuple(re.compile(pattern) for file in files for pattern in file.get(kind, ())) for kind in kinds
    }


@cache
def name_pattern(key: str) -> re.Pattern[str]:
    """A pattern of `[names]`: either language, in any case."""
    return re.compile(
        "|".join(file["names"][key] for file in _files() if key in file["names"]), re.IGNORECASE
    )


@cache
def name_words(key: str) -> frozenset[str]:
    """A word list of `[names]`."""
    return frozenset(word for file in _files() for word in file["names"].get(key, "").split())
