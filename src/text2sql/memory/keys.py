"""API keys. Only a digest of a key is stored, so read access to the store does not give access to the server.

A key has 256 random bits: it cannot be guessed, so one SHA-256 is enough. A slow hash, made for passwords,
would only let attackers keep the server busy.
"""

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from text2sql.errors import UsageError
from text2sql.memory import tables
from text2sql.memory.pair_files import one_line
from text2sql.memory.records import Seconds

PREFIX = "t2s_"  # lets secret scanners find leaked keys
_MAX_NAME = 100  # characters


@dataclass(frozen=True, slots=True)
class Key:
    """An API key. Two keys with the same name are the same user: a key is replaced by adding another."""

    id: str  # part of the key itself; not secret
    name: str
    digest: str = field(repr=False)
    roles: tuple[str, ...] = ()
    claims: Mapping[str, object] = field(default_factory=dict)
    created: Seconds = 0.0
    expires: Seconds | None = None
    revoked: Seconds | None = None

    def opens(self, now: Seconds) -> bool:
        return self.revoked is None and (self.expires is None or now < self.expires)


def new_key(
    name: str,
    *,
    roles: tuple[str, ...] = (),
    claims: Mapping[str, object] | None = None,
    days: float | None = None,
) -> tuple[str, Key]:
    """Return the key's text, which is shown once, and the record to store."""
    if not name or name != one_line(name) or len(name) > _MAX_NAME:
        raise UsageError("usage.key_name", most=_MAX_NAME)
    now, key_id = time.time(), secrets.token_hex(6)
    text = f"{PREFIX}{key_id}_{secrets.token_urlsafe(32)}"
    expires = None if days is None else now + days * 86_400
    return text, Key(key_id, name, _digest(text), roles, claims or {}, now, expires)


class Keys:
    """The table of API keys."""

    def __init__(self, storage: tables.Tables) -> None:
        self._tables = storage

    async def add(self, key: Key) -> None:
        serialized = json.dumps(list(key.roles)), json.dumps(dict(key.claims))
        facts = (key.id, key.name, key.digest, *serialized, key.created, key.expires, key.revoked)
        await self._tables.change(tables.ADD_KEY, *facts, durable=True)

    async def all(self) -> list[Key]:
        return [_read(row) for row in await self._tables.rows(tables.KEYS)]

    async def revoke(self, name: str) -> int:
        """Revoke by id, or all keys of a name; return how many."""
        return await self._tables.change(tables.REVOKE_KEYS, time.time(), name, name, durable=True)

    async def find_valid_key(self, text: str) -> Key | None:
        """Return the key that this text belongs to, if it is still valid."""
        key_id = text.removeprefix(PREFIX).partition("_")[0]
        rows = await self._tables.rows(tables.KEY, key_id) if key_id.isascii() and key_id.isalnum() else ()
        key = _read(rows[0]) if rows else None
        # Always compared, in constant time: the duration reveals nothing.
        is_match = hmac.compare_digest(_digest(text), key.digest if key else _digest(""))
        return key if key and is_match and key.opens(time.time()) else None

    async def is_key_valid(self, key_id: str) -> bool:
        rows = await self._tables.rows(tables.KEY, key_id)
        return bool(rows) and _read(rows[0]).opens(time.time())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(row: tuple[object, ...]) -> Key:
    key_id, name, digest, roles, claims, created, expires, revoked = row
    claim_values = json.loads(str(claims))
    return Key(
        str(key_id),
        str(name),
        str(digest),
        tuple(json.loads(str(roles))),
        {claim: tuple(value) if isinstance(value, list) else value for claim, value in claim_values.items()},
        float(str(created)),
        None if expires is None else float(str(expires)),
        None if revoked is None else float(str(revoked)),
    )
