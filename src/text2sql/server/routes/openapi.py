"""OpenAPI responses shared by all routes: problems and the event stream."""

from typing import Any

from text2sql.serialization import EVENT_NAMES
from text2sql.server.models import ANSWER
from text2sql.server.problems import MEDIA_TYPE, STATUSES
from text2sql.server.streaming import to_json

Responses = dict[int | str, dict[str, Any]]

_PROBLEM_SCHEMA = {"$ref": "#/components/schemas/ProblemDetails"}
_EVENT_SCHEMA = {
    "description": "One event; `data` is a JSON object on one line",
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string"},
        "event": {"enum": ["started", *EVENT_NAMES.values(), "problem"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
_EVENTS_EXAMPLE = f"""\
id: 5b0e-1
event: started
data: {{"stream_id":"5b0e","thread_id":"0f9b"}}

id: 5b0e-2
event: stage_started
data: {{"stage":"classifier"}}

id: 5b0e-3
event: finished
data: {to_json({"answer": ANSWER})}

"""
_EVENTS_DESCRIPTION = (
    "Server-sent events: `started`, then `stage_started`, `stage_ended`, `sql_token`, `checked`, "
    "`rows_found`, `answer_token`, `warned`, `queued` as they happen; the last event is `finished` with the "
    "answer, or `problem`."
)


def problems() -> Responses:
    """Problem responses; any status is possible, because it also depends on the database."""
    return {
        status: {
            "description": "A problem (RFC 9457)",
            "content": {MEDIA_TYPE: {"schema": _PROBLEM_SCHEMA}},
        }
        for status in STATUSES
    }


def events(*, or_json: bool = False) -> Responses:
    content: dict[str, Any] = {"text/event-stream": {"schema": _EVENT_SCHEMA, "example": _EVENTS_EXAMPLE}}
    if or_json:
        content["application/json"] = {"schema": {"$ref": "#/components/schemas/AnswerObject"}}
    return {**problems(), 200: {"description": _EVENTS_DESCRIPTION, "content": content}}
