"""The Redis cache that servers share: texts with a lifetime, rate limits, and all its failures."""

import asyncio
import logging
import os
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TypeVar

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from redis import Redis as Client

from docs_text import read
from faults.conftest import or_missing
from memory.helpers import within
from servers import REDIS_URL, Redis, free_port, redis
from text2sql.config import Settings
from text2sql.errors import MissingDriver, StoreUnavailable, UsageError
from text2sql.i18n import explain
from text2sql.memory import Memory, redis_of
from text2sql.memory import redis as module
from text2sql.server.admission import UserRateLimit

T = TypeVar("T")
Work = Callable[[module.Redis], Awaitable[T]]


@pytest.fixture(scope="module")
def url() -> str:
    """A shared server: every test uses names that no other test uses."""
    url = os.environ.get(REDIS_URL)
    if not url:
        missing = f"NOT TESTED: {REDIS_URL} is not set; run `python tests/servers.py -- pytest`"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return url


@pytest.fixture
def own() -> Iterator[Redis]:
    """A separate server to be killed, stopped and filled."""
    with or_missing(), redis() as cache:
        yield cache


@pytest.fixture(autouse=True)
def _calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine may be busy: only who tests the patience has little of it."""
    monkeypatch.setattr(module, "_PATIENCE", 10.0)
    monkeypatch.setattr(module, "_PAUSE", 0.1)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[module.Redis]:
    cache = redis_of(Settings(cache=url))
    assert cache is not None
    try:
        yield cache
    finally:
        await cache.close()


def using(url: str, work: Work[T]) -> T:
    async def worked() -> T:
        async with opened(url) as cache:
            return await work(cache)

    return asyncio.run(worked())


async def back(cache: module.Redis) -> None:
    async with asyncio.timeout(20):
        while not await cache.answers():
            await asyncio.sleep(0.05)


# -- shared entries --------------------------------------------------------------------------------


def test_a_text_is_found_until_its_time_is_over_or_it_is_dropped(url: str) -> None:
    name = secrets.token_hex(8)

    async def work(cache: module.Redis) -> list[str | None]:
        texts = [await cache.find(name)]
        await cache.keep(name, "kept", 60.0)
        texts.append(await cache.find(name))
        await cache.drop(name)
        texts.append(await cache.find(name))
        await cache.keep(name, "brief", 0.05)
        await asyncio.sleep(0.2)
        return [*texts, await cache.find(name)]

    assert using(url, work) == [None, "kept", None, None]


def test_requests_are_counted_for_all_who_count_there(url: str) -> None:
    ann, bob = secrets.token_hex(8), secrets.token_hex(8)

    async def work(cache: module.Redis) -> list[bool]:
        async with opened(url) as other:
            taken = [await (cache, other)[at % 2].take(ann, 4) for at in range(6)]
            return [*taken, await other.take(bob, 4)]

    assert using(url, work) == [True] * 4 + [False] * 2 + [True]


def test_a_slot_becomes_free_with_time(url: str) -> None:
    person = secrets.token_hex(8)

    async def work(cache: module.Redis) -> list[bool]:
        taken = await asyncio.gather(*(cache.take(person, 600) for _ in range(600)))
        full = await cache.take(
            person, 600
        )  # a tenth of a second for each: some may have come free meanwhile
        await asyncio.sleep(0.25)
        return [all(taken), full and sum(taken) < 600, await cache.take(person, 600)]

    assert using(url, work) == [True, False, True]


@pytest.mark.parametrize(
    "stored_value", ["nan", "inf", "-inf", "1e300", "-5", "nonsense", b"\xff", ["a list"]]
)
def test_an_invalid_count_means_a_full_bucket(own: Redis, stored_value: str | bytes | list[str]) -> None:
    async def work(cache: module.Redis) -> list[bool]:
        assert await cache.take("ann", 3)
        with Client.from_url(own.url) as client:
            (name,) = client.keys("text2sql:*")
            assert 0 < client.ttl(name) <= 61
            assert b"ann" not in name
            client.delete(name)
            if isinstance(stored_value, list):
                client.rpush(name, *stored_value)
            else:
                client.set(name, stored_value)
        return [await cache.take("ann", 3) for _ in range(4)]

    assert using(own.url, work) == [True, True, True, False]


# -- what can be wrong -----------------------------------------------------------------------------


def test_a_killed_redis_is_bypassed_until_it_returns(own: Redis, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "text2sql")

    async def work(cache: module.Redis) -> list[str | None]:
        await cache.keep("a", "kept", 60.0)
        texts = [await cache.find("a")]
        await asyncio.to_thread(own.stop, signal.SIGKILL)
        texts += [await cache.find("a") for _ in range(5)]
        await cache.keep("a", "lost", 60.0)
        await cache.drop("a")
        with pytest.raises(StoreUnavailable):
            await cache.take("ann", 3)
        await asyncio.to_thread(own.restart)
        await back(cache)
        await cache.keep("a", "again", 60.0)
        return [*texts, await cache.find("a")]

    assert using(own.url, work) == ["kept", *[None] * 5, "again"]
    address = f"redis://127.0.0.1:{own.port}/0"
    assert [record.getMessage() for record in caplog.records] == [
        f"the cache {address} is done without: ConnectionError",
        f"the cache {address} is there again",
    ]


def test_a_restart_between_two_requests_causes_no_failure(own: Redis) -> None:
    async def work(cache: module.Redis) -> str | None:
        await cache.keep("a", "kept", 60.0)
        await asyncio.to_thread(own.restart)
        await cache.keep("a", "again", 60.0)
        return await cache.find("a")

    assert using(own.url, work) == "again"


def test_a_redis_that_hangs_costs_one_short_wait_and_no_reply_reaches_another(
    own: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [str(number) for number in range(40)]

    async def work(cache: module.Redis) -> list[float]:
        for name in names:
            await cache.keep(name, name, 60.0)
        monkeypatch.setattr(module, "_PATIENCE", 0.3)
        monkeypatch.setattr(module, "_PAUSE", 60.0)
        os.kill(own.pid, signal.SIGSTOP)
        began = time.monotonic()
        assert await asyncio.gather(*map(cache.find, names)) == [None] * 40
        waited = time.monotonic() - began
        assert [await cache.find(name) for name in names] == [None] * 40
        left = time.monotonic() - began - waited
        os.kill(own.pid, signal.SIGCONT)
        monkeypatch.setattr(module, "_PATIENCE", 10.0)
        cache._paused_until = time.monotonic()  # the pause is over
        await back(cache)
        for _ in range(3):
            assert await asyncio.gather(*map(cache.find, names)) == names
        return [waited, left]

    waited, left = using(own.url, work)
    assert 0.25 < waited < 5
    assert left < 0.2


def test_while_redis_is_down_one_caller_probes_it_and_the_others_continue(own: Redis) -> None:
    async def work(cache: module.Redis) -> tuple[int, int]:
        await asyncio.to_thread(own.stop, signal.SIGKILL)
        assert not await cache.answers()
        await asyncio.sleep(0.15)
        tried = 0
        execute = cache._client.execute_command

        async def counted(*command: object) -> object:
            nonlocal tried
            tried += 1
            return await execute(*command)  # type: ignore[no-untyped-call]

        cache._client.execute_command = counted  # type: ignore[method-assign]
        texts = await asyncio.gather(*(cache.find("a") for _ in range(30)))
        return texts.count(None), tried

    assert using(own.url, work) == (30, 1)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"maxmemory": "1"}, "OutOfMemoryError"),
        ({"replicaof": "127.0.0.1 1"}, "ReadOnlyError"),
        ({"rename-command": "EVAL nothing"}, "ResponseError"),
    ],
    ids=["full", "read-only", "without scripts"],
)
def test_a_redis_that_refuses_is_skipped_and_logged_once(
    options: dict[str, str], error: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(cache: module.Redis) -> None:
        for _ in range(3):
            await cache.keep("a", "text", 60.0)
            assert await cache.find("a") in (None, "text")
            with pytest.raises(StoreUnavailable):
                await cache.take("ann", 3)
        assert await cache.answers() is (error == "ResponseError")

    with or_missing(), redis(options) as server:
        using(server.url, work)
    messages = [record.getMessage() for record in caplog.records if record.name.startswith("text2sql")]
    assert messages == [f"the cache redis://127.0.0.1:{server.port}/0 is done without: {error}"]


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"$nonsense\r\n",
        b"$9999999999\r\nx\r\n",
        b":7\r\n",
        b"+OK\r\n+OK\r\n+OK\r\n",
        b"*2\r\n$1\r\na\r\n$1\r\nb\r\n",
        b"*1\r\n" * 3_000 + b":1\r\n",
        b"\xff\xfe\x00",
        b"",
    ],
)
def test_nonsense_is_no_text_and_no_count(reply: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.2)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(4_096) and reply:
            writer.write(reply)
            await writer.drain()
        writer.close()

    async def work() -> None:
        async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with opened(f"redis://127.0.0.1:{port}/0") as cache:
                assert await cache.find("a") in (None, "OK")
                cache._paused_until = 0.0
                with pytest.raises(StoreUnavailable):
                    await cache.take("ann", 3)

    asyncio.run(work())


def test_what_is_too_long_to_be_ours_is_not_fetched(own: Redis) -> None:
    with Client.from_url(own.url) as client:
        client.set("text2sql:1:a", "x" * 50_000_000)
        client.rpush("text2sql:1:b", "a list")
    assert using(own.url, lambda cache: cache.find("a")) == "x" * 400
    assert using(own.url, lambda cache: cache.find("b")) is None


def test_counting_falls_back_to_the_memory_and_then_to_the_process() -> None:
    async def work(memory: Memory) -> list[float]:
        async with opened("redis://127.0.0.1:1/0") as dead:
            pace, other = (
                UserRateLimit(2, dead, memory.rate_limits),
                UserRateLimit(2, dead, memory.rate_limits),
            )
            counted = [await pace.take("ann"), await other.take("ann"), await pace.take("ann")]
            return [*counted, await UserRateLimit(2, dead).take("ann")]

    assert within(Settings(memory="none"), work) == [0.0, 0.0, 30.0, 0.0]


# -- settings -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "hunter2",
        "http://:hunter2@host",
        "redis://",
        "redis://:hunter2@",
        "redis://:hun/ter2@host",
        "redis://user:12/hunter2@host",
        "redis://:hun?ter2@host",
        "redis://:hun#ter2@host",
        "redis://:hunter2@host:port",
        "redis://:hunter2@host/shop",
        "redis://:hunter2@host?db=1",
        "redis://:hunter2@host?ssl_ca_certs=ca.pem",
        "rediss://:hunter2@host?ssl_nonsense=1",
        "rediss://:hunter2@host?ssl_cert_reqs=perhaps",
        "redis://:hunter2@[::1",
    ],
)
def test_an_invalid_address_is_an_error_in_both_languages_that_does_not_show_it(address: str) -> None:
    settings = Settings(cache=address)
    with pytest.raises(UsageError) as caught:
        redis_of(settings)
    texts = explain(caught.value, "en") + explain(caught.value, "zh") + repr(caught.value) + repr(settings)
    assert "TEXT2SQL_CACHE" in texts
    assert "hun" not in texts
    assert "ter2" not in texts


def test_an_address_may_be_plain_or_with_tls_and_its_options() -> None:
    for address in (
        "redis://h",
        "redis://u:p%2Fw@h:1/15",
        "rediss://:p@h/?ssl_ca_certs=ca.pem",
        "redis://[::1]",
    ):
        assert redis_of(Settings(cache=address)) is not None
    assert redis_of(Settings(cache=" ")) is None


def test_an_account_needs_no_more_than_the_documents_say() -> None:
    rights = "+getrange +get +set +del +eval +time"
    page = " ".join(read("docs/operations.md").split())
    assert (
        f"needs {', '.join(f'`{command.upper()}`' for command in rights.replace('+', '').split()[:-1])}"
        in page
    )

    async def work(cache: module.Redis) -> list[object]:
        await cache.keep("a", "kept", 60.0)
        done = [
            await cache.find("a"),
            await cache.take("ann", 1),
            await cache.take("ann", 1),
            await cache.answers(),
        ]
        await cache.drop("a")
        return [*done, await cache.find("a")]

    with or_missing(), redis({"user": f"cache on >pw ~text2sql:* -@all {rights}"}) as server:
        assert using(f"redis://cache:pw@127.0.0.1:{server.port}/0", work) == ["kept", True, False, True, None]


def test_a_certificate_is_looked_at(tmp_path: Path) -> None:
    certificate, key = _certificate(tmp_path)
    options = {"tls-port": str(free_port()), "tls-auth-clients": "no", "tls-ca-cert-file": str(certificate)}
    options |= {"tls-cert-file": str(certificate), "tls-key-file": str(key)}
    with or_missing(), redis(options) as server:
        address = server.url.replace("redis://", "rediss://").replace(str(server.port), options["tls-port"])
        assert using(f"{address}?ssl_ca_certs={certificate}", lambda cache: cache.answers())
        assert not using(address, lambda cache: cache.answers())


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "redis")])
    now, address = datetime.now(UTC), x509.IPAddress(ip_address("127.0.0.1"))
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(signed.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "ca.pem", folder / "key.pem"


def test_a_wrong_password_is_never_shown(own: Redis, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def work(cache: module.Redis) -> str:
        with pytest.raises(StoreUnavailable) as caught:
            await cache.take("ann", 3)
        return repr(caught.value) + explain(caught.value, "en")

    texts = using(f"redis://:hunter2@127.0.0.1:{own.port}/0", work)
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert "AuthenticationError" in logged
    assert "hunter2" not in texts + logged


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "text2sql.memory.redis", raising=False)
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(MissingDriver) as caught:
        redis_of(Settings(cache="redis://127.0.0.1"))
    assert caught.value.facts == {"database": "Redis", "extra": "redis"}
    assert 'pip install "text2sql-kit[redis]"' in explain(caught.value, "zh")
