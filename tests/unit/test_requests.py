"""The pool and requests with scripted sessions: no engine, no timing by chance."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from text2sql.config import Settings
from text2sql.database import Cancellation, Database
from text2sql.database.engine import RawResult, WritingSession
from text2sql.database.pool import Pool
from text2sql.errors import (
    ConnectionFailed,
    DatabaseError,
    PoolExhausted,
    QueryCancelled,
    QueryTimeout,
)
from text2sql.types import Catalog, CheckedSql, Limits, Plan, Policy, ResultColumn

QUERY = CheckedSql("SELECT 1", "sqlite")


class Scripted:
    """A session that answers one row, until a test says otherwise."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.closed = False
        self.cancelled = threading.Event()
        self.alive = True
        self.resets = 0
        self.slow = False
        self.reset_fails = False

    def begin(self, seconds: float) -> None:
        if not self.alive:
            raise OSError("gone")

    def restrict(self, readable: Policy | None) -> None:
        pass

    def execute(self, sql: str, rows: int) -> RawResult:
        if self.slow:
            self.cancelled.wait(10)
            raise InterruptedError
        return RawResult((ResultColumn("n", "int"),), self._rows())

    def _rows(self) -> Iterator[list[tuple[Any, ...]]]:
        yield [(self.number,)]

    def explain(self, sql: str) -> Plan:
        return Plan("")

    def catalog(self, samples: int) -> Catalog:
        return Catalog("sqlite", "main", (), "")

    def cancel(self) -> None:
        assert not self.closed
        self.cancelled.set()

    def reset(self) -> None:
        self.resets += 1
        if self.reset_fails:
            raise RuntimeError("not clean")

    def close(self) -> None:
        self.closed = True


class ScriptedEngine:
    dialect = "sqlite"

    def __init__(self, change: Callable[[Scripted], None] = lambda _: None) -> None:
        self.sessions: list[Scripted] = []
        self._change = change

    def connect(self) -> Scripted:
        session = Scripted(len(self.sessions))
        self._change(session)
        self.sessions.append(session)
        return session

    def connect_writing(self) -> WritingSession:
        raise NotImplementedError("nothing is written here")

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return (
            ConnectionFailed("gone", code="x")
            if isinstance(error, OSError) and str(error) == "gone"
            else None
        )

    def close(self) -> None:
        pass


def make(engine: ScriptedEngine, **settings: Any) -> Database:
    return Database(engine, Settings(**settings))


def test_a_session_is_used_again_after_a_reset() -> None:
    engine = ScriptedEngine()
    db = make(engine)
    assert [db.run(QUERY).rows for _ in range(3)] == [((0,),)] * 3
    assert engine.sessions[0].resets == 3


def test_a_session_that_fails_its_reset_is_closed() -> None:
    def spoil(session: Scripted) -> None:
        session.reset_fails = True

    engine = ScriptedEngine(spoil)
    db = make(engine)
    assert [db.run(QUERY).rows for _ in range(2)] == [((0,),), ((1,),)]
    assert engine.sessions[0].closed


def test_the_last_session_given_back_is_the_first_taken() -> None:
    engine = ScriptedEngine()
    pool = Pool(engine.connect, size=3, overflow=0, wait=1, recycle=100)
    leases = [pool.take() for _ in range(3)]
    for lease in leases:
        pool.give_back(lease)
    assert pool.take() is leases[-1]


def test_overflow_sessions_are_closed_when_they_come_back() -> None:
    engine = ScriptedEngine()
    pool = Pool(engine.connect, size=1, overflow=2, wait=0.05, recycle=100)
    leases = [pool.take() for _ in range(3)]
    with pytest.raises(PoolExhausted) as caught:
        pool.take()
    assert caught.value.facts["size"] == 3
    for lease in leases:
        pool.give_back(lease)
    assert [session.closed for session in engine.sessions] == [False, True, True]
    assert pool.open_count == 1


def test_an_old_session_is_replaced() -> None:
    engine = ScriptedEngine()
    db = make(engine, pool_recycle=0.05)
    db.run(QUERY)
    time.sleep(0.06)
    assert db.run(QUERY).rows == ((1,),)
    assert engine.sessions[0].closed


def test_a_waiting_caller_gets_the_session_that_comes_back() -> None:
    engine = ScriptedEngine()
    pool = Pool(engine.connect, size=1, overflow=0, wait=5, recycle=100)
    lease = pool.take()
    threading.Timer(0.05, pool.give_back, (lease,)).start()
    assert pool.take() is lease


def test_a_failed_connect_releases_its_slot() -> None:
    def refuse(_: Scripted) -> None:
        raise ConnectionFailed("refused")

    pool = Pool(ScriptedEngine(refuse).connect, size=1, overflow=0, wait=0.05, recycle=100)
    for _ in range(3):
        with pytest.raises(ConnectionFailed):
            pool.take()
    assert pool.open_count == 0


def test_a_lost_connection_is_replaced_once_and_its_peers_are_dropped() -> None:
    engine = ScriptedEngine()
    db = make(engine)
    streams = [db.stream(QUERY) for _ in range(3)]
    for stream in streams:
        stream.close()
    for session in engine.sessions:
        session.alive = False  # the server was restarted
    assert db.run(QUERY).rows == ((3,),)
    assert [session.closed for session in engine.sessions] == [True, True, True, False]


def test_a_server_that_stays_away_is_tried_twice_and_reported() -> None:
    def spoil(session: Scripted) -> None:
        session.alive = False

    engine = ScriptedEngine(spoil)
    with pytest.raises(ConnectionFailed):
        make(engine).run(QUERY)
    assert len(engine.sessions) == 2
    assert all(session.closed for session in engine.sessions)


def test_a_session_that_was_cancelled_is_never_used_again() -> None:
    def slow(session: Scripted) -> None:
        session.slow = session.number == 0

    engine = ScriptedEngine(slow)
    db = make(engine)
    with pytest.raises(QueryTimeout) as caught:
        db.run(QUERY, Limits(seconds=0.05))
    assert caught.value.facts["seconds"] == 0.05
    assert engine.sessions[0].closed
    assert db.run(QUERY).rows == ((1,),)


def test_a_reply_after_the_limit_is_a_timeout() -> None:
    class Late(Scripted):
        def execute(self, sql: str, rows: int) -> RawResult:
            time.sleep(0.06)
            return super().execute(sql, rows)

    engine = ScriptedEngine()
    engine.connect = lambda: Late(0)  # type: ignore[method-assign]
    with pytest.raises(QueryTimeout):
        make(engine).run(QUERY, Limits(seconds=0.05))


def test_a_cancel_that_was_too_early_is_repeated() -> None:
    class Deaf(Scripted):
        heard = 0

        def cancel(self) -> None:
            self.heard += 1
            if self.heard > 2:
                super().cancel()

    engine = ScriptedEngine()
    session = Deaf(0)
    session.slow = True
    engine.connect = lambda: session  # type: ignore[method-assign]
    cancel = Cancellation()
    threading.Timer(0.05, cancel.cancel).start()
    with pytest.raises(QueryCancelled):
        make(engine).run(QUERY, cancel=cancel)
    assert session.heard == 3


def test_a_cancel_after_the_end_does_nothing() -> None:
    engine = ScriptedEngine()
    cancel = Cancellation()
    db = make(engine)
    db.run(QUERY, cancel=cancel)
    cancel.cancel()
    assert not engine.sessions[0].cancelled.wait(0.1)
    assert db.run(QUERY).rows == ((0,),)


def test_an_error_that_is_not_the_drivers_passes_and_costs_the_session() -> None:
    class Faulty(Scripted):
        def execute(self, sql: str, rows: int) -> RawResult:
            raise KeyError("ours")

    engine = ScriptedEngine()
    session = Faulty(0)
    engine.connect = lambda: session  # type: ignore[method-assign]
    with pytest.raises(KeyError):
        make(engine).run(QUERY)
    assert session.closed


def test_a_closed_database_closes_returned_sessions_and_lends_none() -> None:
    engine = ScriptedEngine()
    db = make(engine)
    stream = db.stream(QUERY)
    db.close()
    stream.close()
    assert engine.sessions[0].closed
    with pytest.raises(RuntimeError, match="closed"):
        db.run(QUERY)
