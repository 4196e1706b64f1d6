"""Checks API keys against the store, with a short-lived cache."""

import hashlib
import time
from collections import OrderedDict

from text2sql.memory import Key
from text2sql.server.audit import ServerStore

CACHE_SECONDS = 2.0  # saves lookups in a burst; a revoked key may work this much longer
_MAX_CACHED = 1_000


class ApiKeys:
    def __init__(self, server_store: ServerStore) -> None:
        self._server_store = server_store
        self._cache: OrderedDict[bytes, tuple[float, Key]] = OrderedDict()

    async def find_valid_key(self, text: str) -> Key | None:
        """The valid key with this text, or None. The cache holds digests, and valid keys only."""
        digest = hashlib.sha256(text.encode()).digest()
        cached_at, key = self._cache.get(digest, (0.0, None))
        if key is not None and time.monotonic() - cached_at < CACHE_SECONDS and key.opens(time.time()):
            return key
        self._cache.pop(digest, None)
        key = await (await self._server_store.memory()).keys.find_valid_key(text)
        if key is not None:
            self._cache[digest] = time.monotonic(), key
            while len(self._cache) > _MAX_CACHED:
                self._cache.popitem(last=False)
        return key

    async def is_key_valid(self, key_id: str) -> bool:
        return await (await self._server_store.memory()).keys.is_key_valid(key_id)
