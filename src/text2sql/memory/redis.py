"""What servers share that may be lost at any time: small texts for a while, and how often each person came.

It is never needed and never waited for long. Whoever cannot have a text goes on without it; whoever cannot
count here is told so (`StoreUnavailable`) and counts elsewhere. What it says is anybody's: nothing of it is
decoded but text and a number.
"""

import asyncio
import hashlib
import logging
import time
from typing import Any

from redis import asyncio as driver
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from text2sql.errors import StoreUnavailable, UsageError
from text2sql.memory.places import Server

log = logging.getLogger(__name__)

_PREFIX = "text2sql:1:"  # goes up with what is kept: an older server then finds nothing of a newer one
_PATIENCE = 0.5  # seconds for a command, with the connection that it may need
_PAUSE = 5.0  # seconds that it is left alone after it did not answer, then one asks
_SILENCE = 60.0  # seconds between two lines of the log about the same trouble
_CONNECTIONS = 20
_LONGEST = 400  # bytes of a text: more is none of ours, and is not even fetched

# One moment a person: when the bucket will be full again. Redis's own clock counts for all servers. A moment
# that cannot be (of another type, no number, gone by, too far off) is a full bucket, so nobody is locked out.
_TAKE = """
local time = redis.call('TIME')
local now, step = time[1] + time[2] / 1000000, 60 / ARGV[1]
local held = redis.pcall('GET', KEYS[1])
local full = type(held) == 'string' and tonumber(held)
if not (full and full > now and full < now + 61) then full = now end
if full + step > now + 60.001 then return 0 end
redis.call('SET', KEYS[1], string.format('%.6f', full + step), 'EX', 61)
return 1
"""


class Redis:
    """Belongs to the event loop that first uses it. Nothing is opened until then."""

    def __init__(self, server: Server) -> None:
        try:
            pool = driver.BlockingConnectionPool.from_url(
                server.url,
                max_connections=_CONNECTIONS,
                protocol=2,
                retry=Retry(NoBackoff(), 1),  # a connection that a restart cut is found out by using it
                socket_timeout=None,  # the time of a command is ours to count, connecting included
                socket_connect_timeout=None,
            )
            pool.make_connection()  # type: ignore[no-untyped-call]  # an option that is none is told now
        except (TypeError, ValueError, RedisError) as error:
            raise UsageError("usage.cache") from error
        self._client = driver.Redis.from_pool(pool)
        self._place = server.shown
        self._until = 0.0  # on the monotonic clock; 0 while all is well
        self._told = float("-inf")

    async def find(self, name: str) -> str | None:
        try:
            said = await self._asked("GETRANGE", _PREFIX + name, 0, _LONGEST - 1)
        except StoreUnavailable:
            return None
        return said.decode("utf-8", "replace") if isinstance(said, bytes) and said else None

    async def keep(self, name: str, text: str, seconds: float) -> None:
        await self._tried("SET", _PREFIX + name, text, "PX", max(1, round(seconds * 1_000)))

    async def drop(self, name: str) -> None:
        await self._tried("DEL", _PREFIX + name)

    async def take(self, person: str, per_minute: int) -> bool:
        """As `Paces.take`. A name is nobody's business there."""
        name = hashlib.sha256(person.encode("utf-8", "surrogatepass")).hexdigest()
        said = await self._asked("EVAL", _TAKE, 1, f"{_PREFIX}pace:{name}", per_minute)
        if said not in (0, 1):
            raise StoreUnavailable(self._place, "no answer to what was asked")
        return bool(said)

    async def answers(self) -> bool:
        """Whether it can be read and written: a full one, or a copy of another, still says PONG."""
        return await self._tried("SET", f"{_PREFIX}ready", 1, "EX", 60)

    async def close(self) -> None:
        await self._client.aclose()

    async def _tried(self, *command: str | int) -> bool:
        try:
            await self._asked(*command)
        except StoreUnavailable:
            return False
        return True

    async def _asked(self, *command: str | int) -> Any:
        now = time.monotonic()
        if self._until:
            if now < self._until:
                raise StoreUnavailable(self._place, "it did not answer a moment ago")
            self._until = now + _PAUSE  # the others go on without while this one asks
        try:
            async with asyncio.timeout(_PATIENCE):
                said = await self._client.execute_command(*command)  # type: ignore[no-untyped-call]
        except Exception as error:  # what talks nonsense has the driver raise anything
            self._note(error)
            raise StoreUnavailable(self._place, type(error).__name__) from error
        if self._until:
            self._until, self._told = 0.0, float("-inf")
            log.info("the cache %s is there again", self._place)
        return said

    def _note(self, error: Exception) -> None:
        """By the name of the error: its words may be a stranger's."""
        now = time.monotonic()
        if not isinstance(error, ResponseError):  # which is a quick no, and costs nobody any time
            self._until = now + _PAUSE
        if now - self._told > _SILENCE:
            self._told = now
            log.warning("the cache %s is done without: %s", self._place, type(error).__name__)
