"""Jobs that survive their process: a report, for example, that one process starts and another one completes.

A process that takes a job claims it and renews the claim regularly. The job of a process that died can be
taken by another, which finds the saved parts and continues. Only the current holder can report the outcome; a
process that lost its claim gets `JobLost` and stops.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from text2sql.errors import StoreError
from text2sql.memory import tables
from text2sql.memory.encoding import label
from text2sql.memory.records import Seconds
from text2sql.memory.thread_lock import is_dead_holder, new_holder_id

log = logging.getLogger(__name__)

CLAIM_SECONDS = 20.0  # lifetime of a claim without renewal; machines' clocks must differ by less
_RENEW_SECONDS = 5.0  # between two renewals


class JobLost(Exception):
    """Another process has the job now, or it was deleted: its work is no longer needed."""


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job."""

    id: str
    owner: str
    created: Seconds
    payload: str  # the job's input, in its creator's format
    state: str  # running, done, failed
    output: str  # progress or result
    tries: int = 0  # number of claims


def job_owner(user: str, kind: str = "report") -> str:
    """The owner of a user's jobs of one kind: a refresh does not displace a report. A schedule's owner begins
    with a slash, which no user's owner contains.
    """
    return label(user) if kind == "report" else f"{label(user)}/{kind}"


class JobTable:
    """The table of jobs."""

    def __init__(self, storage: tables.Tables) -> None:
        self._tables = storage

    async def add(self, name: str, owner: str, payload: str) -> bool:
        """Return False if a job of that name exists."""
        return await self._tables.change(tables.ADD_JOB, name, owner, time.time(), payload) == 1

    async def find(self, name: str, owner: str = "") -> StoredJob | None:
        """Another owner's job is None, like a missing one."""
        rows = await self._tables.rows(tables.JOB, label(name))
        job = StoredJob(*rows[0]) if rows else None
        return job if job and owner in ("", job.owner) else None

    async def unfinished(self, owner: str = "") -> list[str]:
        """The names of unfinished jobs, of one owner or of all, oldest first."""
        return [name for (name,) in await self._tables.rows(tables.UNFINISHED_JOBS, owner, owner)]

    async def parts(self, name: str, kind: str) -> Mapping[str, str]:
        """The parts whose names begin with the kind, without that prefix."""
        rows = await self._tables.rows(tables.PARTS, name, f"{kind}:%")
        return {str(part).partition(":")[2]: value for part, value in rows}

    async def part(self, name: str, kind: str, which: str) -> str | None:
        rows = await self._tables.rows(tables.PARTS, name, f"{kind}:{which}")
        return str(rows[0][1]) if rows else None

    async def delete(self, name: str) -> None:
        """Delete a job. Its holder notices at its next renewal."""
        await self._tables.change(tables.DELETE_JOB, name)
        await self._tables.change(tables.DELETE_PARTS, name)

    async def trim(self, owner: str, most: int) -> None:
        """Delete all but the last `most` completed jobs."""
        for (name,) in (await self._tables.rows(tables.ENDED_JOBS, owner))[most:]:
            await self.delete(name)

    async def sweep(self, before: Seconds) -> None:
        try:
            for (name,) in await self._tables.rows(tables.OLD_JOBS, before):
                await self.delete(name)
        except StoreError as error:  # as with results: on a full disk even deleting fails
            log.warning("old jobs were not deleted: %s", error)

    @asynccontextmanager
    async def claim(self, name: str) -> AsyncIterator["ClaimedJob | None"]:
        """Claim a job. None if it is completed, deleted, or claimed by another process."""
        task = asyncio.current_task()
        claim = ClaimedJob(self._tables, name, new_holder_id(), task)
        if not await claim.take():
            for (holder_id,) in await self._tables.rows(tables.JOB_HOLDER, name):
                if is_dead_holder(str(holder_id)):
                    await self._tables.change(tables.RENEW_JOB, 0.0, name, holder_id)
            if not await claim.take():
                yield None
                return
        renewing = asyncio.create_task(_renew(claim))
        try:
            yield claim
        except asyncio.CancelledError:
            if claim.lost and task is not None and not task.uncancel():
                raise JobLost from None
            raise
        finally:
            renewing.cancel()
            with suppress(StoreError):  # an unfinished job is free at once, or when the claim expires
                await asyncio.shield(claim.release())


class ClaimedJob:
    """A job that this process has claimed. Every method raises `JobLost` after the claim is lost."""

    def __init__(
        self, storage: tables.Tables, name: str, holder_id: str, task: "asyncio.Task[object] | None"
    ) -> None:
        self._tables = storage
        self.name = name
        self._holder_id = holder_id
        self._task = task
        self.lost = False

    async def take(self) -> bool:
        now = time.time()
        values = self._holder_id, now + CLAIM_SECONDS, self.name, now
        return await self._tables.change(tables.CLAIM_JOB, *values) == 1

    async def release(self) -> None:
        await self._tables.change(tables.RENEW_JOB, 0.0, self.name, self._holder_id)

    def give_up(self) -> None:
        """Cancel the task that works on the job."""
        if not self.lost and self._task is not None:
            self._task.cancel()
        self.lost = True

    async def renew(self) -> None:
        await self._change_claimed(tables.RENEW_JOB, time.time() + CLAIM_SECONDS)

    async def report(self, progress: str) -> None:
        await self._change_claimed(tables.REPORT_JOB, progress, time.time() + CLAIM_SECONDS)

    async def save_part(self, kind: str, name: str, value: str) -> None:
        await self.renew()
        await self._tables.change(tables.SAVE_PART, self.name, f"{kind}:{name}", value)

    async def end(self, state: str, output: str) -> None:
        await self._change_claimed(tables.END_JOB, state, output)

    async def _change_claimed(self, sql: str, *values: tables.Cell) -> None:
        if await self._tables.change(sql, *values, self.name, self._holder_id) != 1:
            raise JobLost


async def _renew(claim: ClaimedJob) -> None:
    while True:
        await asyncio.sleep(_RENEW_SECONDS)
        try:
            await claim.renew()
        except StoreError as error:
            log.warning("the claim of a job was not renewed: %s", error)
        except JobLost:
            claim.give_up()
            return
