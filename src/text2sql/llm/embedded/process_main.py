"""Main module of the model process: `python -m text2sql.llm.embedded.process_main …`, started by
`process.py`.

It uses a private directory and holds `host.lock` there while it runs, so that there is only one process.
`host.json` contains its process id and address. It ends after a period without requests.
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

from text2sql.llm.embedded import health_client
from text2sql.llm.embedded.cpu import SLOTS
from text2sql.llm.embedded.locking import locked
from text2sql.llm.embedded.paths import SOCKET

_LOG_BYTES = 1_000_000
_WARNINGS = 2  # llama.cpp's verbosity: warnings, but never prompts


def main(arguments: list[str] | None = None) -> int:
    options = _arguments(arguments)
    run = Path(options.run)
    try:
        with locked(run / "host.lock", wait=0.0):
            _serve(options, run)
    except TimeoutError:  # another process was faster and already serves
        return 0
    return 0


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="text2sql.llm.embedded.process_main", description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--adapter", default="")
    parser.add_argument("--run", required=True)
    parser.add_argument("--prefixes", required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--idle", type=float, required=True)
    parser.add_argument("--loopback", action="store_true", help="a port and a key instead of a unix socket")
    return parser.parse_args(arguments)


def _serve(options: argparse.Namespace, run: Path) -> None:
    _disable_core_dumps()
    signal.signal(signal.SIGTERM, _terminated)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the terminal may be closed
    path = run / SOCKET
    path.unlink(missing_ok=True)  # the socket of a killed process would prevent us from listening
    address, key = "", secrets.token_urlsafe(32) if options.loopback else ""
    try:
        if not options.loopback:
            _write_description(run, options, key, address)
        server = _server(options, path, key)
        if options.loopback:  # the port is known only now
            address = str(server.listening_address)
            _write_description(run, options, key, address)
        _wait_until_idle(run, address, key, options.idle)
    except SystemExit:  # SIGTERM: clean up as usual
        pass
    finally:
        path.unlink(missing_ok=True)
        (run / "host.json").unlink(missing_ok=True)
    # llama.cpp's threads have nothing to save, and waiting for them could take as long as an answer.
    os._exit(0)


def _server(options: argparse.Namespace, path: Path, key: str) -> Any:
    """Load the model; meanwhile requests get an error that it is loading."""
    import xllamacpp  # noqa: PLC0415 half a second, and only this process may need it

    params = xllamacpp.CommonParams()
    params.model.path = options.model
    if options.adapter:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(options.adapter, 1.0)]
    params.hostnames = ["127.0.0.1"] if options.loopback else [str(path)]
    params.api_keys = [key] if key else []
    params.n_parallel = SLOTS
    params.n_ctx = options.context
    params.kv_unified = True  # one pool for all slots: a long prompt may use what the others do not
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    params.slot_save_path = f"{options.prefixes}{os.sep}"
    params.endpoint_slots = True
    # Evaluated prefixes are cached in files (2 ms to load 250 tokens, mostly from the page cache, which the
    # system shrinks if memory is short): a second cache in memory would only duplicate them.
    params.cache_ram_mib = 0
    params.ui = False
    params.warmup = False  # the first prompt does the same
    params.verbosity = _WARNINGS
    return xllamacpp.Server(params)


def _write_description(run: Path, options: argparse.Namespace, key: str, address: str) -> None:
    """Write `host.json` atomically, readable by its owner only, because it may contain the key."""
    description = {
        "pid": os.getpid(),
        "started": time.time(),
        "model": options.model,
        "context": options.context,
        "threads": options.threads,
        "idle": options.idle,
        "address": address,
        "key": key,
    }
    temporary = run / "host.json.tmp"
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(description, file)
    temporary.replace(run / "host.json")


def _wait_until_idle(run: Path, address: str, key: str, idle: float) -> None:
    """Wait until the slots have been idle long enough. No client has to keep the process alive."""
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
        _, slots = health_client.get(run, address, key, "/slots", timeout=30.0)
    except TimeoutError:  # only a busy server does not answer for so long
        return ("busy",)
    return tuple("busy" if slot["is_processing"] else slot.get("id_task") for slot in slots)


def _cap(log: Path) -> None:
    """Truncate a large log. It is opened for appending, so the writer continues at the new end."""
    with suppress(OSError):
        if log.stat().st_size > _LOG_BYTES:
            os.truncate(log, 0)


def _disable_core_dumps() -> None:
    """A core dump would contain schemas and questions; llama.cpp's backtrace is not needed."""
    os.environ["GGML_NO_BACKTRACE"] = "1"
    if sys.platform != "win32":
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _terminated(_: int, __: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()
