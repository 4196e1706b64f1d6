"""What an adapter is trained on (`benchmarks/tuning/`) is right: a wrong lesson would be learned too."""

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from text2sql.sql import check
from text2sql.types import CheckedSql

FILES = sorted((Path(__file__).parents[2] / "benchmarks" / "tuning").glob("*.json"))
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_query_passes_the_guard_and_finds_rows(file: Path) -> None:
    told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    connection = sqlite3.connect(":memory:")
    for statement in told["ddl"] + told["rows"]:
        connection.execute(statement)
    for pair in told["pairs"]:
        assert isinstance(check(pair["sql"], "sqlite"), CheckedSql), pair["sql"]
        assert connection.execute(pair["sql"]).fetchall(), pair["sql"]
    connection.close()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_question_is_asked_once_in_each_language(file: Path) -> None:
    pairs = json.loads(file.read_text(encoding="utf-8"))["pairs"]
    assert len(pairs) == len({one["en"] for one in pairs}) == len({one["zh"] for one in pairs}) == 24
    assert [one["zh"] for one in pairs if not CHINESE.search(one["zh"])] == []
    assert [one["en"] for one in pairs if CHINESE.search(one["en"])] == []


def test_there_is_something_to_learn() -> None:
    assert len(FILES) == 53
