"""Questions: as a stream of events that can be taken up again, or as one answer."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Header, Request
from starlette.responses import Response

from text2sql.server.models import AnswerObject, Question, Statement
from text2sql.server.reception import Here, Reader, Reception, User, last, new_thread
from text2sql.server.routes.documented import events, problems
from text2sql.server.sending import Json, Streamed, until_gone
from text2sql.server.streams import MANY_CELLS, Stream
from text2sql.shapes import answer_object
from text2sql.types import Answer

router = APIRouter(prefix="/api/v1", tags=["questions"])

LastEvent = Annotated[str, Header(max_length=200, description="The id of the last event that arrived")]
Parent = Annotated[str, Header(max_length=200, include_in_schema=False)]
_SSE = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def event_stream(here: Reception, stream: Stream, after: int = 0) -> Response:
    return Streamed(lambda: here.streams.read(stream, after), media_type="text/event-stream", headers=_SSE)


async def told(answer: Answer) -> Response:
    """By a thread if it is large: it may be megabytes, and the loop has other clients."""
    if len(answer.rows) * len(answer.columns) > MANY_CELLS:
        return await asyncio.to_thread(lambda: Json(answer_object(answer)))
    return Json(answer_object(answer))


@router.post("/query", responses=events(), response_class=Response)
async def query(
    asked: Question, here: Here, user: User, reader: Reader, traceparent: Parent = ""
) -> Response:
    """Ask, and follow what happens. `GET` takes it up again; going away cancels it after a grace, `DELETE`
    at once.
    """
    thread = asked.thread_id or new_thread()
    source = await here.source_for(asked.source, asked.thread_id, user)
    running = here.ask(asked, source, here.how(asked, thread, user), traceparent)
    return event_stream(here, here.streams.start(user, thread, asked.language or reader, running))


@router.get("/query/{stream_id}", responses=events(), response_class=Response)
async def take_up(stream_id: str, here: Here, user: User, last_event_id: LastEvent = "") -> Response:
    """The same stream from the event after `Last-Event-ID`: nothing is missed and nothing comes twice."""
    stream = here.streams.find(user, stream_id)
    return event_stream(here, stream, stream.after(last_event_id))


@router.delete("/query/{stream_id}", responses=problems(), status_code=204, response_class=Response)
async def cancel(stream_id: str, here: Here, user: User) -> Response:
    """Stop the question, whoever reads it: the model's call and the query have ended when this answers."""
    await here.streams.cancel(here.streams.find(user, stream_id))
    return Response(status_code=204)


@router.post("/query/sync", responses=problems(), response_model=AnswerObject)
async def query_sync(
    request: Request, asked: Question, here: Here, user: User, traceparent: Parent = ""
) -> Response:
    """Ask, and wait for the answer. Its `status` says how it went; going away cancels it at once."""
    thread = asked.thread_id or new_thread()

    async def answer() -> Answer:
        source = await here.source_for(asked.source, asked.thread_id, user)
        return await last(here.ask(asked, source, here.how(asked, thread, user), traceparent))

    return await told(await until_gone(request, answer()))


@router.post("/sql", responses=problems(), response_model=AnswerObject)
async def own_statement(
    request: Request, asked: Statement, here: Here, user: User, reader: Reader
) -> Response:
    """A statement of one's own, or an edited one, through the same guard."""

    async def answer() -> Answer:
        source = await here.source_for(asked.source, asked.thread_id, user)
        thread = asked.thread_id or new_thread()
        async with here.slot(source):
            ran = await source.app.run_own(asked.sql, thread=thread, user=user, language=reader)
        return await here.auditor.answer(ran, user, source.name, asked.sql)

    return await told(await until_gone(request, answer()))
