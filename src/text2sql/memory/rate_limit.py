"""Per-user rate limit across all processes: a token bucket in the database."""

import logging
import time

from text2sql.errors import StoreError
from text2sql.memory import tables
from text2sql.memory.encoding import label

log = logging.getLogger(__name__)

_FULL_SECONDS = 60.0  # in which any bucket is full again: older rows can be deleted


class RateLimitTable:
    """The table of token buckets."""

    def __init__(self, storage: tables.Tables) -> None:
        self._tables = storage

    async def take(self, person: str, per_minute: int) -> bool:
        """Whether the request is allowed. One statement, so that two processes never take the same token."""
        now, capacity, rate = time.time(), float(per_minute), per_minute / 60
        refill = rate, capacity, capacity, rate, rate
        return await self._tables.change(tables.TAKE_TOKEN, label(person), capacity - 1, now, *refill) == 1

    async def sweep(self) -> None:
        try:
            await self._tables.change(tables.SWEEP_BUCKETS, time.time() - _FULL_SECONDS)
        except StoreError as error:
            log.warning("old token buckets were not deleted: %s", error)
