"""What the OpenAPI document says about every address: problems, and the stream of events."""

from typing import Any

from text2sql.server.models import ANSWER
from text2sql.server.problems import MEDIA_TYPE, STATUSES
from text2sql.server.sending import to_json
from text2sql.shapes import EVENT_NAMES

Responses = dict[int | str, dict[str, Any]]

_SCHEMA = {"$ref": "#/components/schemas/ProblemDetails"}
_EVENT = {
    "description": "One event; its data is one line of JSON, an object",
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string"},
        "event": {"enum": ["started", *EVENT_NAMES.values(), "problem"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
_EVENTS = "\n".join(
    [
        "id: 5b0e-1",
        "event: started",
        'data: {"stream_id":"5b0e","thread_id":"0f9b"}',
        "",
        "id: 5b0e-2",
        "event: stage_started",
        'data: {"stage":"classifier"}',
        "",
        "id: 5b0e-3",
        "event: finished",
        f"data: {to_json({'answer': ANSWER})}",
        "",
        "",
    ]
)
_TOLD = (
    "Server-sent events: `started`, then `stage_started`, `stage_ended`, `sql_token`, `checked`, "
    "`rows_found`, `answer_token`, `warned` as they happen, and at last `finished` with the answer, "
    "or `problem`."
)


def problems() -> Responses:
    """Which of them an address can end with depends on databases too, so it may be any."""
    return {
        status: {
            "description": "A problem (RFC 9457)",
            "content": {MEDIA_TYPE: {"schema": _SCHEMA}},
        }
        for status in STATUSES
    }


def events(*, or_json: bool = False) -> Responses:
    content: dict[str, Any] = {"text/event-stream": {"schema": _EVENT, "example": _EVENTS}}
    if or_json:
        content["application/json"] = {"schema": {"$ref": "#/components/schemas/AnswerObject"}}
    return {**problems(), 200: {"description": _TOLD, "content": content}}
