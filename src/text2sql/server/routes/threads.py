"""Threads: list, read, resume, roll back and delete."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Header, Path, Request
from starlette.responses import Response

from text2sql.memory import ThreadInfo
from text2sql.serialization import answer_object
from text2sql.server.models import Resume, RollBack, Thread, Threads, TurnsLeft
from text2sql.server.query_pipeline import Pipeline, ReaderLanguage, User, final_answer
from text2sql.server.routes.openapi import events, problems
from text2sql.server.routes.query import answer_response, event_stream
from text2sql.server.sources import Source
from text2sql.server.streaming import Json, run_until_disconnect
from text2sql.types import Event

router = APIRouter(prefix="/api/v1/threads", tags=["threads"])

_ROWS = 100  # per answer of a thread; more are available by result id

ThreadId = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("", responses=problems(), response_model=Threads)
async def threads(pipeline: Pipeline, user: User) -> Response:
    """All threads of the user, newest first."""
    threads_by_id: dict[str, ThreadInfo] = {}
    for source in pipeline.sources:
        for info in await source.app.threads.list(user=user):
            threads_by_id.setdefault(info.thread_id, info)
    newest_first = sorted(threads_by_id.values(), key=lambda info: info.updated, reverse=True)
    return Json({"threads": [asdict(info) for info in newest_first]})


@router.get("/{thread_id}", responses=problems(), response_model=Thread)
async def thread(thread_id: ThreadId, pipeline: Pipeline, user: User) -> Response:
    """The source and the answers of a thread, oldest first, each with its first rows. An answer without
    `result_id` has no stored rows. All rows of a result are at `/results/{result_id}`.
    """
    source = await pipeline.source_of_thread(thread_id, user)
    answers = await source.app.threads.answers(thread_id, rows=_ROWS, user=user)
    for answer in answers:
        if answer.result_id:
            await pipeline.auditor.read(answer, user, source.name, f"thread {thread_id}")

    def body() -> Json:
        turns = [answer_object(answer) for answer in answers]
        return Json({"thread_id": thread_id, "source": source.name, "turns": turns})

    return await asyncio.to_thread(body)  # forty answers with charts take a megabyte


@router.delete("/{thread_id}", responses=problems(), status_code=204, response_class=Response)
async def forget(thread_id: ThreadId, pipeline: Pipeline, user: User) -> Response:
    """Delete a thread with its turns and results."""
    source = await pipeline.source_of_thread(thread_id, user)
    await source.app.threads.delete(thread_id, user=user)
    return Response(status_code=204)


@router.post("/{thread_id}/rollback", responses=problems(), response_model=TurnsLeft)
async def roll_back(thread_id: ThreadId, body: RollBack, pipeline: Pipeline, user: User) -> Response:
    """Remove the last turns of a thread."""
    source = await pipeline.source_of_thread(thread_id, user)
    return Json({"turns_left": await source.app.threads.roll_back(thread_id, turns=body.turns, user=user)})


@router.post("/{thread_id}/resume", responses=events(or_json=True), response_class=Response)
async def resume(
    *,
    request: Request,
    thread_id: ThreadId,
    body: Resume,
    pipeline: Pipeline,
    user: User,
    language: ReaderLanguage,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
) -> Response:
    """Answer a confirmation request, or continue a thread after a crash or a cancellation."""
    source = await pipeline.source_of_thread(thread_id, user)
    action = "resume" if body.confirm is None else "confirm" if body.confirm else "decline"
    running = pipeline.resume(_resumed_events(source, thread_id, body, user), source, thread_id, action)
    if "application/json" in accept.lower():
        return await answer_response(await run_until_disconnect(request, final_answer(running)))
    events_after_start = await run_until_disconnect(request, _wait_for_first(running))
    return event_stream(pipeline, pipeline.streams.start(user, thread_id, language, events_after_start))


async def _wait_for_first(events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
    """Wait for the first event, so that an error such as "nothing to resume" becomes an HTTP problem."""
    first = await anext(events)

    async def with_first() -> AsyncGenerator[Event, None]:
        async with aclosing(events):
            yield first
            async for event in events:
                yield event

    return with_first()


def _resumed_events(source: Source, thread_id: str, body: Resume, user: str) -> AsyncGenerator[Event, None]:
    if body.confirm is None:
        return source.app.threads.stream_resume(thread_id, user=user)
    return source.app.threads.stream_confirm(thread_id, yes=body.confirm, user=user)
