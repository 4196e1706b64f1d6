"""Scenarios of the scripted endpoint: one function per fault, chosen by the model's name.

The name is `fault:NAME` or `fault:NAME=ARGUMENT`, optionally followed by `#anything` to make it unique: calls
are counted by model name, so parallel tests do not interfere. Any other name gets a correct answer.
"""

# ruff: noqa: ARG001 -- all scenarios have the same signature, and few need all parameters

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TypeAlias

from text2sql.testing.wire import TEXT, Call, Wire, answer, chunk, problem, whole, words

Scenario: TypeAlias = Callable[[Call, Wire, str], Awaitable[None]]
FOREVER = 3600.0


async def send_words(call: Call, wire: Wire, count: str, default: int = 3) -> None:
    """The beginning of a stream."""
    await wire.events()
    for word in words(TEXT)[: int(count or default)]:
        await wire.event(chunk(call, content=word))


# -- The faults --------------------------------------------------------------------------------------


async def slow(call: Call, wire: Wire, seconds: str) -> None:
    await asyncio.sleep(float(seconds or 1))
    await answer(call, wire)


async def hang(call: Call, wire: Wire, _: str) -> None:
    await asyncio.sleep(FOREVER)


async def stall(call: Call, wire: Wire, count: str) -> None:
    await send_words(call, wire, count)
    await asyncio.sleep(FOREVER)


async def stall_once(call: Call, wire: Wire, count: str) -> None:
    await (stall(call, wire, count) if call.number == 1 else answer(call, wire))


async def drip(call: Call, wire: Wire, pause: str) -> None:
    await wire.events()
    for byte in b"data: " + json.dumps(chunk(call, content="x" * 1000)).encode():
        await wire.raw(bytes([byte]))
        await asyncio.sleep(float(pause or 1))


async def trickle(call: Call, wire: Wire, pause: str) -> None:
    """Complete tokens without delay, but no end."""
    await wire.events()
    while True:
        await wire.event(chunk(call, content="x"))
        await asyncio.sleep(float(pause or 0.2))


async def limited(call: Call, wire: Wire, seconds: str) -> None:
    """429 for ever, with Retry-After if a number is given."""
    extra = {"Retry_After": seconds} if seconds else {}
    await wire.json(429, problem("slow down", "rate_limit_exceeded"), **extra)


async def limited_once(call: Call, wire: Wire, seconds: str) -> None:
    await (limited(call, wire, seconds) if call.number == 1 else answer(call, wire))


async def limited_date(call: Call, wire: Wire, seconds: str) -> None:
    """Once, with Retry-After as an HTTP date that many seconds ahead."""
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=float(seconds or 1)), usegmt=True)
    await limited_once(call, wire, when)


async def quota(call: Call, wire: Wire, _: str) -> None:
    await wire.json(429, problem("You exceeded your current quota", "insufficient_quota"))


async def status(call: Call, wire: Wire, code: str) -> None:
    await wire.json(int(code), problem(f"status {code}"))


async def once(call: Call, wire: Wire, code: str) -> None:
    await (status(call, wire, code) if call.number == 1 else answer(call, wire))


async def twice(call: Call, wire: Wire, code: str) -> None:
    await (status(call, wire, code) if call.number <= 2 else answer(call, wire))


async def echo_key(call: Call, wire: Wire, code: str) -> None:
    """Like careless gateways: the error repeats the key, the address and the prompt."""
    text = f"Incorrect API key provided: {call.headers.get('authorization', '')}; {call.body.get('messages')}"
    await wire.json(int(code or 401), problem(text, "invalid_api_key"))


async def expired(call: Call, wire: Wire, good: str) -> None:
    """Only the given key is valid; any other one has expired."""
    if call.headers.get("authorization") == f"Bearer {good}":
        await answer(call, wire)
    else:
        await wire.json(401, problem("token is expired", "token_expired"))


async def context(call: Call, wire: Wire, _: str) -> None:
    text = "This model's maximum context length is 4096 tokens, your messages have 9000"
    await wire.json(400, problem(text, "context_length_exceeded"))


async def unsupported(call: Call, wire: Wire, parameter: str) -> None:
    if parameter in call.body:
        await wire.json(400, problem(f"Unsupported parameter: '{parameter}' is not supported", "unsupported"))
    else:
        await answer(call, wire)


async def responses_only(call: Call, wire: Wire, text: str) -> None:
    """A model without chat completions; it ends with `text` as its finish reason."""
    if call.path.endswith("/responses"):
        await answer(call, wire, TEXT, text or "stop")
    else:
        message = "This model is only supported in v1/responses and not in v1/chat/completions."
        await wire.json(404, problem(message))


async def reasons(call: Call, wire: Wire, tokens: str) -> None:
    """A model that spends that many tokens before its answer begins."""
    limit = int(call.body.get("max_tokens") or call.body.get("max_completion_tokens") or 0)
    await (answer(call, wire) if limit > int(tokens or 2000) else answer(call, wire, "", "length"))


async def body(call: Call, wire: Wire, text: str) -> None:
    """Status 200 and an unexpected body."""
    await wire.head(200, "application/json" if text.startswith("{") else "text/html")
    await wire.raw(text.encode())


async def broken_json(call: Call, wire: Wire, _: str) -> None:
    if call.streams:
        await wire.events()
        await wire.raw(b'data: {"choices":[\n\n')
    else:
        await body(call, wire, '{"choices":[')


async def empty_body(call: Call, wire: Wire, _: str) -> None:
    await body(call, wire, "")


async def empty_choices(call: Call, wire: Wire, _: str) -> None:
    if call.streams:
        await wire.events()
        await wire.event({**chunk(call), "choices": []})
        await wire.done()
    else:
        await wire.json(200, {**whole(call, "stop"), "choices": []})


async def null_content(call: Call, wire: Wire, _: str) -> None:
    await answer(call, wire, "")


async def cut(call: Call, wire: Wire, count: str) -> None:
    """The connection ends normally, but the stream is incomplete."""
    await send_words(call, wire, count)


async def reset(call: Call, wire: Wire, count: str) -> None:
    await send_words(call, wire, count)
    await asyncio.sleep(0.05)
    wire.reset()


async def stream_error(call: Call, wire: Wire, count: str) -> None:
    await send_words(call, wire, count)
    await wire.event(problem("the engine stopped", kind="server_error"))


async def length(call: Call, wire: Wire, _: str) -> None:
    await answer(call, wire, "SELECT count(*) FRO", "length")


async def content_filter(call: Call, wire: Wire, _: str) -> None:
    await answer(call, wire, "SELE", "content_filter")


async def refusal(call: Call, wire: Wire, _: str) -> None:
    await answer(call, wire, "", refusal="I cannot help with that.")


async def megabyte(call: Call, wire: Wire, count: str) -> None:
    await wire.events()
    for _ in range(int(count or 1) * 250):
        await wire.event(chunk(call, content="x" * 4000))
    await wire.event(chunk(call, "stop"))
    await wire.done()


async def endless(call: Call, wire: Wire, _: str) -> None:
    await wire.events()
    while True:
        await wire.event(chunk(call, content="x" * 4000))


async def huge_line(call: Call, wire: Wire, megabytes: str) -> None:
    await wire.events()
    await wire.raw(b'data: {"choices":[{"delta":{"content":"')
    for _ in range(int(megabytes or 10) * 16):
        await wire.raw(b"x" * 65_536)
    await wire.raw(b'"}}]}\n\n')


async def bad_utf8(call: Call, wire: Wire, _: str) -> None:
    await send_bytes(call, wire, [b"SELECT \xff1"])


async def split_utf8(call: Call, wire: Wire, _: str) -> None:
    """One emoji, its bytes in two packets."""
    await send_bytes(call, wire, [b"SELECT '\xf0\x9f", b"\x98\x80'"])


async def surrogates(call: Call, wire: Wire, _: str) -> None:
    """Half an emoji in each of two deltas, then half of one alone."""
    await wire.events()
    for escaped in (rb"\ud83d", rb"\ude00", rb"\ud800!"):
        await wire.raw(b'data: {"choices":[{"index":0,"delta":{"content":"' + escaped + b'"}}]}\n\n')
    await wire.event(chunk(call, "stop"))
    await wire.done()


async def send_bytes(call: Call, wire: Wire, packets: list[bytes]) -> None:
    await wire.events()
    await wire.raw(b'data: {"choices":[{"index":0,"delta":{"content":"')
    for packet in packets:
        await wire.raw(packet)
        await asyncio.sleep(0.05)
    await wire.raw(b'"}}]}\n\n')
    await wire.event(chunk(call, "stop"))
    await wire.done()


async def tool(call: Call, wire: Wire, name: str) -> None:
    """A call to a tool, by default to an unknown one; its deltas arrive twice and out of order."""
    function = {"name": name or "drop_tables", "arguments": "{}"}
    called = {"id": "t1", "type": "function", "function": function}
    if not call.streams:
        await wire.json(200, whole(call, "tool_calls", content=None, tool_calls=[called]))
        return
    await wire.events()
    for index in (1, 0, 0, None):
        await wire.event(chunk(call, tool_calls=[{"index": index, **called}]))
    await wire.event(chunk(call, "tool_calls"))
    await wire.done()


async def usage_null(call: Call, wire: Wire, _: str) -> None:
    await answer(call, wire, usage=None)


async def usage_absurd(call: Call, wire: Wire, _: str) -> None:
    absurd = {"prompt_tokens": -5, "completion_tokens": 1e300, "total_tokens": "many"}
    await answer(call, wire, usage={**absurd, "prompt_tokens_details": {"cached_tokens": "lots"}})


async def usage_often(call: Call, wire: Wire, _: str) -> None:
    """Like some gateways: every chunk contains the usage so far."""
    await wire.events()
    for count, word in enumerate(words(TEXT), 1):
        await wire.event(
            {**chunk(call, content=word), "usage": {"prompt_tokens": 12, "completion_tokens": count}}
        )
    await wire.event(chunk(call, "stop"))
    await wire.done()


async def gzip(call: Call, wire: Wire, _: str) -> None:
    """A compressed body that was not requested: it could expand to a huge one."""
    await wire.head(200, "application/json", Content_Encoding="gzip")
    await wire.raw(b"\x1f\x8b\x08\x00")


async def redirect(call: Call, wire: Wire, target: str) -> None:
    await wire.json(302, {}, Location=target or "http://other.invalid/v1/chat/completions")


async def say(call: Call, wire: Wire, text: str) -> None:
    await answer(call, wire, text)


NAMES = """
slow hang stall stall_once drip trickle limited limited_once limited_date quota status once twice echo_key
expired context unsupported body broken_json empty_body empty_choices null_content cut reset stream_error
length content_filter refusal megabyte endless huge_line bad_utf8 split_utf8 surrogates tool usage_null
usage_absurd usage_often gzip redirect say responses_only reasons
""".split()
SCENARIOS: Mapping[str, Scenario] = {name: globals()[name] for name in NAMES}


def scenario(model: str) -> tuple[Scenario, str]:
    """The scenario for this model name, and its argument."""
    kind, _, rest = model.partition("#")[0].partition(":")
    if kind != "fault":
        return say, TEXT
    name, _, argument = rest.partition("=")
    return SCENARIOS[name], argument
