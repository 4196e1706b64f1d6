"""The public keys of an issuer: from a file, from an address, or from where OpenID Connect says they are.

They are kept. A token with a key nobody knows has them read again, once for all who wait and at most every
few seconds: whoever sends such tokens cannot make us bother the issuer.
"""

import asyncio
import json
import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt

from text2sql.errors import UsageError

log = logging.getLogger(__name__)

ALGORITHMS = ("RS256", "ES256")
_AGAIN = 10.0  # seconds between two readings, whoever asks
_OLD = 3_600.0  # seconds after which keys are read again even if they are known
_PATIENCE = 5.0  # seconds for a reading
_LARGEST = 1_000_000  # bytes of it
_MOST_KEYS = 100
_DISCOVERY = "/.well-known/openid-configuration"


class KeySet:
    """`place` is a file, an address, or empty for the issuer's own announcement."""

    def __init__(self, issuer: str, place: str) -> None:
        self._issuer = issuer
        self._place = place
        if "://" in (place or issuer):
            _safe(place or issuer)
        elif not place:
            raise UsageError("usage.token_issuer", issuer=issuer)
        self._keys: Mapping[str, jwt.PyJWK] | None = None
        self._read_at = self._tried = float("-inf")
        self._reading: asyncio.Task[None] | None = None

    async def find(self, named: str) -> jwt.PyJWK | None:
        """By its `kid`; a set of one key need not name it."""
        now = time.monotonic()
        stale = self._keys is None or self._pick(named) is None or now - self._read_at > _OLD
        if stale and (self._reading is not None or now - self._tried > _AGAIN):
            await self._read_once()
        if self._keys is None:
            raise UsageError("usage.token_keys")
        return self._pick(named)

    def _pick(self, named: str) -> jwt.PyJWK | None:
        keys = self._keys or {}
        if not named:
            return next(iter(keys.values())) if len(keys) == 1 else None
        return keys.get(named)

    async def _read_once(self) -> None:
        if self._reading is None:
            self._tried = time.monotonic()
            self._reading = asyncio.create_task(self._read())
            self._reading.add_done_callback(lambda _: setattr(self, "_reading", None))
        await asyncio.shield(self._reading)  # one that goes away does not end it for the others

    async def _read(self) -> None:
        """An issuer that cannot be reached leaves us with the keys that we have."""
        try:
            async with asyncio.timeout(_PATIENCE):
                self._keys = _keys_of(await self._document())
            self._read_at = time.monotonic()
        except (OSError, TimeoutError, ValueError, httpx.HTTPError, httpx.InvalidURL, UsageError) as error:
            log.warning("the issuer's keys were not read: %s", type(error).__name__)

    async def _document(self) -> Any:
        if self._place and "://" not in self._place:
            return json.loads(await asyncio.to_thread(Path(self._place).expanduser().read_bytes))
        # Redirects are not followed: the keys are where somebody said, or nowhere.
        async with httpx.AsyncClient(timeout=_PATIENCE, follow_redirects=False, trust_env=True) as client:
            if self._place:
                return await _fetched(client, self._place)
            told = await _fetched(client, self._issuer.rstrip("/") + _DISCOVERY)
            if told.get("issuer") != self._issuer:
                raise ValueError("another issuer")
            return await _fetched(client, _safe(str(told.get("jwks_uri", ""))))


def _safe(address: str) -> str:
    """Over an open line anybody could hand us keys; on this machine there is no line."""
    parts = urlsplit(address)
    alone = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if parts.scheme != "https" and not (parts.scheme == "http" and alone):
        raise UsageError("usage.token_issuer", issuer=address[:200])
    return address


async def _fetched(client: httpx.AsyncClient, address: str) -> Any:
    async with client.stream("GET", address, headers={"Accept": "application/json"}) as response:
        if response.status_code != 200:
            raise ValueError(f"status {response.status_code}")
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > _LARGEST:
                raise ValueError("too large")
    told = json.loads(body)
    if not isinstance(told, dict):
        raise ValueError("no object")  # noqa: TRY004 -- what was sent is wrong, not our type
    return told


def _keys_of(document: Any) -> Mapping[str, jwt.PyJWK]:
    """Those that sign with an algorithm of ours; the others are nobody's business here."""
    held = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(held, list):
        raise ValueError("no keys")  # noqa: TRY004 -- as above
    found: dict[str, jwt.PyJWK] = {}
    for one in held[:_MOST_KEYS]:
        if not isinstance(one, dict) or one.get("use", "sig") != "sig" or one.get("kty") not in ("RSA", "EC"):
            continue
        try:
            key = jwt.PyJWK.from_dict(one)
        except (jwt.PyJWTError, ValueError, TypeError):
            continue
        if key.algorithm_name in ALGORITHMS:
            found[str(one.get("kid", ""))] = key
    if not found:
        raise ValueError("no usable key")
    return found
