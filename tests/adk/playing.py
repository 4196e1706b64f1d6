"""An OpenAI-compatible endpoint whose model does what the agents' instructions say, and an ADK session on it.

Which agent is asking is seen by the tools it offers; each can be given another part to play.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.genai import types

from text2sql.adk import build
from text2sql.config import Settings

KEY = "sk-this-is-a-secret"
Said = str | dict[str, Any] | int  # a text, a call of a tool, or the status of a failure
Part = Callable[[list[dict[str, Any]]], Said]  # by what came after the question: calls and results


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": json.dumps(arguments)}


@dataclass
class Model:
    """`writes` are the queries that the house's own generator is given, in order."""

    writes: Iterable[str] = ()
    table: str = "orders"
    parts: Mapping[str, Part] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    heads: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    def say(self, body: dict[str, Any]) -> Said:
        part = _part_of(body)
        self.asked.append((part, body))
        if part == "house":
            self._left = getattr(self, "_left", None) or iter(self.writes)
            return next(self._left, "SELECT 'the script is over'")
        question, since = _since(body["messages"])
        play = self.parts.get(part)
        return play(since) if play else getattr(self, f"_{part}")(question, since)

    def prompts(self, part: str) -> list[dict[str, Any]]:
        return [body for one, body in self.asked if one == part]

    def _root(self, question: str, since: list[dict[str, Any]]) -> Said:
        if not since:
            return call("sql_task", request=question)
        if len(since) == 1:
            return call("result_interpreter", request=question)
        return str(since[-1]["result"])

    def _sql(self, question: str, since: list[dict[str, Any]]) -> Said:
        if not since:
            return call("inspect_table_schema", table_name=self.table)
        last = since[-1]
        if "error" in last and "table" in last:
            return str(last["error"]["message"])
        if last.get("error", {}).get("retry"):
            return call("generate_sql", question=question)
        if "error" in last or "row_count" in last:
            return last.get("error", {}).get("message") or f"{last['row_count']} rows"
        return (
            call("run_sql", query=last["sql"]) if "sql" in last else call("generate_sql", question=question)
        )

    def _interpreter(self, question: str, since: list[dict[str, Any]]) -> Said:
        facts = json.loads(
            self.prompts("interpreter")[-1]["messages"][0]["content"].split("<facts>")[1].split("</")[0]
        )
        return f"{question} → {json.dumps(facts['sql_result'] or facts['last_error'], ensure_ascii=False)}"


def _part_of(body: Mapping[str, Any]) -> str:
    tools = {one["function"]["name"] for one in body.get("tools") or ()}
    if "sql_task" in tools:
        return "root"
    if "run_sql" in tools:
        return "sql"
    return "interpreter" if "<facts>" in body["messages"][0]["content"] else "house"


def _since(messages: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """The last question, and the results of tools behind it."""
    at = max(n for n, one in enumerate(messages) if one["role"] == "user")
    results = [json.loads(one["content"]) for one in messages[at:] if one["role"] == "tool"]
    return str(messages[at]["content"]), results


@contextmanager
def endpoint(model: Model) -> Iterator[Model]:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            model.heads.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            said = model.say(body)
            if isinstance(said, int):
                told = f"no: {self.headers.get('authorization')} {body['messages'][0]['content']}"
                self._send(said, "application/json", json.dumps({"error": {"message": told}}))
            elif body.get("stream"):
                self._send(200, "text/event-stream", _events(said))
            else:
                choice = {"index": 0, "message": _message(said), "finish_reason": "stop"}
                self._send(200, "application/json", json.dumps({**_HEAD, "choices": [choice]}))

        def _send(self, status: int, kind: str, text: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_USAGE = {"prompt_tokens": 12, "completion_tokens": 6, "total_tokens": 18}
_HEAD = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "usage": _USAGE}
_IDS = count(1)


def _message(said: str | dict[str, Any]) -> dict[str, Any]:
    if isinstance(said, str):
        return {"role": "assistant", "content": said}
    called = {"index": 0, "id": f"call_{next(_IDS)}", "type": "function", "function": said}
    return {"role": "assistant", "tool_calls": [called]}


def _events(said: str | dict[str, Any]) -> str:
    deltas = [({**_message(said)}, None), ({}, "stop")]
    chunks = [{"index": 0, "delta": delta, "finish_reason": finish} for delta, finish in deltas]
    whole = [{**_HEAD, "object": "chat.completion.chunk", "choices": [one]} for one in chunks]
    return "".join(f"data: {json.dumps(one)}\n\n" for one in whole) + "data: [DONE]\n\n"


def agent(shop: Path | str, played: Model, tables: Any = None, **settings: Any) -> LlmAgent:
    told = {"model": "openai-compatible:m", "base_url": played.url, "api_key": KEY, "memory": "none"}
    return build(
        str(shop), settings=Settings(**{**told, "requests_per_minute": 0, **settings}), tables=tables
    )


@dataclass
class Talked:
    answers: list[str]
    state: dict[str, Any]
    events: list[Any]

    def replies(self, tool: str) -> list[dict[str, Any]]:
        """What a tool gave, call by call."""
        given = [one for event in self.events for one in event.get_function_responses()]
        return [dict(one.response) for one in given if one.name == tool]


def talk(root: LlmAgent, *questions: str, state: dict[str, Any] | None = None) -> Talked:
    """A session on ADK's own runner; its answers are what the person reads."""

    async def session() -> Talked:
        async with InMemoryRunner(root, app_name="shop") as runner:
            service = runner.session_service
            one = await service.create_session(app_name="shop", user_id="ann", state=state)
            events, answers = [], []
            for question in questions:
                said = types.Content(role="user", parts=[types.Part(text=question)])
                turn = [
                    event
                    async for event in runner.run_async(user_id="ann", session_id=one.id, new_message=said)
                ]
                events += turn
                answers.append(_text(turn[-1]))
            kept = await service.get_session(app_name="shop", user_id="ann", session_id=one.id)
            assert kept is not None
            return Talked(answers, dict(kept.state), events)

    return asyncio.run(session())


def _text(event: Any) -> str:
    parts = event.content.parts if event.content else []
    return "".join(part.text or "" for part in parts or [])
