"""What every request passes before a route sees it: an id, a name of ours, who is asking, how often, and a
body of bounded size in JSON.
And what every response carries: headers that keep a browser from doing more than it should.

Plain ASGI: a middleware of another kind would hide from a route that its client has gone.
"""

import asyncio
import logging
import math
import re
import time
from collections.abc import Mapping
from secrets import token_hex
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from text2sql.errors import Text2SQLError, UsageError
from text2sql.messages import Language
from text2sql.server.admission import Pace
from text2sql.server.identity import NOBODY, Doorkeeper
from text2sql.server.logs import fact, request_id
from text2sql.server.metrics import Metrics
from text2sql.server.origins import Origins
from text2sql.server.problems import ProblemResponse, details, problem_of, wanted_language
from text2sql.server.tokens import NotKnown

log = logging.getLogger(__name__)

SAFE_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_WITH_BODY = frozenset(("POST", "PUT", "PATCH"))
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json", re.IGNORECASE)
_HEAD_BYTES = 32_768  # of all headers together; a token may take a quarter of it
_BODY_SECONDS = 10.0  # that a body may take to arrive
_HEARD_OUT = 32  # times the limit: whoever is cut off in the middle of sending never reads why
_OPEN = frozenset(("/", "/vega.js", "/healthz", "/readyz"))  # the page itself, and whoever watches us
_METHODS = frozenset(("GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"))


class Gate:
    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics,
        door: Doorkeeper,
        pace: Pace,
        origins: Origins,
        hosts: frozenset[str] | None,
        body_limit: int,
        lang: str = "",
    ) -> None:
        """`hosts` are the names that are answered; None is every one."""
        self._app = app
        self._metrics = metrics
        self._door = door
        self._pace = pace
        self._origins = origins
        self._hosts = hosts
        self._body_limit = body_limit
        self._lang = lang

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        name = given if _REQUEST_ID.fullmatch(given) else token_hex(8)
        scope.setdefault("state", {})["request_id"] = name
        token, began, status = request_id.set(name), time.monotonic(), 0
        abroad = self._origins.headers(headers)

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                told = MutableHeaders(scope=message)
                told["X-Request-ID"] = name
                for header, value in (*abroad.items(), *SAFE_HEADERS.items()):
                    told.setdefault(header, value)
            await send(message)

        try:
            await self._let_in(scope, headers, receive, sent)
        except Exception:
            if status:  # half a response is out: breaking off is all that is left to say
                raise
            log.exception("a request ended with a fault of ours")
            lang = wanted_language(headers.get("accept-language", ""), self._lang)
            await ProblemResponse(details(500, lang, request_id=name))(scope, receive, sent)
        finally:
            # 499: the client went away before there was anything to say.
            self._note(scope, status or 499, time.monotonic() - began)
            request_id.reset(token)

    async def _let_in(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        lang = wanted_language(headers.get("accept-language", ""), self._lang)
        answer = self._origins.preflight(scope["method"], headers)
        if answer is not None:
            await answer(scope, receive, send)
            return
        problem = _large_head(headers, lang) or self._wrong_host(headers, lang)
        problem = problem or await self._unknown(scope, headers, lang)
        if problem is None and scope["method"] in _WITH_BODY:
            problem, receive = await self._body(headers, receive, lang)
        if problem is not None:
            problem = {**problem, "request_id": scope["state"]["request_id"]}
            await ProblemResponse(problem)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _wrong_host(self, headers: Headers, lang: Language) -> dict[str, Any] | None:
        """A page of another name that resolves to this machine (DNS rebinding) speaks under that name."""
        known = self._hosts is None or host_of(headers.get("host", "")) in self._hosts
        return None if known else details(421, lang)

    async def _unknown(self, scope: Scope, headers: Headers, lang: Language) -> dict[str, Any] | None:
        """Before the body is read. Whatever is wrong with a key or a token, the answer is the same."""
        state, path = scope["state"], scope["path"]
        if self._door.asks and (path in _OPEN or path.startswith("/static/")):
            state["identity"] = NOBODY
            return None
        try:
            state["identity"] = who = await self._door.identify(headers.get("authorization", ""))
        except NotKnown as error:
            self._metrics.refused("not_known")
            fact(log, "not let in", reason=str(error))
            return details(401, lang)
        except Text2SQLError as error:
            return problem_of(error, lang)
        wait = await self._pace.take(who.user)
        if wait:
            self._metrics.refused("pace")
            return problem_of(UsageError("usage.too_fast", seconds=math.ceil(wait)), lang)
        return None

    async def _body(
        self, headers: Headers, receive: Receive, lang: Language
    ) -> tuple[dict[str, Any] | None, Receive]:
        """Read whole before any work is done; a form cannot be sent here, whatever page has it."""
        if not _JSON.fullmatch(headers.get("content-type", "").partition(";")[0].strip()):
            return details(415, lang), receive
        large = problem_of(UsageError("usage.request_large", most=self._body_limit), lang)
        length = headers.get("content-length", "")
        if length.isdigit() and int(length[:12]) > self._body_limit:
            return large, receive
        body, size, more = bytearray(), 0, True
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None, _replayed(bytes(body), receive, gone=True)
                    size += len(message.get("body", b""))
                    body += message.get("body", b"") if size <= self._body_limit else b""
                    more = message.get("more_body", False) and size <= self._body_limit * _HEARD_OUT
        except TimeoutError:
            return details(408, lang), receive
        return (large, receive) if size > self._body_limit else (None, _replayed(bytes(body), receive))

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        """Under the route's own name: a path may hold ids, and those are secrets."""
        route = getattr(scope.get("route"), "path", "") or "unmatched"
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self._metrics.request(method, route, status, seconds)
        fact(log, "request", method=method, route=route, status=status, seconds=round(seconds, 4))


def _large_head(headers: Headers, lang: Language) -> dict[str, Any] | None:
    if sum(len(name) + len(value) for name, value in headers.raw) <= _HEAD_BYTES:
        return None
    return problem_of(UsageError("usage.request_large", most=_HEAD_BYTES), lang)


def host_of(header: str) -> str:
    """`localhost:8000` → localhost, `[::1]:8000` → ::1"""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower()


def _replayed(body: bytes, receive: Receive, *, gone: bool = False) -> Receive:
    told = False

    async def again() -> Message:
        nonlocal told
        if told:
            return {"type": "http.disconnect"} if gone else await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
