"""Puts the server together: what it shares, the routes, the gate before them, and errors as problems."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.responses import Response

from text2sql import __version__
from text2sql.config import Settings
from text2sql.errors import Text2SQLError
from text2sql.llm import AsyncChatModel
from text2sql.memory import is_shared, redis_of
from text2sql.reports.schedule import Job
from text2sql.server.admission import Admission, Pace, Together
from text2sql.server.cache import Cache, OwnShelf
from text2sql.server.evaluations import Evaluations
from text2sql.server.gate import LOOPBACK, Gate
from text2sql.server.identity import Doorkeeper
from text2sql.server.ledger import Auditor, Ledger, audits
from text2sql.server.metrics import Metrics
from text2sql.server.models import ProblemDetails
from text2sql.server.origins import Origins
from text2sql.server.problems import STATUSES, ProblemResponse, details, invalid, problem_of
from text2sql.server.reception import Reception, language_of
from text2sql.server.refreshes import Refreshes
from text2sql.server.reports import Reports
from text2sql.server.routes import about, evaluations, health, query, refreshes, reports, results, threads
from text2sql.server.sending import ClientGone
from text2sql.server.sources import Sources
from text2sql.server.streams import Streams
from text2sql.server.tracing import open_provider
from text2sql.server.works import Works
from text2sql.types import Policies, Policy

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

log = logging.getLogger(__name__)

_ABOUT = "Ask a database in plain words; only a guarded, read-only query ever reaches it."


def build(
    addresses: Mapping[str, str],
    settings: Settings,
    *,
    model: str | AsyncChatModel = "",
    policy: Policy | None = None,
    policies: Mapping[str, Policies] | None = None,
    hosts: frozenset[str] = LOOPBACK,
    siblings: bool = False,
    provider: "TracerProvider | None" = None,
    schedule: Sequence[Job] = (),
) -> FastAPI:
    """The application over databases by name; the first is the default. Nothing is opened yet."""
    sources = Sources(addresses, settings, model=model, policy=policy, policies=policies)
    elsewhere = siblings or is_shared(settings)  # servers on other machines, for all we know
    redis, own = redis_of(settings), OwnShelf()
    streams, metrics = Streams(settings, siblings=elsewhere), Metrics()
    cache = Cache(settings.cache_lifetime, redis or own)
    admission, ledger = Admission(settings), Ledger(settings)
    door = Doorkeeper(settings, ledger)
    auditor = Auditor(ledger, audits(settings, door.asks))
    metrics.watch(sources, streams, own, admission)
    provider = provider or open_provider()
    tracer = provider.get_tracer("text2sql") if provider else None
    works = Works(ledger, door, background=settings.background)
    reception = Reception(
        settings,
        sources,
        streams,
        cache,
        metrics,
        works,
        Reports(works, auditor, sources, schedule, metrics),
        Evaluations(works, auditor, sources, settings, metrics),
        Refreshes(works, sources, settings.refresh_every, metrics),
        door,
        ledger,
        auditor,
        admission,
        sources,
        tracer,
    )
    counting: list[Together] = [redis] if redis else []
    counting += [ledger] if is_shared(settings) else []
    for job in schedule:
        sources.named(job.source or None)  # a source that is none is told now

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await sources.open()
        works.open()
        try:
            yield
        finally:
            await stop(app)
            await works.close()
            streams.forget()
            await sources.close()
            await ledger.close()
            if redis is not None:
                await redis.close()
            if provider is not None:
                await asyncio.to_thread(provider.shutdown)

    app = FastAPI(
        title="text2sql",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,  # they would load scripts from another host
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.reception = reception
    for routes in (query, threads, results, reports, evaluations, refreshes, about, health):
        app.include_router(routes.router)
    if find_spec("text2sql.server.page") is not None:
        from text2sql.server.page import router as page  # noqa: PLC0415 -- the page is a part that may be left out

        app.include_router(page)
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    _tell_problems(app)
    app.add_middleware(
        Gate,
        metrics=metrics,
        door=door,
        pace=Pace(settings.user_requests_per_minute, *counting),
        origins=Origins(settings.cors_origins),
        hosts=_names(settings, hosts, door.asks),
        body_limit=settings.body_limit,
        lang=settings.lang,
    )
    return app


def _names(settings: Settings, hosts: frozenset[str], asks: bool) -> frozenset[str] | None:
    """Another name could be a page's that resolves to here. Such a page has nobody's key: where keys are
    asked for, any name will do unless some are given.
    """
    given = frozenset(one.strip().lower() for one in settings.hosts.split(",") if one.strip())
    return None if asks and not given else hosts | given


async def stop(app: FastAPI, grace: float | None = None) -> None:
    """Questions may end within the grace, then they are cancelled, and their readers told."""
    reception: Reception = app.state.reception
    reception.admission.closed = True
    await reception.streams.close(reception.settings.shutdown_grace if grace is None else grace)


def _tell_problems(app: FastAPI) -> None:
    app.add_exception_handler(Text2SQLError, _failed)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientGone, _gone)


async def _failed(request: Request, error: Exception) -> Response:
    if not isinstance(error, Text2SQLError):
        raise error
    return ProblemResponse(problem_of(error, language_of(request), request_id=_id(request)))


async def _invalid(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    return ProblemResponse(invalid(error.errors(), language_of(request), request_id=_id(request)))


async def _http(request: Request, error: Exception) -> Response:
    """What the framework itself refuses: an unknown address, a method, a body that is no JSON."""
    if not isinstance(error, HTTPException):
        raise error
    status = error.status_code if error.status_code in STATUSES else 400
    problem = details(status, language_of(request), request_id=_id(request))
    return ProblemResponse(problem, error.headers)


async def _gone(request: Request, error: Exception) -> Response:  # noqa: ARG001 one shape for all of them
    return Response(status_code=499)  # for the log; nobody is there to read it


def _id(request: Request) -> str:
    return str(getattr(request.state, "request_id", ""))


def _described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the problem that every address may end with."""
    if app.openapi_schema is None:
        told = get_openapi(title=app.title, version=app.version, description=_ABOUT, routes=app.routes)
        told["components"]["schemas"]["ProblemDetails"] = ProblemDetails.model_json_schema()
        if app.state.reception.door.asks:
            told["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
            told["security"] = [{"bearer": []}]
        app.openapi_schema = told
    return app.openapi_schema
