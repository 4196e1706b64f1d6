"""Authentication: who sends a request, from an API key or a JWT, or anonymous where sign-in is off.

Credentials are read from the Authorization header only: browsers, proxies and logs keep URLs.

"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.memory.keys import PREFIX
from text2sql.server.audit import ServerStore
from text2sql.server.keys import ApiKeys
from text2sql.server.tokens import InvalidCredentials, Tokens, claim_of, names_of

log = logging.getLogger(__name__)

OPERATOR = "operator"  # the role that may read the metrics of the whole server
AUTH_METHODS = ("keys", "tokens")
_MAX_TOKEN_LENGTH = 8_192  # characters of a token


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
        self._keys = ApiKeys(server_store) if "keys" in self._methods else None

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
            raise InvalidCredentials("no token of ours")
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
            raise InvalidCredentials("no token of ours")
        claims = await self._tokens.read(text)
        user = claim_of(claims, self._settings.token_user)
        if not isinstance(user, str | int) or isinstance(user, bool) or user == "":
            raise InvalidCredentials("the token names nobody")
        roles = names_of(claim_of(claims, self._settings.token_roles)) or frozenset()
        sources = names_of(claim_of(claims, self._settings.token_sources))
        return Identity(f"token:{user}", tuple(sorted(roles)), claims, sources)


def auth_methods(settings: Settings) -> tuple[str, ...]:
    """The enabled methods: `keys`, `tokens`, both or none. An unknown name is an error, not ignored."""
    wanted = tuple(method.strip() for method in settings.auth.split(",") if method.strip())
    for method in wanted:
        if method not in AUTH_METHODS:
            raise UsageError("usage.auth", name=method[:40], ways=", ".join(AUTH_METHODS))
    if "keys" in wanted and settings.memory.strip() == "none":
        raise UsageError("usage.auth_memory")
    return wanted


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
