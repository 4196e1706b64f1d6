"""JSON Web Tokens: signed by the issuer that is configured, for us, and not over.

Which algorithms count is fixed by what the installation has, a secret or an issuer's public keys, and never
taken from the token: so neither `none` nor a public key used as a secret opens anything. A key is found by
`kid` among the issuer's; addresses in a token (`jku`, `x5u`) are never followed.
"""

import logging
from collections.abc import Mapping
from typing import Any

import jwt

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.server.jwks import ALGORITHMS, KeySet

log = logging.getLogger(__name__)

_LEEWAY = 30.0  # seconds that clocks may differ
_SECRET = 32  # bytes, as RFC 7518 has it for HS256
_NEEDED = ["exp", "iss", "aud"]


class NotKnown(Exception):
    """Why somebody was not let in, for the log. The client is told the same in every case."""


class Tokens:
    def __init__(self, settings: Settings) -> None:
        self._issuer, self._audience = settings.token_issuer.strip(), settings.token_audience.strip()
        self._secret = settings.token_secret
        if not self._issuer or not self._audience:
            raise UsageError("usage.token_settings")
        if self._secret and settings.token_keys:
            raise UsageError("usage.token_both")
        if self._secret and len(self._secret.encode()) < _SECRET:
            raise UsageError("usage.token_secret", least=_SECRET)
        self._keys = None if self._secret else KeySet(self._issuer, settings.token_keys.strip())

    async def read(self, text: str) -> Mapping[str, Any]:
        """Its claims. Raises `NotKnown`; a `UsageError` while the issuer's keys cannot be had."""
        try:
            header = jwt.get_unverified_header(text)
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise NotKnown("no token") from error
        algorithm, key = await self._key(header)
        try:
            return jwt.decode(
                text,
                key,
                algorithms=[algorithm],
                issuer=self._issuer,
                audience=self._audience,
                leeway=_LEEWAY,
                options={"require": _NEEDED, "enforce_minimum_key_length": True},
            )
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise NotKnown(type(error).__name__) from error

    async def _key(self, header: Mapping[str, Any]) -> tuple[str, Any]:
        algorithm = header.get("alg")
        if self._keys is None:
            if algorithm != "HS256":
                raise NotKnown("another algorithm")
            return "HS256", self._secret
        named = header.get("kid", "")
        if algorithm not in ALGORITHMS or not isinstance(named, str):
            raise NotKnown("another algorithm")
        found = await self._keys.find(named)
        if found is None or found.algorithm_name != algorithm:
            raise NotKnown("a key that the issuer does not have")
        return algorithm, found


def claim_of(claims: Mapping[str, Any], name: str) -> Any:
    """By its name, which may be an address; else along its dots: `realm_access.roles`."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def names_of(claim: object) -> frozenset[str] | None:
    """A list of names, or one text with spaces or commas between them; None where there is no such claim."""
    if claim is None:
        return None
    if isinstance(claim, str):
        return frozenset(claim.replace(",", " ").split())
    if isinstance(claim, list | tuple):
        return frozenset(one for one in claim if isinstance(one, str))
    return frozenset()
