"""Provider errors in our words: by status and type first, by text last, never with a key or a prompt in them.

The packages of the providers share their shapes (an HTTP status, an `httpx` error below, a JSON body), so one
table reads them all without importing any. The original error is not chained: its text may hold the key.
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
_SHORTEST_SECRET = 4  # a shorter one would blot out ordinary text
_SHORTEST_LINE = 16  # a line of a prompt that is shorter gives nothing away

_TOO_LONG = re.compile(
    r"context.?length|context.?window|maximum context|prompt is too long|too many (input )?tokens",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content.?filter|content.?policy|responsible.?ai|safety", re.IGNORECASE)
# What an endpoint may not know, by the word its refusal of it uses.
_FEATURES = {
    "response_format": "schema",
    "json_schema": "schema",
    "stream_options": "usage",
    "logprobs": "logprobs",
    "temperature": "temperature",
    "tool": "tools",
}


class KeyExpired(ModelNotAllowed):
    """Read the key anew, once."""


class NotSupported(ModelNotAllowed):
    """The endpoint does not know one of the parameters; `feature` can be left out."""

    def __init__(self, model: str, detail: str, feature: str) -> None:
        super().__init__(model, detail)
        self.feature = feature


def translate(
    error: BaseException, model: str, secrets: Iterable[str] = (), prompts: Iterable[str] = ()
) -> ModelError:
    chain = list(_chain(error))
    detail = scrub(_told(error, chain), secrets, prompts)
    status = next((code for one in chain if (code := _status(one)) is not None), None)
    if status is not None:
        return _by_status(status, chain, model, detail)
    return _by_type(chain, model, detail)


def scrub(text: str, secrets: Iterable[str], prompts: Iterable[str] = ()) -> str:
    """Keys, and any line of a prompt, out of a text that somebody else wrote; short enough for one line."""
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
    told = " ".join([*_codes(chain), detail])
    if status == 429 and "insufficient_quota" not in told:
        return RateLimited(model, detail, retry_after=_retry_after(chain))
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(told)):
        return PromptTooLong(model, detail)
    if status in (400, 422):
        return _by_request(told, model, detail)
    if status == 401 and "token_expired" in told:
        return KeyExpired(model, detail)
    if status >= 500 or status in (408, 409, 425):
        return ModelUnavailable(model, detail, retry_after=_retry_after(chain))
    return ModelNotAllowed(model, detail)  # who or what was asked for is wrong, and will be next time


def _by_request(told: str, model: str, detail: str) -> ModelError:
    feature = next((known for word, known in _FEATURES.items() if word in told), "")
    if feature:
        return NotSupported(model, detail, feature)
    return (ModelRefused if _FILTERED.search(told) else ModelNotAllowed)(model, detail)


def _by_type(chain: list[BaseException], model: str, detail: str) -> ModelError:
    if any(isinstance(one, ReplyTooLarge) for one in chain):
        return BadReply(model, detail)
    names = {kind.__name__ for one in chain for kind in type(one).__mro__}
    if "ContextOverflowError" in names:
        return PromptTooLong(model, detail)
    if names & {"ConnectTimeout", "ConnectError", "gaierror"}:
        return ModelUnavailable(model, detail)
    if names & {"TimeoutException", "APITimeoutError", "TimeoutError"}:
        return ModelTimeout(model, detail)
    if names & {"APIConnectionError", "TransportError", "OSError", "APIError"}:
        return ModelUnavailable(model, detail)
    return BadReply(model, detail)  # a reply its own client cannot read: JSON, types, missing fields


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _status(error: BaseException) -> int | None:
    for found in (
        getattr(error, "status_code", None),
        getattr(getattr(error, "response", None), "status_code", None),
    ):
        if isinstance(found, int) and found >= 300:
            return found
    code = getattr(error, "code", None)  # Google's
    return code if isinstance(code, int) and 300 <= code < 600 else None


def _codes(chain: list[BaseException]) -> Iterator[str]:
    for one in chain:
        for name in ("code", "type"):
            found = getattr(one, name, None)
            if isinstance(found, str):
                yield found


def _told(error: BaseException, chain: list[BaseException]) -> str:
    """The other side's sentence if it sent one, else the deepest cause: "Connection error." helps nobody."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping) and isinstance(body.get("message"), str):
        return str(body["message"])
    deepest: Any = chain[-1]
    if isinstance(deepest, TimeoutError | asyncio.CancelledError) and not str(deepest):
        deepest = error
    return f"{type(deepest).__name__}: {deepest}" if str(deepest) else type(deepest).__name__


def _retry_after(chain: list[BaseException]) -> float | None:
    for one in chain:
        headers = getattr(getattr(one, "response", None), "headers", None)
        if headers is not None and (wait := read_retry_after(headers.get("retry-after", ""))) is not None:
            return wait
    return None


def read_retry_after(text: str) -> float | None:
    """Seconds, or an HTTP date; nothing for what is neither."""
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
