"""Find, start and stop the model process.

One process serves all programs of this user that use the same file and options; its directory is named after
a hash of them. These functions block, so the client calls them in a thread.
"""

import hashlib
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import httpx

from text2sql.config import Settings
from text2sql.errors import ModelFileError, ModelUnavailable
from text2sql.llm.embedded import health_client
from text2sql.llm.embedded.cpu import cores
from text2sql.llm.embedded.file import gguf, verify_adapter
from text2sql.llm.embedded.locking import is_held, locked
from text2sql.llm.embedded.manifest import ADAPTER, QWEN
from text2sql.llm.embedded.paths import SOCKET, cache_root, private, run_directories, run_directory

HAS_SOCKETS = hasattr(socket, "AF_UNIX") and sys.platform != "win32"
NO_ADAPTER = "none"
_LOADING = 120.0  # seconds that loading may take, on a slow disk
_ENDING = 5.0  # seconds until SIGKILL
_STATE = "2"  # format version of the prefix cache: raise it when old evaluated prefixes no longer fit


@dataclass(frozen=True, slots=True)
class Plan:
    """The file and options of a process; programs with equal plans share it."""

    model: Path
    identity: str  # a hash of the model's and the adapter's content
    adapter: Path | None
    context: int
    threads: int
    idle: float
    root: Path
    runtime: str

    @property
    def run(self) -> Path:
        # Includes the host name: home directories may be shared over a network, sockets are not.
        facts = (self.model, self.identity, self.context, self.threads, self.runtime, platform.node())
        return run_directory(self.root, _hash(*facts))

    @property
    def prefixes(self) -> Path:
        return self.root / "prefix" / _hash(self.identity, self.runtime, _STATE)


@dataclass(frozen=True, slots=True)
class Host:
    """The address of a running process."""

    run: Path
    pid: int
    started: float
    model: str
    idle: float
    address: str  # empty: the unix socket in `run`
    key: str

    def transport(self) -> httpx.AsyncHTTPTransport:
        # No connection is used twice: llama.cpp closes an idle one after five seconds, which is shorter than
        # a place in the queue. TLS is not used, and its certificates would take 20 ms to load.
        limits = httpx.Limits(max_keepalive_connections=0)
        return httpx.AsyncHTTPTransport(
            uds=None if self.address else str(self.run / SOCKET), limits=limits, verify=False
        )

    @property
    def url(self) -> str:
        return self.address or "http://localhost"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


def plan_for(model: Path, *, ours: bool, settings: Settings) -> Plan:
    adapter = _adapter(ours, settings.model_adapter)
    weights = QWEN.sha256 if ours else identity(model)
    return Plan(
        model,
        _hash(weights, identity(adapter)) if adapter else weights,
        adapter,
        settings.model_context,
        settings.model_threads or cores(),
        settings.model_idle,
        cache_root(settings),
        runtime_version(),
    )


def _adapter(ours: bool, setting: str) -> Path | None:
    """The adapter to load. Ours was trained on our weights, so the user's own model file runs without it."""
    if not setting:
        return gguf(str(ADAPTER)) if ours else None
    return gguf(setting) if setting != NO_ADAPTER else None


def identity(model: Path) -> str:
    """A cheap hash instead of the whole file: size, time and the header, which describes every tensor."""
    status = model.stat()
    with model.open("rb") as file:
        head = hashlib.sha256(file.read(1 << 20)).hexdigest()
    return _hash(status.st_size, status.st_mtime_ns, head)


def runtime_version() -> str:
    try:
        return metadata.version("xllamacpp")
    except metadata.PackageNotFoundError as error:
        raise ModelFileError("local", "xllamacpp", key="model.runtime_missing") from error


def ensure(plan: Plan, *, loopback: bool = not HAS_SOCKETS) -> Host:
    """The running process; starts it if necessary. Of concurrent callers one starts it and
    the others wait.
    """
    host = _ready_host(plan.run)
    if host is not None:
        return host
    private(plan.run)
    private(plan.prefixes)
    with locked(plan.run / "start.lock", wait=_LOADING):
        child = None if is_held(plan.run / "host.lock") else _start(plan, loopback)
        deadline = time.monotonic() + _LOADING
        while (host := _ready_host(plan.run)) is None:
            ended = not is_held(plan.run / "host.lock") if child is None else child.poll() is not None
            if ended or time.monotonic() > deadline:
                raise ModelUnavailable("local", _last_log_line(plan.run), key="model.no_start")
            time.sleep(0.05)
    return host


def _ready_host(run: Path) -> Host | None:
    host = described(run)
    if host is None:
        return None
    try:
        status, _ = health_client.get(run, host.address, host.key, "/health")
    except OSError:  # no process listens: not yet, or no longer
        return None
    return host if status == httpx.codes.OK else None


def described(run: Path) -> Host | None:
    """The host that `host.json` in the directory describes, if any; it need not be alive."""
    try:
        about = json.loads((run / "host.json").read_text(encoding="utf-8"))
        return Host(
            run, about["pid"], about["started"], about["model"], about["idle"], about["address"], about["key"]
        )
    except (OSError, ValueError, KeyError):
        return None


def _start(plan: Plan, loopback: bool) -> subprocess.Popen[bytes]:
    """Start the process in a new session, so that it outlives this program and its terminal."""
    if plan.adapter == ADAPTER:
        verify_adapter()
    command = [sys.executable, "-m", "text2sql.llm.embedded.process_main", "--model", str(plan.model)]
    command += ["--run", str(plan.run), "--prefixes", str(plan.prefixes), "--context", str(plan.context)]
    command += ["--threads", str(plan.threads), "--idle", str(plan.idle), *["--loopback"] * loopback]
    command += ["--adapter", str(plan.adapter)] if plan.adapter else []
    log = os.open(plan.run / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    try:
        child = subprocess.Popen(  # noqa: S603 our own interpreter and module
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=plan.run
        )
    except OSError as error:
        raise ModelUnavailable("local", error.strerror or str(error), key="model.no_start") from error
    finally:
        os.close(log)
    # Reap the process when it ends; otherwise it would remain a zombie.
    threading.Thread(target=child.wait, name="text2sql-model-host", daemon=True).start()
    return child


def _last_log_line(run: Path) -> str:
    try:
        lines = (run / "log").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    messages = [line.strip() for line in lines if line.strip()]
    return messages[-1][:200] if messages else "no answer"


def hosts(root: Path) -> list[Host]:
    """The running processes; a running process holds its lock."""
    candidates = [described(run) for run in run_directories(root) if is_held(run / "host.lock")]
    return [host for host in candidates if host is not None]


def stop(host: Host) -> None:
    """Send SIGTERM, then SIGKILL. The lock proves that the process id has not been reused."""
    for signal_number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with suppress(ProcessLookupError):
            if is_held(host.run / "host.lock"):
                os.kill(host.pid, signal_number)
        deadline = time.monotonic() + _ENDING
        while is_held(host.run / "host.lock") and time.monotonic() < deadline:
            time.sleep(0.05)


def sweep(root: Path) -> None:
    """Remove the directories of processes that have ended."""
    for run in run_directories(root):
        if not is_held(run / "host.lock"):
            shutil.rmtree(run, ignore_errors=True)


def _hash(*facts: object) -> str:
    return hashlib.sha256("\0".join(map(str, facts)).encode()).hexdigest()[:16]
