"""Detect which kinds of analysis a question asks for: growth, shares, medians, the last quarter …"""

import unicodedata

from text2sql.question.patterns import analytic_patterns
from text2sql.text_normalization import words
from text2sql.types import Catalog


def analytic_kinds(question: str, catalog: Catalog) -> list[str]:
    """The kinds in the order of the pattern files. A match that is a word of a column name does not count."""
    text = unicodedata.normalize("NFKC", question).casefold()
    return [
        kind
        for kind, patterns in analytic_patterns().items()
        if any(
            not _is_column_word(match[0], catalog) for pattern in patterns for match in pattern.finditer(text)
        )
    ]


def _is_column_word(matched_text: str, catalog: Catalog) -> bool:
    parts = words(matched_text)
    return len(parts) == 1 and any(
        parts[0] in words(column.name) for table in catalog.tables for column in table.columns
    )
