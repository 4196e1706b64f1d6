"""Work that outlives the process that does it: a report, say, begun here and perhaps ended elsewhere.

Whoever takes a piece of work holds it, and says again and again that it is still there. What is held by a
process that died can be taken by another, which finds the parts that were kept and goes on from there. Only
the holder can say how it ended: one that was thought dead, and was not, is told so and stops.
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
from text2sql.memory.kept import Seconds
from text2sql.memory.turns import holder, is_gone

log = logging.getLogger(__name__)

HELD_SECONDS = 20.0  # that work is held without a word; clocks of machines may differ by less than that
_WORD = 5.0  # seconds between two words


class Lost(Exception):
    """Somebody else has it now, or it was dropped: whatever is being done for it is in vain."""


@dataclass(frozen=True, slots=True)
class Work:
    id: str
    owner: str
    created: Seconds
    asked: str  # what is to be done, as its maker understands it
    state: str  # running, done, failed
    told: str  # how far it is, or what came of it
    tries: int = 0  # how often it was taken


def owned_by(user: str, kind: str = "report") -> str:
    """An owner that is a person, of one kind of work: a refresh does not push out a report. What begins with
    a slash is a schedule's, and no person has one in it.
    """
    return label(user) if kind == "report" else f"{label(user)}/{kind}"


class Works:
    def __init__(self, own: tables.Tables) -> None:
        self._tables = own

    async def add(self, name: str, owner: str, asked: str) -> bool:
        """False if there is one of that name."""
        return await self._tables.change(tables.ADD_WORK, name, owner, time.time(), asked) == 1

    async def find(self, name: str, owner: str = "") -> Work | None:
        """Another's is none: nobody can tell which."""
        found = await self._tables.rows(tables.WORK, label(name))
        work = Work(*found[0]) if found else None
        return work if work and owner in ("", work.owner) else None

    async def left(self, owner: str = "") -> list[str]:
        """The names of what has not ended, of one or of all, the oldest first."""
        return [name for (name,) in await self._tables.rows(tables.UNFINISHED, owner, owner)]

    async def parts(self, name: str, kind: str) -> Mapping[str, str]:
        """Those whose names begin with the kind, without it."""
        found = await self._tables.rows(tables.PARTS, name, f"{kind}:%")
        return {str(part).partition(":")[2]: value for part, value in found}

    async def part(self, name: str, kind: str, which: str) -> str | None:
        found = await self._tables.rows(tables.PARTS, name, f"{kind}:{which}")
        return str(found[0][1]) if found else None

    async def drop(self, name: str) -> None:
        """Whoever is at it finds out with its next word."""
        await self._tables.change(tables.DROP_WORK, name)
        await self._tables.change(tables.DROP_PARTS, name)

    async def trim(self, owner: str, most: int) -> None:
        """Forget all but the last that have ended."""
        for (name,) in (await self._tables.rows(tables.ENDED_WORKS, owner))[most:]:
            await self.drop(name)

    async def sweep(self, before: Seconds) -> None:
        try:
            for (name,) in await self._tables.rows(tables.OLD_WORKS, before):
                await self.drop(name)
        except StoreError as error:  # as with results: a disk without room cannot even forget
            log.warning("old work was not deleted: %s", error)

    @asynccontextmanager
    async def held(self, name: str) -> AsyncIterator["Held | None"]:
        """None where there is nothing to take: it has ended, is gone, or another process is at it."""
        doing = asyncio.current_task()
        held = Held(self._tables, name, holder(), doing)
        if not await held.take():
            for (other,) in await self._tables.rows(tables.HOLDER, name):
                if is_gone(str(other)):
                    await self._tables.change(tables.HOLD_WORK, 0.0, name, other)
            if not await held.take():
                yield None
                return
        keeping = asyncio.create_task(_keep(held))
        try:
            yield held
        except asyncio.CancelledError:
            if held.lost and doing is not None and not doing.uncancel():
                raise Lost from None
            raise
        finally:
            keeping.cancel()
            with suppress(StoreError):  # what has not ended is free at once, or after a while
                await asyncio.shield(held.let_go())


class Held:
    """A piece of work in one's hands. Everything raises `Lost` once it is in another's."""

    def __init__(
        self, own: tables.Tables, name: str, holder: str, doing: "asyncio.Task[object] | None"
    ) -> None:
        self._tables = own
        self.name = name
        self._holder = holder
        self._doing = doing
        self.lost = False

    async def take(self) -> bool:
        now = time.time()
        given = self._holder, now + HELD_SECONDS, self.name, now
        return await self._tables.change(tables.TAKE_WORK, *given) == 1

    async def let_go(self) -> None:
        await self._tables.change(tables.HOLD_WORK, 0.0, self.name, self._holder)

    def give_up(self) -> None:
        """Stop at once whatever is being done for it."""
        if not self.lost and self._doing is not None:
            self._doing.cancel()
        self.lost = True

    async def hold(self) -> None:
        await self._mine(tables.HOLD_WORK, time.time() + HELD_SECONDS)

    async def tell(self, told: str) -> None:
        await self._mine(tables.TELL_WORK, told, time.time() + HELD_SECONDS)

    async def keep(self, kind: str, name: str, value: str) -> None:
        await self.hold()
        await self._tables.change(tables.KEEP_PART, self.name, f"{kind}:{name}", value)

    async def end(self, state: str, told: str) -> None:
        await self._mine(tables.END_WORK, state, told)

    async def _mine(self, sql: str, *values: tables.Cell) -> None:
        if await self._tables.change(sql, *values, self.name, self._holder) != 1:
            raise Lost


async def _keep(held: Held) -> None:
    while True:
        await asyncio.sleep(_WORD)
        try:
            await held.hold()
        except StoreError as error:
            log.warning("work was not held: %s", error)
        except Lost:
            held.give_up()
            return
