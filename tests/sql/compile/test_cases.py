"""Analytic queries against hand-written references, on every engine.

A case is in `cases/*.toml`: a query in the notation of `notation.py`, and a reference in SQL for SQLite. The
rows must be equal on all engines, numbers with a relative error of 1e-9, in order where the reference has an
ORDER BY. `profile = true` gives the compiler the profile, so that it fills gaps.
"""

import math
import tomllib
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sql.compile import notation, star
from sql.compile.conftest import StarDatabase
from text2sql.sql import check, compile_query
from text2sql.sql.dialects import GRAMMARS
from text2sql.types import CheckedSql, CompiledQuery, Row, Value

TODAY = date(2025, 7, 21)
CASES = [
    pytest.param(case, id=f"{path.stem}: {case['name']}")
    for path in sorted(Path(__file__).parent.glob("cases/*.toml"))
    for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
]


def compiled(case: dict[str, Any], dialect: str) -> CompiledQuery:
    profile = star.profile(dialect) if case.get("profile") else None
    options = {"week_start": case["week_start"]} if "week_start" in case else {}
    query = star.spelled(notation.query(case["query"]), dialect)
    return compile_query(query, star.model(dialect), profile, TODAY, star.catalog(dialect), **options)


def checked(sql: str, dialect: str) -> CheckedSql:
    result = check(sql, dialect, star.catalog(dialect), rows=5_000)
    assert isinstance(result, CheckedSql), f"{result}\n{sql}"
    return result


def rows_of(star_db: StarDatabase, sql: str) -> Sequence[Row]:
    try:
        return star_db.database.run(checked(sql, star_db.dialect)).rows
    except Exception as error:
        error.add_note(sql)
        raise


@pytest.mark.parametrize("case", CASES)
def test_a_query_gives_the_rows_of_its_reference(
    case: dict[str, Any], star_db: StarDatabase, sqlite_star: StarDatabase
) -> None:
    reference = case["sql"]
    expected = list(rows_of(sqlite_star, reference))
    result = compiled(case, star_db.dialect)
    found = list(rows_of(star_db, result.sql))
    if "ORDER BY" not in reference.rpartition(")")[2]:
        expected, found = sorted(expected, key=sort_key), sorted(found, key=sort_key)
    assert len(found) == len(expected), (found, expected, result.sql)
    for row, wanted in zip(found, expected, strict=True):
        assert len(row) == len(wanted) == len(result.columns), (row, wanted, result.columns)
        assert all(map(equal, row, wanted)), (found, expected, result.sql)


def equal(value: Value, wanted: Value) -> bool:
    if value is None or wanted is None:
        return value is wanted
    if isinstance(wanted, (int, float)):
        return math.isclose(float(str(value)), wanted, rel_tol=1e-9, abs_tol=1e-9)
    return value == wanted


def sort_key(row: Row) -> list[tuple[int, str]]:
    """Numbers may be texts on one engine and integers on another."""
    keys = []
    for value in row:
        try:
            keys.append((1, f"{float(str(value)):020.6f}"))
        except ValueError:
            keys.append((2 if value is None else 0, str(value)))
    return keys


@pytest.mark.parametrize("dialect", sorted(GRAMMARS))
@pytest.mark.parametrize("case", CASES)
def test_the_text_passes_the_guard_in_every_dialect(case: dict[str, Any], dialect: str) -> None:
    result = compiled(case, dialect)
    checked(result.sql, dialect)
    assert len({column.name.lower() for column in result.columns}) == len(result.columns)
