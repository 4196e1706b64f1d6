"""Questions: as a resumable event stream, or as one JSON answer."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Header, Request
from starlette.responses import Response

from text2sql.serialization import answer_object
from text2sql.server.models import AnswerObject, Question, Statement
from text2sql.server.query_pipeline import (
    Pipeline,
    QueryPipeline,
    ReaderLanguage,
    User,
    final_answer,
    new_thread,
)
from text2sql.server.routes.openapi import events, problems
from text2sql.server.streaming import Json, Streamed, run_until_disconnect
from text2sql.server.streams import MANY_CELLS, Stream
from text2sql.types import Answer

router = APIRouter(prefix="/api/v1", tags=["questions"])

LastEvent = Annotated[str, Header(max_length=200, description="The id of the last event received")]
Parent = Annotated[str, Header(max_length=200, include_in_schema=False)]
_SSE = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def event_stream(pipeline: QueryPipeline, stream: Stream, after: int = 0) -> Response:
    return Streamed(
        lambda: pipeline.streams.read(stream, after), media_type="text/event-stream", headers=_SSE
    )


async def answer_response(answer: Answer) -> Response:
    """Serialize an answer; in a thread if it is large, so that the event loop stays free."""
    if len(answer.rows) * len(answer.columns) > MANY_CELLS:
        return await asyncio.to_thread(lambda: Json(answer_object(answer)))
    return Json(answer_object(answer))


@router.post("/query", responses=events(), response_class=Response)
async def query(
    body: Question, pipeline: Pipeline, user: User, language: ReaderLanguage, traceparent: Parent = ""
) -> Response:
    """Ask a question and stream its events. `GET` resumes the stream. After a disconnect the question is
    cancelled after a grace period; `DELETE` cancels it immediately.
    """
    thread = body.thread_id or new_thread()
    source = await pipeline.source_for(body.source, body.thread_id, user)
    options = await pipeline.options_for(body, thread, user)
    running = pipeline.ask(body, source, options, traceparent)
    return event_stream(pipeline, pipeline.streams.start(user, thread, body.language or language, running))


@router.get("/query/{stream_id}", responses=events(), response_class=Response)
async def take_up(stream_id: str, pipeline: Pipeline, user: User, last_event_id: LastEvent = "") -> Response:
    """Resume a stream after the event `Last-Event-ID`, without gaps or duplicates."""
    stream = pipeline.streams.find(user, stream_id)
    return event_stream(pipeline, stream, stream.after(last_event_id))


@router.delete("/query/{stream_id}", responses=problems(), status_code=204, response_class=Response)
async def cancel(stream_id: str, pipeline: Pipeline, user: User) -> Response:
    """Cancel a question. When this returns, its model call and its query have ended."""
    await pipeline.streams.cancel(pipeline.streams.find(user, stream_id))
    return Response(status_code=204)


@router.post("/query/sync", responses=problems(), response_model=AnswerObject)
async def query_sync(
    request: Request, body: Question, pipeline: Pipeline, user: User, traceparent: Parent = ""
) -> Response:
    """Ask a question and wait for the answer; see its `status`. A disconnect cancels it immediately."""
    thread = body.thread_id or new_thread()

    async def answer() -> Answer:
        source = await pipeline.source_for(body.source, body.thread_id, user)
        options = await pipeline.options_for(body, thread, user)
        return await final_answer(pipeline.ask(body, source, options, traceparent))

    return await answer_response(await run_until_disconnect(request, answer()))


@router.post("/sql", responses=problems(), response_model=AnswerObject)
async def own_statement(
    request: Request, body: Statement, pipeline: Pipeline, user: User, language: ReaderLanguage
) -> Response:
    """Run a statement written or edited by the user, through the same guard."""

    async def answer() -> Answer:
        source = await pipeline.source_for(body.source, body.thread_id, user)
        thread = body.thread_id or new_thread()
        async with pipeline.slot(source):
            result = await source.app.run_sql(body.sql, thread=thread, user=user, language=language)
        return await pipeline.auditor.answer(result, user, source.name, body.sql)

    return await answer_response(await run_until_disconnect(request, answer()))
