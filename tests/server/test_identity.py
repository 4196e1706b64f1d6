"""Authentication: missing, forged, expired and revoked keys and tokens."""

import asyncio
import base64
import json
import time
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from server.people import AUDIENCE, ISSUER, SECRET, TOKENS, bearer, claims_of, token, with_key
from server.serving import ASK, COUNT, scripted, served, settings_of
from text2sql.errors import UsageError
from text2sql.memory import new_key
from text2sql.server import identity, jwks
from text2sql.server.audit import ServerStore
from text2sql.server.tokens import InvalidCredentials

RSA, OTHER = (rsa.generate_private_key(public_exponent=65_537, key_size=2_048) for _ in range(2))
CURVE = ec.generate_private_key(ec.SECP256R1())
PUBLIC = RSA.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
)


def jwk(key: Any, kid: str) -> dict[str, Any]:
    kind = jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else jwt.algorithms.ECAlgorithm
    return {**kind.to_jwk(key.public_key(), as_dict=True), "kid": kid, "use": "sig"}


def welcome(text: str, **settings: Any) -> str:
    """The user of a token; empty if the token is rejected."""

    async def scenario() -> str:
        configured = settings_of(**{**TOKENS, **settings})
        try:
            return (
                await identity.Authenticator(configured, ServerStore(configured)).identify(f"Bearer {text}")
            ).user
        except InvalidCredentials:
            return ""

    return asyncio.run(scenario())


def unsigned(**more: Any) -> str:
    def part(value: Any) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(claims_of(**more))}."


def tampered() -> str:
    head, _, signature = token("ann").split(".")
    body = base64.urlsafe_b64encode(json.dumps(claims_of("root")).encode()).rstrip(b"=").decode()
    return f"{head}.{body}.{signature}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "a.b.c",
        "é.é.é",
        "x" * 10_000,
        unsigned(),
        tampered(),
        token(key="another-secret-" + "0123456789abcdef" * 4),
        token(algorithm="HS512"),
        token(exp=time.time() - 60),
        token(exp=None),
        token(exp="tomorrow"),
        token(nbf=time.time() + 86_400),
        token(iss="https://evil.example"),
        token(iss=None),
        token(aud="another"),
        token(aud=None),
        token(sub=""),
        token(sub=None),
        token(headers={"crit": ["exp"]}),
        token(key=PUBLIC.decode().replace("-", "x")),
        f"{token()}.x",
        token().rpartition(".")[0] + ".",
    ],
    ids=(
        "empty letter parts accents long unsigned tampered another_key another_algorithm expired endless "
        "worded too_early issuer no_issuer audience no_audience no_name nobody "
        "critical public_key four_parts cut"
    ).split(),
)
@pytest.mark.fault("A02")
def test_a_token_with_an_invalid_part_is_rejected(text: str) -> None:
    assert welcome(text) == ""


def test_a_token_that_is_right_names_its_user_and_a_user_is_never_a_key() -> None:
    assert welcome(token("ann")) == "token:ann"
    assert welcome(token("ann", aud=["other", AUDIENCE])) == "token:ann"
    assert welcome(token("key:ann")) == "token:key:ann"
    assert welcome(token("x", email="ann@example.com"), token_user="email") == "token:ann@example.com"


@pytest.mark.fault("A02")
def test_public_keys_are_found_by_their_id_and_fix_the_algorithm(tmp_path: Path) -> None:
    known = tmp_path / "keys.json"
    items = [jwk(RSA, "r"), jwk(CURVE, "e"), {"kty": "oct", "k": "AAAA", "kid": "o"}, {"kty": "?"}, 7]
    known.write_text(json.dumps({"keys": items}))

    def let_in(key: Any, algorithm: str, **headers: Any) -> bool:
        configured = {"token_secret": "", "token_keys": str(known)}
        return bool(welcome(token(key=key, algorithm=algorithm, headers=headers), **configured))

    assert let_in(RSA, "RS256", kid="r")
    assert let_in(CURVE, "ES256", kid="e")
    assert not let_in(RSA, "RS256")  # of two keys one must be named
    assert not let_in(OTHER, "RS256", kid="r")
    assert not let_in(RSA, "RS256", kid="e")
    assert not let_in(RSA, "RS512", kid="r")
    assert not let_in(RSA, "PS256", kid="r")
    assert not let_in(OTHER, "RS256", kid="other", jku="https://evil.example/keys.json")
    assert not let_in(OTHER, "RS256", kid="r", jwk=jwk(OTHER, "r"))
    # A public key used as a secret: algorithm confusion.
    assert not let_in(b"AAAA" * 8, "HS256", kid="o")
    assert not welcome(unsigned(), token_secret="", token_keys=str(known))


class Issuer:
    """An OpenID provider on a free port; `asked` are the requested paths."""

    def __init__(self) -> None:
        self.keys = [jwk(RSA, "old")]
        self.paths: list[str] = []
        self.up = True
        self.url = ""

    async def __aenter__(self) -> "Issuer":
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
        self.paths.append(path)
        await asyncio.sleep(0.02)
        fields: Any = {"keys": self.keys}
        if path.startswith("/.well-known/"):
            fields = {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        body = json.dumps(fields).encode()
        status = "200 OK" if self.up else "500 No"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()


def test_issuer_keys_are_fetched_once_for_all_requests_and_again_for_a_new_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        async with Issuer() as issuer:
            configured = settings_of(**{**TOKENS, "token_secret": "", "token_issuer": issuer.url})
            authenticator = identity.Authenticator(configured, ServerStore(configured))

            async def let_in(key: Any, kid: str) -> bool:
                text = token(key=key, algorithm="RS256", headers={"kid": kid}, iss=issuer.url)
                try:
                    return bool((await authenticator.identify(f"Bearer {text}")).user)
                except InvalidCredentials:
                    return False

            issuer.up = False
            with pytest.raises(UsageError) as down:
                await let_in(RSA, "old")
            assert down.value.message_key == "usage.token_keys"
            issuer.up = True
            monkeypatch.setattr(jwks, "_MIN_REFRESH_SECONDS", 0.0)
            assert await asyncio.gather(*(let_in(RSA, "old") for _ in range(20))) == [True] * 20
            discovery = ["/.well-known/openid-configuration", "/keys"]
            assert issuer.paths == [discovery[0], *discovery]
            issuer.paths.clear()
            monkeypatch.setattr(jwks, "_MIN_REFRESH_SECONDS", 60.0)
            assert await asyncio.gather(*(let_in(OTHER, f"x{n}") for n in range(20))) == [False] * 20
            assert issuer.paths == []  # requested a moment ago
            monkeypatch.setattr(jwks, "_MIN_REFRESH_SECONDS", 0.0)
            issuer.keys = [jwk(OTHER, "new")]
            assert await asyncio.gather(*(let_in(OTHER, "new") for _ in range(20))) == [True] * 20
            assert issuer.paths == discovery
            assert not await let_in(RSA, "old")  # the issuer took it back
            issuer.up = False
            monkeypatch.setattr(jwks, "_MAX_AGE_SECONDS", 0.0)
            assert await let_in(OTHER, "new")  # known keys still work

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"auth": "key"}, "usage.auth"),
        ({"auth": "keys"}, "usage.auth_memory"),
        ({"token_issuer": ""}, "usage.token_settings"),
        ({"token_audience": ""}, "usage.token_settings"),
        ({"token_secret": "short"}, "usage.token_secret"),
        ({"token_keys": "keys.json"}, "usage.token_both"),
        ({"token_secret": "", "token_issuer": "http://id.example"}, "usage.token_issuer"),
        ({"token_secret": "", "token_issuer": "shop"}, "usage.token_issuer"),
        ({"token_secret": "", "token_keys": "http://id.example/keys"}, "usage.token_issuer"),
        ({"token_secret": "", "token_keys": "ftp://127.0.0.1/keys"}, "usage.token_issuer"),
    ],
)
def test_insecure_auth_settings_are_rejected(settings: dict[str, str], key: str) -> None:
    configured = settings_of(**{**TOKENS, **settings})
    with pytest.raises(UsageError) as refused:
        identity.Authenticator(configured, ServerStore(configured))
    assert refused.value.message_key == key


# -- keys, and the server -----------------------------------------------------------------------

OPEN = {"/", "/vega.js", "/healthz", "/readyz"}


@pytest.mark.fault("A01", "A11")
def test_without_a_key_every_address_says_the_same_but_the_page_and_health(
    shop: Path, tmp_path: Path
) -> None:
    async def scenario() -> tuple[set[str], set[str], int]:
        async with served(shop, scripted([]), auth="keys", memory=str(tmp_path / "m.db")) as server:
            seen: set[str] = set()
            open_: set[str] = set()
            for method, path in _addresses(server.app.openapi()):
                response = await server.client.request(method, path, content=b"[" * 100_000)
                if response.status_code == 401:
                    problem = response.json()
                    problem.pop("request_id")
                    seen.add(json.dumps([problem, response.headers["www-authenticate"]]))
                else:
                    open_.add(path)
            wrong = [
                {},
                {"Authorization": ""},
                {"Authorization": "Bearer"},
                {"Authorization": "Basic YTpi"},
                bearer("t2s_"),
                bearer("t2s_0_0"),
                bearer(new_key("ann")[0]),
                bearer("' OR 1=1 --"),
                bearer(token()),
            ]
            for headers in wrong:
                problem = (await server.client.get("/api/v1/threads", headers=headers)).json()
                problem.pop("request_id")
                seen.add(json.dumps([problem, "Bearer"]))
            page = await server.client.get("/")
            ready = (await server.client.get("/readyz")).json()
            assert ready == {"status": "ready", "sources": {}}
            return seen, open_, page.status_code

    seen, opened, page = asyncio.run(scenario())
    assert len(seen) == 1
    assert opened == {"/healthz", "/readyz"}
    assert page == 200


def _addresses(described: dict[str, Any]) -> list[tuple[str, str]]:
    paths = [(method.upper(), path) for path, methods in described["paths"].items() for method in methods]
    return [*paths, ("GET", "/openapi.json"), ("GET", "/nope"), ("POST", "/static")]


def test_a_key_is_valid_until_it_is_revoked_or_expires(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "KEY_CACHE_SECONDS", 0.0)

    async def scenario() -> list[int]:
        async with served(shop, scripted([COUNT]), auth="keys", memory=str(tmp_path / "m.db")) as server:
            memory = await server.here.server_store.memory()
            ann = await with_key(server, "ann")
            text, short = new_key("bob", days=1e-9)
            await memory.keys.add(short)
            statuses = [await _status(server.client, ann), await _status(server.client, bearer(text))]
            await memory.keys.revoke("ann")
            again = await with_key(server, "ann")
            return [*statuses, await _status(server.client, ann), await _status(server.client, again)]

    assert asyncio.run(scenario()) == [200, 401, 401, 200]


async def _status(client: httpx.AsyncClient, headers: dict[str, str]) -> int:
    return (await client.get("/api/v1/threads", headers=headers)).status_code


def test_the_memory_stores_no_usable_key(tmp_path: Path, shop: Path) -> None:
    memory_file = tmp_path / "m.db"

    async def scenario() -> str:
        async with served(shop, scripted([]), auth="keys", memory=str(memory_file)) as server:
            headers = await with_key(server, "ann")
            assert await _status(server.client, headers) == 200
            return headers["Authorization"].removeprefix("Bearer ")

    text = asyncio.run(scenario())
    result = b"".join(path.read_bytes() for path in tmp_path.glob("m.db*"))
    assert text.split("_", 2)[2].encode() not in result
    assert b"ann" in result


@pytest.mark.fault("A03")
def test_a_key_that_is_revoked_ends_the_question_at_its_next_stage(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> Any:
        backend = scripted([COUNT])
        async with served(shop, backend, auth="keys", memory=str(tmp_path / "m.db")) as server:
            headers = await with_key(server, "ann")
            keys_ = (await server.here.server_store.memory()).keys
            stream = backend.stream

            async def revoking(request: Any) -> Any:
                await keys_.revoke("ann")
                async for piece in stream(request):
                    yield piece

            monkeypatch.setattr(backend, "stream", revoking)
            return (await server.client.post("/api/v1/query/sync", json=ASK, headers=headers)).json()

    assert asyncio.run(scenario())["kind"] == "usage.not_welcome"


@pytest.mark.fault("A11")
def test_numbers_are_for_operators(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> list[int]:
        async with served(shop, scripted([]), auth="keys", memory=str(tmp_path / "m.db")) as server:
            statuses = []
            for name, roles in (("ann", ()), ("ops", ("operator",))):
                headers = await with_key(server, name, *roles)
                statuses.append((await server.client.get("/metrics", headers=headers)).status_code)
            return statuses

    assert asyncio.run(scenario()) == [403, 200]


def test_sign_in_fails_with_503_while_the_memory_is_unavailable(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> list[int]:
        memory_file = tmp_path / "m.db"
        memory_file.write_bytes(b"somebody else's file")
        async with served(shop, scripted([]), auth="keys", memory=str(memory_file)) as server:
            headers = bearer(new_key("ann")[0])
            first = await _status(server.client, headers)
            return [first, (await server.client.get("/readyz")).status_code]

    assert asyncio.run(scenario()) == [503, 503]


def test_a_secret_is_in_no_representation_of_the_settings() -> None:
    assert SECRET not in repr(settings_of(**TOKENS))
    assert ISSUER in repr(settings_of(**TOKENS))
    text, key = new_key("ann")
    assert text.split("_", 2)[2] not in repr(key)
    assert key.digest not in repr(key)
