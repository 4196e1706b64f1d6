"""Translate provider exceptions into `ModelError`s: by status and type first, by text last.

The packages of the providers share their structure (an HTTP status, an underlying `httpx` error, a JSON
body), so one table covers them all without importing any. Messages never contain a key or a prompt; the
original exception is not chained, because its text may contain the key.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from text2sql.errors import (
    BadReply,
    ModelError,
    ModelNotAllowed,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    PromptTooLong,
    RateLimited,
)
from text2sql.llm.transport import ReplyTooLarge

_LONGEST_DETAIL = 300
_SHORTEST_SECRET = 4  # a shorter one would also occur in ordinary text
_SHORTEST_LINE = 16  # a shorter line of a prompt reveals nothing

_TOO_LONG = re.compile(
    r"context.?length|context.?window|maximum context|prompt is too long|too many (input )?tokens",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content.?filter|content.?policy|responsible.?ai|safety", re.IGNORECASE)
# Optional features, by the words that endpoints use when they reject one; the first match decides.
_FEATURES = (
    (
        re.compile(r"v1/responses|responses api|chatcompletion operation does not work", re.IGNORECASE),
        "chat",  # the model has only the Responses API
    ),
    (
        re.compile(
            r"response.?(mime|schema)|output_config|json.?(schema|object|mode)|\bformat\b|_format\b",
            re.IGNORECASE,
        ),
        "schema",
    ),
    (re.compile("stream_options"), "usage"),
    (re.compile("logprobs"), "logprobs"),
    (re.compile("temperature"), "temperature"),
    (re.compile("tool_choice"), "tool_choice"),
    (re.compile(r"tool|function.?(call|declaration)", re.IGNORECASE), "tools"),
)


class KeyExpired(ModelNotAllowed):
    """The key has expired: read it again, once."""


class NotSupported(ModelNotAllowed):
    """The endpoint does not support a parameter; the request can be repeated without `feature`."""

    def __init__(self, model: str, detail: str, feature: str) -> None:
        super().__init__(model, detail)
        self.feature = feature


def translate(
    error: BaseException, model: str, secrets: Iterable[str] = (), prompts: Iterable[str] = ()
) -> ModelError:
    chain = list(_chain(error))
    detail = scrub(_message(error, chain), secrets, prompts)
    status = next((code for cause in chain if (code := _status(cause)) is not None), None)
    if status is not None:
        return _by_status(status, chain, model, detail)
    return _by_type(chain, model, detail)


def scrub(text: str, secrets: Iterable[str], prompts: Iterable[str] = ()) -> str:
    """Remove secrets and lines of prompts from an external text; shortened to one line."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "•••")
    for prompt in prompts:
        for line in prompt.splitlines():
            if len(line) >= _SHORTEST_LINE:
                text = text.replace(line, "…")
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_DETAIL else text[: _LONGEST_DETAIL - 1] + "…"


def _by_status(status: int, chain: list[BaseException], model: str, detail: str) -> ModelError:
    text = " ".join([*_codes(chain), detail])
    if status == 429 and "insufficient_quota" not in text:
        return RateLimited(model, detail, retry_after=_retry_after(chain))
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(text)):
        return PromptTooLong(model, detail)
    if status in (400, 422) or (status == 404 and _feature(text) == "chat"):
        return _by_request(text, model, detail)
    if status == 401 and "token_expired" in text:
        return KeyExpired(model, detail)
    if status >= 500 or status in (408, 409, 425):
        return ModelUnavailable(model, detail, retry_after=_retry_after(chain))
    return ModelNotAllowed(model, detail)  # a wrong key, model or request: a retry would fail again


def _by_request(text: str, model: str, detail: str) -> ModelError:
    feature = _feature(text)
    if feature:
        return NotSupported(model, detail, feature)
    return (ModelRefused if _FILTERED.search(text) else ModelNotAllowed)(model, detail)


def _feature(text: str) -> str:
    return next((feature for words, feature in _FEATURES if words.search(text)), "")


def _by_type(chain: list[BaseException], model: str, detail: str) -> ModelError:
    if any(isinstance(cause, ReplyTooLarge) for cause in chain):
        return BadReply(model, detail)
    names = {kind.__name__ for cause in chain for kind in type(cause).__mro__}
    if "ContextOverflowError" in names:
        return PromptTooLong(model, detail)
    if names & {"ConnectTimeout", "ConnectError", "gaierror"}:
        return ModelUnavailable(model, detail)
    if names & {"TimeoutException", "APITimeoutError", "TimeoutError"}:
        return ModelTimeout(model, detail)
    if names & {"APIConnectionError", "TransportError", "OSError", "APIError"}:
        return ModelUnavailable(model, detail)
    return BadReply(model, detail)  # a reply that the provider's package cannot parse


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def _status(error: BaseException) -> int | None:
    for status in (
        getattr(error, "status_code", None),
        getattr(getattr(error, "response", None), "status_code", None),
    ):
        if isinstance(status, int) and status >= 300:
            return status
    code = getattr(error, "code", None)  # Google's
    return code if isinstance(code, int) and 300 <= code < 600 else None


def _codes(chain: list[BaseException]) -> Iterator[str]:
    for cause in chain:
        for name in ("code", "type"):
            code = getattr(cause, name, None)
            if isinstance(code, str):
                yield code


def _message(error: BaseException, chain: list[BaseException]) -> str:
    """The message in the response body, else the root cause, which says more than "Connection error."."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping) and isinstance(body.get("message"), str):
        return str(body["message"])
    root_cause: Any = chain[-1]
    if isinstance(root_cause, TimeoutError | asyncio.CancelledError) and not str(root_cause):
        root_cause = error
    return f"{type(root_cause).__name__}: {root_cause}" if str(root_cause) else type(root_cause).__name__


def _retry_after(chain: list[BaseException]) -> float | None:
    for cause in chain:
        headers = getattr(getattr(cause, "response", None), "headers", None)
        if headers is not None and (wait := read_retry_after(headers.get("retry-after", ""))) is not None:
            return wait
    return None


def read_retry_after(text: str) -> float | None:
    """The seconds of a Retry-After header, which is a number or an HTTP date; None for anything else."""
    text = text.strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
