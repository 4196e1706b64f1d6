"""A fake server that implements the HTTP contract of the page, including rare responses.

Streams are as the contract has them: numbered, resumable, cut on purpose where the question asks for it.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from e2e import canned
from text2sql.server import page

api = APIRouter(prefix="/api/v1")


class Streams:
    """The events of each stream, so that a client can resume."""

    def __init__(self) -> None:
        self.events: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self.cancelled: list[str] = []
        self.resumed: list[str] = []
        self.stopped: list[str] = []

    def begin(self, question: str, finished: dict[str, Any]) -> str:
        name = f"s{len(self.events)}"
        head = [("started", {"stream_id": name, "thread_id": "t-1"})]
        self.events[name] = head + canned.story(question, finished)
        return name

    async def read(self, name: str, after: int, question: str = "") -> AsyncIterator[str]:
        for at, (event, data) in enumerate(self.events[name]):
            if at <= after:
                continue
            if "cut" in question and at == 6:
                return
            if "slow" in question and at == 8:
                try:
                    await asyncio.sleep(30)
                except asyncio.CancelledError:
                    self.cancelled.append(name)
                    raise
            yield f"id: {name}-{at}\r\nevent: {event}\r\ndata: {json.dumps(data)}\r\n\r\n"
            yield ": still here\r\n\r\n"
            if "calm" in question:
                await asyncio.sleep(0.15)


def problem(status: int, kind: str, detail: str, **facts: Any) -> JSONResponse:
    fields = {
        "type": "about:blank",
        "title": kind,
        "status": status,
        "detail": detail,
        "kind": kind,
        "hint": "",
    }
    return JSONResponse(fields | facts, status, media_type="application/problem+json")


def lang_of(request: Request) -> str:
    return "zh" if request.headers.get("accept-language", "").startswith("zh") else "en"


def locked(request: Request) -> JSONResponse | None:
    key = request.app.state.key
    fits = not key or request.headers.get("authorization") == f"Bearer {key}"
    return None if fits else problem(401, "key", "A key is wanted.")


def sent(request: Request, name: str, after: int = -1, question: str = "") -> StreamingResponse:
    result = request.app.state.streams.read(name, after, question)
    return StreamingResponse(result, media_type="text/event-stream")


# -- questions -----------------------------------------------------------------------------------


@api.post("/query")
async def query(request: Request) -> Response:
    body = await request.json()
    request.app.state.questions.append(body)
    if "busy" in body["question"]:
        return problem(429, "busy", "Too many questions.", hint="Wait a little.")
    finished = canned.chosen(body["question"], body.get("language") or lang_of(request))
    name = request.app.state.streams.begin(body["question"], finished)
    return sent(request, name, question=body["question"])


@api.get("/query/{name}")
async def resumed(name: str, request: Request) -> Response:
    last = request.headers.get("last-event-id", "")
    request.app.state.streams.resumed.append(last)
    return sent(request, name, int(last.rpartition("-")[2]))


@api.delete("/query/{name}", status_code=204)
async def stopped(name: str, request: Request) -> None:
    request.app.state.streams.stopped.append(name)


@api.post("/threads/{name}/resume")
async def confirmed(name: str, request: Request) -> Response:
    yes = (await request.json()).get("confirm")
    result = "Deleted 412 rows." if yes else "Nothing was changed."
    finished = canned.answer("", result, "answered" if yes else "refused")
    return sent(request, request.app.state.streams.begin("", finished))


@api.post("/sql")
async def sql(request: Request) -> Any:
    body = await request.json()
    if "drop" in body["sql"].lower():
        refused = {"kind": "guard.statement", "message": "DROP is not allowed.", "hint": "Read instead."}
        return canned.answer("", refused["message"], "refused", sql=body["sql"], error=refused, receipt={})
    result = canned.table(["channel", "orders"], canned.CHANNELS[:2], sql=body["sql"])
    return canned.answer("", "2 rows.", receipt={}, **result)


@api.post("/feedback", status_code=204)
async def feedback(request: Request) -> None:
    request.app.state.feedback.append(await request.json())


# -- threads -------------------------------------------------------------------------------------


@api.get("/threads")
def list_threads(request: Request) -> Any:
    return locked(request) or {"threads": list(request.app.state.threads.values())}


@api.get("/threads/{name}")
def thread(name: str, request: Request) -> Any:
    if name not in request.app.state.threads:
        return problem(404, "thread", "There is no such conversation.")
    if name == "t-elsewhere":
        return problem(
            404, "usage.thread_source", "This conversation is about another database, MySQL sales."
        )
    return canned.thread(name)


@api.delete("/threads/{name}", status_code=204)
def forget(name: str, request: Request) -> None:
    request.app.state.threads.pop(name, None)


@api.post("/threads/{name}/rollback")
async def rollback(name: str, request: Request) -> Any:
    request.app.state.rollbacks.append((name, (await request.json())["turns"]))
    return {"turns_left": 0}


# -- results -------------------------------------------------------------------------------------


@api.get("/results/{name}")
def rows(name: str, page: int = 1, page_size: int = 50, sort: str = "", descending: bool = False) -> Any:
    result = canned.big_rows()
    if sort:
        at = ["id", "name", "score"].index(sort)
        result.sort(key=lambda row: row[at], reverse=descending)
    first, pages = (page - 1) * page_size, -(-len(result) // page_size)
    return {
        "columns": [{"name": item, "type": ""} for item in ("id", "name", "score")],
        "rows": result[first : first + page_size],
        "total_count": len(result),
        "page": page,
        "page_size": page_size,
        "total_pages": pages,
        "has_next": page < pages,
        "has_prev": page > 1,
    }


@api.get("/results/{name}/export")
def export(name: str, kind: str = Query(alias="format")) -> Response:
    fields = {"Content-Disposition": f'attachment; filename="orders.{kind}"'}
    return PlainTextResponse("channel,orders\nonline,16021\n", headers=fields)


@api.get("/results/{name}/chart")
def chart(name: str, kind: str = "bar") -> Any:
    drawn = canned.spec(["channel", "orders"], canned.CHANNELS, kind)
    return {"kind": kind, "kinds": canned.KINDS, "spec": drawn}


@api.get("/results/{name}/chart.svg")
def picture(name: str) -> Response:
    return Response("<svg xmlns='http://www.w3.org/2000/svg'/>", media_type="image/svg+xml")


# -- what there is -------------------------------------------------------------------------------


@api.get("/schema")
def read_schema(request: Request, source: str = "") -> Any:
    result = canned.schema()
    return locked(request) or (result if source != "empty" else result | {"tables": []})


@api.get("/examples")
def examples(request: Request, language: str = "en") -> Any:
    return locked(request) or {"questions": canned.EXAMPLES[language]}


@api.get("/sources")
def sources(request: Request) -> Any:
    known = [("shop", "SQLite"), ("warehouse", "PostgreSQL"), ("empty", "DuckDB")]
    listed = [{"name": name, "dialect": product.lower(), "product": product} for name, product in known]
    return locked(request) or {"sources": listed, "default": "shop"}


@api.get("/models")
def models(request: Request) -> Any:
    return locked(request) or {"models": ["demo model", "openai:gpt-5-mini"], "default": "demo model"}


def application(key: str = "") -> FastAPI:
    """Records the requests in `state`."""
    app = FastAPI()
    app.include_router(page.router)
    app.include_router(api)
    app.state.key, app.state.streams = key, Streams()
    app.state.feedback, app.state.questions, app.state.rollbacks = [], [], []
    when = ("2026-01-05T10:00:00Z", 1_760_000_000)
    titles = ("Orders by channel", f"{canned.HOSTILE[0]} 会员等级")
    app.state.threads = {
        f"t-{at}": {"thread_id": f"t-{at}", "title": title, "turns": 3 - at, "updated": updated}
        for at, (title, updated) in enumerate(zip(titles, when, strict=True), 1)
    }
    app.state.threads["t-elsewhere"] = {"thread_id": "t-elsewhere", "title": "", "turns": 1, "updated": 0}
    return app
