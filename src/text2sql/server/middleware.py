"""ASGI middleware: request ids, host check, authentication, rate limits, body limits and security headers.

It is plain ASGI because `BaseHTTPMiddleware` would hide client disconnects from the routes.
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
from text2sql.i18n import Language
from text2sql.server.admission import UserRateLimit
from text2sql.server.cors import CorsOrigins
from text2sql.server.identity import UNAUTHENTICATED, Authenticator
from text2sql.server.logs import log_fields, request_id
from text2sql.server.metrics import Metrics
from text2sql.server.problems import ProblemResponse, details, preferred_language, problem_of
from text2sql.server.tokens import InvalidCredentials

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
_BODY_METHODS = frozenset(("POST", "PUT", "PATCH"))
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json", re.IGNORECASE)
_MAX_HEAD_BYTES = 32_768  # of all headers together; a token may use a quarter of them
_BODY_TIMEOUT = 10.0  # within which a body must arrive
_READ_FACTOR = 32  # times the limit is read and discarded, so that the client gets to read the 413
_PUBLIC_PATHS = frozenset(("/", "/vega.js", "/healthz", "/readyz"))  # the web page and health checks
_METHODS = frozenset(("GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"))


class RequestMiddleware:
    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics,
        authenticator: Authenticator,
        rate_limit: UserRateLimit,
        origins: CorsOrigins,
        hosts: frozenset[str] | None,
        body_limit: int,
        lang: str = "",
    ) -> None:
        """`hosts`: accepted `Host` names; None accepts every name."""
        self._app = app
        self._metrics = metrics
        self._authenticator = authenticator
        self._rate_limit = rate_limit
        self._origins = origins
        self._hosts = hosts
        self._body_limit = body_limit
        self._lang = lang

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        requested_id = headers.get("x-request-id", "")
        request_name = requested_id if _REQUEST_ID.fullmatch(requested_id) else token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_name
        token, started, status = request_id.set(request_name), time.monotonic(), 0
        cors_headers = self._origins.headers(headers)

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                response_headers = MutableHeaders(scope=message)
                response_headers["X-Request-ID"] = request_name
                for header, value in (*cors_headers.items(), *SAFE_HEADERS.items()):
                    response_headers.setdefault(header, value)
            await send(message)

        try:
            await self._handle(scope, headers, receive, send_with_headers)
        except Exception:
            if status:  # the response has started: only aborting is left
                raise
            log.exception("internal error in a request")
            lang = preferred_language(headers.get("accept-language", ""), self._lang)
            await ProblemResponse(details(500, lang, request_id=request_name))(
                scope, receive, send_with_headers
            )
        finally:
            # 499: the client disconnected before a response was sent.
            self._log_request(scope, status or 499, time.monotonic() - started)
            request_id.reset(token)

    async def _handle(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        lang = preferred_language(headers.get("accept-language", ""), self._lang)
        preflight = self._origins.preflight(scope["method"], headers)
        if preflight is not None:
            await preflight(scope, receive, send)
            return
        problem = _check_head_size(headers, lang) or self._check_host(headers, lang)
        problem = problem or await self._authenticate(scope, headers, lang)
        if problem is None and scope["method"] in _BODY_METHODS:
            problem, receive = await self._read_body(headers, receive, lang)
        if problem is not None:
            problem = {**problem, "request_id": scope["state"]["request_id"]}
            await ProblemResponse(problem)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _check_host(self, headers: Headers, lang: Language) -> dict[str, Any] | None:
        """Reject unknown `Host` names, against DNS rebinding."""
        allowed = self._hosts is None or host_of(headers.get("host", "")) in self._hosts
        return None if allowed else details(421, lang)

    async def _authenticate(self, scope: Scope, headers: Headers, lang: Language) -> dict[str, Any] | None:
        """Runs before the body is read. Every invalid credential gets the same response."""
        state, path = scope["state"], scope["path"]
        if self._authenticator.sign_in_required and (path in _PUBLIC_PATHS or path.startswith("/static/")):
            state["identity"] = UNAUTHENTICATED
            return None
        try:
            state["identity"] = identity = await self._authenticator.identify(
                headers.get("authorization", "")
            )
        except InvalidCredentials as error:
            self._metrics.count("refused", "not_known")
            log_fields(log, "unauthenticated", reason=str(error))
            return details(401, lang)
        except Text2SQLError as error:
            return problem_of(error, lang)
        wait = await self._rate_limit.take(identity.user)
        if wait:
            self._metrics.count("refused", "pace")
            return problem_of(UsageError("usage.too_fast", seconds=math.ceil(wait)), lang)
        return None

    async def _read_body(
        self, headers: Headers, receive: Receive, lang: Language
    ) -> tuple[dict[str, Any] | None, Receive]:
        """Read the whole body with limits. Only JSON is accepted, which HTML forms cannot send."""
        if not _JSON.fullmatch(headers.get("content-type", "").partition(";")[0].strip()):
            return details(415, lang), receive
        too_large = problem_of(UsageError("usage.request_large", most=self._body_limit), lang)
        length = headers.get("content-length", "")
        if length.isdigit() and int(length[:12]) > self._body_limit:
            return too_large, receive
        body, size, more = bytearray(), 0, True
        try:
            async with asyncio.timeout(_BODY_TIMEOUT):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None, _replay_body(bytes(body), receive, disconnected=True)
                    size += len(message.get("body", b""))
                    body += message.get("body", b"") if size <= self._body_limit else b""
                    more = message.get("more_body", False) and size <= self._body_limit * _READ_FACTOR
        except TimeoutError:
            return details(408, lang), receive
        return (too_large, receive) if size > self._body_limit else (None, _replay_body(bytes(body), receive))

    def _log_request(self, scope: Scope, status: int, seconds: float) -> None:
        """Log the route template instead of the path: paths contain ids, which are secrets."""
        route = getattr(scope.get("route"), "path", "") or "unmatched"
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self._metrics.request(method, route, status, seconds)
        log_fields(log, "request", method=method, route=route, status=status, seconds=round(seconds, 4))


def _check_head_size(headers: Headers, lang: Language) -> dict[str, Any] | None:
    if sum(len(name) + len(value) for name, value in headers.raw) <= _MAX_HEAD_BYTES:
        return None
    return problem_of(UsageError("usage.request_large", most=_MAX_HEAD_BYTES), lang)


def host_of(header: str) -> str:
    """`localhost:8000` → localhost, `[::1]:8000` → ::1"""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower()


def _replay_body(body: bytes, receive: Receive, *, disconnected: bool = False) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return {"type": "http.disconnect"} if disconnected else await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
