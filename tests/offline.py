"""Block network access in tests: no connection and no name lookup beyond this machine.

An audit hook sees every socket of the interpreter, regardless of the library. It stays until the process
ends, like all audit hooks.
"""

import os
import socket
import sys
from functools import cache
from ipaddress import ip_address

from text2sql.llm.providers import PROVIDERS

VARIABLES = {
    *(name for provider in PROVIDERS.values() for name in (*provider.keys, *provider.urls)),
    *(f"{kind}_PROXY" for kind in ("HTTP", "HTTPS", "ALL", "NO", "OPENAI")),
    *(f"{kind}_proxy" for kind in ("http", "https", "all", "no")),
    *(
        f"TEXT2SQL_{name}"
        for name in ("API_KEY", "BASE_URL", "API_VERSION", "DEPLOYMENT", "MODEL", "FALLBACK")
    ),
    "LANGSMITH_TRACING",
    "LANGCHAIN_TRACING_V2",
}


class LeftTheMachine(OSError):
    """A test tried to reach another machine."""


def here(host: object) -> bool:
    if host in (None, "", "localhost", b"localhost"):
        return True
    try:
        return ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback
    except ValueError:
        return False


def _watch(event: str, facts: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo" and not here(facts[0]):
        raise socket.gaierror(socket.EAI_NONAME, f"no names are looked up in tests: {facts[0]!r}")
    if event == "socket.connect" and isinstance(facts[1], tuple) and not here(facts[1][0]):
        raise LeftTheMachine(f"no test leaves the machine: {facts[1]!r}")


@cache
def forbid_network() -> None:
    sys.addaudithook(_watch)


def without_keys() -> dict[str, str]:
    """Take keys, addresses and proxies out of the environment; what they were."""
    return {name: os.environ.pop(name) for name in VARIABLES if name in os.environ}
