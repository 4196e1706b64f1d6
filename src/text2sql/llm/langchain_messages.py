"""Parse LangChain messages of all providers: text, finish reason, tool calls and token usage."""

import json
import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Literal

from text2sql.llm.transport import MOST_TOKENS
from text2sql.types import Candidate, Token, Usage

Finish = Literal["stop", "length"]

# Finish reasons of the providers, in lower case. Any other reason is a normal end.
_CUT = {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
_REFUSED = {"content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii"}
_ASCII = re.compile(r"[\x00-\x7f]+")
_REASONS = ("finish_reason", "stop_reason", "done_reason", "status")  # the last is OpenAI's Responses API's


def estimate_tokens(text: str) -> int:
    """A high estimate without a tokenizer: a wide character (Chinese, Japanese, Korean, emoji) counts as one
    and a half tokens, since tokenizers split rare ones; three other characters count as one token.
    """
    rare = _ASCII.sub("", text)  # only these are checked one by one: every question counts a whole schema
    wide = sum(1 for letter in rare if ord(letter) > 0x2E7F or unicodedata.east_asian_width(letter) in "WF")
    return (wide * 3 + 1) // 2 + (len(text) - wide + 2) // 3


class Utf16:
    """Joins surrogate pairs that are split between two pieces of JSON; a lone surrogate is replaced."""

    def __init__(self) -> None:
        self._half = ""

    def whole(self, text: str) -> str:
        text = self._half + text
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return text if text.isascii() else _paired(text)


def _paired(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@dataclass(slots=True)
class CandidateBuffer:
    """Collects the pieces of one candidate. `summed`: token counts of the pieces are added up; otherwise each
    one is the total so far.
    """

    summed: bool
    parts: list[str] = field(default_factory=list)
    size: int = 0
    finish: Finish | Literal[""] = ""
    refused: str = ""
    called: str = ""  # the first tool called
    arguments: bool = False  # the text is the arguments of that tool, if it is called
    tokens: list[Token] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def add(self, message: Any, decoder: Utf16, info: dict[str, Any] | None = None) -> str:
        """Add a message or a chunk and return its text; `info` is LangChain's `generation_info`."""
        piece = decoder.whole(str(message.text) + (_arguments(message) if self.arguments else ""))
        self.parts.append(piece)
        self.size += len(piece)
        self.called = self.called or _tool(message)
        facts = {**(message.response_metadata or {}), **(info or {})}
        self._note(facts, getattr(message, "usage_metadata", None))
        self.refused = self.refused or _refusal(message)
        return piece

    def _note(self, facts: dict[str, Any], usage: Any) -> None:
        reason = str(
            (facts.get("incomplete_details") or {}).get("reason")
            or next((facts[name] for name in _REASONS if facts.get(name)), "")
        ).lower()
        if reason in _REFUSED:
            self.refused = f"the answer ended with {reason}"
        elif reason:
            self.finish = "length" if reason in _CUT else "stop"
        self.tokens += _tokens(facts.get("logprobs"))
        if usage:
            counted = _usage(usage)
            self.usage = self.usage + counted if self.summed else counted

    def counted(self, calls: int, seconds: float) -> Usage:
        return self.usage + Usage(calls=calls, seconds=seconds)


def candidate_of(generation: Any, into: CandidateBuffer) -> Candidate | None:
    """The candidate of a LangChain generation; None if it was refused. Usage and refusals go to `into`."""
    buffer = CandidateBuffer(summed=False)
    buffer.add(generation.message, Utf16(), generation.generation_info)
    into.usage = buffer.usage
    into.refused = into.refused or buffer.refused
    if buffer.refused:
        return None
    return Candidate(buffer.text, buffer.finish or "stop", tuple(buffer.tokens))


def _calls(message: Any) -> Any:
    return getattr(message, "tool_call_chunks", None) or getattr(message, "tool_calls", None) or ()


def _tool(message: Any) -> str:
    return next((str(call["name"]) for call in _calls(message) if call["name"]), "")


def _arguments(message: Any) -> str:
    """The arguments of tool calls, as JSON or a piece of it."""
    arguments = (call.get("args") or "" for call in _calls(message))
    return "".join(
        part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) for part in arguments
    )


def _refusal(message: Any) -> str:
    """OpenAI's: a field of chat completions, a content block of the Responses API."""
    blocks = message.content if isinstance(message.content, list) else ()
    refusals = [block.get("refusal") for block in blocks if isinstance(block, dict)]
    return str(next(filter(None, [(message.additional_kwargs or {}).get("refusal"), *refusals]), ""))


def _tokens(logprobs: Any) -> list[Token]:
    entries = logprobs.get("content") if isinstance(logprobs, dict) else None
    return [
        Token(_paired(str(entry["token"])), float(entry["logprob"]))
        for entry in entries or ()
        if isinstance(entry, dict) and isinstance(entry.get("logprob"), int | float) and "token" in entry
    ]


def _usage(metadata: Any) -> Usage:
    return Usage(
        prompt_tokens=_count(metadata.get("input_tokens")),
        cached_tokens=_count((metadata.get("input_token_details") or {}).get("cache_read")),
        completion_tokens=_count(metadata.get("output_tokens")),
    )


def _count(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and 0 <= value <= MOST_TOKENS else 0
