"""Sorts the rows of the last answer by a column that the message names, without a query."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from text2sql.agents.state import Turn
from text2sql.schema.tokenizer import tokens
from text2sql.types import QueryResult

_DESCENDING = re.compile(
    r"\b(?:desc|descending|reverse|reversed|opposite|(?:highest|largest|biggest|most|latest|newest) first)\b"
    r"|倒序|降序|逆序|反过来|从高到低|从大到小|从多到少|从新到旧",
    re.IGNORECASE,
)
_ORDER_ONLY = re.compile(r"\border\b|序|反过来", re.IGNORECASE)  # "in descending order": no column is named


def last_answer(turns: Sequence[Turn]) -> Turn | None:
    """The latest turn with a query."""
    return next((turn for turn in reversed(turns) if turn["sql"]), None)


def can_sort(question: str, turns: Sequence[Turn]) -> bool:
    """Whether the last answer has the column; without an answer the reply says that there is none."""
    turn = last_answer(turns)
    return turn is None or _column(question, turn["columns"]) is not None


def sort_rows(question: str, result: QueryResult) -> tuple[QueryResult, str]:
    """The sorted rows, and the name of the column."""
    names = [column.name for column in result.columns]
    number = _column(question, names) or 0
    rows = sorted(
        result.rows, key=lambda row: _key(row[number]), reverse=_DESCENDING.search(question) is not None
    )
    return replace(result, rows=tuple(rows)), names[number]


def _column(question: str, names: Sequence[str]) -> int | None:
    """The column with the most words in common, the last one if several have; none if none is named."""
    asked = tokens(question)
    scores = [
        sum(confidence for token, confidence in tokens(name).items() if token in asked) for name in names
    ]
    best = max(scores, default=0.0)
    if best > 0:
        return len(scores) - 1 - scores[::-1].index(best)
    is_order = _ORDER_ONLY.search(question) is not None and not re.search(r"\bby\b|按", question)
    return len(names) - 1 if names and is_order else None


def _key(value: Any) -> tuple[int, Any]:
    """NULL first, then numbers, then everything else as text."""
    if value is None:
        return (0, 0)
    return (1, value) if isinstance(value, (int, float)) else (2, str(value).casefold())
