"""HTTP clients for OpenAI-compatible endpoints that bound and sanitize responses.

The default client reads a body of any size, fails on an invalid byte, drops refusals and follows proxy
variables. Here bodies are bounded, text is valid UTF-8, token counts are numbers, redirects are not followed,
and no proxy is used unless the address itself is one.
"""

import codecs
import json
from collections.abc import AsyncIterator, Callable
from functools import cache
from typing import Any

LONGEST_BODY = 16_000_000  # bytes; four candidates of 4 MB
LONGEST_LINE = 1_000_000  # bytes; one event is one token, or a few
MOST_TOKENS = 1_000_000_000  # a larger count is invalid
_KEEP_ALIVE = 20


class ReplyTooLarge(Exception):
    """The response is too large, or compressed so that its size cannot be bounded."""


def clients(connect: float, read: float, *, keep_alive: int = _KEEP_ALIVE) -> tuple[Any, Any]:
    """A synchronous and an asynchronous HTTP client for LangChain's OpenAI models; only the second is used.

    The OpenAI package uses `httpx` up to release 2 and `httpx2` since release 3.
    """
    httpx = _http_library()

    class BoundedStream(httpx.AsyncByteStream):  # type: ignore[misc, name-defined]
        def __init__(self, inner: Any, events: bool) -> None:
            self._inner = inner
            self._events = events

        async def __aiter__(self) -> AsyncIterator[bytes]:
            sanitized = SanitizedStream(self._events)
            async for data in self._inner:
                yield sanitized.feed(data)
            yield sanitized.finish()

        async def aclose(self) -> None:
            await self._inner.aclose()

    class SanitizingTransport(httpx.AsyncHTTPTransport):  # type: ignore[misc, name-defined]
        async def handle_async_request(self, request: Any) -> Any:
            request.headers["accept-encoding"] = "identity"
            response = await super().handle_async_request(request)
            if response.headers.get("content-encoding", "identity") != "identity":
                await response.aclose()
                raise ReplyTooLarge("compressed although that was not asked for")
            events = response.headers.get("content-type", "").startswith("text/event-stream")
            response.headers.pop("content-length", None)  # sanitizing may change it
            response.stream = BoundedStream(response.stream, events)
            return response

    timeout = httpx.Timeout(read, connect=connect)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=keep_alive)
    ssl_context = _ssl_context()
    transport = SanitizingTransport(verify=ssl_context, trust_env=False, limits=limits)
    # The synchronous client is never used; without it LangChain creates one that reads the environment.
    return (
        httpx.Client(verify=ssl_context, trust_env=False, timeout=timeout),
        httpx.AsyncClient(transport=transport, trust_env=False, timeout=timeout),
    )


@cache
def _ssl_context() -> Any:
    """Created once (40 ms). SSL_CERT_FILE is respected: it only chooses the trusted authorities."""
    return _http_library().create_ssl_context()


def _http_library() -> Any:
    import openai  # noqa: PLC0415 -- a second of imports, and an extra

    if int(openai.__version__.partition(".")[0]) >= 3:
        import httpx2  # noqa: PLC0415

        return httpx2
    import httpx  # noqa: PLC0415

    return httpx


class SanitizedStream:
    """Sanitizes a response body: bounded size, valid UTF-8, and events with valid fields."""

    def __init__(self, events: bool) -> None:
        self._events = events
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._size = 0
        self._rest: list[str] = []
        self._buffered = 0

    def feed(self, data: bytes) -> bytes:
        self._size += len(data)
        if self._size > LONGEST_BODY:
            raise ReplyTooLarge(f"more than {LONGEST_BODY} bytes")
        return self._sanitize(self._decoder.decode(data))

    def finish(self) -> bytes:
        last = self._sanitize(self._decoder.decode(b"", final=True))
        rest = "".join(self._rest)
        return last + (_event(rest) if self._events else _edit_json(rest, _fix_usage)).encode()

    def _sanitize(self, text: str) -> bytes:
        """Complete lines are passed on at once; an incomplete line, or a body without events, is buffered."""
        *done, rest = text.split("\n") if self._events else [text]
        lines = []
        for line in done:
            lines.append(_event("".join([*self._rest, line])) + "\n")
            self._rest, self._buffered = [], 0
        self._rest.append(rest)
        self._buffered += len(rest)
        if self._events and self._buffered > LONGEST_LINE:
            raise ReplyTooLarge(f"one line of more than {LONGEST_LINE} bytes")
        return "".join(lines).encode()


def _event(line: str) -> str:
    if not line.startswith("data:") or ('"usage"' not in line and '"refusal"' not in line):
        return line
    return "data: " + _edit_json(line.removeprefix("data:"), _fix_event)


def _edit_json(text: str, edit: Callable[[dict[str, Any]], None]) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text  # its reader will report the error
    if not isinstance(value, dict):
        return text
    edit(value)
    return json.dumps(value)


def _fix_event(event: dict[str, Any]) -> None:
    _fix_usage(event)
    if isinstance(event.get("response"), dict):  # of the Responses API
        _fix_usage(event["response"])
    for choice in event.get("choices") or ():
        # LangChain drops this field; without it a refusal looks like an empty answer and is retried.
        if isinstance(choice, dict) and (choice.get("delta") or {}).get("refusal"):
            choice["finish_reason"] = "refusal"


def _fix_usage(message: dict[str, Any]) -> None:
    usage = message.get("usage")
    if "usage" in message and usage is not None:
        message["usage"] = _counts(usage) if isinstance(usage, dict) else None


def _counts(usage: dict[str, Any]) -> dict[str, Any]:
    counts: dict[str, Any] = {}
    for name, value in usage.items():
        if isinstance(value, dict):
            counts[name] = _counts(value)
        elif isinstance(value, int | float) and 0 <= value <= MOST_TOKENS:
            counts[name] = int(value)
    return counts
