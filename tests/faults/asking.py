"""Helpers of the fault tests: run queries, an administrator's view of the server, the process's memory."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
import pymysql

from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.types import CheckedSql, Limits, Row

SLOW = {"postgres": "SELECT pg_sleep(30)", "mysql": "SELECT SLEEP(30)"}
_RUNNING = {
    "postgres": "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE info IS NOT NULL"
    " AND id <> connection_id()",
}


def dialect_of(url: str) -> str:
    return "postgres" if url.startswith("postgres") else "mysql"


def opened(url: str, **settings: Any) -> Database:
    return open_database(url, Settings(**{"time_limit": 10.0, "connect_timeout": 3.0, **settings}))


def ask(database: Database, sql: str, **limits: Any) -> tuple[Row, ...]:
    row_limits = Limits(**limits) if limits else None
    return database.run(CheckedSql(sql, database.dialect), row_limits).rows


def admin(url: str, sql: str) -> list[tuple[Any, ...]]:
    """Run one statement with all privileges, on a separate connection."""
    if dialect_of(url) == "postgres":
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []
    with mysql_admin(url) as run:
        return run(sql)


@contextmanager
def mysql_admin(url: str) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    parts = urlsplit(url)
    connection = pymysql.connect(
        host=parts.hostname or "",
        port=parts.port or 3306,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=parts.path.strip("/") or None,
        autocommit=True,
    )

    def run(sql: str) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    try:
        yield run
    finally:
        connection.close()


def running(url: str) -> int:
    """The number of statements that the server is running, as reported by the server."""
    return int(admin(url, _RUNNING[dialect_of(url)])[0][0])


def idle_within(url: str, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while running(url):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def kill_sessions(url: str) -> None:
    """Kill sessions as an administrator or a firewall would."""
    if dialect_of(url) == "postgres":
        admin(
            url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'",
        )
        return
    with mysql_admin(url) as run:
        query = "SELECT id FROM information_schema.processlist WHERE id <> connection_id() AND user = 'root'"
        for (number,) in run(query):
            run(f"KILL CONNECTION {number}")


def through(url: str, port: int) -> str:
    """The same server through a proxy."""
    parts = urlsplit(url)
    account = parts.netloc.rpartition("@")[0]
    return parts._replace(netloc=f"{account}@127.0.0.1:{port}").geturl()


def memory_mb() -> float:
    """Current memory of this process. Its peak may be from another test."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6
