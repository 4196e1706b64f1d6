"""Connections: shared by threads, replaced when they are lost."""

import threading

import pytest

from contract.places import FOREVER, Place
from text2sql.config import Settings
from text2sql.database import Cancellation, Database, open_database
from text2sql.errors import PoolExhausted, QueryCancelled


def test_many_threads_share_one_database(db: Database, place: Place) -> None:
    wrong: list[object] = []

    def ask(number: int) -> None:
        for _ in range(10):
            rows = db.run(place.checked(f"SELECT {number} AS a, count(*) AS n FROM customers")).rows
            if rows != ((number, 3),):
                wrong.append(rows)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_full_pool_says_so_after_its_waiting_time(place: Place) -> None:
    settings = Settings(pool_size=1, pool_overflow=1, pool_wait=0.2)
    with open_database(place.url, settings) as db:
        cancel = [Cancellation(), Cancellation()]

        def occupy(stop: Cancellation) -> None:
            with pytest.raises(QueryCancelled):
                db.run(place.checked(FOREVER), cancel=stop)

        threads = [threading.Thread(target=occupy, args=(stop,)) for stop in cancel]
        for thread in threads:
            thread.start()
        threading.Event().wait(0.4)
        with pytest.raises(PoolExhausted) as caught:
            db.run(place.checked("SELECT 1 AS a"))
        assert caught.value.facts["size"] == 2
        for stop in cancel:
            stop.cancel()
        for thread in threads:
            thread.join()
        assert db.run(place.checked("SELECT 1 AS a")).rows == ((1,),)


@pytest.mark.needs("server")
def test_a_lost_connection_is_replaced_without_an_error(db: Database, place: Place) -> None:
    for _ in range(3):
        assert db.run(place.checked("SELECT count(*) FROM customers")).rows == ((3,),)
        place.drop_connections()
        assert db.run(place.checked("SELECT count(*) FROM customers")).rows == ((3,),)


@pytest.mark.needs("server")
def test_losing_all_idle_connections_fails_no_request(db: Database, place: Place) -> None:
    ready = threading.Barrier(5)

    def hold() -> None:
        with db.stream(place.checked("SELECT 1 AS a")):
            ready.wait(10)

    threads = [threading.Thread(target=hold) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    place.drop_connections()
    for _ in range(5):
        assert db.run(place.checked("SELECT 1 AS a")).rows == ((1,),)
