"""The job queue in the memory's PostgreSQL, on procrastinate's tables: any process can take a queued job.

The queue contains only names; the jobs themselves are in `jobs.py`. So a name that is queued twice, or given
to two processes, is still processed once.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

import procrastinate
import psycopg
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException

from text2sql.config import Settings
from text2sql.errors import StoreUnavailable
from text2sql.memory.location import Server

log = logging.getLogger(__name__)
logging.getLogger("procrastinate").setLevel(logging.WARNING)  # below that it logs names, which are secrets

STALLED = 20.0  # seconds without a heartbeat after which a process loses its jobs
_HEARTBEAT_SECONDS = 5.0
_AGAIN = 5  # before a job that could not run is tried again
_POLL_SECONDS = 2.0  # between two polls, where notifications do not arrive (behind a pooler)
_QUEUE, _TASK = "text2sql", "text2sql.work"
_SET_UP = 0x74327372  # advisory lock for creating the tables
_CONNECTIONS = 6  # each lane needs one for notifications


class RetryLater(Exception):
    """The job cannot run now: another process may have claimed it."""


class Queue:
    """A queue of job names."""

    def __init__(self, server: Server, settings: Settings) -> None:
        self._server = server
        self._connect_timeout = max(2, round(settings.connect_timeout))
        self._opening = asyncio.Lock()
        self._opened = False
        self._handler: Callable[[str], Awaitable[bool]] | None = None
        self._app = procrastinate.App(
            connector=procrastinate.PsycopgConnector(
                conninfo=server.url,
                min_size=1,
                max_size=_CONNECTIONS,
                timeout=settings.pool_wait,
                kwargs={
                    "connect_timeout": self._connect_timeout,
                    "application_name": "text2sql queue",
                    "prepare_threshold": None,
                },
            )
        )
        strategy = procrastinate.RetryStrategy(wait=_AGAIN)
        self._app.task(name=_TASK, queue=_QUEUE, retry=strategy)(self._run_job)

    async def put(self, name: str, lane: str) -> None:
        """Queue a name, once, however often it is put before a worker takes it."""
        try:
            await self._open()
            job = self._app.configure_task(_TASK, queue=_queue_of(lane), queueing_lock=name)
            await job.defer_async(name=name)
        except AlreadyEnqueued:
            pass
        except (ConnectorException, psycopg.Error) as error:
            raise StoreUnavailable(self._server.shown, str(error.__cause__ or error)[:200]) from error

    async def work(self, handler: Callable[[str], Awaitable[bool]], lanes: Mapping[str, int]) -> None:
        """Process jobs until cancelled; running jobs then return to the queue. `handler` returns whether a
        name is done; a failed or unfinished job is tried again. `lanes` maps each lane to its concurrency, so
        that short jobs do not wait for long ones.
        """
        self._handler = handler
        while True:
            try:
                await self._open()
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._requeue_stalled())
                    for lane, at_once in lanes.items():
                        tasks.create_task(self._serve(lane, at_once))
            except* (ConnectorException, psycopg.Error, OSError) as group:
                log.warning("the queue is not served just now: %s", group.exceptions[0])
            await asyncio.sleep(_POLL_SECONDS)

    async def close(self) -> None:
        if self._opened:
            self._opened = False
            await self._app.close_async()

    async def _run_job(self, name: str) -> None:
        if self._handler is None or not await self._handler(name):
            raise RetryLater(name)

    async def _serve(self, lane: str, at_once: int) -> None:
        await self._app.run_worker_async(
            queues=[_queue_of(lane)],
            concurrency=at_once,
            install_signal_handlers=False,
            delete_jobs="successful",
            fetch_job_polling_interval=_POLL_SECONDS,
            shutdown_graceful_timeout=0.1,
            update_heartbeat_interval=_HEARTBEAT_SECONDS,
            stalled_worker_timeout=STALLED,
        )
        raise ConnectorException("the worker stopped")  # the task group cancels the other workers

    async def _open(self) -> None:
        async with self._opening:
            if not self._opened:
                await self._set_up()
                await self._app.open_async()
                self._opened = True

    async def _set_up(self) -> None:
        connection = await psycopg.AsyncConnection.connect(
            self._server.url, connect_timeout=self._connect_timeout, autocommit=True
        )
        async with connection, connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SET_UP,))
            row = await connection.execute("SELECT to_regclass('procrastinate_jobs') IS NOT NULL")
            if not (await row.fetchone() or (False,))[0]:
                await connection.execute(self._app.schema_manager.get_schema())

    async def _requeue_stalled(self) -> None:
        """Put the jobs of dead processes back into the queue."""
        while True:
            manager = self._app.job_manager
            for job in await manager.get_stalled_jobs(task_name=_TASK, seconds_since_heartbeat=STALLED):
                try:
                    await manager.retry_job(job)
                except ConnectorException:  # another process was quicker
                    log.debug("job %s was taken up elsewhere", job.id)
            await asyncio.sleep(_HEARTBEAT_SECONDS)


def _queue_of(lane: str) -> str:
    """Servers of an earlier version know one queue, and treat all its jobs as reports."""
    return _QUEUE if lane == "report" else f"{_QUEUE}.{lane}"
