"""The audit log: who asked what, which SQL ran, how many rows it returned. Records are never changed or
deleted: there is no statement for that here, and triggers in the database reject it.

A question has three records: `begun` before anything runs, `ran` with the query, `ended` with the outcome. If
`ended` is missing, the process died. `read` means that the rows of an earlier answer were returned again.
"""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from text2sql.memory import tables
from text2sql.memory.encoding import escape_text
from text2sql.memory.records import Seconds

_MAX_CHARACTERS = 60_000  # of a question or a statement


@dataclass(frozen=True, slots=True)
class Record:
    """One audit record."""

    id: str  # the same in all records of a question
    event: str  # begun, ran, ended, read
    request: str
    user: str
    source: str
    thread: str = ""
    asked: str = ""  # the question, or the result that was read and how
    sql: str = ""
    rows: int = 0
    status: str = ""
    at: Seconds = 0.0  # set when it is written

    def to_dict(self) -> Mapping[str, object]:
        return asdict(self)


class Audit:
    """Writes and reads audit records."""

    def __init__(self, storage: tables.Tables) -> None:
        self._tables = storage

    async def write(self, record: Record) -> None:
        """Raises a `StoreError` if the record cannot be written: then the answer must not be
        returned either.
        """
        question, sql = record.asked[:_MAX_CHARACTERS], record.sql[:_MAX_CHARACTERS]
        texts = (record.request, record.user, record.source, record.thread, question, sql)
        escaped = [escape_text(text) for text in texts]
        await self._tables.change(
            tables.ADD_RECORD, time.time(), record.id, record.event, *escaped, record.rows, record.status
        )

    async def read(self, *, since: Seconds = 0.0, user: str = "", most: int = 100) -> list[Record]:
        """Newest first."""
        rows = await self._tables.rows(tables.RECORDS, since, user, user, most)
        return [
            Record(record_id, event, request, person, source, thread, asked, sql, int(rows), status, at)
            for at, record_id, event, request, person, source, thread, asked, sql, rows, status in rows
        ]
