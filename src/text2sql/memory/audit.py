"""Who asked what, which SQL ran, how many rows came of it. Records are added, never changed and never
deleted: there is no statement for it here, and triggers in the store refuse anybody else's.

A question has three: `begun` before anything runs, `ran` with the query, `ended` with the outcome; one that
never ended was cut off with its process. `read` is an earlier answer's rows, told once more.
"""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from text2sql.memory import tables
from text2sql.memory.encoding import escaped
from text2sql.memory.kept import Seconds

_MOST = 60_000  # characters of a question or a statement


@dataclass(frozen=True, slots=True)
class Record:
    id: str  # the same in all records of a question
    event: str  # begun, ran, ended, read
    request: str
    user: str
    source: str
    thread: str = ""
    asked: str = ""  # the question, or which result was read and how
    sql: str = ""
    rows: int = 0
    status: str = ""
    at: Seconds = 0.0  # set when it is written

    def told(self) -> Mapping[str, object]:
        return asdict(self)


class Audit:
    def __init__(self, own: tables.Tables) -> None:
        self._tables = own

    async def write(self, record: Record) -> None:
        """Raises a `StoreError` where it cannot be written: then the answer must not be given either."""
        one = record
        texts = (one.request, one.user, one.source, one.thread, one.asked[:_MOST], one.sql[:_MOST])
        told = [escaped(text) for text in texts]
        await self._tables.change(tables.RECORD, time.time(), one.id, one.event, *told, one.rows, one.status)

    async def read(self, *, since: Seconds = 0.0, user: str = "", most: int = 100) -> list[Record]:
        """The newest first."""
        found = await self._tables.rows(tables.RECORDS, since, user, user, most)
        return [
            Record(named, event, request, who, source, thread, asked, sql, int(rows), status, at)
            for at, named, event, request, who, source, thread, asked, sql, rows, status in found
        ]
