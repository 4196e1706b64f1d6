"""What a request becomes for each provider: a LangChain model with its limits and tools, and call options."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from text2sql.llm.providers import Provider, Structured
from text2sql.types import ModelRequest

_ANSWER = "answer"  # the name of the schema, and of the tool that takes it


def structured_by(facts: Provider, unsupported: Collection[str]) -> Structured | None:
    """How structured output is requested: the first mode that the endpoint has not rejected."""
    return next((mode for mode in facts.structured if mode not in unsupported), None)


def messages_of(request: ModelRequest, mode: Structured | None) -> Any:
    """The messages; in JSON mode the system message describes the schema, since the endpoint does not know
    it.
    """
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415 -- loaded once a model is built

    messages = [(message.role, message.content) for message in request.messages]
    if request.schema is not None and mode == "json":
        schema = json.dumps(request.schema, ensure_ascii=False)
        rule = f"Answer with one JSON object that follows this JSON Schema, and nothing else:\n{schema}"
        if messages[0][0] == "system":
            messages[0] = ("system", f"{messages[0][1]}\n\n{rule}")
        else:
            messages.insert(0, ("system", rule))
    return convert_to_messages(messages)


def options_of(
    model: Any,
    facts: Provider,
    request: ModelRequest,
    unsupported: Collection[str],
    *,
    temperature: float,
    responses: bool,
) -> tuple[Any, dict[str, Any]]:
    """The model for this request and the options of its call. Without what the endpoint has rejected."""
    mode = structured_by(facts, unsupported) if request.schema is not None else None
    limits: dict[str, Any] = {} if "temperature" in unsupported else {"temperature": temperature}
    options: dict[str, Any] = {"stop": list(request.stop)} if request.stop and not responses else {}
    if facts.openai_package:
        body: dict[str, Any] = {}
        if facts.limit == "max_completion_tokens" or responses:
            limits["max_tokens"] = request.max_tokens  # LangChain translates it
        else:
            body[facts.limit] = request.max_tokens
        if request.logprobs and facts.logprobs and not responses and "logprobs" not in unsupported:
            options["logprobs"] = True
        if "usage" in unsupported:
            options["stream_usage"] = False
        # In the body, not as an argument: LangChain would parse the answer and raise if it is cut off.
        body |= _response_format(mode, request.schema or {}, responses)
        options |= limits | ({"extra_body": body} if body else {})
    else:  # their packages accept limits only as fields
        fields = {"temperature": None, **limits, facts.limit: request.max_tokens}
        if facts.api == "ollama" and mode:
            fields["format"] = request.schema
        elif mode == "json_schema":
            options |= _SCHEMA_OPTIONS[facts.api](request.schema)
        model = model.model_copy(update=fields)
    return _with_tools(model, request, mode, unsupported), options


def _response_format(
    mode: Structured | None, schema: Mapping[str, object], responses: bool
) -> dict[str, Any]:
    if mode not in ("json_schema", "json"):
        return {}
    named = {"name": _ANSWER, "strict": True, "schema": schema}
    if responses:
        plain = {"type": "json_object"}
        return {"text": {"format": plain if mode == "json" else {"type": "json_schema", **named}}}
    if mode == "json":
        return {"response_format": {"type": "json_object"}}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


_SCHEMA_OPTIONS: Mapping[str, Any] = {
    "anthropic": lambda schema: {
        "response_format": {"type": "json_schema", "json_schema": {"name": _ANSWER, "schema": schema}}
    },
    "google": lambda schema: {
        "response_mime_type": "application/json",
        "response_json_schema": schema,
    },
}


def _with_tools(
    model: Any, request: ModelRequest, mode: Structured | None, unsupported: Collection[str]
) -> Any:
    """The model bound to the tools of the request, each with a name, a description and no arguments; or to
    the one tool whose arguments are the structured output.
    """
    tools: list[dict[str, object]] = [
        {"name": name, "description": purpose, "parameters": {"type": "object", "properties": {}}}
        for name, purpose in request.tools.items()
    ]
    if mode == "tool":
        tools = [{"name": _ANSWER, "description": "Gives the answer.", "parameters": request.schema}]
    if not tools or "tools" in unsupported:
        return model
    functions = [{"type": "function", "function": tool} for tool in tools]
    # Some models refuse to be forced; they call a tool of their own accord.
    return model.bind_tools(functions, **({} if "tool_choice" in unsupported else {"tool_choice": "any"}))
