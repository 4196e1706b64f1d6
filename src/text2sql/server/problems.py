"""Errors as RFC 9457 problem details, in the language that the client reads."""

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
from text2sql.messages import Language, explain, language, say, sentences

MEDIA_TYPE = "application/problem+json"
STATUSES = (400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 422, 429, 500, 501, 502, 503, 504, 507)
_USAGE: Mapping[str, int] = {
    "usage.result": 404,
    "usage.thread": 404,
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
# Of the others, what a rewrite may mend is the request's fault, and the rest the database's.
_DATABASE: Mapping[str, int] = {
    "connection": 503,
    "busy": 503,
    "lock": 503,
    "cancelled": 503,
    "timeout": 504,
    "resource": 413,
    "permission": 403,
    "forbidden": 403,
}
RETRY_AFTER = 5  # seconds, where nothing better is known


def wanted_language(accept: str, default: str = "") -> Language:
    """The one of ours that the header likes best; ours are Chinese and English."""
    best: tuple[float, Language] | None = None
    for piece in accept.split(","):
        name, _, rest = piece.strip().lower().partition(";")
        known: Language | None = "zh" if name.startswith("zh") else "en" if name.startswith("en") else None
        quality = _quality(rest)
        if known and quality > 0 and (best is None or quality > best[0]):
            best = quality, known
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
        return _USAGE.get(error.message_key, 422)
    if isinstance(error, MissingDriver):
        return 501
    if isinstance(error, StoreError):
        return 507 if isinstance(error, StoreFull) else 503
    if isinstance(error, ChartError):
        return 404 if error.message_key == "chart.none" else 502
    if isinstance(error, DatabaseError):
        return _DATABASE.get(error.kind, 409 if error.mend == "rewrite" else 502)
    return 503


def details(
    status: int, lang: Language, *, kind: str = "", detail: str = "", hint: str = "", **more: Any
) -> dict[str, Any]:
    """The problem as an object. `kind` is for programs; `title`, `detail` and `hint` are for people."""
    title = say(f"http.{status}", lang)
    advice = f"http.{status}.hint"
    if not hint and advice in sentences():
        hint = say(advice, lang, request=more.get("request_id", ""))
    return {
        "type": f"urn:text2sql:problem:{kind or status}",
        "title": title,
        "status": status,
        "detail": detail or title,
        "kind": kind or f"http.{status}",
        "hint": hint,
        **{name: held for name, held in more.items() if held},
    }


def problem_of(error: Text2SQLError, lang: Language, **more: Any) -> dict[str, Any]:
    message, _, hint = explain(error, lang).partition("\n")
    kind = getattr(error, "kind", error.message_key)
    wait = error.facts.get("seconds") if status_of(error) in (429, 503) else None
    return details(status_of(error), lang, kind=kind, detail=message, hint=hint, retry_after=wait, **more)


def invalid(errors: Sequence[Mapping[str, Any]], lang: Language, **more: Any) -> dict[str, Any]:
    """What a validator found. The values themselves are not said back: they are anybody's."""
    if any(one["type"] == "json_invalid" for one in errors):
        return problem_of(UsageError("usage.request_json"), lang, **more)
    found = [
        {"field": ".".join(str(part) for part in one["loc"])[:200], "code": str(one["type"])}
        for one in errors
    ]
    told = "; ".join(f"{one['field']} ({one['code']})" for one in found[:5])
    return {**problem_of(UsageError("usage.request", fields=told), lang, **more), "errors": found[:50]}


class ProblemResponse(Response):
    media_type = MEDIA_TYPE

    def __init__(self, problem: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        status = int(problem["status"])
        told = dict(headers or {})
        if status in (429, 503):
            told.setdefault("Retry-After", str(problem.get("retry_after", RETRY_AFTER)))
        if status == 401:
            told.setdefault("WWW-Authenticate", "Bearer")
        if problem["kind"] == "usage.stream_elsewhere":
            told["Connection"] = "close"  # the next connection may reach another process
        super().__init__(problem, status, told)

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
