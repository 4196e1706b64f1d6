"""Reading what LangChain hands out: text, why it ended, what it cost. The same for every provider."""

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Literal

from text2sql.llm.transport import MOST_TOKENS
from text2sql.types import Candidate, Token, Usage

Finish = Literal["stop", "length"]

# How each provider says why it ended, in lower case. What is in no table is taken for the end.
_CUT = {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
_REFUSED = {"content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii"}
_ASCII = re.compile(r"[\x00-\x7f]+")
_REASONS = ("finish_reason", "stop_reason", "done_reason")


def estimate_tokens(text: str) -> int:
    """Rather too many than too few: a wide character (Chinese, Japanese, Korean, emoji) counts as one token
    and a half, since tokenizers cut rare ones in pieces, and three others as one. Needs no vocabulary.
    """
    rare = _ASCII.sub("", text)  # letter by letter only those: a schema is counted for every question
    wide = sum(1 for letter in rare if ord(letter) > 0x2E7F or unicodedata.east_asian_width(letter) in "WF")
    return (wide * 3 + 1) // 2 + (len(text) - wide + 2) // 3


class Utf16:
    """JSON may carry half a character in each of two pieces, or half of one alone: text of whole ones."""

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
class Gathered:
    """One candidate as it grows. `summed`: the pieces' counts add up; else each is the count so far."""

    summed: bool
    parts: list[str] = field(default_factory=list)
    size: int = 0
    finish: Finish | Literal[""] = ""
    refused: str = ""
    called: str = ""  # the first tool; a hand-off has no arguments to gather
    tokens: list[Token] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def add(self, message: Any, letters: Utf16, told: dict[str, Any] | None = None) -> str:
        """Take a message or a piece of one in; `told` is what came beside it. Its text."""
        piece = letters.whole(str(message.text))
        self.parts.append(piece)
        self.size += len(piece)
        self.called = self.called or _tool(message)
        facts = {**(message.response_metadata or {}), **(told or {})}
        self._note(facts, getattr(message, "usage_metadata", None))
        if refusal := (message.additional_kwargs or {}).get("refusal"):
            self.refused = str(refusal)
        return piece

    def _note(self, facts: dict[str, Any], usage: Any) -> None:
        reason = next((str(facts[name]) for name in _REASONS if facts.get(name)), "").lower()
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


def candidate_of(generation: Any, into: Gathered) -> Candidate | None:
    """One of several that came in one piece; None if it was refused. `into` keeps cost and refusals."""
    one = Gathered(summed=False)
    one.add(generation.message, Utf16(), generation.generation_info)
    into.usage = one.usage
    into.refused = into.refused or one.refused
    return None if one.refused else Candidate(one.text, one.finish or "stop", tuple(one.tokens))


def _tool(message: Any) -> str:
    calls = getattr(message, "tool_call_chunks", None) or getattr(message, "tool_calls", None) or ()
    return next((str(call["name"]) for call in calls if call["name"]), "")


def _tokens(logprobs: Any) -> list[Token]:
    listed = logprobs.get("content") if isinstance(logprobs, dict) else None
    return [
        Token(_paired(str(one["token"])), float(one["logprob"]))
        for one in listed or ()
        if isinstance(one, dict) and isinstance(one.get("logprob"), int | float) and "token" in one
    ]


def _usage(given: Any) -> Usage:
    return Usage(
        prompt_tokens=_count(given.get("input_tokens")),
        cached_tokens=_count((given.get("input_token_details") or {}).get("cache_read")),
        completion_tokens=_count(given.get("output_tokens")),
    )


def _count(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and 0 <= value <= MOST_TOKENS else 0
