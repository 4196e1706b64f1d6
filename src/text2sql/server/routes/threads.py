"""Conversations: listing, reading, going on, taking back, deleting."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Path, Request
from starlette.responses import Response

from text2sql.memory import ThreadInfo
from text2sql.server.models import Resume, RollBack, Thread, Threads, TurnsLeft
from text2sql.server.reception import Here, Reader, User, last
from text2sql.server.routes.documented import events, problems
from text2sql.server.routes.query import event_stream, told
from text2sql.server.sending import Json, until_gone
from text2sql.server.sources import Source
from text2sql.shapes import plain
from text2sql.types import Event

router = APIRouter(prefix="/api/v1/threads", tags=["threads"])

ThreadId = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("", responses=problems(), response_model=Threads)
async def threads(here: Here, user: User) -> Response:
    """Newest first."""
    found: dict[str, ThreadInfo] = {}
    for source in here.sources:
        for one in await source.app.threads(user):
            found.setdefault(one.thread_id, one)
    newest = sorted(found.values(), key=lambda one: one.updated, reverse=True)
    return Json(
        {
            "threads": [
                {"thread_id": one.thread_id, "title": one.title, "turns": one.turns, "updated": one.updated}
                for one in newest
            ]
        }
    )


@router.get("/{thread_id}", responses=problems(), response_model=Thread)
async def thread(thread_id: ThreadId, here: Here, user: User) -> Response:
    source = await here.source_of_thread(thread_id, user)
    turns = await source.app.history(thread_id, user=user)
    return Json({"thread_id": thread_id, "turns": plain(turns)})


@router.delete("/{thread_id}", responses=problems(), status_code=204, response_class=Response)
async def forget(thread_id: ThreadId, here: Here, user: User) -> Response:
    """Its turns and its results."""
    source = await here.source_of_thread(thread_id, user)
    await source.app.forget(thread_id, user=user)
    return Response(status_code=204)


@router.post("/{thread_id}/rollback", responses=problems(), response_model=TurnsLeft)
async def roll_back(thread_id: ThreadId, asked: RollBack, here: Here, user: User) -> Response:
    """Forget the last turns, as if they had not been asked."""
    source = await here.source_of_thread(thread_id, user)
    return Json({"turns_left": await source.app.roll_back(thread_id, turns=asked.turns, user=user)})


@router.post("/{thread_id}/resume", responses=events(or_json=True), response_class=Response)
async def resume(
    *,
    request: Request,
    thread_id: ThreadId,
    asked: Resume,
    here: Here,
    user: User,
    reader: Reader,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
) -> Response:
    """Answer a `confirm`, or go on where a crash or a cancellation left the thread."""
    source = await here.source_of_thread(thread_id, user)
    what = "resume" if asked.confirm is None else "confirm" if asked.confirm else "decline"
    running = here.go_on(_going_on(source, thread_id, asked, user), source, thread_id, what)
    if "application/json" in accept.lower():
        return await told(await until_gone(request, last(running)))
    begun = await until_gone(request, _begun(running))
    return event_stream(here, here.streams.start(user, thread_id, reader, begun))


async def _begun(events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
    """The same events once the first is there: that nothing waits is a problem of the request."""
    first = await anext(events)

    async def all_of_them() -> AsyncGenerator[Event, None]:
        async with aclosing(events):
            yield first
            async for event in events:
                yield event

    return all_of_them()


def _going_on(source: Source, thread_id: str, asked: Resume, user: str) -> AsyncGenerator[Event, None]:
    if asked.confirm is None:
        return source.app.stream_resume(thread_id, user=user)
    return source.app.stream_confirm(thread_id, yes=asked.confirm, user=user)
