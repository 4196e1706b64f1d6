"""A Redis cache that servers share, whose data may be lost at any time: small texts with a lifetime, and rate
limits.

It is optional and never waited for long. Without it, a missing text is ignored, and a rate limit raises
`StoreUnavailable` and is counted elsewhere. Its replies are not trusted: only text and numbers are decoded.
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
from text2sql.memory.location import Server

log = logging.getLogger(__name__)

_PREFIX = "text2sql:1:"  # version of the stored format: older servers do not see newer entries
_PATIENCE = 0.5  # seconds for a command, including a new connection
_PAUSE = 5.0  # seconds without requests after a failure, then one request tries again
_LOG_INTERVAL = 60.0  # seconds between two warnings about the same failure
_CONNECTIONS = 20
_MAX_BYTES = 400  # of a text: longer ones are not this package's, and are not fetched

# One timestamp per user: when the bucket will be full again. Redis's own clock is used for all servers. An
# invalid value (of another type, not a number, in the past, too far ahead) means a full bucket, so no caller
# is locked out.
_TAKE = """
local time = redis.call('TIME')
local now, step = time[1] + time[2] / 1000000, 60 / ARGV[1]
local stored = redis.pcall('GET', KEYS[1])
local full = type(stored) == 'string' and tonumber(stored)
if not (full and full > now and full < now + 61) then full = now end
if full + step > now + 60.001 then return 0 end
redis.call('SET', KEYS[1], string.format('%.6f', full + step), 'EX', 61)
return 1
"""


class Redis:
    """Belongs to the event loop that first uses it. Opens nothing until then."""

    def __init__(self, server: Server) -> None:
        try:
            pool = driver.BlockingConnectionPool.from_url(
                server.url,
                max_connections=_CONNECTIONS,
                protocol=2,
                retry=Retry(NoBackoff(), 1),  # detects a connection that was lost by a restart
                socket_timeout=None,  # `_PATIENCE` covers the whole command
                socket_connect_timeout=None,
            )
            pool.make_connection()  # type: ignore[no-untyped-call]  # reports an invalid option now
        except (TypeError, ValueError, RedisError) as error:
            raise UsageError("usage.cache") from error
        self._client = driver.Redis.from_pool(pool)
        self._place = server.shown
        self._paused_until = 0.0  # no requests before this monotonic time; 0 if it works
        self._logged_at = float("-inf")

    async def find(self, name: str) -> str | None:
        try:
            reply = await self._execute("GETRANGE", _PREFIX + name, 0, _MAX_BYTES - 1)
        except StoreUnavailable:
            return None
        return reply.decode("utf-8", "replace") if isinstance(reply, bytes) and reply else None

    async def keep(self, name: str, text: str, seconds: float) -> None:
        await self._execute_quietly("SET", _PREFIX + name, text, "PX", max(1, round(seconds * 1_000)))

    async def drop(self, name: str) -> None:
        await self._execute_quietly("DEL", _PREFIX + name)

    async def take(self, person: str, per_minute: int) -> bool:
        """See `RateLimitTable.take`. The user's name is hashed before it is stored."""
        name = hashlib.sha256(person.encode("utf-8", "surrogatepass")).hexdigest()
        reply = await self._execute("EVAL", _TAKE, 1, f"{_PREFIX}pace:{name}", per_minute)
        if reply not in (0, 1):
            raise StoreUnavailable(self._place, "an unexpected reply")
        return bool(reply)

    async def answers(self) -> bool:
        """Whether it can be read and written: a full server, or a replica, still answers PING."""
        return await self._execute_quietly("SET", f"{_PREFIX}ready", 1, "EX", 60)

    async def close(self) -> None:
        await self._client.aclose()

    async def _execute_quietly(self, *command: str | int) -> bool:
        try:
            await self._execute(*command)
        except StoreUnavailable:
            return False
        return True

    async def _execute(self, *command: str | int) -> Any:
        now = time.monotonic()
        if self._paused_until:
            if now < self._paused_until:
                raise StoreUnavailable(self._place, "it did not answer a moment ago")
            self._paused_until = now + _PAUSE  # other requests fail fast while this one tries
        try:
            async with asyncio.timeout(_PATIENCE):
                reply = await self._client.execute_command(*command)  # type: ignore[no-untyped-call]
        except Exception as error:  # on invalid replies the driver raises anything
            self._record_failure(error)
            raise StoreUnavailable(self._place, type(error).__name__) from error
        if self._paused_until:
            self._paused_until, self._logged_at = 0.0, float("-inf")
            log.info("the cache %s is there again", self._place)
        return reply

    def _record_failure(self, error: Exception) -> None:
        """Log the error's class only: its message may contain foreign data."""
        now = time.monotonic()
        if not isinstance(error, ResponseError):  # an immediate error reply costs no time
            self._paused_until = now + _PAUSE
        if now - self._logged_at > _LOG_INTERVAL:
            self._logged_at = now
            log.warning("the cache %s is done without: %s", self._place, type(error).__name__)
