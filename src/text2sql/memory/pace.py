"""How often each person may come, counted for all processes together: a bucket that fills by itself."""

import logging
import time

from text2sql.errors import StoreError
from text2sql.memory import tables
from text2sql.memory.encoding import label

log = logging.getLogger(__name__)

_FULL = 60.0  # seconds in which any bucket is full again: what is older says nothing


class Paces:
    def __init__(self, own: tables.Tables) -> None:
        self._tables = own

    async def take(self, person: str, per_minute: int) -> bool:
        """Whether this one may go on. One statement, so that two processes never take the same place."""
        now, most, rate = time.time(), float(per_minute), per_minute / 60
        filling = rate, most, most, rate, rate
        return await self._tables.change(tables.TAKE_ROOM, label(person), most - 1, now, *filling) == 1

    async def sweep(self) -> None:
        try:
            await self._tables.change(tables.SWEEP_PACE, time.time() - _FULL)
        except StoreError as error:
            log.warning("old paces were not deleted: %s", error)
