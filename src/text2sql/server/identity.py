"""Who is asking: nobody in particular on this machine alone, else whoever a key or a token names.

Both come in the Authorization header and nowhere else: an address is kept by browsers, proxies and logs.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.memory.keys import PREFIX
from text2sql.server.keys import Keyring
from text2sql.server.ledger import Ledger
from text2sql.server.tokens import NotKnown, Tokens, claim_of, names_of

log = logging.getLogger(__name__)

OPERATOR = "operator"  # the role that may read the numbers of the whole server
WAYS = ("keys", "tokens")
_LONGEST = 8_192  # characters of a token


@dataclass(frozen=True, slots=True)
class Identity:
    user: str = ""  # what everything of theirs is kept under; empty where nobody signs in
    roles: tuple[str, ...] = ()
    claims: Mapping[str, object] = field(default_factory=dict)
    sources: frozenset[str] | None = None  # by name; None is every one
    key: str = ""  # the id of a key, which may be revoked while a question runs


ANYBODY = Identity()  # where nobody is asked
NOBODY = Identity(sources=frozenset())  # who has not said so, at what is open to everybody


class Doorkeeper:
    def __init__(self, settings: Settings, ledger: Ledger) -> None:
        self._settings = settings
        self._ways = ways(settings)
        self._tokens = Tokens(settings) if "tokens" in self._ways else None
        self._keys = Keyring(ledger) if "keys" in self._ways else None

    @property
    def asks(self) -> bool:
        """Whether anybody has to say who they are."""
        return bool(self._ways)

    async def identify(self, authorization: str) -> Identity:
        """Raises `NotKnown`; a `Text2SQLError` where it cannot be told just now."""
        if not self.asks:
            return ANYBODY
        scheme, _, text = authorization.partition(" ")
        text = text.strip()
        if scheme.lower() != "bearer" or not text:
            raise NotKnown("no bearer token")
        if len(text) > _LONGEST or not text.isascii():
            raise NotKnown("no token of ours")
        if text.startswith(PREFIX):
            return await self._by_key(text)
        return await self._by_token(text)

    async def still_welcome(self, who: Identity) -> bool:
        """A key may have been revoked since; a token is good until its end."""
        return not who.key or self._keys is None or await self._keys.still_opens(who.key)

    async def _by_key(self, text: str) -> Identity:
        key = await self._keys.opened_by(text) if self._keys else None
        if key is None:
            raise NotKnown("unknown, revoked or expired key")
        sources = names_of(key.claims.get("sources"))
        return Identity(f"key:{key.name}", key.roles, key.claims, sources, key.id)

    async def _by_token(self, text: str) -> Identity:
        if self._tokens is None:
            raise NotKnown("no token of ours")
        claims = await self._tokens.read(text)
        user = claim_of(claims, self._settings.token_user)
        if not isinstance(user, str | int) or isinstance(user, bool) or user == "":
            raise NotKnown("the token names nobody")
        roles = names_of(claim_of(claims, self._settings.token_roles)) or frozenset()
        sources = names_of(claim_of(claims, self._settings.token_sources))
        return Identity(f"token:{user}", tuple(sorted(roles)), claims, sources)


def ways(settings: Settings) -> tuple[str, ...]:
    """`keys`, `tokens`, both or none; a word that is neither would leave a door open that seems shut."""
    wanted = tuple(one.strip() for one in settings.auth.split(",") if one.strip())
    for one in wanted:
        if one not in WAYS:
            raise UsageError("usage.auth", name=one[:40], ways=", ".join(WAYS))
    if "keys" in wanted and settings.memory.strip() == "none":
        raise UsageError("usage.auth_memory")
    return wanted


def told_identity(who: Identity) -> dict[str, Any]:
    """Whoever does their work sees what the one who asked may see, and no more."""
    return {
        "user": who.user,
        "roles": who.roles,
        "claims": dict(who.claims),
        "sources": None if who.sources is None else sorted(who.sources),
        "key": who.key,
    }


def read_identity(held: dict[str, Any]) -> Identity:
    claims = {name: tuple(one) if isinstance(one, list) else one for name, one in held["claims"].items()}
    sources = None if held["sources"] is None else frozenset(held["sources"])
    return Identity(held["user"], tuple(held["roles"]), claims, sources, held["key"])
