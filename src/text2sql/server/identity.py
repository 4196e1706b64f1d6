"""Authentication: who sends a request, from an API key or a JWT, or anonymous where sign-in is off.

Credentials are read from the Authorization header only: browsers, proxies and logs keep URLs.
"""

import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.memory import Key
from text2sql.memory.keys import PREFIX
from text2sql.server.audit import ServerStore
from text2sql.server.tokens import InvalidCredentials, Tokens, claim_of, names_of

log = logging.getLogger(__name__)

OPERATOR = "operator"  # the role that may read the metrics of the whole server
AUTH_METHODS = ("keys", "tokens")
_MAX_TOKEN_LENGTH = 8_192  # characters of a token
KEY_CACHE_SECONDS = 2.0  # saves lookups in a burst; a revoked key may work this much longer
_MAX_CACHED_KEYS = 1_000


@dataclass(frozen=True, slots=True)
class Identity:
    user: str = ""  # owns threads and results; empty where sign-in is off
    roles: tuple[str, ...] = ()
    claims: Mapping[str, object] = field(default_factory=dict)
    sources: frozenset[str] | None = None  # names of allowed sources; None allows all
    key: str = ""  # the id of an API key, which may be revoked while a question runs


ANONYMOUS = Identity()  # sign-in is off
UNAUTHENTICATED = Identity(sources=frozenset())  # a request without credentials to a public path


class Authenticator:
    def __init__(self, settings: Settings, server_store: ServerStore) -> None:
        self._settings = settings
        self._methods = auth_methods(settings)
        self._tokens = Tokens(settings) if "tokens" in self._methods else None
        self._keys = _ApiKeys(server_store) if "keys" in self._methods else None

    @property
    def sign_in_required(self) -> bool:
        """Whether requests need credentials."""
        return bool(self._methods)

    async def identify(self, authorization: str) -> Identity:
        """Raises `InvalidCredentials`, or a `Text2SQLError` while credentials cannot be checked."""
        if not self.sign_in_required:
            return ANONYMOUS
        scheme, _, text = authorization.partition(" ")
        text = text.strip()
        if scheme.lower() != "bearer" or not text:
            raise InvalidCredentials("no bearer token")
        if len(text) > _MAX_TOKEN_LENGTH or not text.isascii():
            raise InvalidCredentials("not a token of this server")
        if text.startswith(PREFIX):
            return await self._identify_by_key(text)
        return await self._identify_by_token(text)

    async def is_still_valid(self, identity: Identity) -> bool:
        """False if the API key has been revoked since; a JWT is valid until it expires."""
        return not identity.key or self._keys is None or await self._keys.is_key_valid(identity.key)

    async def _identify_by_key(self, text: str) -> Identity:
        key = await self._keys.find_valid_key(text) if self._keys else None
        if key is None:
            raise InvalidCredentials("unknown, revoked or expired key")
        sources = names_of(key.claims.get("sources"))
        return Identity(f"key:{key.name}", key.roles, key.claims, sources, key.id)

    async def _identify_by_token(self, text: str) -> Identity:
        if self._tokens is None:
            raise InvalidCredentials("not a token of this server")
        claims = await self._tokens.read(text)
        user = claim_of(claims, self._settings.token_user)
        if not isinstance(user, str | int) or isinstance(user, bool) or user == "":
            raise InvalidCredentials("the token names no user")
        roles = names_of(claim_of(claims, self._settings.token_roles)) or frozenset()
        sources = names_of(claim_of(claims, self._settings.token_sources))
        return Identity(f"token:{user}", tuple(sorted(roles)), claims, sources)


class _ApiKeys:
    """Checks API keys against the store, with a short-lived cache."""

    def __init__(self, server_store: ServerStore) -> None:
        self._server_store = server_store
        self._cache: OrderedDict[bytes, tuple[float, Key]] = OrderedDict()

    async def find_valid_key(self, text: str) -> Key | None:
        """The valid key with this text, or None. The cache holds digests, and valid keys only."""
        digest = hashlib.sha256(text.encode()).digest()
        cached_at, key = self._cache.get(digest, (0.0, None))
        if key is not None and time.monotonic() - cached_at < KEY_CACHE_SECONDS and key.opens(time.time()):
            return key
        self._cache.pop(digest, None)
        key = await (await self._server_store.memory()).keys.find_valid_key(text)
        if key is not None:
            self._cache[digest] = time.monotonic(), key
            while len(self._cache) > _MAX_CACHED_KEYS:
                self._cache.popitem(last=False)
        return key

    async def is_key_valid(self, key_id: str) -> bool:
        return await (await self._server_store.memory()).keys.is_key_valid(key_id)


def auth_methods(settings: Settings) -> tuple[str, ...]:
    """The enabled methods: `keys`, `tokens`, both or none. An unknown name is an error, not ignored."""
    methods = tuple(method.strip() for method in settings.auth.split(",") if method.strip())
    for method in methods:
        if method not in AUTH_METHODS:
            raise UsageError("usage.auth", name=method[:40], ways=", ".join(AUTH_METHODS))
    if "keys" in methods and settings.memory.strip() == "none":
        raise UsageError("usage.auth_memory")
    return methods


def serialize_identity(identity: Identity) -> dict[str, Any]:
    """The identity as JSON, so that a job runs with the permissions of the user who submitted it."""
    return {
        "user": identity.user,
        "roles": identity.roles,
        "claims": dict(identity.claims),
        "sources": None if identity.sources is None else sorted(identity.sources),
        "key": identity.key,
    }


def deserialize_identity(data: dict[str, Any]) -> Identity:
    claims = {
        name: tuple(value) if isinstance(value, list) else value for name, value in data["claims"].items()
    }
    sources = None if data["sources"] is None else frozenset(data["sources"])
    return Identity(data["user"], tuple(data["roles"]), claims, sources, data["key"])
