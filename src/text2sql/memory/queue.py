"""Background work in the memory's own PostgreSQL, on procrastinate's tables: put by one process, done by any.

The queue carries names; what they stand for is kept elsewhere (`works.py`). So a name that is put twice, or
given to two processes, is still done once.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

import procrastinate
import psycopg
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException

from text2sql.config import Settings
from text2sql.errors import StoreUnavailable
from text2sql.memory.places import Server

log = logging.getLogger(__name__)
logging.getLogger("procrastinate").setLevel(logging.WARNING)  # below that it tells names, which are secrets

STALLED = 20.0  # seconds after which a process that says nothing has lost its work
_WORD = 5.0  # seconds between two words
_AGAIN = 5  # seconds before another try at what could not be done now
_LOOK = 2.0  # seconds between two looks, for where no notification gets through (a pooler)
_QUEUE, _TASK = "text2sql", "text2sql.work"
_SET_UP = 0x74327372  # the lock of whoever makes the tables
_CONNECTIONS = 6  # each lane keeps one to be notified


class Later(Exception):
    """It cannot be done now: another process may be at it."""


class Queue:
    def __init__(self, server: Server, settings: Settings) -> None:
        self._server = server
        self._seconds = max(2, round(settings.connect_timeout))
        self._opening = asyncio.Lock()
        self._opened = False
        self._do: Callable[[str], Awaitable[bool]] | None = None
        self._app = procrastinate.App(
            connector=procrastinate.PsycopgConnector(
                conninfo=server.url,
                min_size=1,
                max_size=_CONNECTIONS,
                timeout=settings.pool_wait,
                kwargs={
                    "connect_timeout": self._seconds,
                    "application_name": "text2sql queue",
                    "prepare_threshold": None,
                },
            )
        )
        strategy = procrastinate.RetryStrategy(wait=_AGAIN)
        self._app.task(name=_TASK, queue=_QUEUE, retry=strategy)(self._done)

    async def put(self, name: str, lane: str) -> None:
        """Once, however often it is put before somebody takes it."""
        try:
            await self._open()
            job = self._app.configure_task(_TASK, queue=_queue_of(lane), queueing_lock=name)
            await job.defer_async(name=name)
        except AlreadyEnqueued:
            pass
        except (ConnectorException, psycopg.Error) as error:
            raise StoreUnavailable(self._server.shown, str(error.__cause__ or error)[:200]) from error

    async def work(self, do: Callable[[str], Awaitable[bool]], lanes: Mapping[str, int]) -> None:
        """Until it is cancelled; what is being done then goes back into the queue. `do` says whether a name
        is done; what it raises, and what is not done, is tried again. `lanes`: how many of each at once, so
        that what is short does not wait for what is long.
        """
        self._do = do
        while True:
            try:
                await self._open()
                async with asyncio.TaskGroup() as all_of_them:
                    all_of_them.create_task(self._rescue())
                    for lane, at_once in lanes.items():
                        all_of_them.create_task(self._serve(lane, at_once))
            except* (ConnectorException, psycopg.Error, OSError) as group:
                log.warning("the queue is not served just now: %s", group.exceptions[0])
            await asyncio.sleep(_LOOK)

    async def close(self) -> None:
        if self._opened:
            self._opened = False
            await self._app.close_async()

    async def _done(self, name: str) -> None:
        if self._do is None or not await self._do(name):
            raise Later(name)

    async def _serve(self, lane: str, at_once: int) -> None:
        await self._app.run_worker_async(
            queues=[_queue_of(lane)],
            concurrency=at_once,
            install_signal_handlers=False,
            delete_jobs="successful",
            fetch_job_polling_interval=_LOOK,
            shutdown_graceful_timeout=0.1,
            update_heartbeat_interval=_WORD,
            stalled_worker_timeout=STALLED,
        )
        raise ConnectorException("the worker stopped")  # its siblings end with it

    async def _open(self) -> None:
        async with self._opening:
            if not self._opened:
                await self._set_up()
                await self._app.open_async()
                self._opened = True

    async def _set_up(self) -> None:
        connection = await psycopg.AsyncConnection.connect(
            self._server.url, connect_timeout=self._seconds, autocommit=True
        )
        async with connection, connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SET_UP,))
            made = await connection.execute("SELECT to_regclass('procrastinate_jobs') IS NOT NULL")
            if not (await made.fetchone() or (False,))[0]:
                await connection.execute(self._app.schema_manager.get_schema())

    async def _rescue(self) -> None:
        """Give the work of processes that died to others."""
        while True:
            manager = self._app.job_manager
            for job in await manager.get_stalled_jobs(task_name=_TASK, seconds_since_heartbeat=STALLED):
                try:
                    await manager.retry_job(job)
                except ConnectorException:  # another process was quicker
                    log.debug("job %s was taken up elsewhere", job.id)
            await asyncio.sleep(_WORD)


def _queue_of(lane: str) -> str:
    """Servers of an earlier version know one queue, and make reports of all that is in it."""
    return _QUEUE if lane == "report" else f"{_QUEUE}.{lane}"
