"""A question that waits for the embedded model reports its place in the queue, and fails only at its own
limit.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from agents.asking import EMBEDDED, app
from text2sql.llm import ScriptedBackend
from text2sql.types import Answer, Event, Finished, ModelRequest, Queued, Reply


class BusyBackend(ScriptedBackend):
    """Serves other requests first, for the given number of seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__([], last="SELECT name FROM customers", profile=EMBEDDED)
        self._seconds = seconds

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Queued | Reply]:  # type: ignore[override]
        for ahead in (2, 1):
            yield Queued(ahead)
            await asyncio.sleep(self._seconds / 2)
        yield Queued(0)
        async for piece in super().stream(request):
            yield piece


async def events(shop: Path, waits: float, seconds: float) -> list[Event]:
    async with app(shop, BusyBackend(waits), model_timeout=0.5, question_time=seconds) as db:
        return [event async for event in db.stream("Names of the customers")]


def answer_of(events_seen: list[Event]) -> Answer:
    assert isinstance(events_seen[-1], Finished)
    return events_seen[-1].answer


def test_waiting_longer_than_the_models_time_out_is_no_failure(shop: Path) -> None:
    queued_events = asyncio.run(events(shop, waits=1.5, seconds=60.0))
    assert [event.ahead for event in queued_events if isinstance(event, Queued)] == [2, 1, 0]
    assert answer_of(queued_events).status == "answered"


def test_waiting_ends_at_the_questions_own_limit(shop: Path) -> None:
    answer = answer_of(asyncio.run(events(shop, waits=60.0, seconds=3.0)))
    assert answer.error is not None
    assert (answer.status, answer.error.kind) == ("failed", "timeout")
