"""Finding the running model process, starting it where there is none, and ending it.

One process serves everybody of this user who wants the same file under the same conditions: its directory is
named after them. Nothing here is asynchronous; the client calls it in a thread.
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
from text2sql.llm.embedded import local
from text2sql.llm.embedded.cores import cores
from text2sql.llm.embedded.file import gguf
from text2sql.llm.embedded.locking import is_held, locked
from text2sql.llm.embedded.places import SOCKET, cache_root, private, run_directories, run_directory
from text2sql.llm.embedded.release import QWEN

HAS_SOCKETS = hasattr(socket, "AF_UNIX") and sys.platform != "win32"
NO_ADAPTER = "none"
_OURS = Path(__file__).parent / "adapter.gguf"
_LOADING = 120.0  # seconds that loading may take, on a slow disk
_ENDING = 5.0
_STATE = "1"  # raised when the same runtime would be set up so that old evaluated prefixes no longer fit


@dataclass(frozen=True, slots=True)
class Plan:
    """What a process must be like to serve us."""

    model: Path
    identity: str  # of the file's content, and of what is laid over it
    adapter: Path | None
    context: int
    threads: int
    idle: float
    root: Path
    runtime: str

    @property
    def run(self) -> Path:
        # The machine's name is part of it: homes are shared over networks, sockets are not.
        facts = (self.model, self.identity, self.context, self.threads, self.runtime, platform.node())
        return run_directory(self.root, _short(*facts))

    @property
    def prefixes(self) -> Path:
        return self.root / "prefix" / _short(self.identity, self.runtime, _STATE)


@dataclass(frozen=True, slots=True)
class Host:
    """A running process, as a client needs it."""

    run: Path
    pid: int
    started: float
    model: str
    idle: float
    address: str  # empty: the unix socket in `run`
    key: str

    def transport(self) -> httpx.AsyncHTTPTransport:
        return httpx.AsyncHTTPTransport(uds=None if self.address else str(self.run / SOCKET))

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
        _short(weights, identity(adapter)) if adapter else weights,
        adapter,
        settings.model_context,
        settings.model_threads or cores(),
        settings.model_idle,
        cache_root(settings),
        runtime_version(),
    )


def _adapter(ours: bool, wanted: str) -> Path | None:
    """Ours was learned on our weights, so a file of the user's own goes without it."""
    if not wanted:
        return _OURS if ours else None
    return gguf(wanted) if wanted != NO_ADAPTER else None


def identity(model: Path) -> str:
    """Hashing gigabytes at every start is too dear: size, time and the header, which names every tensor."""
    found = model.stat()
    with model.open("rb") as file:
        head = hashlib.sha256(file.read(1 << 20)).hexdigest()
    return _short(found.st_size, found.st_mtime_ns, head)


def runtime_version() -> str:
    try:
        return metadata.version("xllamacpp")
    except metadata.PackageNotFoundError as error:
        raise ModelFileError("local", "xllamacpp", key="model.runtime_missing") from error


def ensure(plan: Plan, *, loopback: bool = not HAS_SOCKETS) -> Host:
    """The process, ready to be asked. Of many callers at once one starts it and the others wait for it."""
    found = _ready(plan.run)
    if found is not None:
        return found
    private(plan.run)
    private(plan.prefixes)
    with locked(plan.run / "start.lock", wait=_LOADING):
        child = None if is_held(plan.run / "host.lock") else _start(plan, loopback)
        until = time.monotonic() + _LOADING
        while (found := _ready(plan.run)) is None:
            ended = child is not None and child.poll() is not None
            if ended or time.monotonic() > until or (child is None and not is_held(plan.run / "host.lock")):
                raise ModelUnavailable("local", _last_words(plan.run), key="model.no_start")
            time.sleep(0.05)
    return found


def _ready(run: Path) -> Host | None:
    host = described(run)
    if host is None:
        return None
    try:
        status, _ = local.get(run, host.address, host.key, "/health")
    except OSError:  # nobody listens: not yet, or no more
        return None
    return host if status == httpx.codes.OK else None


def described(run: Path) -> Host | None:
    try:
        about = json.loads((run / "host.json").read_text(encoding="utf-8"))
        return Host(
            run, about["pid"], about["started"], about["model"], about["idle"], about["address"], about["key"]
        )
    except (OSError, ValueError, KeyError):
        return None


def _start(plan: Plan, loopback: bool) -> subprocess.Popen[bytes]:
    """In a session of its own, so that it outlives the terminal and the program that needed it first."""
    command = [sys.executable, "-m", "text2sql.llm.embedded.host", "--model", str(plan.model)]
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
    # Somebody has to take note of its end, or it would stay as a zombie for as long as we live.
    threading.Thread(target=child.wait, name="text2sql-model-host", daemon=True).start()
    return child


def _last_words(run: Path) -> str:
    try:
        lines = (run / "log").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    told = [line.strip() for line in lines if line.strip()]
    return told[-1][:200] if told else "no answer"


def hosts(root: Path) -> list[Host]:
    """Those that run now: a process that lives holds its lock."""
    found = [described(run) for run in run_directories(root) if is_held(run / "host.lock")]
    return [host for host in found if host is not None]


def stop(host: Host) -> None:
    """Politely, then not. The lock tells that the process id is still its own."""
    for how in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with suppress(ProcessLookupError):
            if is_held(host.run / "host.lock"):
                os.kill(host.pid, how)
        until = time.monotonic() + _ENDING
        while is_held(host.run / "host.lock") and time.monotonic() < until:
            time.sleep(0.05)


def sweep(root: Path) -> None:
    """Directories of processes that are gone."""
    for run in run_directories(root):
        if not is_held(run / "host.lock"):
            shutil.rmtree(run, ignore_errors=True)


def _short(*facts: object) -> str:
    return hashlib.sha256("\0".join(map(str, facts)).encode()).hexdigest()[:16]
