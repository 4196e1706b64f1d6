"""Errors as RFC 9457 problem details, in the client's language."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from text2sql.errors import (
    ChartError,
    DatabaseError,
    MissingDriver,
    StoreError,
    StoreFull,
    Text2SQLError,
    UsageError,
)
from text2sql.i18n import Language, explain, language, say, sentences

MEDIA_TYPE = "application/problem+json"
STATUSES = (400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 422, 429, 500, 501, 502, 503, 504, 507)
_USAGE_STATUSES: Mapping[str, int] = {
    "usage.result": 404,
    "usage.thread": 404,
    "usage.thread_source": 404,
    "usage.stream": 404,
    "usage.source": 404,
    "usage.report_unknown": 404,
    "usage.report_not_ready": 409,
    "usage.evaluation_unknown": 404,
    "usage.evaluation_not_ready": 409,
    "usage.refresh_unknown": 404,
    "usage.nothing_waits": 409,
    "usage.stream_event": 409,
    "usage.request_json": 400,
    "usage.request_large": 413,
    "usage.export_large": 413,
    "usage.stream_full": 413,
    "usage.stream_cancelled": 503,
    "usage.report_busy": 503,
    "usage.evaluation_busy": 503,
    "usage.refresh_busy": 503,
    "usage.stream_elsewhere": 503,
    "usage.thread_busy": 409,
    "usage.not_welcome": 401,
    "usage.operator": 403,
    "usage.token_keys": 503,
    "usage.too_fast": 429,
    "usage.too_many": 429,
    "usage.busy": 503,
    "usage.stopping": 503,
}
# Other database errors: 409 if a rewritten query may succeed, else 502.
_DATABASE_STATUSES: Mapping[str, int] = {
    "connection": 503,
    "busy": 503,
    "lock": 503,
    "cancelled": 503,
    "timeout": 504,
    "resource": 413,
    "permission": 403,
    "forbidden": 403,
}
RETRY_AFTER = 5  # seconds, by default


def preferred_language(accept: str, default: str = "") -> Language:
    """The supported language (Chinese or English) that `Accept-Language` prefers."""
    best: tuple[float, Language] | None = None
    for part in accept.split(","):
        name, _, parameters = part.strip().lower().partition(";")
        supported: Language | None = (
            "zh" if name.startswith("zh") else "en" if name.startswith("en") else None
        )
        quality = _quality(parameters)
        if supported and quality > 0 and (best is None or quality > best[0]):
            best = quality, supported
    return best[1] if best else language(default or "en")


def _quality(parameters: str) -> float:
    name, _, value = parameters.replace(" ", "").partition("=")
    if name != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def status_of(error: Text2SQLError) -> int:
    if isinstance(error, UsageError):
        return _USAGE_STATUSES.get(error.message_key, 422)
    if isinstance(error, MissingDriver):
        return 501
    if isinstance(error, StoreError):
        return 507 if isinstance(error, StoreFull) else 503
    if isinstance(error, ChartError):
        return 404 if error.message_key == "chart.none" else 502
    if isinstance(error, DatabaseError):
        return _DATABASE_STATUSES.get(error.kind, 409 if error.retry == "rewrite" else 502)
    return 503


def details(
    status: int, lang: Language, *, kind: str = "", detail: str = "", hint: str = "", **more: Any
) -> dict[str, Any]:
    """The problem as an object. `kind` is for programs; `title`, `detail` and `hint` are for people."""
    title = say(f"http.{status}", lang)
    hint_key = f"http.{status}.hint"
    if not hint and hint_key in sentences():
        hint = say(hint_key, lang, request=more.get("request_id", ""))
    return {
        "type": f"urn:text2sql:problem:{kind or status}",
        "title": title,
        "status": status,
        "detail": detail or title,
        "kind": kind or f"http.{status}",
        "hint": hint,
        **{name: value for name, value in more.items() if value},
    }


def problem_of(error: Text2SQLError, lang: Language, **more: Any) -> dict[str, Any]:
    message, _, hint = explain(error, lang).partition("\n")
    kind = getattr(error, "kind", error.message_key)
    wait = error.facts.get("seconds") if status_of(error) in (429, 503) else None
    return details(status_of(error), lang, kind=kind, detail=message, hint=hint, retry_after=wait, **more)


def validation_problem(errors: Sequence[Mapping[str, Any]], lang: Language, **more: Any) -> dict[str, Any]:
    """The problem for failed validation. Rejected values are not echoed: they may be sensitive."""
    if any(error["type"] == "json_invalid" for error in errors):
        return problem_of(UsageError("usage.request_json"), lang, **more)
    fields = [
        {"field": ".".join(str(part) for part in error["loc"])[:200], "code": str(error["type"])}
        for error in errors
    ]
    summary = "; ".join(f"{error['field']} ({error['code']})" for error in fields[:5])
    return {**problem_of(UsageError("usage.request", fields=summary), lang, **more), "errors": fields[:50]}


class ProblemResponse(Response):
    media_type = MEDIA_TYPE

    def __init__(self, problem: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        status = int(problem["status"])
        response_headers = dict(headers or {})
        if status in (429, 503):
            response_headers.setdefault("Retry-After", str(problem.get("retry_after", RETRY_AFTER)))
        if status == 401:
            response_headers.setdefault("WWW-Authenticate", "Bearer")
        if problem["kind"] == "usage.stream_elsewhere":
            response_headers["Connection"] = "close"  # the next connection may reach another process
        super().__init__(problem, status, response_headers)

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
