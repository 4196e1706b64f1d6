"""OpenTelemetry spans: one per question, and one per stage inside it.

Off unless OTEL_EXPORTER_OTLP_ENDPOINT names a collector and `text2sql-kit[otel]` is installed. Spans never
contain questions, SQL or cell values.
"""

import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from text2sql import __version__
from text2sql.types import Answer, Event, Finished, StageEnded, StageStarted

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

log = logging.getLogger(__name__)

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_EXPORT_SECONDS = 3.0  # per batch; delays only the shutdown while the collector is down


def open_provider(environment: Mapping[str, str] = os.environ) -> "TracerProvider | None":
    if not any(environment.get(name) for name in ENDPOINTS):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 -- an extra
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError:
        log.warning("%s is set, but text2sql-kit[otel] is not installed: no traces are sent", ENDPOINTS[1])
        return None
    attributes = {
        "service.name": environment.get("OTEL_SERVICE_NAME") or "text2sql",
        "service.version": __version__,
    }
    provider = TracerProvider(resource=Resource.create(attributes))
    # The queue of the processor is bounded and drops spans: an unavailable collector does not block.
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=_EXPORT_SECONDS)))
    return provider


class Trace:
    """Creates the spans of one question from its events; does nothing without a tracer."""

    def __init__(self, tracer: "Tracer | None", parent: str = "", **attributes: str) -> None:
        self._tracer = tracer
        self._stages: dict[str, Span] = {}
        self._question: Span | None = None
        if tracer is not None:
            self._question = tracer.start_span(
                "question", context=_parent_context(parent), attributes=attributes
            )

    def record(self, event: Event) -> None:
        if self._tracer is None or self._question is None:
            return
        if isinstance(event, StageStarted):
            from opentelemetry.trace import set_span_in_context  # noqa: PLC0415 -- an extra; installed if there is a tracer

            context = set_span_in_context(self._question)
            self._stages[event.stage] = self._tracer.start_span(event.stage, context=context)
        elif isinstance(event, StageEnded):
            self._end(event.stage)
        elif isinstance(event, Finished):
            self._question.set_attributes(_answer_attributes(event.answer))

    def end(self, error: str = "") -> None:
        for stage in list(self._stages):
            self._end(stage)
        if self._question is not None:
            if error:
                self._question.set_attribute("error.type", error)
            self._question.end()

    def _end(self, stage: str) -> None:
        span = self._stages.pop(stage, None)
        if span is not None:
            span.end()


def _answer_attributes(answer: Answer) -> dict[str, Any]:
    receipt = answer.receipt
    return {
        "text2sql.status": answer.status,
        "text2sql.rows": answer.row_count,
        "text2sql.attempts": receipt.attempts,
        "text2sql.cached": bool(receipt.served),
        "gen_ai.usage.input_tokens": receipt.usage.prompt_tokens,
        "gen_ai.usage.output_tokens": receipt.usage.completion_tokens,
    }


def _parent_context(parent: str) -> Any:
    from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415 -- an extra; installed if there is a tracer
        TraceContextTextMapPropagator,
    )

    return TraceContextTextMapPropagator().extract({"traceparent": parent})
