"""Builds query results for tests."""

from collections.abc import Sequence
from typing import Literal

from text2sql.types import QueryResult, ResultColumn, Value


def result(
    names: str, rows: Sequence[Sequence[Value]], types: str = "", truncated: Literal["", "rows"] = ""
) -> QueryResult:
    """`names` and `types` are separated by commas."""
    column_names = names.split(",")
    kinds = types.split(",") if types else [""] * len(column_names)
    columns = tuple(ResultColumn(name.strip(), kind) for name, kind in zip(column_names, kinds, strict=True))
    return QueryResult(columns, tuple(map(tuple, rows)), truncated)


def months(count: int) -> list[str]:
    return [f"{2020 + at // 12}-{at % 12 + 1:02}" for at in range(count)]
