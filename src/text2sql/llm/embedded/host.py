"""The process that owns the model: `python -m text2sql.llm.embedded.host …`, started by `running.py`.

It lives in a directory of its own, for its owner alone. It holds `host.lock` while it lives, so that there
is never a second one; `host.json` says who it is and where it listens; it ends when nobody has asked for a
while.
"""

import argparse
import json
import os
import secrets
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from text2sql.llm.embedded import local
from text2sql.llm.embedded.cores import SLOTS
from text2sql.llm.embedded.locking import locked
from text2sql.llm.embedded.places import SOCKET

_LOG_BYTES = 1_000_000
_WARNINGS = 2  # of llama.cpp's verbosities: what happened, never what was asked
_MOST_ALIKE = 0.5  # of a prompt that a slot must hold already, or an unused slot is taken instead


def main(arguments: list[str] | None = None) -> int:
    given = _arguments(arguments)
    run = Path(given.run)
    try:
        with locked(run / "host.lock", wait=0.0):
            _serve(given, run)
    except TimeoutError:  # somebody was faster, and serves already
        return 0
    return 0


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="text2sql.llm.embedded.host", description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--adapter", default="")
    parser.add_argument("--run", required=True)
    parser.add_argument("--prefixes", required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--idle", type=float, required=True)
    parser.add_argument("--loopback", action="store_true", help="a port and a key instead of a unix socket")
    return parser.parse_args(arguments)


def _serve(given: argparse.Namespace, run: Path) -> None:
    _leave_no_dump()
    signal.signal(signal.SIGTERM, _terminated)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the terminal it was started from may go
    path = run / SOCKET
    path.unlink(missing_ok=True)  # of one that was killed: it would keep us from listening
    address, key = "", secrets.token_urlsafe(32) if given.loopback else ""
    try:
        if not given.loopback:
            _announce(run, given, key, address)
        server = _server(given, path, key)
        if given.loopback:  # only now is its port known
            address = str(server.listening_address)
            _announce(run, given, key, address)
        _until_idle(run, address, key, given.idle)
    except SystemExit:  # asked to end: the same way out
        pass
    finally:
        path.unlink(missing_ok=True)
        (run / "host.json").unlink(missing_ok=True)
    # llama.cpp's threads have nothing to save, and waiting for them could take an answer's time.
    os._exit(0)


def _server(given: argparse.Namespace, path: Path, key: str) -> Any:
    """Loads the model; whoever asks meanwhile is told that it loads."""
    import xllamacpp  # noqa: PLC0415 half a second, and only this process may need it

    params = xllamacpp.CommonParams()
    params.model.path = given.model
    if given.adapter:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(given.adapter, 1.0)]
    params.hostnames = ["127.0.0.1"] if given.loopback else [str(path)]
    params.api_keys = [key] if key else []
    params.n_parallel = SLOTS
    params.n_ctx = given.context
    params.kv_unified = True  # one pool for all slots: a long prompt may use what the others do not
    params.cpuparams.n_threads = given.threads
    params.cpuparams_batch.n_threads = given.threads
    params.slot_save_path = f"{given.prefixes}{os.sep}"
    params.endpoint_slots = True
    params.slot_prompt_similarity = _MOST_ALIKE
    # Slots hold what is hot and files the rest (2 ms to load 250 tokens, mostly from the system's own page
    # cache, which yields when memory is short): a second cache in memory would only hold the same again.
    params.cache_ram_mib = 0
    params.ui = False
    params.warmup = False  # the first prompt does the same
    params.verbosity = _WARNINGS
    return xllamacpp.Server(params)


def _announce(run: Path, given: argparse.Namespace, key: str, address: str) -> None:
    """Whole or not at all, and readable by its owner only: it may hold the key."""
    about = {
        "pid": os.getpid(),
        "started": time.time(),
        "model": given.model,
        "context": given.context,
        "threads": given.threads,
        "idle": given.idle,
        "address": address,
        "key": key,
    }
    temporary = run / "host.json.tmp"
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(about, file)
    temporary.replace(run / "host.json")


def _until_idle(run: Path, address: str, key: str, idle: float) -> None:
    """Asks itself what its slots did: no client has to keep it alive, and none can forget to."""
    pause = min(max(idle / 10, 0.2), 5.0)
    quiet_since, before = time.monotonic(), None
    while time.monotonic() - quiet_since < idle:
        time.sleep(pause)
        _cap(run / "log")
        now = _activity(run, address, key)
        if now != before or "busy" in now:
            quiet_since, before = time.monotonic(), now


def _activity(run: Path, address: str, key: str) -> tuple[object, ...]:
    try:
        _, slots = local.get(run, address, key, "/slots", timeout=30.0)
    except TimeoutError:  # nothing else would keep it from answering for so long
        return ("busy",)
    return tuple("busy" if slot["is_processing"] else slot.get("id_task") for slot in slots)


def _cap(log: Path) -> None:
    """It is opened for appending, so it can be emptied under the writer."""
    with suppress(OSError):
        if log.stat().st_size > _LOG_BYTES:
            os.truncate(log, 0)


def _leave_no_dump() -> None:
    """A dump of this process would hold schemas and questions; a debugger's trace is of no use to anybody."""
    os.environ["GGML_NO_BACKTRACE"] = "1"
    if sys.platform != "win32":
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _terminated(_: int, __: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()
