"""Prometheus metrics in a registry of their own. Labels hold fixed names only, never user text."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

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


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._questions = self._counter("questions", "Questions by outcome", "status")
        self._model_questions = self._counter(
            "questions_written", "Questions for which a model wrote a query"
        )
        self._first_pass = self._counter(
            "first_pass", "Of those, answered by the first query without a repair"
        )
        self._repaired = self._counter("repaired", "Of those, answered after a repair or a retry")
        self._errors = self._counter("errors", "Errors by kind", "kind")
        self._tokens = self._counter("model_tokens", "Tokens that models read and wrote", "type")
        self._calls = self._counter("model_calls", "Calls of models")
        self._statements = self._counter("statements", "Statements sent to databases")
        self._cache = self._counter("cache", "Questions by outcome of the result cache", "outcome")
        self._exports = self._counter("exports", "Exports by format", "format")
        self._refused = self._counter("refused", "Rejected requests by reason", "reason")
        self._feedback = self._counter("feedback", "Feedback on answers", "good")
        self._reports = self._counter("reports", "Finished reports")
        self._placeholders = self._counter(
            "report_placeholders", "Placeholders of reports by outcome", "outcome"
        )
        self._report_questions = self._counter(
            "report_questions", "Questions of reports, each counted once per report"
        )
        self._report_first_pass = self._counter("report_first_pass", "Of those, filled without a repair")
        self._report_repairs = self._counter("report_repairs", "Repairs of reports by outcome", "outcome")
        self._evaluations = self._counter("evaluations", "Finished evaluations")
        self._evaluation_questions = self._counter(
            "evaluation_questions", "Questions of evaluations by verdict", "verdict"
        )
        self._refreshes = self._counter("refreshes", "Catalog refresh jobs by outcome", "outcome")
        self._requests = self._counter("http_requests", "HTTP requests", "method", "route", "status")
        self._stage = self._histogram("stage_seconds", "Seconds by stage of a question", "stage")
        self._question = self._histogram("question_seconds", "Seconds of whole questions")
        self._http = self._histogram("http_seconds", "Seconds until a response was sent", "route")

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
        self._questions.labels(numbers.status).inc()
        self._question.observe(seconds)
        if numbers.attempts:
            self._model_questions.inc()
            self._first_pass.inc(numbers.first_pass)
            self._repaired.inc(numbers.repaired)
        for kind in numbers.errors:
            self._errors.labels(kind).inc()
        self._tokens.labels("prompt").inc(numbers.prompt_tokens)
        self._tokens.labels("cached").inc(answer.receipt.usage.cached_tokens)
        self._tokens.labels("completion").inc(numbers.completion_tokens)
        self._calls.inc(numbers.calls)
        self._statements.inc(numbers.statements)

    def reported(self, record: Mapping[str, Any]) -> None:
        """Count one report from its record."""
        first, repaired, model = record["first_pass"], record["repaired"], record["model"]
        self._reports.inc()
        self._placeholders.labels("filled").inc(record["filled"])
        self._placeholders.labels("failed").inc(record["failed"])
        self._report_questions.inc(first["of"])
        self._report_first_pass.inc(first["count"])
        self._report_repairs.labels("filled").inc(repaired["count"])
        self._report_repairs.labels("failed").inc(repaired["of"] - repaired["count"])
        for kind, count in record["errors"].items():
            self._errors.labels(kind).inc(count)
        for item in record["items"]:
            for stage, seconds in item["seconds"].items():
                self._stage.labels(f"report_{stage}").observe(seconds)
        self._tokens.labels("prompt").inc(model["prompt_tokens"])
        self._tokens.labels("completion").inc(model["completion_tokens"])
        self._calls.inc(model["calls"])
        self._statements.inc(record["statements"])

    def judged(self, record: EvaluationRecord) -> None:
        """Count one question of an evaluation, which is not counted among user questions."""
        self._evaluation_questions.labels(record.verdict).inc()
        self._stage.labels("evaluation").observe(record.seconds)
        self._tokens.labels("prompt").inc(record.prompt_tokens)
        self._tokens.labels("completion").inc(record.completion_tokens)
        self._calls.inc(record.calls)

    def evaluated(self) -> None:
        self._evaluations.inc()

    def refreshed(self, outcome: Literal["changed", "same", "failed"]) -> None:
        self._refreshes.labels(outcome).inc()

    def stage(self, name: str, seconds: float) -> None:
        self._stage.labels(name).observe(seconds)

    def failed(self, kind: str) -> None:
        """Count a question without an answer: cancelled, or stopped by an error."""
        self._errors.labels(kind).inc()

    def cache(self, outcome: str) -> None:
        self._cache.labels(outcome).inc()

    def exported(self, kind: str) -> None:
        self._exports.labels(kind).inc()

    def refused(self, reason: str) -> None:
        self._refused.labels(reason).inc()

    def feedback(self, good: bool) -> None:
        self._feedback.labels(str(good).lower()).inc()

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._http.labels(route).observe(seconds)

    def _counter(self, name: str, description: str, *labels: str) -> Counter:
        return Counter(f"text2sql_{name}", description, labels, registry=self.registry)

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
