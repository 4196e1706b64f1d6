"""One client of BigQuery: a dry run first, then the query as a job with a byte limit, cancelled by job."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from dateutil.relativedelta import relativedelta
from google.cloud import bigquery
from google.cloud.bigquery.table import RowIterator

from text2sql.database.engine import RawResult
from text2sql.database.engines.bigquery import catalog as introspection
from text2sql.database.values import duration
from text2sql.errors import Forbidden, ResourceExhausted
from text2sql.types import Catalog, Plan, ResultColumn

LABELS = {"tool": "text2sql"}
_PAGE = 256
_NAMES = {"INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL", "RECORD": "STRUCT"}


class BigquerySession:
    """A stateless session: only the running job has an id."""

    def __init__(self, client: bigquery.Client, dataset: str, *, byte_limit: int, timeout: float) -> None:
        self._client: Any = client  # its type does not allow `retry=None`
        self._dataset = dataset
        self._byte_limit = byte_limit
        self._timeout = timeout
        self._seconds = 0.0
        self._lock = threading.Lock()
        self._job: bigquery.QueryJob | None = None

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        self._seconds = seconds

    def execute(self, sql: str, rows: int) -> RawResult:
        self._dry_run(sql)
        config = self._config()
        config.maximum_bytes_billed = self._byte_limit
        # `retry` and `job_retry` would repeat a query for minutes; the caller decides about retries.
        job = self._client.query(sql, job_config=config, retry=None, job_retry=None, timeout=self._timeout)
        with self._lock:
            self._job = job
        results = job.result(
            page_size=_PAGE, max_results=rows + 1, retry=None, job_retry=None, timeout=self._seconds
        )
        columns = tuple(ResultColumn(field.name, _type(field)) for field in results.schema)
        return RawResult(columns, self._rows(results))

    def explain(self, sql: str) -> Plan:
        """A dry run: returns the number of bytes that would be read, which determines the cost."""
        job = self._dry_run(sql)
        tables = sorted(f"{table.dataset_id}.{table.table_id}" for table in job.referenced_tables or ())
        size = int(job.total_bytes_processed or 0)
        return Plan("\n".join([*tables, f"{size} bytes"]), cost=float(size))

    def catalog(self, samples: int) -> Catalog:
        return introspection.read(self._client, self._dataset, samples)

    def cancel(self) -> None:
        with self._lock:
            job = self._job
        if job is not None:
            job.cancel(retry=None, timeout=self._timeout)

    def reset(self) -> None:
        with self._lock:
            self._job = None

    def close(self) -> None:
        with suppress(Exception):  # drivers raise anything; the sockets are closed
            self._client.close()

    # -- one query and nothing else --------------------------------------------------------------

    def _dry_run(self, sql: str) -> bigquery.QueryJob:
        """Nothing runs and nothing is billed: the service reports the kind of statement and the bytes it
        would read. This refuses anything but one SELECT, and a query that would read too much.
        """
        job = self._start_dry_run(sql)
        if job.statement_type is None:  # emulators may not report it: accept only what is valid in FROM (…)
            self._start_dry_run(f"SELECT 1 FROM (\n{sql}\n)")
        elif job.statement_type != "SELECT":
            raise Forbidden(f"only a query can be run here, not {job.statement_type}", code="statement_type")
        size = int(job.total_bytes_processed or 0)
        if size > self._byte_limit:
            raise ResourceExhausted(
                f"{size} bytes", key="database.scan", code="bytes", bytes=size, most=self._byte_limit
            )
        return job

    def _start_dry_run(self, sql: str) -> bigquery.QueryJob:
        config = self._config()
        config.dry_run, config.use_query_cache = True, False
        job: bigquery.QueryJob = self._client.query(
            sql, job_config=config, retry=None, job_retry=None, timeout=self._timeout
        )
        return job

    def _config(self) -> bigquery.QueryJobConfig:
        config = bigquery.QueryJobConfig(
            default_dataset=self._dataset, use_legacy_sql=False, labels=dict(LABELS)
        )
        config.job_timeout_ms = max(1, round(self._seconds * 1000))
        return config

    def _rows(self, results: RowIterator) -> Iterator[list[tuple[Any, ...]]]:
        for page in results.pages:
            if batch := [tuple(map(_value, row.values())) for row in page]:
                yield batch
        self.reset()


def _type(field: bigquery.SchemaField) -> str:
    name = _NAMES.get(field.field_type, field.field_type)
    return f"ARRAY<{name}>" if field.mode == "REPEATED" else name


def _value(value: Any) -> Any:
    if not isinstance(value, relativedelta):
        return value
    microseconds = ((value.hours * 60 + value.minutes) * 60 + value.seconds) * 1_000_000 + value.microseconds
    return duration(value.years * 12 + value.months, value.days, microseconds)
