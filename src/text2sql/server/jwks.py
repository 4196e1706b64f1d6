"""The issuer's public keys (JWKS), read from a file, a URL or the issuer's OpenID Connect discovery document.

Keys are cached. A token with an unknown key causes one refresh for all waiting requests, at most every few
seconds, so that a client cannot flood the issuer with forged key ids.
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
_MIN_REFRESH_SECONDS = 10.0  # between two refreshes
_MAX_AGE_SECONDS = 3_600.0  # after which known keys are refreshed, too
_TIMEOUT = 5.0  # seconds for one refresh
_MAX_BYTES = 1_000_000  # of a response
_MAX_KEYS = 100
_DISCOVERY = "/.well-known/openid-configuration"


class KeySet:
    """`location` is a file or a URL; if empty, discovery is used."""

    def __init__(self, issuer: str, location: str) -> None:
        self._issuer = issuer
        self._location = location
        if "://" in (location or issuer):
            _require_https(location or issuer)
        elif not location:
            raise UsageError("usage.token_issuer", issuer=issuer)
        self._keys: Mapping[str, jwt.PyJWK] | None = None
        self._read_at = self._tried = float("-inf")
        self._reading: asyncio.Task[None] | None = None

    async def find(self, key_id: str) -> jwt.PyJWK | None:
        """Find a key by `kid`, which may be empty if there is only one key."""
        now = time.monotonic()
        stale = self._keys is None or self._pick(key_id) is None or now - self._read_at > _MAX_AGE_SECONDS
        if stale and (self._reading is not None or now - self._tried > _MIN_REFRESH_SECONDS):
            await self._read_once()
        if self._keys is None:
            raise UsageError("usage.token_keys")
        return self._pick(key_id)

    def _pick(self, key_id: str) -> jwt.PyJWK | None:
        keys = self._keys or {}
        if not key_id:
            return next(iter(keys.values())) if len(keys) == 1 else None
        return keys.get(key_id)

    async def _read_once(self) -> None:
        if self._reading is None:
            self._tried = time.monotonic()
            self._reading = asyncio.create_task(self._read())
            self._reading.add_done_callback(lambda _: setattr(self, "_reading", None))
        await asyncio.shield(self._reading)  # a cancelled request must not cancel it for others

    async def _read(self) -> None:
        """Refresh the keys; on failure the current keys stay."""
        try:
            async with asyncio.timeout(_TIMEOUT):
                self._keys = _parse_keys(await self._document())
            self._read_at = time.monotonic()
        except (OSError, TimeoutError, ValueError, httpx.HTTPError, httpx.InvalidURL, UsageError) as error:
            log.warning("the issuer's keys were not read: %s", type(error).__name__)

    async def _document(self) -> Any:
        if self._location and "://" not in self._location:
            return json.loads(await asyncio.to_thread(Path(self._location).expanduser().read_bytes))
        # Redirects are not followed: keys are read from the configured or discovered URL only.
        async with httpx.AsyncClient(timeout=_TIMEOUT, follow_redirects=False, trust_env=True) as client:
            if self._location:
                return await _fetch_json(client, self._location)
            configuration = await _fetch_json(client, self._issuer.rstrip("/") + _DISCOVERY)
            if configuration.get("issuer") != self._issuer:
                raise ValueError("another issuer")
            return await _fetch_json(client, _require_https(str(configuration.get("jwks_uri", ""))))


def _require_https(address: str) -> str:
    """Require HTTPS except for this machine: over plain HTTP, keys could be forged."""
    parts = urlsplit(address)
    is_loopback = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback):
        raise UsageError("usage.token_issuer", issuer=address[:200])
    return address


async def _fetch_json(client: httpx.AsyncClient, address: str) -> Any:
    async with client.stream("GET", address, headers={"Accept": "application/json"}) as response:
        if response.status_code != 200:
            raise ValueError(f"status {response.status_code}")
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > _MAX_BYTES:
                raise ValueError("too large")
    document = json.loads(body)
    if not isinstance(document, dict):
        raise ValueError("no object")  # noqa: TRY004 -- the document is wrong, not an argument's type
    return document


def _parse_keys(document: Any) -> Mapping[str, jwt.PyJWK]:
    """The signing keys for supported algorithms, by `kid`."""
    entries = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise ValueError("no keys")  # noqa: TRY004 -- as above
    keys: dict[str, jwt.PyJWK] = {}
    for entry in entries[:_MAX_KEYS]:
        if (
            not isinstance(entry, dict)
            or entry.get("use", "sig") != "sig"
            or entry.get("kty") not in ("RSA", "EC")
        ):
            continue
        try:
            key = jwt.PyJWK.from_dict(entry)
        except (jwt.PyJWTError, ValueError, TypeError):
            continue
        if key.algorithm_name in ALGORITHMS:
            keys[str(entry.get("kid", ""))] = key
    if not keys:
        raise ValueError("no usable key")
    return keys
