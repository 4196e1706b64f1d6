"""The three agents. The root agent routes and answers, the SQL task agent has the tools, the interpreter says
what was found; what they tell each other is in the session's state.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.integrations.openai import OpenAILlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from text2sql.adk.tools import Tools
from text2sql.adk.turn import spoken
from text2sql.app import AsyncText2SQL
from text2sql.config import Settings, from_environment
from text2sql.errors import Text2SQLError
from text2sql.llm.clients import OpenAIClient, openai_client
from text2sql.llm.prompts import render
from text2sql.messages import explain
from text2sql.shapes import dumped
from text2sql.types import Policy

ROWS = 200  # of a query: more than that no agent reads
# An agent that is called as a tool, works in the session of its caller, and hands the talk to nobody else.
_CALLED: Mapping[str, Any] = {
    "mode": "single_turn",
    "disallow_transfer_to_parent": True,
    "disallow_transfer_to_peers": True,
}


def build(
    source: str = "",
    *,
    settings: Settings | None = None,
    model: str = "",
    policy: Policy | None = None,
    tables: Iterable[str] | Mapping[str, Sequence[str]] | None = None,
) -> LlmAgent:
    """The root agent of one database; what may be seen of it is said as to `AsyncText2SQL`."""
    known = settings or from_environment()
    known = replace(known, model=model or known.model, row_limit=min(known.row_limit, ROWS))
    shown = tables if tables is None or isinstance(tables, Mapping) else tuple(tables)

    def opened() -> AsyncText2SQL:
        return AsyncText2SQL(source, settings=known, policy=policy, tables=shown)

    return _Agents(openai_client(known.model, known), known, Tools(opened, known)).root()


class _Agents:
    def __init__(self, asked: OpenAIClient, settings: Settings, tools: Tools) -> None:
        self._asked, self._settings, self._tools = asked, settings, tools

    def root(self) -> LlmAgent:
        return LlmAgent(
            name="text2sql",
            description="Answers questions about a database, in Chinese or English.",
            instruction=self._route,
            sub_agents=[self._sql_task(), self._interpreter()],
            **self._common(),
        )

    def _sql_task(self) -> LlmAgent:
        return LlmAgent(
            name="sql_task",
            description="Finds the data for a question: writes a query and runs it. Give it the question.",
            instruction=self._work,
            tools=[self._tools],
            **_CALLED,
            **self._common(),
        )

    def _interpreter(self) -> LlmAgent:
        return LlmAgent(
            name="result_interpreter",
            description="Says what the last result answers to a question. Give it the question.",
            instruction=self._interpret,
            include_contents="none",
            **_CALLED,
            **self._common(),
        )

    def _common(self) -> dict[str, Any]:
        known, asked = self._settings, self._asked
        return {
            "model": OpenAILlm(model=asked.model, client=asked.client, max_tokens=known.max_tokens),
            "generate_content_config": types.GenerateContentConfig(temperature=known.temperature),
            "on_model_error_callback": self._explained,
        }

    # -- what they are told: rendered with every call, because a state changes ------------------------

    def _route(self, context: ReadonlyContext) -> str:
        return render("adk_root", self._settings, spoken(context, self._settings))

    async def _work(self, context: ReadonlyContext) -> str:  # noqa: ARG002
        try:
            tables = await self._tools.tables()
        except Text2SQLError:  # the tools will meet it, and tell
            tables = []
        return render("adk_sql_task", self._settings, tables=dumped(tables))

    def _interpret(self, context: ReadonlyContext) -> str:
        held = {
            name: context.state.get(name)
            for name in ("generated_sql", "sql_result", "row_count", "last_error")
        }
        return render("adk_interpreter", self._settings, spoken(context, self._settings), facts=dumped(held))

    def _explained(
        self, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse:
        """A model that cannot be asked is told in words: the original may hold the key."""
        prompts = [part.text or "" for one in llm_request.contents for part in one.parts or ()]
        prompts.append(str(llm_request.config.system_instruction))
        told = explain(self._asked.error(error, prompts), spoken(callback_context, self._settings))
        return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=told)]))
