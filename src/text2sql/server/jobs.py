"""Background jobs, stored in the server's memory; any process can run one or report its state.

On PostgreSQL with `text2sql-kit[queue]` a queue distributes jobs and takes them back from a process that
died. Otherwise the process that accepted a job runs it, and after a crash the next process that starts.
"""

import asyncio
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping
from datetime import datetime
from functools import partial
from hashlib import sha256
from secrets import token_hex
from typing import Any, ClassVar

from text2sql.errors import StoreError, StoreUnavailable, Text2SQLError, UsageError
from text2sql.i18n import Language
from text2sql.memory import ClaimedJob, JobLost, Memory, StoredJob, job_owner
from text2sql.reports.cron import Cron
from text2sql.reports.schedule import run_on_schedule
from text2sql.server.audit import ServerStore
from text2sql.server.identity import Authenticator, Identity, deserialize_identity, serialize_identity
from text2sql.server.problems import details, problem_of

log = logging.getLogger(__name__)

_MAX_UNFINISHED = 20  # jobs of one user and type
_MAX_ENDED_JOBS = 20  # finished jobs of one user and type
_MAX_TRIES = 10  # of one job: a job that crashes its process must not crash them all
_RETRY_SECONDS = 5.0  # between attempts, without a queue


class JobRunner:
    def __init__(self, server_store: ServerStore, authenticator: Authenticator, *, background: bool) -> None:
        """`background`: run queued jobs in this process; otherwise only enqueue them."""
        self._server_store = server_store
        self._authenticator = authenticator
        self._background = background
        self._types: dict[str, JobType] = {}
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.claimed: dict[str, ClaimedJob] = {}  # jobs that this process runs now

    def register(self, job_type: "JobType") -> None:
        self._types[job_type.name] = job_type
        self._slots[job_type.name] = asyncio.Semaphore(job_type.concurrency)

    async def memory(self) -> Memory:
        return await self._server_store.memory()

    async def authorize(self, payload: Mapping[str, Any]) -> Identity:
        """The user who submitted the job. Raises `UsageError` if their key has been revoked."""
        identity = deserialize_identity(payload["who"])
        if not await self._authenticator.is_still_valid(identity):
            raise UsageError("usage.not_welcome")
        return identity

    # -- running jobs ----------------------------------------------------------------------------

    def open(self) -> None:
        """Start the schedules, and resume unfinished jobs or consume the queue."""
        for job_type in self._types.values():
            for owner, cron, request in job_type.schedule():
                self._start_task(run_on_schedule(cron, partial(self.enqueue_due, job_type, owner, request)))
        if self._server_store.queue is None:
            self._start_task(self._resume_unfinished())
        elif self._background:
            concurrency_by_type = {name: job_type.concurrency for name, job_type in self._types.items()}
            self._start_task(self._server_store.queue.work(self.run, concurrency_by_type))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def enqueue(self, name: str, job_type: str) -> None:
        if self._server_store.queue is None:
            self._start_task(self._run_until_done(name))
        else:
            await self._server_store.queue.put(name, job_type)

    async def enqueue_due(
        self, job_type: "JobType", owner: str, request: Mapping[str, Any], due: datetime
    ) -> None:
        """Create a scheduled job unless the previous one of the same schedule is unfinished.

        Every process calls this; the name is derived from the due time, so the job is created once.
        """
        name = sha256(f"{owner}|{due.isoformat()}".encode()).hexdigest()
        try:
            job_store = (await self.memory()).jobs
            earlier = await job_store.unfinished(owner)
            if not earlier:
                payload = {"kind": job_type.name, **request, "due": due.isoformat()}
                await job_store.add(name, owner, json.dumps(payload))
            await self.enqueue(next(iter(earlier), name), job_type.name)
        except StoreError as error:
            log.warning("a scheduled %s could not be enqueued: %s", job_type.name, error)

    async def run(self, name: str) -> bool:
        """Run a job. True once it has ended, False while another process runs it or after a fault."""
        memory = await self.memory()
        work = await memory.jobs.find(name)
        if work is None or work.state != "running":
            return True
        payload: dict[str, Any] = json.loads(work.payload)
        job_type = self._types.get(payload.get("kind", "report"))  # old jobs without a kind are reports
        if job_type is None:  # a job of a later version, which will run it
            return True
        try:
            async with self._slots[job_type.name], memory.jobs.claim(name) as job:
                if job is not None:
                    await self._run_once(job_type, payload, job, memory)
        except JobLost:
            log.info("a %s was deleted, or runs in another process", job_type.name)
        remaining = await memory.jobs.find(name)
        return remaining is None or remaining.state != "running"

    async def _run_once(
        self, job_type: "JobType", payload: Mapping[str, Any], job: ClaimedJob, memory: Memory
    ) -> None:
        language, work = payload.get("language", "en"), await memory.jobs.find(job.name)
        if work is None:
            raise JobLost
        self.claimed[job.name] = job
        try:
            if work.tries > _MAX_TRIES:
                raise UsageError(f"usage.{job_type.name}_given_up", tries=_MAX_TRIES)  # noqa: TRY301 -- reported below like other errors
            await job_type.run(payload, job, memory)
            await memory.jobs.trim(work.owner, _MAX_ENDED_JOBS)
        except StoreUnavailable:
            raise  # retried: the request itself is fine
        except Text2SQLError as error:
            log.warning("a %s failed: %s", job_type.name, error)
            if (
                job_type.retry_transient_errors
                and getattr(error, "retry", "") == "again"
                and work.tries < _MAX_TRIES
            ):
                return  # the job stays unfinished, so it is retried
            await job.end("failed", json.dumps({"problem": problem_of(error, language)}))
        except JobLost:
            raise
        except Exception:  # reported to the client as 500, and logged
            log.exception("internal error in %s %s", job_type.name, job.name)
            await job.end("failed", json.dumps({"problem": details(500, language, request_id=job.name)}))
        finally:
            del self.claimed[job.name]

    async def _run_until_done(self, name: str) -> None:
        while True:
            try:
                if await self.run(name):
                    return
            except StoreUnavailable as error:
                log.warning("a job waits for the memory: %s", error)
            await asyncio.sleep(_RETRY_SECONDS)

    async def _resume_unfinished(self) -> None:
        try:
            for name in await (await self.memory()).jobs.unfinished():
                self._start_task(self._run_until_done(name))
        except StoreError as error:
            log.warning("unfinished jobs could not be listed: %s", error)

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class JobType(ABC):
    """A type of background job. Jobs of other users or types are reported as unknown."""

    name: ClassVar[str]  # also in its message keys: usage.<name>_unknown, _not_ready, _given_up, _busy
    concurrency: ClassVar[int]  # in one process
    retry_transient_errors: ClassVar[bool] = False  # e.g. an unreachable database
    initial_progress: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, jobs: JobRunner) -> None:
        self.jobs = jobs
        jobs.register(self)

    @abstractmethod
    async def run(self, payload: Mapping[str, Any], job: ClaimedJob, memory: Memory) -> None:
        """Run or resume the job and finish with `job.end`. Errors are raised."""

    def schedule(self) -> "list[tuple[str, Cron, dict[str, Any]]]":
        """Recurring jobs: the owner of each, its schedule and its payload."""
        return []

    async def start(
        self, identity: Identity, language: Language, request: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Store and enqueue a job; return its state."""
        job_store, owner = (await self.jobs.memory()).jobs, job_owner(identity.user, self.name)
        if len(await job_store.unfinished(owner)) >= _MAX_UNFINISHED:
            raise UsageError(f"usage.{self.name}_busy", most=_MAX_UNFINISHED)
        name = token_hex(16)
        payload = {
            "kind": self.name,
            "request": request,
            "who": serialize_identity(identity),
            "language": language,
        }
        await job_store.add(name, owner, json.dumps(payload))
        await self.jobs.enqueue(name, self.name)
        return await self.state(identity.user, name)

    async def state(self, user: str, work_id: str) -> dict[str, Any]:
        return self.state_of(await self.find(user, work_id))

    def state_of(self, work: StoredJob) -> dict[str, Any]:
        """A job as JSON. Progress that the job has not stored has its initial value."""
        progress = {**self.initial_progress, **json.loads(work.output or "{}")}
        return {f"{self.name}_id": work.id, "status": work.state, "problem": None, **progress}

    async def find(self, user: str, work_id: str) -> StoredJob:
        work = await (await self.jobs.memory()).jobs.find(work_id, job_owner(user, self.name))
        if work is None:
            raise UsageError(f"usage.{self.name}_unknown")
        return work

    async def part(self, user: str, work_id: str, kind: str, which: str) -> str:
        work = await self.find(user, work_id)
        content = await (await self.jobs.memory()).jobs.part(work.id, kind, which)
        if work.state != "done" or content is None:
            raise UsageError(f"usage.{self.name}_not_ready")
        return content

    async def drop(self, user: str, work_id: str) -> None:
        work = await self.find(user, work_id)
        await (await self.jobs.memory()).jobs.delete(work.id)
        if work.id in self.jobs.claimed:
            self.jobs.claimed[work.id].give_up()
