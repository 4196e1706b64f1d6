"""The packages of all providers do not go with the versions of `requirements.lock`: these tests run in an
environment of their own, which `test_environment.py` makes and starts; elsewhere they are left out.
"""

import socket
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from llm.asking import isolated
from providers.fake import HOST, Fake, fake

collect_ignore = (
    ["test_sharing.py", "test_structured_output.py"]
    if find_spec("langchain_anthropic") is None
    else ["test_environment.py"]
)


@pytest.fixture(autouse=True)
def _isolated() -> Iterator[None]:
    with isolated():
        yield


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """The server under a name that is not a loopback address, so that it counts as hosted."""
    real = socket.getaddrinfo

    def resolve(host: Any, *rest: Any, **more: Any) -> Any:
        return real("127.0.0.1" if host in (HOST, HOST.encode()) else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with fake() as server:
        yield server
