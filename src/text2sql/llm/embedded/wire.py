"""Requests to and responses from llama.cpp's server, and the translation of its errors."""

import json
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import httpx

from text2sql.errors import BadReply, ModelError, ModelUnavailable, PromptTooLong
from text2sql.llm.embedded.cpu import SLOTS
from text2sql.types import Alternative, Candidate, Message, ModelRequest, Token, Usage

# Candidates of one batch share one temperature (their seeds differ), so several at 0 would all be equal.
_DIVERSE = 0.6
SLOT = 0  # the only slot of the server that receives prompts: see `prefix_warmup`
_SEED = 7  # fixed, so that the same question gets the same answer, sampled or not
_TOP_TOKENS = 4  # the tokens reported per position: the chosen one and its alternatives
_BROKEN = "\ufffd"  # what the server writes for invalid UTF-8
_CONTROL = re.compile(r"<\|(?=\w+\|>)")


def messages(prompt: tuple[Message, ...]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": plain(message.content)} for message in prompt]


def plain(text: str) -> str:
    """The text with control tokens of the chat template (`<|im_end|>`) defused, so that a question or a value
    cannot end its message and begin another.
    """
    return _CONTROL.sub("< |", text)


def payload(request: ModelRequest, prompt: str) -> dict[str, Any]:
    candidates = max(1, min(request.candidates, SLOTS))
    temperature = request.temperature
    if candidates > 1 and temperature == 0.0:
        temperature = _DIVERSE
    begun = prompt + plain(request.begun)
    body: dict[str, Any] = {
        "prompt": [begun, request.forced.id] if request.forced else begun,
        "id_slot": SLOT,
        "n_predict": request.max_tokens,
        "n_cmpl": candidates,
        "temperature": temperature,
        "seed": _SEED,
        "stop": list(request.stop),
        "stream": True,
        "cache_prompt": True,
    }
    if request.grammar:
        body["grammar"] = request.grammar
    if request.logprobs or request.forced:  # bytes are reported only together with probabilities
        body["n_probs"] = _TOP_TOKENS
    return body


@dataclass(slots=True)
class PartialCandidate:
    """A candidate during generation, in complete characters.

    A token may end inside a character. The server then sends nothing until the character is complete, and
    reports only the token that completed it. If the prompt itself ends inside a character, the server sends
    the rest as invalid text; the actual bytes are in the list of probabilities.
    """

    text: str = ""
    begun: bytes = b""  # the first bytes of an incomplete character at the end of the prompt
    tokens: list[Token] = field(default_factory=list)
    final: dict[str, Any] | None = None
    _token_text: str = ""  # text of all tokens: longer than `text` while a stop string may be coming
    _broken: bool = False

    @classmethod
    def after(cls, request: ModelRequest) -> "PartialCandidate":
        partial = cls(request.begun)
        if request.forced:
            partial.text += partial._without_replacements(partial._complete_characters(request.forced.data))
        partial._token_text = partial.text
        return partial

    def add(self, event: dict[str, Any]) -> str:
        """Add an event of the stream; returns the new text."""
        tokens = event.get("completion_probabilities") or ()
        piece = str(event.get("content", ""))
        if self.begun:
            piece = self._complete_characters(b"".join(bytes(token["bytes"]) for token in tokens))
        piece = self._without_replacements(piece)
        for token in tokens:
            self._add_token(token, piece)
        self.text += piece
        if event.get("stop"):
            self.final = event
        return piece

    def _without_replacements(self, piece: str) -> str:
        self._broken = self._broken or _BROKEN in piece
        return piece.replace(_BROKEN, "")

    def _complete_characters(self, data: bytes) -> str:
        """Decode the pending bytes and these; an incomplete character at the end stays pending."""
        data, self.begun = self.begun + data, b""
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            if error.end == len(data) and error.reason == "unexpected end of data":
                self.begun = data[error.start :]
                return data[: error.start].decode()
            return data.decode(errors="replace")

    def _add_token(self, token: dict[str, Any], piece: str) -> None:
        data = _own_bytes(token)
        if not data:  # the end-of-answer token
            return
        exact = len(self._token_text) == len(self.text)
        is_continuation = data[0] & 0xC0 == 0x80  # of a character whose first tokens were not reported
        alternatives = [
            Alternative(int(entry["id"]), bytes(entry["bytes"]), float(entry["logprob"]))
            for entry in token.get("top_logprobs", ())
            if entry["id"] != token["id"] and entry["bytes"] and exact and not is_continuation
        ]
        text = piece if exact and piece else data.decode(errors="ignore")
        self._token_text += text
        self.tokens.append(Token(text, float(token["logprob"]), tuple(alternatives)))

    def done(self, model: str) -> Candidate:
        if self.final is None:
            raise BadReply(model, "the stream ended early")
        cut = self.final.get("stop_type") == "limit" or self.final.get("truncated", False)
        broken = self._broken or bool(self.begun)
        return Candidate(self.text, "length" if cut or broken else "stop", tuple(self.tokens))


def _own_bytes(token: dict[str, Any]) -> bytes:
    """The bytes of the token itself, from the list of alternatives. The bytes next to its id are those that
    were sent with it: they may begin with earlier bytes, or be empty while a stop string may be coming.
    """
    own = next((entry for entry in token.get("top_logprobs", ()) if entry["id"] == token["id"]), token)
    return bytes(own["bytes"])


def usage(partials: list[PartialCandidate], evaluated_before: int, seconds: float) -> Usage:
    """The prompt is counted once, whatever the number of candidates. `evaluated_before`: tokens that the
    server reports as cached only because they were evaluated a moment ago for this call.
    """
    timings = [partial.final.get("timings", {}) for partial in partials if partial.final]
    cached = max((timing.get("cache_n", 0) for timing in timings), default=0)
    prompt = max((timing.get("cache_n", 0) + timing.get("prompt_n", 0) for timing in timings), default=0)
    written = sum(timing.get("predicted_n", 0) for timing in timings)
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
            raise server_error(model, event.get("error", event))
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
        details = response.json()["error"]
    except (ValueError, KeyError, TypeError):
        return ModelUnavailable(model, f"HTTP {response.status_code}")
    return server_error(model, details)


def server_error(model: str, details: Any) -> ModelError:
    """Translate an error of the server. Its messages never repeat the prompt, so they may be shown."""
    details = details if isinstance(details, dict) else {"message": str(details)}
    detail = (str(details.get("message", "")).splitlines() or [""])[0][:200]
    if details.get("type") == "exceed_context_size_error":
        requested, limit = details.get("n_prompt_tokens"), details.get("n_ctx")
        return PromptTooLong(model, f"{requested} tokens, room for {limit}", tokens=requested, context=limit)
    if details.get("type") == "invalid_request_error":
        return BadReply(model, detail)
    return ModelUnavailable(model, detail)
