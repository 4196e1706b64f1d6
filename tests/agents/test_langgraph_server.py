"""`langgraph dev` serves both graphs, and LangGraph's own client streams a question through them."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client

from agents.asking import make_shop
from text2sql.llm.endpoint import endpoint

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def server(place: Path, base_url: str) -> Iterator[str]:
    """In a folder of its own, because it keeps its threads beside the configuration."""
    port = free_port()
    (place / "langgraph.json").write_text(
        (ROOT / "langgraph.json").read_text().replace("./src", str(ROOT / "src")).replace('"."', f'"{ROOT}"')
    )
    told = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("TEXT2SQL_", "LANG"))},
        "TEXT2SQL_DB": str(make_shop(place / "shop.db")),
        "TEXT2SQL_MODEL": "openai-compatible:answers",
        "TEXT2SQL_BASE_URL": base_url,
        "TEXT2SQL_API_KEY": "none",
        "TEXT2SQL_MEMORY": "none",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGSMITH_TRACING": "false",
        "LC_ALL": "C.UTF-8",
    }
    command: list[str] = [
        str(Path(sys.executable).with_name("langgraph")),
        "dev",
        "--no-browser",
        "--no-reload",
        "--port",
        str(port),
    ]
    with (place / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=place, env=told, stdout=log, stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, process, place / "log")
        yield url
    finally:
        process.terminate()
        process.wait(20)


def _wait(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + 90
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(f"{url}/ok", timeout=2).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.3)
    raise AssertionError(log.read_text()[-3000:])


def streamed(url: str, graph: str) -> tuple[list[str], dict[str, Any]]:
    said: Any = {"messages": [{"role": "user", "content": "How many orders are there?"}]}
    kinds: list[str] = []
    values: dict[str, Any] = {}
    with get_sync_client(url=url) as client:
        for part in client.runs.stream(None, graph, input=said, stream_mode=["values", "custom"]):
            kinds.append(part.event)
            if part.event == "values":
                values = dict(part.data)
    return kinds, values


@pytest.mark.slow
def test_langgraph_dev_serves_every_graph_to_its_own_client(tmp_path: Path) -> None:
    with endpoint() as model, server(tmp_path, model.base_url) as url:
        for graph in ("text2sql_agent", "text2sql_stream", "text2sql_supervised"):
            kinds, values = streamed(url, graph)
            assert "custom" in kinds, "stages are told on the way"
            assert (values["status"], values["execution_result"]["row_count"]) == ("answered", 1), values
            assert values["messages"][-1]["content"] == values["answer"]["answer"]
