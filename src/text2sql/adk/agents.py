"""The three ADK agents: the root agent routes and answers, the SQL task agent has the tools, the interpreter
describes the result. They share data in the session's state.
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
from text2sql.adk.turn import user_language
from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import Settings, from_environment
from text2sql.errors import Text2SQLError
from text2sql.i18n import explain
from text2sql.llm.clients import OpenAIClient, openai_client
from text2sql.llm.prompts import render
from text2sql.serialization import dumped
from text2sql.types import Policy

ROWS = 200  # of a query: an agent reads no more
# An agent that is called as a tool, in its caller's session, and cannot transfer the conversation.
_AS_TOOL: Mapping[str, Any] = {
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
    """The root agent of one database; `policy` and `tables` are those of `AsyncText2SQL`."""
    config = settings or from_environment()
    config = replace(config, model=model or config.model, row_limit=min(config.row_limit, ROWS))
    visible_tables = tables if tables is None or isinstance(tables, Mapping) else tuple(tables)

    def open_client() -> AsyncText2SQL:
        return AsyncText2SQL(source, settings=config, policy=policy, tables=visible_tables)

    return _Agents(openai_client(config.model, config), config, Tools(open_client, config)).root()


class _Agents:
    """Builds the agents over one model client and one toolset."""

    def __init__(self, model_client: OpenAIClient, settings: Settings, tools: Tools) -> None:
        self._model_client, self._settings, self._tools = model_client, settings, tools

    def root(self) -> LlmAgent:
        return LlmAgent(
            name="text2sql",
            description="Answers questions about a database, in Chinese or English.",
            instruction=self._root_instruction,
            sub_agents=[self._sql_task(), self._interpreter()],
            **self._common(),
        )

    def _sql_task(self) -> LlmAgent:
        return LlmAgent(
            name="sql_task",
            description="Finds the data for a question: writes a query and runs it. Give it the question.",
            instruction=self._task_instruction,
            tools=[self._tools],
            **_AS_TOOL,
            **self._common(),
        )

    def _interpreter(self) -> LlmAgent:
        return LlmAgent(
            name="result_interpreter",
            description="Says what the last result answers to a question. Give it the question.",
            instruction=self._interpreter_instruction,
            include_contents="none",
            **_AS_TOOL,
            **self._common(),
        )

    def _common(self) -> dict[str, Any]:
        settings, model_client = self._settings, self._model_client
        return {
            "model": OpenAILlm(
                model=model_client.model, client=model_client.client, max_tokens=settings.max_tokens
            ),
            "generate_content_config": types.GenerateContentConfig(temperature=settings.temperature),
            "on_model_error_callback": self._on_model_error,
        }

    # -- instructions: rendered for every call, because the state changes --------------------

    def _root_instruction(self, context: ReadonlyContext) -> str:
        return render("adk_root", self._settings, user_language(context, self._settings))

    async def _task_instruction(self, context: ReadonlyContext) -> str:  # noqa: ARG002
        try:
            tables = await self._tools.tables()
        except Text2SQLError:  # the tools will raise and report it
            tables = []
        return render("adk_sql_task", self._settings, tables=dumped(tables))

    def _interpreter_instruction(self, context: ReadonlyContext) -> str:
        facts = {
            name: context.state.get(name)
            for name in ("generated_sql", "sql_result", "row_count", "last_error")
        }
        return render(
            "adk_interpreter", self._settings, user_language(context, self._settings), facts=dumped(facts)
        )

    def _on_model_error(
        self, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse:
        """Explain a model error in words: the original may contain the key."""
        prompts = [part.text or "" for content in llm_request.contents for part in content.parts or ()]
        prompts.append(str(llm_request.config.system_instruction))
        message = explain(
            self._model_client.error(error, prompts), user_language(callback_context, self._settings)
        )
        return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=message)]))
