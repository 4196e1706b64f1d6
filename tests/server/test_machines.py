"""Three servers on one PostgreSQL behind nginx: one is killed, then PostgreSQL goes down and comes back."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from drills import QUESTIONS, judge, kill, restart
from faults.conftest import or_missing
from fleet import Fleet, fleet

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def other_server() -> Iterator[Fleet]:
    with or_missing(), fleet(IMPATIENT="1") as server:
        yield server


def test_a_stream_is_resumed_through_the_load_balancer_on_any_server(other_server: Fleet) -> None:
    async def scenario() -> list[Any]:
        seen: list[Any] = []
        body = {"question": "How many customers are there, asked slowly?"}
        async with other_server.client("bob") as bob:
            for _ in range(3):
                async with bob.stream("POST", "/api/v1/query", json=body) as response:
                    lines = response.aiter_lines()
                    first = [await anext(lines) for _ in range(3)]  # before the first token of the model
                stream = first[0].removeprefix("id: ").rpartition("-")[0]
                again = await bob.get(f"/api/v1/query/{stream}")
                seen.append((first[1], again.status_code, "event: finished" in again.text))
            unknown = await bob.get(f"/api/v1/query/{'0' * 32}")
        return [*seen, unknown.status_code]

    assert asyncio.run(scenario()) == [("event: started", 200, True)] * 3 + [503]


def test_another_server_continues_an_evaluation_of_a_killed_server_without_repeating_questions(
    other_server: Fleet,
) -> None:
    result = asyncio.run(judge(other_server))
    assert (result["of those asked again"], result["right"]) == (0, QUESTIONS)
    assert result["questions in the result"] == QUESTIONS
    assert QUESTIONS // 4 <= result["judged before"] < QUESTIONS


def test_a_killed_server_loses_no_answer_no_thread_and_no_report(other_server: Fleet) -> None:
    result = asyncio.run(kill(other_server))
    assert (result["answers lost"], result["not resumed"]) == ([], [])
    assert result["of those in the report"] == result["outcomes kept before"] >= QUESTIONS // 4
    assert result["values in the reports"] == [QUESTIONS, QUESTIONS]
    assert result["questions taken over"] == QUESTIONS


def test_a_restarted_postgresql_loses_no_answer_no_thread_and_no_report(other_server: Fleet) -> None:
    result = asyncio.run(restart(other_server))
    assert (result["answers lost"], result["not resumed"]) == ([], [])
    assert result["after the restart"] > 0
    assert result["values in the report"] == QUESTIONS
