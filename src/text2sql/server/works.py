"""What is done while nobody waits: each a piece of work in the server's memory, done by whichever process
gets to it, and asked about at any.

On a PostgreSQL with `text2sql[queue]` the queue hands the work out, and takes it back from a process that
died. Else the process that was asked does it, or the next one to start if that died.
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
from text2sql.memory import Held, Lost, Memory, Work, owned_by
from text2sql.messages import Language
from text2sql.reports.cron import Cron
from text2sql.reports.schedule import keep
from text2sql.server.identity import Doorkeeper, Identity, read_identity, told_identity
from text2sql.server.ledger import Ledger
from text2sql.server.problems import details, problem_of

log = logging.getLogger(__name__)

_UNFINISHED = 20  # of one user and kind
_KEPT = 20  # of one user and kind
_TRIES = 10  # that a piece of work may cost: one that ends every process that does it must not end them all
_AGAIN = 5.0  # seconds before another try, where there is no queue


class Works:
    def __init__(self, ledger: Ledger, door: Doorkeeper, *, background: bool) -> None:
        """`background`: take work off the queue here, and not only put it there."""
        self._ledger = ledger
        self._door = door
        self._background = background
        self._kinds: dict[str, Kind] = {}
        self._free: dict[str, asyncio.Semaphore] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.held: dict[str, Held] = {}  # what this process is at

    def learn(self, kind: "Kind") -> None:
        self._kinds[kind.name] = kind
        self._free[kind.name] = asyncio.Semaphore(kind.at_once)

    async def memory(self) -> Memory:
        return await self._ledger.memory()

    async def welcome(self, asked: Mapping[str, Any]) -> Identity:
        """Who asked for it, unless they would no longer be let in."""
        who = read_identity(asked["who"])
        if not await self._door.still_welcome(who):
            raise UsageError("usage.not_welcome")
        return who

    # -- who does it -----------------------------------------------------------------------------

    def open(self) -> None:
        """For as long as the server runs: the schedules, and what processes that died have left."""
        for kind in self._kinds.values():
            for line, every, told in kind.schedule():
                self._soon(keep(every, partial(self.due, kind, line, told)))
        if self._ledger.queue is None:
            self._soon(self._take_up())
        elif self._background:
            lanes = {name: kind.at_once for name, kind in self._kinds.items()}
            self._soon(self._ledger.queue.work(self.do, lanes))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def begin(self, name: str, kind: str) -> None:
        if self._ledger.queue is None:
            self._soon(self._tend(name))
        else:
            await self._ledger.queue.put(name, kind)

    async def due(self, kind: "Kind", line: str, told: Mapping[str, Any], due: datetime) -> None:
        """Every process says so; the name makes it one piece of work. While an earlier one of that line is
        not done there is no next one.
        """
        name = sha256(f"{line}|{due.isoformat()}".encode()).hexdigest()
        try:
            works = (await self.memory()).works
            earlier = await works.left(line)
            if not earlier:
                asked = {"kind": kind.name, **told, "due": due.isoformat()}
                await works.add(name, line, json.dumps(asked))
            await self.begin(next(iter(earlier), name), kind.name)
        except StoreError as error:
            log.warning("a %s that is due was not begun: %s", kind.name, error)

    async def do(self, name: str) -> bool:
        """True when nothing is left to do for it, False while another process is at it."""
        memory = await self.memory()
        work = await memory.works.find(name)
        if work is None or work.state != "running":
            return True
        asked: dict[str, Any] = json.loads(work.asked)
        kind = self._kinds.get(asked.get("kind", "report"))  # before there were kinds, all were reports
        if kind is None:  # of a later version, which will find it
            return True
        try:
            async with self._free[kind.name], memory.works.held(name) as held:
                if held is not None:
                    await self._try(kind, asked, held, memory)
        except Lost:
            log.info("a %s was dropped, or is made elsewhere", kind.name)
        left = await memory.works.find(name)
        return left is None or left.state != "running"

    async def _try(self, kind: "Kind", asked: Mapping[str, Any], held: Held, memory: Memory) -> None:
        language, work = asked.get("language", "en"), await memory.works.find(held.name)
        if work is None:
            raise Lost
        self.held[held.name] = held
        try:
            if work.tries > _TRIES:
                raise UsageError(f"usage.{kind.name}_given_up", tries=_TRIES)  # noqa: TRY301 told as the others
            await kind.do(asked, held, memory)
            await memory.works.trim(work.owner, _KEPT)
        except StoreUnavailable:
            raise  # it is tried again: nothing is wrong with what is asked for
        except Text2SQLError as error:
            log.warning("a %s was not made: %s", kind.name, error)
            if kind.patient and getattr(error, "mend", "") == "again" and work.tries < _TRIES:
                return  # it has not ended, so it is tried again
            await held.end("failed", json.dumps({"problem": problem_of(error, language)}))
        except Lost:
            raise
        except Exception:  # whatever it is: the reader is told, and the log has it
            log.exception("a %s ended with a fault of ours", kind.name)
            await held.end("failed", json.dumps({"problem": details(500, language, request_id="-")}))
        finally:
            del self.held[held.name]

    async def _tend(self, name: str) -> None:
        while True:
            try:
                if await self.do(name):
                    return
            except StoreUnavailable as error:
                log.warning("work waits for its memory: %s", error)
            await asyncio.sleep(_AGAIN)

    async def _take_up(self) -> None:
        try:
            for name in await (await self.memory()).works.left():
                self._soon(self._tend(name))
        except StoreError as error:
            log.warning("unfinished work was not looked for: %s", error)

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Kind(ABC):
    """One kind of work. Another's, and one of another kind, is none: nobody can tell which."""

    name: ClassVar[str]  # of its messages, too: usage.<name>_unknown, _not_ready, _given_up, _busy
    at_once: ClassVar[int]  # in one process
    patient: ClassVar[bool] = False  # what may go by itself, a database that is away, does not end it

    def __init__(self, works: Works) -> None:
        self.works = works
        works.learn(self)

    @abstractmethod
    async def do(self, asked: Mapping[str, Any], held: Held, memory: Memory) -> None:
        """From wherever somebody else left it, to `held.end`. What goes wrong is raised."""

    def schedule(self) -> "list[tuple[str, Cron, dict[str, Any]]]":
        """Lines that are due again and again: the owner of what is done for one, when, and what is asked."""
        return []

    async def start(self, who: Identity, language: Language, request: Mapping[str, Any]) -> Work:
        works, owner = (await self.works.memory()).works, owned_by(who.user, self.name)
        if len(await works.left(owner)) >= _UNFINISHED:
            raise UsageError(f"usage.{self.name}_busy", most=_UNFINISHED)
        name = token_hex(16)
        asked = {"kind": self.name, "request": request, "who": told_identity(who), "language": language}
        await works.add(name, owner, json.dumps(asked))
        await self.works.begin(name, self.name)
        return await self.find(who.user, name)

    async def find(self, user: str, work_id: str) -> Work:
        work = await (await self.works.memory()).works.find(work_id, owned_by(user, self.name))
        if work is None:
            raise UsageError(f"usage.{self.name}_unknown")
        return work

    async def part(self, user: str, work_id: str, kind: str, which: str) -> str:
        work = await self.find(user, work_id)
        found = await (await self.works.memory()).works.part(work.id, kind, which)
        if work.state != "done" or found is None:
            raise UsageError(f"usage.{self.name}_not_ready")
        return found

    async def drop(self, user: str, work_id: str) -> None:
        work = await self.find(user, work_id)
        await (await self.works.memory()).works.drop(work.id)
        if work.id in self.works.held:
            self.works.held[work.id].give_up()
