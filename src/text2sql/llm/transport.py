"""Our own wire to an OpenAI-compatible endpoint: what leaves, what is let in, and in what state.

The client behind LangChain reads a body of any size, dies of a wrong byte, drops a refusal and follows the
machine's proxy variables. Here a body has a bound, its text is always UTF-8, its token counts are numbers, a
redirect is not followed, and no proxy sees a question unless the address itself is that proxy's.
"""

import codecs
import json
from collections.abc import AsyncIterator, Callable
from functools import cache
from typing import Any

LONGEST_BODY = 16_000_000  # bytes; four candidates of 4 MB
LONGEST_LINE = 1_000_000  # bytes; one event is one token, or a few
MOST_TOKENS = 1_000_000_000  # beyond this a count is no count
_KEPT_ALIVE = 20


class ReplyTooLarge(Exception):
    """The other side does not stop, or sends in a way that cannot be bounded."""


def clients(connect: float, read: float, *, kept_alive: int = _KEPT_ALIVE) -> tuple[Any, Any]:
    """A synchronous and an asynchronous HTTP client for LangChain's OpenAI models; only the second is used.

    The OpenAI package stands on `httpx` up to its release 2 and on its twin `httpx2` since: whichever it has
    imported is the one it understands.
    """
    httpx = _library()

    class Bounded(httpx.AsyncByteStream):  # type: ignore[misc, name-defined]
        def __init__(self, inner: Any, events: bool) -> None:
            self._inner = inner
            self._events = events

        async def __aiter__(self) -> AsyncIterator[bytes]:
            tidy = Tidy(self._events)
            async for data in self._inner:
                yield tidy.feed(data)
            yield tidy.finish()

        async def aclose(self) -> None:
            await self._inner.aclose()

    class Wire(httpx.AsyncHTTPTransport):  # type: ignore[misc, name-defined]
        async def handle_async_request(self, request: Any) -> Any:
            request.headers["accept-encoding"] = "identity"
            response = await super().handle_async_request(request)
            if response.headers.get("content-encoding", "identity") != "identity":
                await response.aclose()
                raise ReplyTooLarge("compressed although that was not asked for")
            events = response.headers.get("content-type", "").startswith("text/event-stream")
            response.headers.pop("content-length", None)  # tidying may change it
            response.stream = Bounded(response.stream, events)
            return response

    timeout = httpx.Timeout(read, connect=connect)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=kept_alive)
    trust = _authorities()
    wire = Wire(verify=trust, trust_env=False, limits=limits)
    # The synchronous one is never used; without it LangChain builds one that reads the environment.
    return (
        httpx.Client(verify=trust, trust_env=False, timeout=timeout),
        httpx.AsyncClient(transport=wire, trust_env=False, timeout=timeout),
    )


@cache
def _authorities() -> Any:
    """Read once (40 ms). SSL_CERT_FILE is followed: it says whom to trust, and shows nobody anything."""
    return _library().create_ssl_context()


def _library() -> Any:
    import openai  # noqa: PLC0415 -- a second of imports, and an extra

    if int(openai.__version__.partition(".")[0]) >= 3:
        import httpx2  # noqa: PLC0415

        return httpx2
    import httpx  # noqa: PLC0415

    return httpx


class Tidy:
    """Bytes in, bytes out: bounded, in UTF-8, with events whose every field is what readers expect."""

    def __init__(self, events: bool) -> None:
        self._events = events
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._size = 0
        self._rest: list[str] = []
        self._waiting = 0

    def feed(self, data: bytes) -> bytes:
        self._size += len(data)
        if self._size > LONGEST_BODY:
            raise ReplyTooLarge(f"more than {LONGEST_BODY} bytes")
        return self._tidy(self._decoder.decode(data))

    def finish(self) -> bytes:
        last = self._tidy(self._decoder.decode(b"", final=True))
        rest = "".join(self._rest)
        return last + (_event(rest) if self._events else _body(rest)).encode()

    def _tidy(self, text: str) -> bytes:
        """Whole lines leave at once; an unfinished line, and a body that is no stream, wait for the end."""
        *done, rest = text.split("\n") if self._events else [text]
        lines = []
        for line in done:
            lines.append(_event("".join([*self._rest, line])) + "\n")
            self._rest, self._waiting = [], 0
        self._rest.append(rest)
        self._waiting += len(rest)
        if self._events and self._waiting > LONGEST_LINE:
            raise ReplyTooLarge(f"one line of more than {LONGEST_LINE} bytes")
        return "".join(lines).encode()


def _event(line: str) -> str:
    if not line.startswith("data:") or ('"usage"' not in line and '"refusal"' not in line):
        return line
    return "data: " + _mended(line.removeprefix("data:"), _mend_event)


def _body(text: str) -> str:
    return _mended(text, _mend_usage)


def _mended(text: str, mend: Callable[[dict[str, Any]], None]) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text  # not ours to judge: its reader will, and say so
    if not isinstance(value, dict):
        return text
    mend(value)
    return json.dumps(value)


def _mend_event(event: dict[str, Any]) -> None:
    _mend_usage(event)
    for choice in event.get("choices") or ():
        # LangChain drops this field; without it a refusal looks like an empty answer and is asked again.
        if isinstance(choice, dict) and (choice.get("delta") or {}).get("refusal"):
            choice["finish_reason"] = "refusal"


def _mend_usage(message: dict[str, Any]) -> None:
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
