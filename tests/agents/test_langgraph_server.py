"""`langgraph dev` serves both graphs, and LangGraph's own client streams a question through them."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client

from agents.asking import make_shop
from text2sql.config import Settings
from text2sql.memory import open_memory
from text2sql.testing.endpoint import endpoint

ROOT = Path(__file__).parents[2]
QUESTION: Any = {"messages": [{"role": "user", "content": "How many orders are there?"}]}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def server(
    place: Path, base_url: str, memory: str = "none"
) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    """Runs in its own folder, because it stores its threads beside the configuration."""
    port = free_port()
    (place / "langgraph.json").write_text(
        (ROOT / "langgraph.json").read_text().replace("./src", str(ROOT / "src")).replace('"."', f'"{ROOT}"')
    )
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("TEXT2SQL_", "LANG"))},
        "TEXT2SQL_DB": str(place / "shop.db"),
        "TEXT2SQL_MODEL": "openai-compatible:answers",
        "TEXT2SQL_BASE_URL": base_url,
        "TEXT2SQL_API_KEY": "none",
        "TEXT2SQL_MEMORY": memory,
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
        process = subprocess.Popen(command, cwd=place, env=env, stdout=log, stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, process, place / "log")
        yield url, process
    finally:
        process.terminate()
        process.wait(20)


def _wait(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + 180
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(f"{url}/ok", timeout=2).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.3)
    raise AssertionError(log.read_text()[-3000:])


def streamed(url: str, graph: str, graph_input: Any) -> dict[str, list[Any]]:
    """The parts of a run's streams by mode."""
    parts: dict[str, list[Any]] = {}
    modes: Any = ["values", "custom", "messages-tuple"]
    with get_sync_client(url=url) as client:
        for part in client.runs.stream(None, graph, input=graph_input, stream_mode=modes):
            parts.setdefault(part.event, []).append(part.data)
    return parts


@pytest.mark.slow
def test_langgraph_dev_serves_every_graph_to_its_own_client(tmp_path: Path) -> None:
    make_shop(tmp_path / "shop.db")
    with endpoint() as model, server(tmp_path, model.base_url) as (url, _):
        for graph in ("text2sql_agent", "text2sql_stream", "text2sql_supervised"):
            parts = streamed(url, graph, {**QUESTION, "pagination": {"page": 1, "page_size": 10}})
            values = dict(parts["values"][-1])
            events = [event["type"] for event in parts["custom"]]
            assert events[0] == "stage_started"
            assert {"stage_ended", "sql_token", "checked", "rows_found", "answer_token"} <= set(events)
            nodes = [metadata["langgraph_node"] for _, metadata in parts["messages"]]
            assert nodes.count("generator") > 1, "the query is streamed token by token"
            assert (values["status"], values["execution_result"]["row_count"]) == ("answered", 1), values
            message, answer = values["messages"][-1], values["answer"]
            assert message["content"] == answer["answer"]
            assert message["response_metadata"]["certainty"] == answer["receipt"]["certainty"]
            assert answer["receipt"]["certainty"] is not None
            assert len(answer["rows"]) == 1
            assert answer["pagination"]["total_count"] == 1
        with get_sync_client(url=url) as client:
            (assistant,) = client.assistants.search(graph_id="text2sql_agent")
            schemas: Any = client.assistants.get_schemas(assistant["assistant_id"])
        assert set(schemas["input_schema"]["properties"]) == {"messages", "pagination"}
        assert "answer" in schemas["output_schema"]["properties"]
        assert "preset" in schemas["context_schema"]["properties"]


@pytest.mark.slow
@pytest.mark.fault("P03")
def test_a_killed_langgraph_dev_loses_no_answer_that_it_gave(tmp_path: Path) -> None:
    """Its own threads are written to disk every ten seconds, our checkpoints at once."""
    make_shop(tmp_path / "shop.db")
    memory = tmp_path / "memory.db"
    stats = [str(Path(sys.executable).with_name("text2sql")), "stats"]
    environment = {**os.environ, "TEXT2SQL_MEMORY": str(memory)}
    answered: list[str] = []
    with endpoint() as model, server(tmp_path, model.base_url, str(memory)) as (url, process):
        with get_sync_client(url=url) as client, ThreadPoolExecutor(1) as looking:
            looked = looking.submit(subprocess.run, stats, env=environment, check=True)
            for _ in range(3):
                thread = client.threads.create()["thread_id"]
                values: Any = client.runs.wait(thread, "text2sql_agent", input=QUESTION)
                assert values["status"] == "answered"
                answered.append(thread)
            looked.result()
        process.kill()
        process.wait()
    for thread in answered:
        assert asyncio.run(_status(memory, thread)) == "answered", thread


async def _status(memory: Path, thread: str) -> str | None:
    """The status in the checkpoints, read after the server has ended."""
    async with open_memory(Settings(memory=str(memory))) as store:
        step = await store.checkpointer.aget_tuple({"configurable": {"thread_id": thread}})
    return step.checkpoint["channel_values"].get("status") if step else None
