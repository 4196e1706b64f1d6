"""The training data of the adapter (`benchmarks/tuning/`) is correct."""

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from text2sql.sql import check
from text2sql.types import CheckedSql

TUNING = Path(__file__).parents[2] / "benchmarks" / "tuning"
FILES = sorted(TUNING.glob("*.json"))
OF_SPIDER = sorted(TUNING.glob("of_spider*/*.json"))  # about databases that are not in this repository
DATABASES = Path(__file__).parents[3] / "shared" / "bench" / "spider-train-600" / "databases"
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_query_passes_the_guard_and_finds_rows(file: Path) -> None:
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    connection = sqlite3.connect(":memory:")
    for statement in content["ddl"] + content["rows"]:
        connection.execute(statement)
    for pair in content["pairs"]:
        assert isinstance(check(pair["sql"], "sqlite"), CheckedSql), pair["sql"]
        assert connection.execute(pair["sql"]).fetchall(), pair["sql"]
    connection.close()


@pytest.mark.parametrize("file", OF_SPIDER, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_every_query_about_another_database_passes_the_guard_and_runs_there(file: Path) -> None:
    queries = [pair["sql"] for pair in json.loads(file.read_text(encoding="utf-8"))]
    for sql in queries:
        assert isinstance(check(sql, "sqlite"), CheckedSql), sql
    path = DATABASES / file.stem / f"{file.stem}.sqlite"
    if path.exists():
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        assert all(connection.execute(sql).fetchall() for sql in queries)
        connection.close()


@pytest.mark.parametrize("file", [*FILES, *OF_SPIDER], ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_every_question_is_asked_once_in_each_language(file: Path) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    pairs = content["pairs"] if file in FILES else content
    assert len(pairs) == len({pair["en"] for pair in pairs}) == len({pair["zh"] for pair in pairs}) > 10
    assert [pair["zh"] for pair in pairs if not CHINESE.search(pair["zh"])] == []
    assert [pair["en"] for pair in pairs if CHINESE.search(pair["en"])] == []


def test_there_are_enough_tuning_pairs() -> None:
    assert (len(FILES), len(OF_SPIDER)) == (53, 192)


def test_no_question_of_one_course_is_asked_again_in_the_other() -> None:
    for file in (TUNING / "of_spider_2").glob("*.json"):
        earlier = TUNING / "of_spider" / file.name
        both = [json.loads(path.read_text(encoding="utf-8")) for path in (file, earlier) if path.exists()]
        assert not set.intersection(*({pair["en"] for pair in pairs} for pairs in both)) or len(both) == 1
