"""`adk run` and `adk web` in a folder with a one-line agent.py and a .env."""

import asyncio
import inspect
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from adk.scripted_model import KEY, Model, endpoint
from agents.asking import make_shop
from docs_text import cells, read, section
from servers import free_port
from text2sql import AsyncText2SQL
from text2sql.adk.agents import ROWS
from text2sql.adk.tools import Tools
from text2sql.adk.turn import ERROR_LENGTH, KEYS, SQL
from text2sql.config import Settings
from text2sql.serialization import CELL

ADK = str(Path(sys.executable).with_name("adk"))
QUESTION = "What is the revenue of all orders?"
RESULT = '{"columns": ["revenue"], "rows": [[37.75]], "truncated": false}'
STARTED = 180.0  # seconds: ADK imports slowly, and the machine may be busy


def folder(directory: Path, model: Model, line: str = "from text2sql.adk import root_agent") -> Path:
    """As docs/adk.md has it."""
    own = directory / "agents" / "shop"
    own.mkdir(parents=True)
    (own / "agent.py").write_text(f"{line}\n")
    variables = {
        "TEXT2SQL_DB": str(make_shop(directory / "shop.db")),
        "TEXT2SQL_MODEL": "openai-compatible:m",
        "TEXT2SQL_BASE_URL": model.url,
        "TEXT2SQL_API_KEY": KEY,
        "TEXT2SQL_MEMORY": str(directory / "memory.db"),
    }
    (own / ".env").write_text("".join(f"{name}={value}\n" for name, value in variables.items()))
    return own


def test_adk_run_talks_to_a_configured_agent_until_exit(tmp_path: Path) -> None:
    line = 'from text2sql.adk import build\n\nroot_agent = build(tables=["orders"])'
    with endpoint(Model(["SELECT sum(total) AS revenue FROM orders"])) as model:
        own = folder(tmp_path, model, line)
        done = subprocess.run(
            [ADK, "run", str(own)],
            cwd=own.parent,
            input=f"{QUESTION}\nexit\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=STARTED,
        )
    assert done.returncode == 0, done.stderr
    assert f"{QUESTION} → {RESULT}" in done.stdout
    assert KEY not in done.stdout + done.stderr
    assert '<tables>\n["orders"]\n</tables>' in model.prompts("sql")[0]["messages"][0]["content"]


@contextmanager
def web(own: Path) -> Iterator[str]:
    port = free_port()
    command = [ADK, "web", "--port", str(port), "--no-reload", str(own.parent)]
    with (own.parent / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=own.parent, stdout=log, stderr=log)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def fetch(address: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = Request(address, data, {"content-type": "application/json"})
    with urlopen(request, timeout=60) as reply:
        return json.load(reply)


def test_adk_web_serves_the_agent_and_keeps_the_state_of_its_session(tmp_path: Path) -> None:
    with endpoint(Model(["SELECT sum(total) AS revenue FROM orders"])) as model:
        own = folder(tmp_path, model)
        with web(own) as address:
            until = time.monotonic() + STARTED
            while True:
                try:
                    assert fetch(f"{address}/list-apps") == ["shop"]
                    break
                except URLError:
                    assert time.monotonic() < until, (own.parent / "log").read_text()
                    time.sleep(0.1)
            sessions = f"{address}/apps/shop/users/ann/sessions"
            session = fetch(sessions, {})["id"]
            message = {"role": "user", "parts": [{"text": QUESTION}]}
            events = fetch(
                f"{address}/run",
                {"appName": "shop", "userId": "ann", "sessionId": session, "newMessage": message},
            )
            state = fetch(f"{sessions}/{session}")["state"]
    assert events[-1]["content"]["parts"][0]["text"] == f"{QUESTION} → {RESULT}"
    assert (state["row_count"], state["last_error"]) == (1, None)
    assert KEY not in json.dumps([events, state]) + (own.parent / "log").read_text()


def test_the_document_has_the_folder_the_tools_the_state_and_the_bounds() -> None:
    page = read("docs/adk.md")
    assert "from text2sql.adk import root_agent" in page
    assert 'root_agent = build(tables=["orders"])' in page
    tools = Tools(AsyncText2SQL, Settings())
    _, *rows = cells(section(page, "The tools"))
    for row, tool in zip(rows, asyncio.run(tools.get_tools()), strict=True):
        parameters = set(inspect.signature(getattr(tools, tool.name)).parameters) - {"tool_context"}
        assert (row[0], set(row[1].replace("`", "").split(", "))) == (f"`{tool.name}`", parameters)
    state = section(page, "The state of a session")
    assert [key for key in KEYS if f"`{key}`" not in state] == []
    assert f"a value {CELL} characters, a query {SQL:,}, an error {ERROR_LENGTH:,}" in " ".join(state.split())
    assert f"at most {ROWS} rows" in page
