"""Verifies JSON Web Tokens: signature, issuer, audience and expiry.

The settings, never the token, determine the algorithm: a shared secret (HS256) or the issuer's public keys.
So neither `none` nor a public key used as a secret is accepted. Keys are found by `kid`; URLs inside a token
(`jku`, `x5u`) are ignored.
"""

import logging
from collections.abc import Mapping
from typing import Any

import jwt

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.server.jwks import ALGORITHMS, KeySet

log = logging.getLogger(__name__)

_LEEWAY = 30.0  # seconds of clock skew
_MIN_SECRET_BYTES = 32  # RFC 7518 requires 256 bits for HS256
_REQUIRED_CLAIMS = ["exp", "iss", "aud"]


class InvalidCredentials(Exception):
    """Why authentication failed, for the log. The client always gets the same response."""


class Tokens:
    def __init__(self, settings: Settings) -> None:
        self._issuer, self._audience = settings.token_issuer.strip(), settings.token_audience.strip()
        self._secret = settings.token_secret
        if not self._issuer or not self._audience:
            raise UsageError("usage.token_settings")
        if self._secret and settings.token_keys:
            raise UsageError("usage.token_both")
        if self._secret and len(self._secret.encode()) < _MIN_SECRET_BYTES:
            raise UsageError("usage.token_secret", least=_MIN_SECRET_BYTES)
        self._keys = None if self._secret else KeySet(self._issuer, settings.token_keys.strip())

    async def read(self, text: str) -> Mapping[str, Any]:
        """Verify a token and return its claims.

        Raises `InvalidCredentials`, or a `UsageError` while the issuer's keys are unavailable.
        """
        try:
            header = jwt.get_unverified_header(text)
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise InvalidCredentials("no token") from error
        algorithm, key = await self._key(header)
        try:
            return jwt.decode(
                text,
                key,
                algorithms=[algorithm],
                issuer=self._issuer,
                audience=self._audience,
                leeway=_LEEWAY,
                options={"require": _REQUIRED_CLAIMS, "enforce_minimum_key_length": True},
            )
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise InvalidCredentials(type(error).__name__) from error

    async def _key(self, header: Mapping[str, Any]) -> tuple[str, Any]:
        algorithm = header.get("alg")
        if self._keys is None:
            if algorithm != "HS256":
                raise InvalidCredentials("another algorithm")
            return "HS256", self._secret
        key_id = header.get("kid", "")
        if algorithm not in ALGORITHMS or not isinstance(key_id, str):
            raise InvalidCredentials("another algorithm")
        public_key = await self._keys.find(key_id)
        if public_key is None or public_key.algorithm_name != algorithm:
            raise InvalidCredentials("a key that the issuer does not have")
        return algorithm, public_key


def claim_of(claims: Mapping[str, Any], name: str) -> Any:
    """A claim by its exact name (which may be a URL), else by a dotted path such as `realm_access.roles`."""
    if name in claims:
        return claims[name]
    value: Any = claims
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def names_of(claim: object) -> frozenset[str] | None:
    """The names in a list or in a text separated by spaces or commas; None if the claim is missing."""
    if claim is None:
        return None
    if isinstance(claim, str):
        return frozenset(claim.replace(",", " ").split())
    if isinstance(claim, list | tuple):
        return frozenset(name for name in claim if isinstance(name, str))
    return frozenset()
