"""Creates the FastAPI application: shared services, routes, middleware and error handlers."""

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
from text2sql.database import Accounts
from text2sql.errors import Text2SQLError
from text2sql.llm import AsyncChatModel
from text2sql.memory import is_shared, redis_of
from text2sql.reports.schedule import Job
from text2sql.server.admission import Admission, SharedCounter, UserRateLimit
from text2sql.server.audit import AuditLog, ServerStore, is_audited
from text2sql.server.cache import Cache, LocalCache
from text2sql.server.cors import CorsOrigins
from text2sql.server.evaluations import Evaluations
from text2sql.server.identity import Authenticator
from text2sql.server.jobs import JobRunner
from text2sql.server.metrics import Metrics
from text2sql.server.middleware import LOOPBACK, RequestMiddleware
from text2sql.server.models import ProblemDetails
from text2sql.server.problems import STATUSES, ProblemResponse, details, problem_of, validation_problem
from text2sql.server.query_pipeline import QueryPipeline, language_of
from text2sql.server.refreshes import Refreshes
from text2sql.server.reports import Reports
from text2sql.server.routes import evaluations, health, metadata, query, refreshes, reports, results, threads
from text2sql.server.sources import Sources
from text2sql.server.streaming import ClientGone
from text2sql.server.streams import Streams
from text2sql.server.tracing import open_provider
from text2sql.types import Policies, Policy

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

log = logging.getLogger(__name__)

_DESCRIPTION = "Ask a database in plain words; only a guarded, read-only query ever reaches it."


def build(
    addresses: Mapping[str, str],
    settings: Settings,
    *,
    model: str | AsyncChatModel = "",
    policy: Policy | None = None,
    policies: Mapping[str, Policies] | None = None,
    accounts: Mapping[str, Accounts] | None = None,
    hosts: frozenset[str] = LOOPBACK,
    multiple_processes: bool = False,
    provider: "TracerProvider | None" = None,
    schedule: Sequence[Job] = (),
) -> FastAPI:
    """Build the application for databases by name (the first is the default), without opening connections."""
    sources = Sources(addresses, settings, model=model, policy=policy, policies=policies, accounts=accounts)
    multiple_processes = multiple_processes or is_shared(settings)  # possibly on other machines
    redis, local_cache = redis_of(settings), LocalCache()
    streams, metrics = Streams(settings, multiple_processes=multiple_processes), Metrics()
    cache = Cache(settings.cache_lifetime, redis or local_cache)
    admission, server_store = Admission(settings), ServerStore(settings)
    authenticator = Authenticator(settings, server_store)
    auditor = AuditLog(server_store, is_audited(settings, authenticator.sign_in_required))
    metrics.watch(sources, streams, local_cache, admission)
    provider = provider or open_provider()
    tracer = provider.get_tracer("text2sql") if provider else None
    jobs = JobRunner(server_store, authenticator, background=settings.background)
    pipeline = QueryPipeline(
        settings,
        sources,
        streams,
        cache,
        metrics,
        jobs,
        Reports(jobs, auditor, sources, schedule, metrics),
        Evaluations(jobs, auditor, sources, settings, metrics),
        Refreshes(jobs, sources, settings.refresh_every, metrics),
        authenticator,
        server_store,
        auditor,
        admission,
        sources,
        tracer,
    )
    shared_counters: list[SharedCounter] = [redis] if redis else []
    shared_counters += [server_store] if is_shared(settings) else []
    for job in schedule:
        sources.named(job.source or None)  # raise now for an unknown source

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await sources.open()
        jobs.open()
        try:
            yield
        finally:
            await stop(app)
            await jobs.close()
            streams.forget()
            await sources.close()
            await server_store.close()
            if redis is not None:
                await redis.close()
            if provider is not None:
                await asyncio.to_thread(provider.shutdown)

    app = FastAPI(
        title="text2sql",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # they would load scripts from another host
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.pipeline = pipeline
    for routes in (query, threads, results, reports, evaluations, refreshes, metadata, health):
        app.include_router(routes.router)
    if find_spec("text2sql.server.page") is not None:
        from text2sql.server.page import router as page_router  # noqa: PLC0415 -- an installation may leave the page out

        app.include_router(page_router)
    app.openapi = lambda: _openapi_document(app)  # type: ignore[method-assign]
    _add_error_handlers(app)
    app.add_middleware(
        RequestMiddleware,
        metrics=metrics,
        authenticator=authenticator,
        rate_limit=UserRateLimit(settings.user_requests_per_minute, *shared_counters),
        origins=CorsOrigins(settings.cors_origins),
        hosts=_allowed_hosts(settings, hosts, authenticator.sign_in_required),
        body_limit=settings.body_limit,
        lang=settings.lang,
    )
    return app


def _allowed_hosts(settings: Settings, hosts: frozenset[str], sign_in: bool) -> frozenset[str] | None:
    """The accepted `Host` names, against DNS rebinding; None accepts every name.

    A rebinding page has no credentials, so with sign-in every name is accepted unless names are configured.
    """
    configured = frozenset(host.strip().lower() for host in settings.hosts.split(",") if host.strip())
    return None if sign_in and not configured else hosts | configured


async def stop(app: FastAPI, grace: float | None = None) -> None:
    """Let running questions finish within the grace period, then cancel them and notify their readers."""
    pipeline: QueryPipeline = app.state.pipeline
    pipeline.admission.closed = True
    await pipeline.streams.close(pipeline.settings.shutdown_grace if grace is None else grace)


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(Text2SQLError)
    async def text2sql_error(request: Request, error: Text2SQLError) -> Response:
        return ProblemResponse(problem_of(error, language_of(request), request_id=_request_id(request)))

    @app.exception_handler(RequestValidationError)
    async def validation_error(request: Request, error: RequestValidationError) -> Response:
        lang, request_id = language_of(request), _request_id(request)
        return ProblemResponse(validation_problem(error.errors(), lang, request_id=request_id))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        """Errors raised by the framework: an unknown path, a wrong method, a body that is not JSON."""
        status = error.status_code if error.status_code in STATUSES else 400
        problem = details(status, language_of(request), request_id=_request_id(request))
        return ProblemResponse(problem, error.headers)

    @app.exception_handler(ClientGone)
    async def client_gone(request: Request, error: ClientGone) -> Response:  # noqa: ARG001 -- the signature of a handler
        return Response(status_code=499)  # for the access log only: the client has disconnected


def _request_id(request: Request) -> str:
    return str(getattr(request.state, "request_id", ""))


def _openapi_document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, including the schema of problem responses."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title, version=app.version, description=_DESCRIPTION, routes=app.routes
        )
        document["components"]["schemas"]["ProblemDetails"] = ProblemDetails.model_json_schema()
        if app.state.pipeline.authenticator.sign_in_required:
            document["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
            document["security"] = [{"bearer": []}]
        app.openapi_schema = document
    return app.openapi_schema
