"""Which chart an answer gets. The choice is positions of columns, so a checkpoint may hold it; the rows join
it when the answer is told, and only then it is a specification with data.
"""

from collections.abc import Mapping
from typing import Any

from text2sql.charts import choose, from_plain, spec, to_plain
from text2sql.messages import Language
from text2sql.types import QueryResult


def chart(result: QueryResult, question: str) -> dict[str, Any] | None:
    chosen = choose(result, question)
    return to_plain(chosen) if chosen else None


def drawn(
    held: Mapping[str, Any] | None, result: QueryResult, lang: Language, question: str
) -> dict[str, Any] | None:
    """None, too, when the rows have gone: a chart without them would be empty."""
    return spec(from_plain(held), result, lang, question) if held and result.rows else None
