"""What goes to llama.cpp's server and what comes back, as our values. Its errors are translated here."""

import json
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import httpx

from text2sql.errors import BadReply, ModelError, ModelUnavailable, PromptTooLong
from text2sql.llm.embedded.cores import SLOTS
from text2sql.types import Candidate, Message, ModelRequest, Token, Usage

# Candidates of one batch share one temperature (their seeds differ), so several at 0 would all be the same.
_DIVERSE = 0.6
_SEED = 7  # the same question gives the same answer, sampled or not
_OTHERS = 4  # tokens that are told of each place: the one taken, and what it nearly was
_CONTROL = re.compile(r"<\|(?=\w+\|>)")


def messages(given: tuple[Message, ...]) -> list[dict[str, str]]:
    return [{"role": one.role, "content": plain(one.content)} for one in given]


def plain(text: str) -> str:
    """What looks like the template's own marks (`<|im_end|>`) is pulled apart: a question or a value must not
    be able to end its message and begin another.
    """
    return _CONTROL.sub("< |", text)


def payload(request: ModelRequest, prompt: str) -> dict[str, Any]:
    candidates = max(1, min(request.candidates, SLOTS))
    temperature = request.temperature
    if candidates > 1 and temperature == 0.0:
        temperature = _DIVERSE
    made: dict[str, Any] = {
        "prompt": prompt + plain(request.begun),
        "n_predict": request.max_tokens,
        "n_cmpl": candidates,
        "temperature": temperature,
        "seed": _SEED,
        "stop": list(request.stop),
        "stream": True,
        "cache_prompt": True,
    }
    if request.grammar:
        made["grammar"] = request.grammar
    if request.logprobs:
        made["n_probs"] = _OTHERS
    return made


@dataclass(slots=True)
class Growing:
    """A candidate while it is written."""

    text: str = ""
    tokens: list[Token] = field(default_factory=list)
    final: dict[str, Any] | None = None

    def add(self, event: dict[str, Any]) -> None:
        self.text += event.get("content", "")
        for one in event.get("completion_probabilities") or ():
            if one["token"]:  # the mark that ends an answer has no text
                others = [(each["token"], each["logprob"]) for each in one.get("top_logprobs", ())]
                others = [each for each in others if each[0] != one["token"]]
                self.tokens.append(Token(one["token"], one["logprob"], tuple(others)))
        if event.get("stop"):
            self.final = event

    def done(self, model: str) -> Candidate:
        if self.final is None:
            raise BadReply(model, "the stream ended early")
        cut = self.final.get("stop_type") == "limit" or self.final.get("truncated", False)
        return Candidate(self.text, "length" if cut else "stop", tuple(self.tokens))


def usage(grown: list[Growing], evaluated_before: int, seconds: float) -> Usage:
    """The prompt is counted once, whatever the number of candidates. `evaluated_before`: tokens that the
    server calls cached only because we had them evaluated a moment ago, for this very call.
    """
    timings = [one.final.get("timings", {}) for one in grown if one.final]
    cached = max((one.get("cache_n", 0) for one in timings), default=0)
    prompt = max((one.get("cache_n", 0) + one.get("prompt_n", 0) for one in timings), default=0)
    written = sum(one.get("predicted_n", 0) for one in timings)
    return Usage(1, prompt, max(0, cached - evaluated_before), written, seconds)


async def events(response: httpx.Response, model: str) -> AsyncGenerator[dict[str, Any]]:
    if response.status_code != httpx.codes.OK:
        await response.aread()
        raise error(model, response)
    async for line in response.aiter_lines():
        kind, _, text = line.partition(": ")
        if kind not in ("data", "error") or text == "[DONE]":
            continue
        event = _object(text, model)
        if kind == "error" or "error" in event:
            raise told(model, event.get("error", event))
        yield event


def _object(text: str, model: str) -> dict[str, Any]:
    try:
        event = json.loads(text)
    except ValueError as wrong:
        raise BadReply(model, "a piece of the stream is not JSON") from wrong
    if not isinstance(event, dict):
        raise BadReply(model, "a piece of the stream is not an object")
    return event


def error(model: str, response: httpx.Response) -> ModelError:
    try:
        about = response.json()["error"]
    except (ValueError, KeyError, TypeError):
        return ModelUnavailable(model, f"HTTP {response.status_code}")
    return told(model, about)


def told(model: str, about: Any) -> ModelError:
    """The server's words never repeat the prompt, so they may be shown."""
    about = about if isinstance(about, dict) else {"message": str(about)}
    detail = (str(about.get("message", "")).splitlines() or [""])[0][:200]
    if about.get("type") == "exceed_context_size_error":
        asked, room = about.get("n_prompt_tokens"), about.get("n_ctx")
        return PromptTooLong(model, f"{asked} tokens, room for {room}", tokens=asked, context=room)
    if about.get("type") == "invalid_request_error":
        return BadReply(model, detail)
    return ModelUnavailable(model, detail)
