"""Credentials for tests: API keys in the server's memory, and signed tokens."""

import time
from collections.abc import Mapping
from typing import Any

import jwt

from server.serving import Served
from text2sql.memory import new_key

ISSUER, AUDIENCE, SECRET = "https://id.example", "text2sql", "an-hmac-secret-" + "0123456789abcdef" * 4
TOKENS: dict[str, Any] = {
    "auth": "tokens",
    "token_issuer": ISSUER,
    "token_audience": AUDIENCE,
    "token_secret": SECRET,
}


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


async def with_key(server: Served, name: str, *roles: str, **claims: Any) -> dict[str, str]:
    """Create an API key and return the request headers for it."""
    text, key = new_key(name, roles=roles, claims=claims)
    await (await server.here.server_store.memory()).keys.add(key)
    return bearer(text)


def claims_of(user: str = "ann", **more: Any) -> dict[str, Any]:
    """Token claims; a claim that is None is omitted."""
    fields = {"sub": user, "iss": ISSUER, "aud": AUDIENCE, "exp": time.time() + 600, **more}
    return {name: value for name, value in fields.items() if value is not None}


def token(
    user: str = "ann",
    *,
    key: Any = SECRET,
    algorithm: str = "HS256",
    headers: Mapping[str, Any] | None = None,
    **more: Any,
) -> str:
    return jwt.encode(claims_of(user, **more), key, algorithm, headers=dict(headers or {}))
