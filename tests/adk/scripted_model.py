"""An OpenAI-compatible endpoint whose model follows the agents' instructions, and an ADK session on it.

The tools in a request identify the agent; a test can replace the behavior of each.
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
ScriptedReply = str | dict[str, Any] | int  # a text, a tool call, or an HTTP error status
Part = Callable[[list[dict[str, Any]]], ScriptedReply]  # given the tool results after the question


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": json.dumps(arguments)}


@dataclass
class Model:
    """`writes` are the replies to our own generator, in order."""

    writes: Iterable[str] = ()
    table: str = "orders"
    parts: Mapping[str, Part] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    heads: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    def say(self, body: dict[str, Any]) -> ScriptedReply:
        part = _part_of(body)
        self.requests.append((part, body))
        if part == "generator":
            self._left = getattr(self, "_left", None) or iter(self.writes)
            return next(self._left, "SELECT 'the script is over'")
        question, since = _since(body["messages"])
        play = self.parts.get(part)
        return play(since) if play else getattr(self, f"_{part}")(question, since)

    def prompts(self, part: str) -> list[dict[str, Any]]:
        return [body for agent, body in self.requests if agent == part]

    def _root(self, question: str, since: list[dict[str, Any]]) -> ScriptedReply:
        if not since:
            return call("sql_task", request=question)
        if len(since) == 1:
            return call("result_interpreter", request=question)
        return str(since[-1]["result"])

    def _sql(self, question: str, since: list[dict[str, Any]]) -> ScriptedReply:
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

    def _interpreter(self, question: str, since: list[dict[str, Any]]) -> ScriptedReply:
        facts = json.loads(
            self.prompts("interpreter")[-1]["messages"][0]["content"].split("<facts>")[1].split("</")[0]
        )
        return f"{question} → {json.dumps(facts['sql_result'] or facts['last_error'], ensure_ascii=False)}"


def _part_of(body: Mapping[str, Any]) -> str:
    tools = {tool["function"]["name"] for tool in body.get("tools") or ()}
    if "sql_task" in tools:
        return "root"
    if "run_sql" in tools:
        return "sql"
    return "interpreter" if "<facts>" in body["messages"][0]["content"] else "generator"


def _since(messages: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """The last question, and the tool results after it."""
    start = max(index for index, message in enumerate(messages) if message["role"] == "user")
    results = [json.loads(message["content"]) for message in messages[start:] if message["role"] == "tool"]
    return str(messages[start]["content"]), results


@contextmanager
def endpoint(model: Model) -> Iterator[Model]:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            model.heads.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            reply = model.say(body)
            if isinstance(reply, int):
                message = f"no: {self.headers.get('authorization')} {body['messages'][0]['content']}"
                self._send(reply, "application/json", json.dumps({"error": {"message": message}}))
            elif body.get("stream"):
                self._send(200, "text/event-stream", _events(reply))
            else:
                choice = {"index": 0, "message": _message(reply), "finish_reason": "stop"}
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


def _message(reply: str | dict[str, Any]) -> dict[str, Any]:
    if isinstance(reply, str):
        return {"role": "assistant", "content": reply}
    tool_call = {"index": 0, "id": f"call_{next(_IDS)}", "type": "function", "function": reply}
    return {"role": "assistant", "tool_calls": [tool_call]}


def _events(reply: str | dict[str, Any]) -> str:
    deltas = [({**_message(reply)}, None), ({}, "stop")]
    chunks = [{"index": 0, "delta": delta, "finish_reason": finish} for delta, finish in deltas]
    frames = [{**_HEAD, "object": "chat.completion.chunk", "choices": [chunk]} for chunk in chunks]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in frames) + "data: [DONE]\n\n"


def agent(shop: Path | str, played: Model, tables: Any = None, **settings: Any) -> LlmAgent:
    defaults = {"model": "openai-compatible:m", "base_url": played.url, "api_key": KEY, "memory": "none"}
    return build(
        str(shop), settings=Settings(**{**defaults, "requests_per_minute": 0, **settings}), tables=tables
    )


@dataclass
class Conversation:
    answers: list[str]
    state: dict[str, Any]
    events: list[Any]

    def replies(self, tool: str) -> list[dict[str, Any]]:
        """The results of a tool, in order."""
        responses = [response for event in self.events for response in event.get_function_responses()]
        return [dict(response.response) for response in responses if response.name == tool]


def talk(root: LlmAgent, *questions: str, state: dict[str, Any] | None = None) -> Conversation:
    """A session on ADK's own runner; the answers are what the user reads."""

    async def session() -> Conversation:
        async with InMemoryRunner(root, app_name="shop") as runner:
            service = runner.session_service
            session_info = await service.create_session(app_name="shop", user_id="ann", state=state)
            events, answers = [], []
            for question in questions:
                message = types.Content(role="user", parts=[types.Part(text=question)])
                turn = [
                    event
                    async for event in runner.run_async(
                        user_id="ann", session_id=session_info.id, new_message=message
                    )
                ]
                events += turn
                answers.append(_text(turn[-1]))
            stored = await service.get_session(app_name="shop", user_id="ann", session_id=session_info.id)
            assert stored is not None
            return Conversation(answers, dict(stored.state), events)

    return asyncio.run(session())


def _text(event: Any) -> str:
    parts = event.content.parts if event.content else []
    return "".join(part.text or "" for part in parts or [])
