"""Prometheus metrics in a registry of their own. Labels hold fixed names only, never user text."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from text2sql.evaluation.records import Record as EvaluationRecord
from text2sql.memory import QuestionMetrics
from text2sql.types import Answer

if TYPE_CHECKING:
    from text2sql.server.admission import Admission
    from text2sql.server.cache import LocalCache
    from text2sql.server.sources import Sources
    from text2sql.server.streams import Streams

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


# Counters by name: their descriptions and labels.
_COUNTERS: Mapping[str, tuple[str, ...]] = {
    "questions": ("Questions by outcome", "status"),
    "questions_written": ("Questions for which a model wrote a query",),
    "first_pass": ("Of those, answered by the first query without a repair",),
    "repaired": ("Of those, answered after a repair or a retry",),
    "errors": ("Errors by kind", "kind"),
    "model_tokens": ("Tokens that models read and wrote", "type"),
    "model_calls": ("Calls of models",),
    "statements": ("Statements sent to databases",),
    "cache": ("Questions by outcome of the result cache", "outcome"),
    "exports": ("Exports by format", "format"),
    "refused": ("Rejected requests by reason", "reason"),
    "feedback": ("Feedback on answers", "good"),
    "reports": ("Finished reports",),
    "report_placeholders": ("Placeholders of reports by outcome", "outcome"),
    "report_questions": ("Questions of reports, each counted once per report",),
    "report_first_pass": ("Of those, filled without a repair",),
    "report_repairs": ("Repairs of reports by outcome", "outcome"),
    "evaluations": ("Finished evaluations",),
    "evaluation_questions": ("Questions of evaluations by verdict", "verdict"),
    "refreshes": ("Catalog refresh jobs by outcome", "outcome"),
    "http_requests": ("HTTP requests", "method", "route", "status"),
}


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._counters = {
            name: Counter(f"text2sql_{name}", description, labels, registry=self.registry)
            for name, (description, *labels) in _COUNTERS.items()
        }
        self._stage = self._histogram("stage_seconds", "Seconds by stage of a question", "stage")
        self._question = self._histogram("question_seconds", "Seconds of whole questions")
        self._http = self._histogram("http_seconds", "Seconds until a response was sent", "route")

    def count(self, name: str, *labels: str, by: float = 1) -> None:
        """Increase a counter of `_COUNTERS`."""
        counter = self._counters[name]
        (counter.labels(*labels) if labels else counter).inc(by)

    def text(self) -> bytes:
        return generate_latest(self.registry)

    def watch(
        self, sources: "Sources", streams: "Streams", cache: "LocalCache", admission: "Admission"
    ) -> None:
        """Register gauges that are read at scrape time."""
        self.registry.register(_CurrentState(sources, streams, cache, admission))

    def answered(self, answer: Answer, seconds: float) -> None:
        """Count one question, with the same definitions as `text2sql stats`."""
        numbers = QuestionMetrics.of(answer)
        self.count("questions", numbers.status)
        self._question.observe(seconds)
        if numbers.attempts:
            self.count("questions_written")
            self.count("first_pass", by=numbers.first_pass)
            self.count("repaired", by=numbers.repaired)
        for kind in numbers.errors:
            self.count("errors", kind)
        self.count("model_tokens", "cached", by=answer.receipt.usage.cached_tokens)
        self._count_model(numbers.prompt_tokens, numbers.completion_tokens, numbers.calls)
        self.count("statements", by=numbers.statements)

    def reported(self, record: Mapping[str, Any]) -> None:
        """Count one report from its record."""
        first, repaired, model = record["first_pass"], record["repaired"], record["model"]
        self.count("reports")
        self.count("report_placeholders", "filled", by=record["filled"])
        self.count("report_placeholders", "failed", by=record["failed"])
        self.count("report_questions", by=first["of"])
        self.count("report_first_pass", by=first["count"])
        self.count("report_repairs", "filled", by=repaired["count"])
        self.count("report_repairs", "failed", by=repaired["of"] - repaired["count"])
        for kind, count in record["errors"].items():
            self.count("errors", kind, by=count)
        for item in record["items"]:
            for stage, seconds in item["seconds"].items():
                self.stage(f"report_{stage}", seconds)
        self._count_model(model["prompt_tokens"], model["completion_tokens"], model["calls"])
        self.count("statements", by=record["statements"])

    def judged(self, record: EvaluationRecord) -> None:
        """Count one question of an evaluation, which is not counted among user questions."""
        self.count("evaluation_questions", record.verdict)
        self.stage("evaluation", record.seconds)
        self._count_model(record.prompt_tokens, record.completion_tokens, record.calls)

    def stage(self, name: str, seconds: float) -> None:
        self._stage.labels(name).observe(seconds)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        self.count("http_requests", method, route, str(status))
        self._http.labels(route).observe(seconds)

    def _count_model(self, prompt_tokens: int, completion_tokens: int, calls: int) -> None:
        self.count("model_tokens", "prompt", by=prompt_tokens)
        self.count("model_tokens", "completion", by=completion_tokens)
        self.count("model_calls", by=calls)

    def _histogram(self, name: str, description: str, *labels: str) -> Histogram:
        return Histogram(f"text2sql_{name}", description, labels, registry=self.registry, buckets=_BUCKETS)


class _CurrentState(Collector):
    def __init__(
        self, sources: "Sources", streams: "Streams", cache: "LocalCache", admission: "Admission"
    ) -> None:
        self._sources = sources
        self._admission = admission
        self._streams = streams
        self._cache = cache

    def collect(self) -> Iterable[Metric]:
        pool = GaugeMetricFamily(
            "text2sql_pool_connections", "Connections to databases", labels=["source", "state"]
        )
        connections = CounterMetricFamily(
            "text2sql_connections", "Connections opened since the start", labels=["source"]
        )
        queue = GaugeMetricFamily("text2sql_queue", "Requests that wait for a connection", labels=["source"])
        for source in self._sources:
            databases = source.app.app_resources.databases
            if databases:
                pool.add_metric([source.name, "open"], sum(database.open_count for database in databases))
                pool.add_metric([source.name, "busy"], sum(database.busy for database in databases))
                connections.add_metric([source.name], sum(database.opened for database in databases))
                queue.add_metric([source.name], sum(database.waiting for database in databases))
        yield pool
        yield connections
        yield queue
        work = GaugeMetricFamily("text2sql_work", "Questions, pages and exports", labels=["state"])
        work.add_metric(["running"], self._admission.running)
        work.add_metric(["waiting"], self._admission.waiting)
        yield work
        streams = GaugeMetricFamily("text2sql_streams", "Streams of events", labels=["state"])
        streams.add_metric(["running"], self._streams.running)
        streams.add_metric(["kept"], self._streams.finished)
        yield streams
        yield GaugeMetricFamily(
            "text2sql_stream_bytes",
            "Bytes of buffered events of finished streams",
            value=self._streams.finished_bytes,
        )
        yield GaugeMetricFamily(
            "text2sql_cached_answers", "Answers in the result cache of this process", value=len(self._cache)
        )
