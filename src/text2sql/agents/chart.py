"""Chooses the chart of an answer. A checkpoint stores the choice as column positions; the specification with
its data is built when rows are attached to the answer.
"""

from collections.abc import Mapping
from typing import Any

from text2sql.charts import choose, from_plain, spec, to_plain
from text2sql.i18n import Language
from text2sql.types import QueryResult


def choose_chart(result: QueryResult, question: str) -> dict[str, Any] | None:
    chosen = choose(result, question)
    return to_plain(chosen) if chosen else None


def chart_specification(
    stored: Mapping[str, Any] | None, result: QueryResult, lang: Language, question: str
) -> dict[str, Any] | None:
    """The chart with its data; None if the rows are gone. Rows that are shown again keep their title."""
    if not stored or not result.rows:
        return None
    return spec(from_plain(stored), result, lang, stored.get("title") or question)
