"""A schema that a slow model has not read is read as far as questions need it."""

import asyncio
from pathlib import Path

import pytest

from agents.asking import app, make_shop, scripted
from text2sql.types import Answer, ModelRequest

NAMES = "planet comet rocket engine pilot fuel launch crater telescope antenna painter violin orchard".split()


@pytest.fixture
def sky(tmp_path: Path) -> Path:
    columns = "id INTEGER PRIMARY KEY, title TEXT, weight REAL, height REAL, founded DATE, remark TEXT"
    return make_shop(tmp_path / "sky.db", "".join(f"CREATE TABLE {name} ({columns});" for name in NAMES))


def shown(request: ModelRequest) -> list[str]:
    """The tables of a prompt, in its order."""
    return [line.split()[2] for line in request.messages[0].content.splitlines() if line.startswith("CREATE")]


async def asked(
    path: Path, *questions: str, lines: tuple[str, ...] = (), at_once: bool = False, warm: bool = False
) -> tuple[list[ModelRequest], list[Answer]]:
    backend = scripted(lines, last="SELECT count(*) FROM comet", reads_at_once=at_once)
    async with app(path, backend) as db:
        if warm:
            await db.warm()
        answers = [await db.ask(one) for one in questions]
    return backend.requests, answers


def test_the_first_question_reads_the_tables_it_is_about(sky: Path) -> None:
    (request,), (answer,) = asyncio.run(asked(sky, "How many comets are there?"))
    assert answer.status == "answered"
    assert "comet" in shown(request)
    assert len(shown(request)) < len(NAMES) / 2


def test_a_later_question_reads_only_what_is_new_behind_what_was_read(sky: Path) -> None:
    questions = ("How many comets are there?", "How many violins are there?", "How heavy is a comet?")
    (first, second, third), _ = asyncio.run(asked(sky, *questions))
    assert shown(second)[: len(shown(first))] == shown(first)
    assert "violin" in shown(second)
    assert shown(third)[: len(shown(second))] == shown(second)


@pytest.mark.parametrize("how", ["warm", "at_once"])
def test_a_model_that_has_read_the_schema_or_reads_at_once_sees_all_of_it(sky: Path, how: str) -> None:
    (request,), _ = asyncio.run(
        asked(sky, "How many comets are there?", at_once=how == "at_once", warm=how == "warm")
    )
    assert sorted(shown(request)) == sorted(NAMES)


def test_a_column_that_is_not_there_makes_it_read_the_rest(sky: Path) -> None:
    lines = ("SELECT wingspan FROM comet", "SELECT count(*) FROM comet")
    (first, second), (answer,) = asyncio.run(asked(sky, "How many comets are there?", lines=lines))
    assert len(shown(first)) < len(NAMES)
    assert sorted(shown(second)) == sorted(NAMES)
    assert answer.status == "answered"
