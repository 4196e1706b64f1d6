"""API keys as the server checks them: in the memory, and for a moment at hand."""

import hashlib
import time
from collections import OrderedDict

from text2sql.memory import Key
from text2sql.server.ledger import Ledger

FRESH = 2.0  # seconds: what a burst of requests saves, and how long a revoked key may still open
_MOST = 1_000  # keys at hand


class Keyring:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._held: OrderedDict[bytes, tuple[float, Key]] = OrderedDict()

    async def opened_by(self, text: str) -> Key | None:
        """By digest: the texts themselves are not kept. A key that opens nothing is looked up every time."""
        named = hashlib.sha256(text.encode()).digest()
        since, key = self._held.get(named, (0.0, None))
        if key is not None and time.monotonic() - since < FRESH and key.opens(time.time()):
            return key
        self._held.pop(named, None)
        key = await (await self._ledger.memory()).keys.opened_by(text)
        if key is not None:
            self._held[named] = time.monotonic(), key
            while len(self._held) > _MOST:
                self._held.popitem(last=False)
        return key

    async def still_opens(self, named: str) -> bool:
        return await (await self._ledger.memory()).keys.still_opens(named)
