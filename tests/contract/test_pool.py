"""Connections: shared by threads, replaced when they are lost."""

import threading

import pytest

from contract.engine_databases import FOREVER, EngineDatabase
from text2sql.config import Settings
from text2sql.database import Cancellation, Database, open_database
from text2sql.errors import PoolExhausted, QueryCancelled


def test_many_threads_share_one_database(db: Database, engine_db: EngineDatabase) -> None:
    wrong: list[object] = []

    def ask(number: int) -> None:
        for _ in range(10):
            rows = db.run(engine_db.checked(f"SELECT {number} AS a, count(*) AS n FROM customers")).rows
            if rows != ((number, 3),):
                wrong.append(rows)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_full_pool_says_so_after_its_waiting_time(engine_db: EngineDatabase) -> None:
    settings = Settings(pool_size=1, pool_overflow=1, pool_wait=0.2)
    with open_database(engine_db.url, settings) as db:
        cancel = [Cancellation(), Cancellation()]

        def occupy(stop: Cancellation) -> None:
            with pytest.raises(QueryCancelled):
                db.run(engine_db.checked(FOREVER), cancel=stop)

        threads = [threading.Thread(target=occupy, args=(stop,)) for stop in cancel]
        for thread in threads:
            thread.start()
        threading.Event().wait(0.4)
        with pytest.raises(PoolExhausted) as caught:
            db.run(engine_db.checked("SELECT 1 AS a"))
        assert caught.value.facts["size"] == 2
        for stop in cancel:
            stop.cancel()
        for thread in threads:
            thread.join()
        assert db.run(engine_db.checked("SELECT 1 AS a")).rows == ((1,),)


@pytest.mark.needs("server")
def test_a_lost_connection_is_replaced_without_an_error(db: Database, engine_db: EngineDatabase) -> None:
    for _ in range(3):
        assert db.run(engine_db.checked("SELECT count(*) FROM customers")).rows == ((3,),)
        engine_db.drop_connections()
        assert db.run(engine_db.checked("SELECT count(*) FROM customers")).rows == ((3,),)


@pytest.mark.needs("server")
def test_losing_all_idle_connections_fails_no_request(db: Database, engine_db: EngineDatabase) -> None:
    ready = threading.Barrier(5)

    def hold() -> None:
        with db.stream(engine_db.checked("SELECT 1 AS a")):
            ready.wait(10)

    threads = [threading.Thread(target=hold) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine_db.drop_connections()
    for _ in range(5):
        assert db.run(engine_db.checked("SELECT 1 AS a")).rows == ((1,),)
