"""Keys that let people in. Of a key only a digest is kept, so whoever reads the store can come in as nobody.

A key holds 256 random bits: nobody can go through them, so one SHA-256 is enough and a slow hash, made for
words that people think of, would only be a way to keep the server busy.
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
from text2sql.memory.kept import Seconds
from text2sql.memory.pair_files import one_line

PREFIX = "t2s_"  # so that a key which was left somewhere can be found by a search
_NAME = 100  # characters


@dataclass(frozen=True, slots=True)
class Key:
    """Two keys of one name are the same person: that is how one is replaced by another."""

    id: str  # stands in the key itself; no secret
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
    """The text, which is shown once, and what is kept of it."""
    if not name or name != one_line(name) or len(name) > _NAME:
        raise UsageError("usage.key_name", most=_NAME)
    now, named = time.time(), secrets.token_hex(6)
    text = f"{PREFIX}{named}_{secrets.token_urlsafe(32)}"
    expires = None if days is None else now + days * 86_400
    return text, Key(named, name, _digest(text), roles, claims or {}, now, expires)


class Keys:
    def __init__(self, own: tables.Tables) -> None:
        self._tables = own

    async def add(self, key: Key) -> None:
        held = json.dumps(list(key.roles)), json.dumps(dict(key.claims))
        facts = (key.id, key.name, key.digest, *held, key.created, key.expires, key.revoked)
        await self._tables.change(tables.ADD_KEY, *facts, durable=True)

    async def all(self) -> list[Key]:
        return [_read(row) for row in await self._tables.rows(tables.KEYS)]

    async def revoke(self, name: str) -> int:
        """By id, or all keys of a name; how many."""
        return await self._tables.change(tables.REVOKE_KEYS, time.time(), name, name, durable=True)

    async def opened_by(self, text: str) -> Key | None:
        """The key that this is the text of, if it still opens."""
        named = text.removeprefix(PREFIX).partition("_")[0]
        found = await self._tables.rows(tables.KEY, named) if named.isascii() and named.isalnum() else ()
        key = _read(found[0]) if found else None
        # Compared in any case, and in constant time: how long it takes says nothing.
        same = hmac.compare_digest(_digest(text), key.digest if key else _digest(""))
        return key if key and same and key.opens(time.time()) else None

    async def still_opens(self, named: str) -> bool:
        found = await self._tables.rows(tables.KEY, named)
        return bool(found) and _read(found[0]).opens(time.time())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(row: tuple[object, ...]) -> Key:
    named, name, digest, roles, claims, created, expires, revoked = row
    held = json.loads(str(claims))
    return Key(
        str(named),
        str(name),
        str(digest),
        tuple(json.loads(str(roles))),
        {one: tuple(value) if isinstance(value, list) else value for one, value in held.items()},
        float(str(created)),
        None if expires is None else float(str(expires)),
        None if revoked is None else float(str(revoked)),
    )
