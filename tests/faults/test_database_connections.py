"""Faults of the connection (faults.md D01–D05, D30, D32, D33). The readiness check of D03 is tested in the
server.
"""

import datetime
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from faults.asking import SLOW, admin, ask, dialect_of, kill_sessions, opened, through
from faults.proxy import Proxy
from servers import Server
from text2sql.errors import ConnectionFailed, DatabaseError, PoolExhausted, QueryTimeout
from text2sql.i18n import explain
from text2sql.types import CheckedSql, Limits

pytestmark = pytest.mark.slow
RetryLater = Callable[[float, Callable[[], object]], None]
ONCE = {"postgres": "SELECT 42, pg_sleep(1)::text", "mysql": "SELECT 42, SLEEP(1)"}


@pytest.fixture(params=["postgres_server", "mariadb_server"])
def server(request: pytest.FixtureRequest) -> Server:
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


def test_d01_a_query_whose_connection_is_killed_is_run_again_without_an_error(
    server: Server, later: RetryLater
) -> None:
    with opened(server.url) as database:
        later(0.4, lambda: kill_sessions(server.url))
        assert ask(database, ONCE[database.dialect])[0][0] == 42


def test_d01_a_connection_that_is_killed_twice_is_an_error_with_a_name(
    server: Server, later: RetryLater
) -> None:
    with opened(server.url) as database:
        later(0.3, lambda: kill_sessions(server.url))
        later(1.2, lambda: kill_sessions(server.url))
        with pytest.raises(ConnectionFailed):
            ask(database, SLOW[database.dialect])
        assert ask(database, "SELECT 1") == ((1,),)


def test_d01_rows_already_handed_out_are_not_handed_out_again(server: Server) -> None:
    many = {
        "postgres": "SELECT repeat('x', 10000) FROM generate_series(1, 100000)",
        "mysql": "SELECT REPEAT('x', 10000) FROM seq_1_to_100000",
    }
    with opened(server.url) as database:
        limits = Limits(rows=10**9, bytes=10**12)
        with database.stream(CheckedSql(many[database.dialect], database.dialect), limits) as stream:
            batches = iter(stream)
            next(batches)
            kill_sessions(server.url)
            with pytest.raises(ConnectionFailed):
                for _ in batches:
                    pass
        assert ask(database, "SELECT 1") == ((1,),)


@pytest.mark.parametrize("kind", ["fresh_postgres", "fresh_mariadb"])
def test_d02_a_restart_costs_a_warm_pool_no_request(kind: str, request: pytest.FixtureRequest) -> None:
    with request.getfixturevalue(kind)() as server, opened(server.url) as database:
        _warm(database, 5)
        server.restart()
        assert [ask(database, "SELECT 1") for _ in range(6)] == [((1,),)] * 6


@pytest.mark.parametrize("kind", ["fresh_postgres", "fresh_mariadb"])
def test_d03_a_server_that_is_down_is_reported_and_used_again_when_it_is_back(
    kind: str, request: pytest.FixtureRequest
) -> None:
    with request.getfixturevalue(kind)() as server, opened(server.url) as database:
        server.stop()
        began = time.monotonic()
        with pytest.raises(ConnectionFailed):
            ask(database, "SELECT 1")
        assert time.monotonic() - began < 4
        server.restart()
        assert ask(database, "SELECT 1") == ((1,),)


def test_d03_one_server_that_is_down_does_not_touch_another(
    postgres_server: Server, mariadb_server: Server
) -> None:
    nobody = postgres_server.url.replace(f":{postgres_server.port}/", ":1/")
    with opened(nobody) as down, opened(mariadb_server.url) as up:
        with pytest.raises(ConnectionFailed):
            ask(down, "SELECT 1")
        assert ask(up, "SELECT 1") == ((1,),)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("fresh_postgres", {"max_connections": "8", "superuser_reserved_connections": "3"}),
        ("fresh_mariadb", {"max_connections": "10", "extra_max_connections": "1"}),
    ],
)
def test_d04_a_server_that_is_full_is_shared_by_waiting_in_line(
    kind: str, options: dict[str, str], request: pytest.FixtureRequest
) -> None:
    with request.getfixturevalue(kind)(options) as server:
        url = _plain_account(server.url)
        with opened(url, pool_wait=3.0) as database:
            began = time.monotonic()
            with ThreadPoolExecutor(50) as clients:
                outcomes = list(clients.map(lambda _: _outcome(database), range(50)))
            assert time.monotonic() - began < 10
            assert outcomes == ["rows"] * 50  # they wait for each other, not for the server
            assert ask(database, "SELECT 1") == ((1,),)


def test_d04_more_clients_than_connections_queue_and_then_get_an_error(server: Server) -> None:
    with opened(server.url, pool_size=2, pool_overflow=1, pool_wait=0.5) as database:
        with ThreadPoolExecutor(12) as clients:
            outcomes = list(clients.map(lambda _: _outcome(database, ONCE[database.dialect]), range(12)))
        assert set(outcomes) == {"rows", "busy"}


def test_d05_a_wrong_password_is_tried_once_and_never_shown(server: Server) -> None:
    with Proxy(server.port) as proxy:
        secret = "n0t-the-passw0rd"
        account = urlsplit(server.url).username or ""
        url = through(server.url, proxy.port).replace(urlsplit(server.url).password or "", secret)
        with opened(url) as database, pytest.raises(ConnectionFailed) as caught:
            ask(database, "SELECT 1")
        assert proxy.accepted <= 2  # libpq asks once with TLS and once without
        assert caught.value.message_key == "database.login"
        texts = f"{caught.value} {caught.value!r} {explain(caught.value, 'zh')} {explain(caught.value, 'en')}"
        assert secret not in texts
        assert account in texts


def test_d05_a_password_that_was_changed_stops_new_connections_only(server: Server) -> None:
    url = _plain_account(server.url)
    with opened(url, pool_size=2) as database:
        assert ask(database, "SELECT 1") == ((1,),)
        change = {
            "postgres": "ALTER ROLE plain PASSWORD 'new'",
            "mysql": "ALTER USER plain@'%' IDENTIFIED BY 'new'",
        }
        admin(server.url, change[database.dialect])
        assert ask(database, "SELECT 1") == ((1,),)
    with opened(url) as database, pytest.raises(ConnectionFailed) as caught:
        ask(database, "SELECT 1")
    assert caught.value.message_key == "database.login"


def test_a_database_that_does_not_exist_is_named_in_the_error(server: Server) -> None:
    url = urlsplit(server.url)._replace(path="/nowhere").geturl()
    with opened(url) as database, pytest.raises(ConnectionFailed) as caught:
        ask(database, "SELECT 1")
    assert caught.value.message_key == "database.no_such_database"


def test_d30_after_a_failover_the_next_query_runs_on_the_new_server(
    postgres_server: Server, fresh_postgres: Any
) -> None:
    with fresh_postgres() as other, Proxy(postgres_server.port) as proxy:
        admin(other.url, f"ALTER ROLE postgres PASSWORD '{urlsplit(postgres_server.url).password}'")
        with opened(through(postgres_server.url, proxy.port)) as database:
            here = "SELECT setting FROM pg_settings WHERE name = 'port'"
            assert ask(database, here) == ((str(postgres_server.port),),)
            proxy.target = other.port
            proxy.cut()
            assert ask(database, here) == ((str(other.port),),)


def test_d32_a_connection_that_stops_answering_fails_within_the_deadline(
    server: Server, later: RetryLater
) -> None:
    with Proxy(server.port) as proxy, opened(through(server.url, proxy.port)) as database:
        assert ask(database, "SELECT 1") == ((1,),)
        later(0.3, lambda: setattr(proxy, "verb", "stall"))
        began = time.monotonic()
        with pytest.raises((QueryTimeout, ConnectionFailed)):
            ask(database, SLOW[database.dialect], seconds=1.0)
        assert time.monotonic() - began < 4.0
        proxy.verb = "pass"
        assert ask(database, "SELECT 1") == ((1,),)


def test_d32_a_server_that_accepts_and_does_not_respond_is_abandoned(server: Server) -> None:
    with Proxy(server.port) as proxy:
        proxy.verb = "stall"
        began = time.monotonic()
        with opened(through(server.url, proxy.port)) as database, pytest.raises(ConnectionFailed):
            ask(database, "SELECT 1")
        assert time.monotonic() - began < 6.0


def test_a_slow_network_is_not_a_fault(server: Server) -> None:
    with Proxy(server.port) as proxy:
        proxy.latency = 0.02
        with opened(through(server.url, proxy.port)) as database:
            assert ask(database, "SELECT 1") == ((1,),)


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl to make a certificate")
@pytest.mark.fault("D33")
class TestD33Tls:
    def test_a_server_without_tls_is_refused_where_the_url_asks_for_it(self, server: Server) -> None:
        asks = {"postgres": "?sslmode=require", "mysql": "?ssl_mode=REQUIRED"}[dialect_of(server.url)]
        with opened(server.url + asks) as database, pytest.raises(ConnectionFailed) as caught:
            ask(database, "SELECT 1")
        assert caught.value.message_key == "database.tls"

    def test_an_expired_certificate_is_refused_by_postgres(self, fresh_postgres: Any, tmp_path: Path) -> None:
        with fresh_postgres() as server:
            data = server.directory / "data"
            authority = _certificate(data, expired=True)
            for file in (data / "server.crt", data / "server.key"):
                shutil.chown(file, *_owner(data))
            admin(server.url, "ALTER SYSTEM SET ssl = on")
            admin(server.url, "SELECT pg_reload_conf()")
            copy = tmp_path / "ca.crt"
            shutil.copy(authority, copy)
            time.sleep(0.5)
            self._encrypted_but_not_trusted(
                server.url, "sslmode=require", f"sslmode=verify-full&sslrootcert={copy}"
            )

    def test_an_expired_certificate_is_refused_by_mariadb(self, fresh_mariadb: Any) -> None:
        with tempfile.TemporaryDirectory(prefix="text2sql-tls-") as name:
            folder = Path(name)
            authority = _certificate(folder, expired=True)
            folder.chmod(0o755)  # MariaDB runs as another user
            (folder / "server.key").chmod(0o644)
            options = {"ssl-cert": str(folder / "server.crt"), "ssl-key": str(folder / "server.key")}
            with fresh_mariadb(options) as server:
                self._encrypted_but_not_trusted(
                    server.url, "ssl_mode=REQUIRED", f"ssl_mode=VERIFY_IDENTITY&ssl_ca={authority}"
                )

    def _encrypted_but_not_trusted(self, url: str, encrypted: str, verified: str) -> None:
        with opened(f"{url}?{encrypted}") as database:
            assert ask(database, "SELECT 1") == ((1,),)
        with opened(f"{url}?{verified}") as database, pytest.raises(ConnectionFailed) as caught:
            ask(database, "SELECT 1")
        assert caught.value.message_key == "database.tls"


# -- test functions -------------------------------------------------------------------------------


def _warm(database: Any, count: int) -> None:
    ready = threading.Barrier(count)

    def run_query() -> None:
        ready.wait()
        ask(
            database,
            {"postgres": "SELECT pg_sleep(0.2)::text", "mysql": "SELECT SLEEP(0.2)"}[database.dialect],
        )

    threads = [threading.Thread(target=run_query) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _outcome(database: Any, sql: str = "SELECT 1") -> str:
    try:
        ask(database, sql)
    except PoolExhausted:
        return "busy"
    except ConnectionFailed as error:
        return "full" if error.message_key == "database.full" else str(error)
    except DatabaseError as error:
        return str(error)
    return "rows"


def _plain_account(url: str) -> str:
    """An account without the connections that a full server reserves for its administrators."""
    make = {
        "postgres": ("DROP ROLE IF EXISTS plain", "CREATE ROLE plain LOGIN PASSWORD 'plain'"),
        "mysql": ("DROP USER IF EXISTS plain@'%'", "CREATE USER plain@'%' IDENTIFIED BY 'plain'"),
    }[dialect_of(url)]
    for statement in make:
        admin(url, statement)
    host = urlsplit(url).netloc.rpartition("@")[2]
    path = "/postgres" if dialect_of(url) == "postgres" else "/"
    return urlsplit(url)._replace(netloc=f"plain:plain@{host}", path=path).geturl()


def _certificate(folder: Path, *, expired: bool) -> Path:
    """A self-signed certificate that expired yesterday."""
    begin = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=2 if expired else 0)
    end = begin + datetime.timedelta(days=1)
    key, certificate = folder / "server.key", folder / "server.crt"
    request = folder / "server.csr"
    subject = ["-subj", "/CN=127.0.0.1"]
    _run("openssl", "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request, *subject)
    database, serial = folder / "index.txt", folder / "serial"
    database.touch()
    serial.write_text("01\n")
    config = folder / "ca.cnf"
    config.write_text(
        "[ca]\ndefault_ca=d\n[d]\n"
        f"database={database}\nserial={serial}\nnew_certs_dir={folder}\ndefault_md=sha256\npolicy=p\n"
        "[p]\ncommonName=supplied\n[v]\nsubjectAltName=IP:127.0.0.1\nbasicConstraints=CA:TRUE\n"
    )
    when = ["-startdate", f"{begin:%Y%m%d%H%M%SZ}", "-enddate", f"{end:%Y%m%d%H%M%SZ}"]
    _run(
        *("openssl", "ca", "-batch", "-selfsign", "-config", config, "-extensions", "v", "-keyfile", key),
        *("-in", request, "-out", certificate, "-notext", *when),
    )
    key.chmod(0o600)
    return certificate


def _owner(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_uid, status.st_gid


def _run(*words: object) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
