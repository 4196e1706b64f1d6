"""Numbers for Prometheus, in a registry of our own. Labels hold names of ours only, never a user's text."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from text2sql.evaluation.records import Record as Judged
from text2sql.memory import Numbers
from text2sql.types import Answer

if TYPE_CHECKING:
    from text2sql.server.admission import Admission
    from text2sql.server.cache import OwnShelf
    from text2sql.server.sources import Sources
    from text2sql.server.streams import Streams

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._questions = self._counter("questions", "Questions by how they ended", "status")
        self._written = self._counter("questions_written", "Questions for which a model wrote a query")
        self._first = self._counter("first_pass", "Of those, answered by the first query as it was written")
        self._repaired = self._counter("repaired", "Of those, answered after a repair or another try")
        self._errors = self._counter("errors", "Errors met on the way, by kind", "kind")
        self._tokens = self._counter("model_tokens", "Tokens that models read and wrote", "type")
        self._calls = self._counter("model_calls", "Calls of models")
        self._statements = self._counter("statements", "Statements sent to databases")
        self._cache = self._counter("cache", "Questions by what the result cache did", "outcome")
        self._exports = self._counter("exports", "Exports by format", "format")
        self._refused = self._counter("refused", "Requests that were not taken, by reason", "reason")
        self._feedback = self._counter("feedback", "What people said of answers", "good")
        self._reports = self._counter("reports", "Reports that were made")
        self._places = self._counter("report_placeholders", "Placeholders of reports by outcome", "outcome")
        self._asked = self._counter("report_questions", "Questions of reports, each once a report")
        self._at_once = self._counter("report_first_pass", "Of those, filled without a repair")
        self._mended = self._counter("report_repairs", "Repairs of reports by outcome", "outcome")
        self._evaluations = self._counter("evaluations", "Question sets that were asked to their end")
        self._judged = self._counter("evaluation_questions", "Questions of evaluations by verdict", "verdict")
        self._refreshes = self._counter("refreshes", "Catalogues read anew as work, by outcome", "outcome")
        self._requests = self._counter("http_requests", "HTTP requests", "method", "route", "status")
        self._stage = self._histogram("stage_seconds", "Seconds by stage of a question", "stage")
        self._question = self._histogram("question_seconds", "Seconds of whole questions")
        self._http = self._histogram("http_seconds", "Seconds until a response was sent", "route")

    def text(self) -> bytes:
        return generate_latest(self.registry)

    def watch(
        self, sources: "Sources", streams: "Streams", cache: "OwnShelf", admission: "Admission"
    ) -> None:
        """Numbers that are looked up when somebody asks for them."""
        self.registry.register(_Now(sources, streams, cache, admission))

    def answered(self, answer: Answer, seconds: float) -> None:
        """One question, in the same terms as `text2sql stats`."""
        numbers = Numbers.of(answer)
        self._questions.labels(numbers.status).inc()
        self._question.observe(seconds)
        if numbers.attempts:
            self._written.inc()
            self._first.inc(numbers.first_pass)
            self._repaired.inc(numbers.repaired)
        for kind in numbers.errors:
            self._errors.labels(kind).inc()
        self._tokens.labels("prompt").inc(numbers.prompt_tokens)
        self._tokens.labels("cached").inc(answer.receipt.usage.cached_tokens)
        self._tokens.labels("completion").inc(numbers.completion_tokens)
        self._calls.inc(numbers.calls)
        self._statements.inc(numbers.statements)

    def reported(self, record: Mapping[str, Any]) -> None:
        """One report, in the terms of its own record."""
        first, repaired, model = record["first_pass"], record["repaired"], record["model"]
        self._reports.inc()
        self._places.labels("filled").inc(record["filled"])
        self._places.labels("failed").inc(record["failed"])
        self._asked.inc(first["of"])
        self._at_once.inc(first["count"])
        self._mended.labels("filled").inc(repaired["count"])
        self._mended.labels("failed").inc(repaired["of"] - repaired["count"])
        for kind, count in record["errors"].items():
            self._errors.labels(kind).inc(count)
        for item in record["items"]:
            for stage, seconds in item["seconds"].items():
                self._stage.labels(f"report_{stage}").observe(seconds)
        self._tokens.labels("prompt").inc(model["prompt_tokens"])
        self._tokens.labels("completion").inc(model["completion_tokens"])
        self._calls.inc(model["calls"])
        self._statements.inc(record["statements"])

    def judged(self, record: Judged) -> None:
        """One question of an evaluation; it is none of the questions that people asked."""
        self._judged.labels(record.verdict).inc()
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
        """A question without an answer: cancelled, or stopped by an error."""
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

    def _counter(self, name: str, told: str, *labels: str) -> Counter:
        return Counter(f"text2sql_{name}", told, labels, registry=self.registry)

    def _histogram(self, name: str, told: str, *labels: str) -> Histogram:
        return Histogram(f"text2sql_{name}", told, labels, registry=self.registry, buckets=_SECONDS)


class _Now(Collector):
    def __init__(
        self, sources: "Sources", streams: "Streams", cache: "OwnShelf", admission: "Admission"
    ) -> None:
        self._sources = sources
        self._admission = admission
        self._streams = streams
        self._cache = cache

    def collect(self) -> Iterable[Metric]:
        pool = GaugeMetricFamily(
            "text2sql_pool_connections", "Connections to databases", labels=["source", "state"]
        )
        opened = CounterMetricFamily(
            "text2sql_connections", "Connections that were ever opened", labels=["source"]
        )
        queue = GaugeMetricFamily("text2sql_queue", "Requests that wait for a connection", labels=["source"])
        for source in self._sources:
            database = source.app.database
            if database is not None:
                pool.add_metric([source.name, "open"], database.open_count)
                pool.add_metric([source.name, "busy"], database.busy)
                opened.add_metric([source.name], database.opened)
                queue.add_metric([source.name], database.waiting)
        yield pool
        yield opened
        yield queue
        work = GaugeMetricFamily("text2sql_work", "Questions, pages and exports", labels=["state"])
        work.add_metric(["running"], self._admission.running)
        work.add_metric(["waiting"], self._admission.waiting)
        yield work
        streams = GaugeMetricFamily("text2sql_streams", "Streams of events", labels=["state"])
        streams.add_metric(["running"], self._streams.running)
        streams.add_metric(["kept"], self._streams.kept)
        yield streams
        yield GaugeMetricFamily(
            "text2sql_stream_bytes", "Bytes of events kept after their end", value=self._streams.kept_bytes
        )
        yield GaugeMetricFamily(
            "text2sql_cached_answers", "Answers that this process can give again", value=len(self._cache)
        )
