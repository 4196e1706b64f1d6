"""Cancellation: by a thread, by a stream left early, by a cancelled task; seen from the server's side."""

import asyncio
import threading
import time
from contextlib import suppress

import pytest

from contract.engine_databases import EMULATED, ENDLESS_ROWS, FOREVER, EngineDatabase
from text2sql.database import AsyncDatabase, Cancellation, Database
from text2sql.errors import QueryCancelled
from text2sql.types import Limits


def wait_until_idle(engine_db: EngineDatabase) -> None:
    """Only a server has a side to look from; elsewhere the call's own end is the proof."""
    if "server" in engine_db.facts.gaps:
        return
    until = time.monotonic() + 2
    while engine_db.running() and time.monotonic() < until:
        time.sleep(0.05)
    assert engine_db.running() == 0


def test_another_thread_stops_a_query(db: Database, engine_db: EngineDatabase) -> None:
    cancel = Cancellation()
    threading.Timer(0.3, cancel.cancel).start()
    began = time.monotonic()
    with pytest.raises(QueryCancelled):
        db.run(engine_db.checked(FOREVER), cancel=cancel)
    assert time.monotonic() - began < 2.5
    wait_until_idle(engine_db)


def test_a_query_cancelled_before_it_began_does_not_run(db: Database, engine_db: EngineDatabase) -> None:
    cancel = Cancellation()
    cancel.cancel()
    with pytest.raises(QueryCancelled):
        db.run(engine_db.checked("SELECT 1 AS a"), cancel=cancel)


@pytest.mark.needs("streams")
def test_a_stream_left_early_stops_on_the_server(db: Database, engine_db: EngineDatabase) -> None:
    began = time.monotonic()
    with db.stream(engine_db.checked(ENDLESS_ROWS), Limits(rows=10**9, bytes=10**12)) as stream:
        first = next(iter(stream))
    assert len(first) > 0
    assert time.monotonic() - began < 2
    wait_until_idle(engine_db)
    assert db.run(engine_db.checked("SELECT 1 AS a")).rows == ((1,),)


@pytest.mark.slow
def test_a_late_cancel_never_hits_the_next_query(db: Database, engine_db: EngineDatabase) -> None:
    for _ in range(20 if engine_db.dialect in EMULATED else 100):  # an emulator takes its time
        cancel = Cancellation()
        late = threading.Timer(0.001, cancel.cancel)
        late.start()
        with suppress(QueryCancelled):  # where it came in time
            db.run(engine_db.checked("SELECT 1 AS a"), cancel=cancel)
        assert db.run(engine_db.checked("SELECT count(*) FROM customers")).rows == ((3,),)
        late.join()


@pytest.mark.fault("D07")
def test_a_cancelled_task_stops_its_query_and_waits_for_the_end(
    db: Database, engine_db: EngineDatabase
) -> None:
    async def scenario() -> float:
        task = asyncio.create_task(AsyncDatabase(db).run(engine_db.checked(FOREVER)))
        await asyncio.sleep(0.3)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    assert asyncio.run(scenario()) < 2.2
    wait_until_idle(engine_db)


@pytest.mark.needs("streams")
def test_an_asynchronous_stream_left_early_stops(db: Database, engine_db: EngineDatabase) -> None:
    async def scenario() -> int:
        limits = Limits(rows=10**9, bytes=10**12)
        async with AsyncDatabase(db).stream(engine_db.checked(ENDLESS_ROWS), limits) as stream:
            async for batch in stream:
                return len(batch)
        return 0

    assert asyncio.run(scenario()) > 0
    wait_until_idle(engine_db)


def test_tasks_share_one_database(db: Database, engine_db: EngineDatabase) -> None:
    async def scenario() -> list[object]:
        twin = AsyncDatabase(db)
        queries = [twin.run(engine_db.checked(f"SELECT {number} AS a")) for number in range(40)]
        return [result.rows for result in await asyncio.gather(*queries)]

    assert asyncio.run(scenario()) == [((number,),) for number in range(40)]


def test_the_asynchronous_twin_has_the_same_verbs(db: Database, engine_db: EngineDatabase) -> None:
    async def scenario() -> None:
        twin = AsyncDatabase(db)
        await twin.ping()
        assert (await twin.catalog()).fingerprint == db.catalog().fingerprint
        assert (await twin.explain(engine_db.checked("SELECT * FROM customers"))).text

    asyncio.run(scenario())
