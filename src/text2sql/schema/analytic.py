"""Detect which kinds of analysis a question asks for: growth, shares, medians, the last quarter … The
patterns are in `analytic.toml`.
"""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib import resources

from text2sql.schema.schema_context import SchemaContext
from text2sql.text_normalization import words


def analytic_kinds(question: str, schema_context: SchemaContext) -> list[str]:
    """The kinds in the order of the file. A match that is also a word of a column name does not count."""
    text = unicodedata.normalize("NFKC", question).casefold()
    return [
        kind
        for kind, patterns in _patterns().items()
        if any(
            not _is_column_word(match[0], schema_context)
            for pattern in patterns
            for match in pattern.finditer(text)
        )
    ]


def _is_column_word(matched_text: str, schema_context: SchemaContext) -> bool:
    parts = words(matched_text)
    return len(parts) == 1 and any(
        parts[0] in words(column.name) for table in schema_context.catalog.tables for column in table.columns
    )


@cache
def _patterns() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    text = resources.files("text2sql.schema").joinpath("analytic.toml").read_text(encoding="utf-8")
    return {kind: tuple(map(re.compile, patterns)) for kind, patterns in tomllib.loads(text).items()}
