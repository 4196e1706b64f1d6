"""Temporary PostgreSQL, MariaDB, Redis and ClickHouse servers and a Snowflake emulator for tests, on
loopback. They end with the command.

    python tests/servers.py -- pytest tests      run a command with TEXT2SQL_TEST_{POSTGRES,MYSQL,…}_URL set
    python tests/servers.py                      print the URLs and wait for Ctrl-C

TEXT2SQL_CLOUDS=snowflake,bigquery asks for the emulators of these and for nothing else (`make clouds`). That
of BigQuery needs a Python 3.13 and minutes, so it is no part of `make test`. Snowflake's connector runs in a
process without other tests: its native core (5.2) has ended the process with a segmentation fault. The
command is then run again, at most twice.

A URL that is already in the environment is used instead of a server of ours. A server that cannot be had is
reported and left out: its tests skip then, or fail where CI=true.
"""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from sysconfig import get_path
from typing import Any, NoReturn

from pythons import ROOT, find, uv

START_SECONDS = 60.0
POSTGRES_URL, MYSQL_URL = "TEXT2SQL_TEST_POSTGRES_URL", "TEXT2SQL_TEST_MYSQL_URL"
CLICKHOUSE_URL, SNOWFLAKE_URL = "TEXT2SQL_TEST_CLICKHOUSE_URL", "TEXT2SQL_TEST_SNOWFLAKE_URL"
BIGQUERY_URL, REDIS_URL = "TEXT2SQL_TEST_BIGQUERY_URL", "TEXT2SQL_TEST_REDIS_URL"


class Unavailable(RuntimeError):
    """A server's programs are not on this machine and could not be installed."""


class Server:
    """One running server that is ours: `url` is its administrator's, `restart` is what a fault test needs."""

    def __init__(self, command: list[str], directory: Path, as_user: str, port: int, url: str) -> None:
        self.port, self.url, self.directory = port, url, directory
        self._command, self._as_user = command, as_user
        self.start()

    def start(self) -> None:
        with (self.directory / "log").open("ab") as log:
            # A session of its own: Ctrl-C in the terminal is for us, and we stop the server in order.
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=log, start_new_session=True, **_as(self._as_user)
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_until(self, ready: Callable[[int], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not ready(self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the server did not start:\n{self.log()[-3000:]}")
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self._process.poll() is None:
            self._process.send_signal(how)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def log(self) -> str:
        return (self.directory / "log").read_text(errors="replace")


class Postgres(Server):
    def restart(self) -> None:
        """As a crash: every session is cut without a goodbye."""
        self.stop(signal.SIGQUIT)
        self.start()
        self.wait_until(_postgres_ready)


class Mariadb(Server):
    def restart(self) -> None:
        self.stop(signal.SIGKILL)
        self.start()
        self.wait_until(_mariadb_ready)


class Redis(Server):
    def restart(self) -> None:
        """Empty, on the same port."""
        self.stop(signal.SIGKILL)
        self.start()
        self.wait_until(_redis_ready)


@contextmanager
def postgres(options: Mapping[str, str] | None = None, encoding: str = "UTF8") -> Iterator[Postgres]:
    """A PostgreSQL of our own. `options` are server settings, `max_connections` for one."""
    initdb = installed("initdb", "postgresql", "lib/postgresql/*/bin")
    owner = "postgres" if os.geteuid() == 0 else ""
    locale = "C" if encoding == "SQL_ASCII" else "C.UTF-8"
    with _directory("pg", owner) as directory:
        password, data, port = secrets.token_hex(8), directory / "data", free_port()
        (directory / "password").write_text(password)
        make = [str(initdb), "-D", str(data), "-U", "postgres", "-A", "scram-sha-256", "-N", "-E", encoding]
        make += [f"--locale={locale}", f"--pwfile={directory / 'password'}"]
        _run(make, owner)
        settings = {
            "port": str(port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "off",
        }
        settings |= options or {}
        command = [str(initdb.with_name("postgres")), "-D", str(data)]
        command += [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        url = f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres"
        server = Postgres(command, directory, owner, port, url)
        try:
            server.wait_until(_postgres_ready)
            yield server
        finally:
            server.stop(signal.SIGINT)


@contextmanager
def mariadb(options: Mapping[str, str] | None = None) -> Iterator[Mariadb]:
    """A MariaDB of our own, with a database `test`. `options` are server settings."""
    mariadbd = installed("mariadbd", "mariadb-server", "sbin")
    install = installed("mariadb-install-db", "mariadb-server", "bin")
    owner = "mysql" if os.geteuid() == 0 else ""
    with _directory("my", owner) as directory:
        password, data, port = secrets.token_hex(8), directory / "data", free_port()
        make = [str(install), "--no-defaults", f"--datadir={data}", f"--tmpdir={directory}", "--skip-test-db"]
        _run([*make, "--auth-root-authentication-method=normal"], owner)
        first = directory / "first.sql"
        first.write_text(
            f"ALTER USER root@localhost IDENTIFIED BY '{password}';\nCREATE DATABASE IF NOT EXISTS test;\n"
        )
        first.chmod(0o644)
        settings = {"port": str(port), "bind-address": "127.0.0.1", "socket": str(directory / "socket")}
        settings |= {"pid-file": str(directory / "pid"), "innodb-flush-log-at-trx-commit": "0"}
        settings |= {"character-set-server": "utf8mb4", "innodb-flush-method": "nosync", "sync-frm": "0"}
        # A starting server deletes what looks like a temporary table of a dead one, in /tmp anybody's.
        settings["tmpdir"] = str(directory)
        settings |= options or {}
        command = [str(mariadbd), "--no-defaults", f"--datadir={data}", f"--init-file={first}"]
        command += [f"--{name}={value}" for name, value in settings.items()]
        url = f"mysql://root:{password}@127.0.0.1:{port}/test"
        server = Mariadb(command, directory, owner, port, url)
        try:
            server.wait_until(_mariadb_ready)
            yield server
        finally:
            server.stop()


@contextmanager
def redis(options: Mapping[str, str] | None = None) -> Iterator[Redis]:
    """A Redis of our own that writes nothing to disk. `options` are server settings, `maxmemory` for one."""
    program = installed("redis-server", "redis-server", "bin")
    with _directory("redis", "") as directory:
        password, port = secrets.token_hex(8), free_port()
        settings = {"port": str(port), "bind": "127.0.0.1", "requirepass": password, "dir": str(directory)}
        settings |= {"save": '""', "appendonly": "no", **(options or {})}
        (directory / "redis.conf").write_text(
            "".join(f"{name} {value}\n" for name, value in settings.items())
        )
        command = [str(program), str(directory / "redis.conf")]
        server = Redis(command, directory, "", port, f"redis://:{password}@127.0.0.1:{port}/0")
        try:
            server.wait_until(_redis_ready)
            yield server
        finally:
            server.stop(signal.SIGKILL)  # what it holds is thrown away


@contextmanager
def clickhouse() -> Iterator[Server]:
    """ClickHouse's embedded engine behind HTTP, in an environment of its own: 534 MB, a 180 MB wheel."""
    python = environment("clickhouse", sys.executable)
    with _directory("ch", "") as directory:
        password, port = secrets.token_hex(8), free_port()
        program = str(ROOT / "tests" / "clickhouse_http.py")
        command = [str(python), program, str(directory / "data"), str(port), password]
        with _emulator(
            command, directory, port, f"clickhouse://default:{password}@127.0.0.1:{port}/"
        ) as server:
            yield server


@contextmanager
def _emulator(command: list[str], directory: Path, port: int, url: str) -> Iterator[Server]:
    server = Server(command, directory, "", port, url)
    try:
        server.wait_until(_http_ready)
        yield server
    finally:
        server.stop(signal.SIGKILL)  # what it holds is thrown away


@contextmanager
def nginx(site: str, port: int) -> Iterator[Server]:
    """A load balancer: `site` is what stands inside of `http { }`, and listens on `port`."""
    program = installed("nginx", "nginx-light", "sbin")
    with _directory("nginx", "") as directory:
        temporary = "\n".join(
            f"{kind}_temp_path {directory / kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        account = "user root;" if os.geteuid() == 0 else ""  # its folders are root's then
        (directory / "nginx.conf").write_text(
            f"daemon off; {account} worker_processes 1; pid {directory / 'pid'}; error_log stderr warn;\n"
            f"events {{ worker_connections 1024; }}\nhttp {{\naccess_log off;\n{temporary}\n{site}\n}}\n"
        )
        command = [str(program), "-e", "stderr", "-p", str(directory), "-c", str(directory / "nginx.conf")]
        server = Server(command, directory, "", port, f"http://127.0.0.1:{port}")
        try:
            server.wait_until(_http_ready)
            yield server
        finally:
            server.stop()


@contextmanager
def snowflake() -> Iterator[Server]:
    """fakesnow's server in an environment of its own: 305 MB."""
    python = environment("snowflake", sys.executable)
    with _directory("sf", "") as directory:
        password, port = secrets.token_hex(8), free_port()
        command = [str(python), str(ROOT / "tests" / "snowflake_http.py"), str(port), password]
        url = f"snowflake://tester:{password}@fakesnow/?host=127.0.0.1&port={port}&protocol=http"
        with _emulator(command, directory, port, url) as server:
            yield server


@contextmanager
def bigquery() -> Iterator[Server]:
    """local-bigquery's server in an environment of its own, 577 MB."""
    newer = find("3.13")
    if newer is None:
        raise Unavailable("local-bigquery needs Python 3.13, which is not on this machine")
    python = environment("bigquery", str(newer))
    with _directory("bq", "") as directory:
        port = free_port()
        command = [str(python), str(ROOT / "tests" / "bigquery_http.py"), str(directory), str(port)]
        url = f"bigquery://tester?anonymous=true&endpoint=http://127.0.0.1:{port}"
        with _emulator(command, directory, port, url) as server:
            yield server


@contextmanager
def servers() -> Iterator[dict[str, str]]:
    """The URLs of all servers by environment variable, without those that cannot be started."""
    urls: dict[str, str] = {}
    try:
        chinese_font()  # before a test draws a chart: the renderer reads the system's fonts once
    except Unavailable as error:
        _say(f"*** {error}")
    with ExitStack() as stack:
        for variable, server in _test_servers():
            if os.environ.get(variable):
                urls[variable] = os.environ[variable]
                continue
            try:
                urls[variable] = stack.enter_context(server()).url
            except (Unavailable, RuntimeError) as error:
                _say(f"*** NO {variable.split('_')[2]}: {error}")
                _say(f"*** Its tests cannot run: {variable} is not set.")
        yield urls


def _test_servers() -> list[tuple[str, Callable[[], AbstractContextManager[Server]]]]:
    clouds = [(SNOWFLAKE_URL, snowflake), (BIGQUERY_URL, bigquery)]
    if names := _clouds():
        return [(variable, server) for variable, server in clouds if server.__name__ in names]
    return [
        (POSTGRES_URL, postgres),
        (MYSQL_URL, mariadb),
        (REDIS_URL, redis),
        (CLICKHOUSE_URL, clickhouse),
    ]


def _clouds() -> list[str]:
    return [name for name in os.environ.get("TEXT2SQL_CLOUDS", "").split(",") if name]


# -- Installation -------------------------------------------------------------------------------


def environment(name: str, python: str, *, over: bool = False) -> Path:
    """A virtual environment with the packages of `environments/NAME.txt`, without their dependencies: the
    tests do not need them, or find them in the current environment if this one is `over` it. It is created
    once, next to `.venv`.
    """
    folder, packages = ROOT / f".venv-{name}", ROOT / "tests" / "environments" / f"{name}.txt"
    done = folder / packages.name
    if not done.exists() or done.read_bytes() != packages.read_bytes():
        _say(f"installing what a test needs of {name} into {folder.name}")
        inside = [str(uv()), "pip", "install", "--quiet", "--python", str(folder), "--no-deps"]
        inside.append("--compile-bytecode")  # without stored bytecode, every start would compile
        for step in (
            [str(uv()), "venv", "--quiet", "--clear", "--python", python, str(folder)],
            [*inside, "--require-hashes", "-r", str(packages)],
        ):
            if subprocess.run(step, cwd=ROOT, stdout=sys.stderr, check=False).returncode != 0:
                raise Unavailable(f"{packages.name} could not be installed")
        if over:
            (own,) = folder.glob("lib/python*/site-packages")
            (own / "over.pth").write_text(f"{get_path('purelib')}\n{ROOT / 'src'}\n")
        done.write_bytes(packages.read_bytes())
    return folder / "bin" / "python"


def installed(name: str, package: str, *patterns: str) -> Path:
    """The newest file of that name; installed from Debian's package where that is allowed."""
    if program := _find(name, patterns):
        return program
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Unavailable(f"{name} is not installed. As root: apt-get install {package}")
    _say(f"installing {package} with apt-get, because {name} is missing")
    # Run level 1: the package must not start its own server, which would keep running.
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    wait = ["-o", "DPkg::Lock::Timeout=600"]  # another test may be installing something
    install = ["apt-get", *wait, "install", "-y", "-qq", "--no-install-recommends", package]
    for attempt in (install, ["apt-get", *wait, "update", "-qq"], install):
        subprocess.run(attempt, env=quiet, stdout=sys.stderr, check=False)
        if program := _find(name, patterns):
            return program
    raise Unavailable(f"{name} is missing and apt-get could not install {package}")


def chinese_font() -> Path:
    """Screenshots and charts need it to show Chinese characters."""
    return installed("NotoSansCJK-Regular.ttc", "fonts-noto-cjk", "share/fonts/opentype/noto")


def _find(name: str, patterns: Sequence[str]) -> Path | None:
    candidates = [path / name for pattern in patterns for path in Path("/usr").glob(pattern)]
    programs = sorted((path for path in candidates if path.exists()), key=_version)
    on_path = shutil.which(name)
    return programs[-1] if programs else Path(on_path) if on_path else None


def _version(program: Path) -> float:
    """15 of /usr/lib/postgresql/15/bin/initdb."""
    return float(next((part for part in reversed(program.parts) if part.isdigit()), 0))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _as(user: str) -> dict[str, Any]:
    """Servers refuse to run as root, so root runs them as their own account."""
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": [], "cwd": "/"} if user else {}


def _run(command: list[str], user: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **_as(user))
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout}\n{done.stderr}")


@contextmanager
def _directory(kind: str, owner: str) -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix=f"text2sql-{kind}-"))
    try:
        if owner:
            account = pwd.getpwnam(owner)
            os.chown(directory, account.pw_uid, account.pw_gid)
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _postgres_ready(port: int) -> bool:
    """A start-up packet is answered with a request for a password, not with 'starting up'."""
    hello = b"\x00\x03\x00\x00user\x00postgres\x00\x00"
    return _first_bytes(port, (len(hello) + 4).to_bytes(4, "big") + hello)[:1] == b"R"


def _mariadb_ready(port: int) -> bool:
    return len(_first_bytes(port, b"")) > 4


def _redis_ready(port: int) -> bool:
    """It asks for the password; one that is still loading says so instead."""
    return _first_bytes(port, b"PING\r\n").startswith(b"-NOAUTH")


def _http_ready(port: int) -> bool:
    return _first_bytes(port, b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP")


def _first_bytes(port: int, hello: bytes) -> bytes:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(hello)
            return connection.recv(64)
    except OSError:
        return b""


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# -- The command ---------------------------------------------------------------------------------


def _stop(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _command(words: list[str], urls: Mapping[str, str]) -> int:
    code = _run_once(words, urls)
    for _ in range(2 if "snowflake" in _clouds() else 0):
        if code != 128 + signal.SIGSEGV:
            break
        _say("*** The native core of Snowflake's connector crashed; running the command again.")
        code = _run_once(words, urls)
    return code


def _run_once(words: list[str], urls: Mapping[str, str]) -> int:
    child = subprocess.Popen(words, env={**os.environ, **urls})
    while True:
        try:
            code = child.wait()
        except KeyboardInterrupt:  # the terminal told the command too; a SIGTERM was for us alone
            child.terminate()
        else:
            return code if code >= 0 else 128 - code


def main(words: list[str]) -> int:
    signal.signal(signal.SIGTERM, _stop)
    try:
        with servers() as urls:
            if words:
                return _command(words, urls)
            for variable, url in urls.items():
                print(f"export {variable}={url}", flush=True)
            _say("Ctrl-C stops them.")
            while True:
                time.sleep(3600)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(main(arguments[1:] if arguments[:1] == ["--"] else arguments))
