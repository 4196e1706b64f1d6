"""Results with the facts of their queries, for tests of sentences."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from text2sql.charts import may_omit_groups
from text2sql.sql.query_facts import query_facts
from text2sql.types import QueryResult, ResultColumn, Value

CASES = Path(__file__).with_name("cases.toml")


@cache
def cases() -> Sequence[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = tomllib.loads(CASES.read_text(encoding="utf-8"))["case"]
    return found


def result_of(
    sql: str,
    rows: Iterable[Sequence[Value]],
    *,
    dialect: str = "sqlite",
    truncated: bool = False,
) -> QueryResult:
    """What a database would return: columns without an alias have their expression as name."""
    facts = query_facts(sql, dialect)
    names = [column.name if column.name not in ("", "*") else "COUNT(*)" for column in facts.columns]
    cut: Literal["rows", ""] = "rows" if truncated else ""
    cells = tuple(tuple(None if value == "NULL" else value for value in row) for row in rows)
    columns = tuple(ResultColumn(name, "") for name in names)
    return QueryResult(columns, cells, cut, partial=may_omit_groups(sql), facts=facts)


def result_of_case(case: Mapping[str, Any]) -> QueryResult:
    return result_of(
        case["sql"],
        case["rows"],
        dialect=case.get("dialect", "sqlite"),
        truncated=case.get("truncated", False),
    )
