"""Calls of a language model, their replies, and the profile of a model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Message:
    """A chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call. Options that the model does not support (see `ModelProfile`) must be left unset.

    The first message holds the stable part of the prompt (rules and schema), so that its evaluation can be
    cached and reused.
    """

    messages: tuple[Message, ...]
    max_tokens: int = 512
    candidates: int = 1
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    grammar: str = ""  # GBNF grammar that constrains decoding
    schema: Mapping[str, object] | None = None  # JSON Schema for structured output
    tools: Mapping[str, str] = field(default_factory=dict)  # name → description; the model calls one of them
    logprobs: bool = False
    begun: str = ""  # prefix of the answer, which the model continues
    forced: "Alternative | None" = None  # the first token after `begun`
    plain: bool = False  # use the base model, without this project's LoRA adapter
    seconds: float | None = None  # deadline of the call and its retries, from when the model starts on it


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative for a generated token. Its bytes may end inside a character, so its id identifies it."""

    id: int
    data: bytes
    logprob: float = 0.0


@dataclass(frozen=True, slots=True)
class Token:
    """A generated token with its probability."""

    text: str  # whole characters: a character that spans several tokens belongs to the last of them
    logprob: float
    others: tuple[Alternative, ...] = ()  # other likely tokens at this position, if the model reports them


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the texts that a model generated for a request."""

    text: str
    finish: Literal["stop", "length"] = "stop"  # "length": truncated, so it is never run as SQL
    tokens: tuple[Token, ...] = ()
    called: str = ""  # the tool that the model called, if any


@dataclass(frozen=True, slots=True)
class Usage:
    """Token usage of model calls. `prompt_tokens` includes `cached_tokens`, which cost almost nothing."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's response to a `ModelRequest`."""

    model: str  # the model that answered; with a fallback chain, not always the first one
    candidates: tuple[Candidate, ...]
    usage: Usage

    @property
    def text(self) -> str:
        """The text of the first candidate."""
        return self.candidates[0].text


Location: TypeAlias = Literal["local", "hosted"]
Size: TypeAlias = Literal["small", "large"]


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """The capabilities of a model. Each decision tests the field for exactly that capability; no field is a
    proxy for another. The defaults are conservative: an unknown model is assumed to be remote.
    """

    context: int  # context window in tokens, prompt and answer together
    location: Location = "hosted"  # `local`: prompts stay on this machine
    size: Size = "large"  # `small`: slow at reading prompts, and easily misled by hints
    structured_output: bool = False  # supports `ModelRequest.schema`
    tool_calls: bool = False  # supports `ModelRequest.tools`
    logprobs: bool = False  # reports token probabilities
    continues: bool = False  # supports `ModelRequest.begun`
    grammar: bool = False  # supports `ModelRequest.grammar`
    candidates: bool = False  # returns several candidates per call
    concurrent: bool = True  # serves several calls at the same time
