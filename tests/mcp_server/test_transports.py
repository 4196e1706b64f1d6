"""`text2sql mcp` as a client starts it: a real process over pipes, and over HTTP on the loopback address."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client

from agents.asking import make_shop
from mcp_server.mcp_client import ENDLESS, SCRIPT, environment, over_http, over_pipes
from text2sql.testing.endpoint import endpoint

pytestmark = pytest.mark.slow

# Two connections: a query that is not cancelled makes the next one fail.
NARROW = {"TEXT2SQL_POOL_SIZE": "1", "TEXT2SQL_POOL_OVERFLOW": "1", "TEXT2SQL_POOL_WAIT": "5"}
MODES = ("auto", "legacy")  # the current protocol, and the former handshake


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an HTTP server that several tests share."""
    folder = tmp_path_factory.mktemp("served")
    with asyncio.Runner() as runner:
        opened = over_http(folder, environment(folder, "http://127.0.0.1:9"))
        yield runner.run(opened.__aenter__())
        runner.run(opened.__aexit__(None, None, None))


async def all_four(client: Client) -> list[Any]:
    tables = await client.call_tool("list_tables")
    described = await client.call_tool("describe_table", {"name": "cities"})
    ran = await client.call_tool("run_query", {"sql": "SELECT count(*) AS n FROM orders"})
    answered = await client.call_tool("ask", {"question": "How many orders are there?"})
    return [result.structured_content for result in (tables, described, ran, answered)]


def check_all_four(contents: list[Any]) -> None:
    tables, described, ran, answered = contents
    assert [table["name"] for table in tables["tables"]] == ["cities", "customers", "orders"]
    assert [column["name"] for column in described["columns"]] == ["id", "name", "country"]
    assert ran["rows"] == [[3]]
    assert (answered["status"], len(answered["rows"])) == ("answered", 1)


async def cancel_two(client: Client) -> None:
    """Cancel endless queries on both connections; the next query still gets a connection."""
    with anyio.move_on_after(1.0) as scope:
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(client.call_tool, "run_query", {"sql": ENDLESS})
    assert scope.cancelled_caught, "they do not end by themselves"
    again = await client.call_tool("run_query", {"sql": "SELECT count(*) AS n FROM orders"})
    assert (again.is_error, again.structured_content["rows"]) == (False, [[3]])


async def everything(client: Client) -> None:
    check_all_four(await all_four(client))
    await cancel_two(client)


@pytest.mark.parametrize("mode", MODES)
def test_a_client_over_pipes_calls_every_tool_and_cancels(tmp_path: Path, mode: str) -> None:
    with endpoint() as model:
        over_pipes(tmp_path, environment(tmp_path, model.base_url, **NARROW), everything, mode)


def test_clients_over_http_call_every_tool_and_cancel(tmp_path: Path) -> None:
    async def session(base_url: str) -> None:
        async with over_http(tmp_path, environment(tmp_path, base_url, **NARROW)) as address:
            for mode in MODES:
                async with Client(address, mode=mode) as client:
                    await everything(client)

    with endpoint() as model:
        asyncio.run(session(model.base_url))


@pytest.mark.parametrize(
    ("header", "value", "code"),
    [
        ("Origin", "https://evil.example", 403),
        ("Origin", "http://127.0.0.1:1", 403),
        ("Host", "evil.example", 421),
        ("Host", "127.0.0.1:1", 421),
    ],
)
def test_a_foreign_origin_and_a_rebound_host_are_refused(
    served: str, header: str, value: str, code: int
) -> None:
    headers = {"Accept": "application/json, text/event-stream", header: value}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert httpx.post(served, json=request, headers=headers).status_code == code


def test_the_port_is_open_on_the_loopback_address_only(served: str) -> None:
    port = int(served.rpartition(":")[2].partition("/")[0])
    with socket.socket() as connection:
        connection.settimeout(2)
        # Another address of the same loopback network: a server bound to all would answer it.
        assert connection.connect_ex(("127.0.0.2", port)) != 0


def test_standard_output_is_the_protocols_and_closing_the_input_ends_it(tmp_path: Path) -> None:
    env = environment(tmp_path, "http://127.0.0.1:9")
    client = {"name": "t", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    noise = "this is no JSON\n"
    done = subprocess.run(
        [SCRIPT, "mcp"], input=f"{json.dumps(hello)}\n{noise}", env=env, cwd=tmp_path, timeout=60,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["result"]["serverInfo"]["name"] == "text2sql"
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_a_server_that_waits_for_its_client(tmp_path: Path) -> None:
    env = environment(tmp_path, "http://127.0.0.1:9")
    process = subprocess.Popen([SCRIPT, "mcp"], env=env, cwd=tmp_path, stdin=subprocess.PIPE)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) in (-signal.SIGINT, 130)
    assert process.stdin is not None
    process.stdin.close()


def test_invalid_options_are_reported_before_a_client_waits(tmp_path: Path) -> None:
    shop = str(make_shop(tmp_path / "shop.db"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words, message in (
            (["--db", str(tmp_path / "nothing.db")], "nothing.db"),
            (["--db", shop, "--http", "--port", port], f"Cannot listen on port {port}"),
            (["--db", shop, "--port", "99999"], "--port"),
        ):
            done = subprocess.run(
                [SCRIPT, "mcp", *words], cwd=tmp_path, env={**os.environ, "LC_ALL": "C.UTF-8"}, timeout=60,
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert (done.returncode, done.stdout) == (2, "")
            assert message in done.stderr
