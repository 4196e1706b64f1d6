"""One client of BigQuery: a dry run first, then the query under a cap, paid for and stopped as a job."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from dateutil.relativedelta import relativedelta
from google.cloud import bigquery
from google.cloud.bigquery.table import RowIterator

from text2sql.database.engine import Answering
from text2sql.database.engines.bigquery import catalogue as introspection
from text2sql.database.values import duration
from text2sql.errors import Forbidden, ResourceExhausted
from text2sql.types import Catalogue, Plan, ResultColumn

LABELS = {"tool": "text2sql"}
_PAGE = 256
_NAMES = {"INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL", "RECORD": "STRUCT"}


class BigquerySession:
    """Nothing is kept between two requests; only the running job has a name."""

    def __init__(self, client: bigquery.Client, dataset: str, *, most_bytes: int, patience: float) -> None:
        self._client: Any = client  # its types do not know that `retry` may be None
        self._dataset = dataset
        self._most_bytes = most_bytes
        self._patience = patience
        self._seconds = 0.0
        self._lock = threading.Lock()
        self._job: bigquery.QueryJob | None = None

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        self._seconds = seconds

    def execute(self, sql: str, rows: int) -> Answering:
        self._dry_run(sql)
        config = self._config()
        config.maximum_bytes_billed = self._most_bytes
        # `retry` and `job_retry` repeat a query for minutes after its end; whoever asked decides that.
        job = self._client.query(sql, job_config=config, retry=None, job_retry=None, timeout=self._patience)
        with self._lock:
            self._job = job
        told = job.result(
            page_size=_PAGE, max_results=rows + 1, retry=None, job_retry=None, timeout=self._seconds
        )
        columns = tuple(ResultColumn(field.name, _type(field)) for field in told.schema)
        return Answering(columns, self._rows(told))

    def explain(self, sql: str) -> Plan:
        """A dry run: what would be read, which is also what it would cost."""
        job = self._dry_run(sql)
        tables = sorted(f"{one.dataset_id}.{one.table_id}" for one in job.referenced_tables or ())
        size = int(job.total_bytes_processed or 0)
        return Plan("\n".join([*tables, f"{size} bytes"]), cost=float(size))

    def catalogue(self, samples: int) -> Catalogue:
        return introspection.read(self._client, self._dataset, samples)

    def cancel(self) -> None:
        with self._lock:
            job = self._job
        if job is not None:
            job.cancel(retry=None, timeout=self._patience)

    def reset(self) -> None:
        with self._lock:
            self._job = None

    def close(self) -> None:
        with suppress(Exception):  # whatever the driver raises: the sockets are gone
            self._client.close()

    # -- one query and nothing else --------------------------------------------------------------

    def _dry_run(self, sql: str) -> bigquery.QueryJob:
        """Nothing runs and nothing is billed: the service says what kind of statement it is and what it would
        read. Anything but one SELECT is refused here, and so is a query that would read too much.
        """
        job = self._tried(sql)
        if job.statement_type is None:  # an emulator may not say: then only what can stand in FROM (…)
            self._tried(f"SELECT 1 FROM (\n{sql}\n)")
        elif job.statement_type != "SELECT":
            raise Forbidden(f"only a query can be run here, not {job.statement_type}", code="statement_type")
        size = int(job.total_bytes_processed or 0)
        if size > self._most_bytes:
            raise ResourceExhausted(
                f"{size} bytes", key="database.scan", code="bytes", bytes=size, most=self._most_bytes
            )
        return job

    def _tried(self, sql: str) -> bigquery.QueryJob:
        config = self._config()
        config.dry_run, config.use_query_cache = True, False
        job: bigquery.QueryJob = self._client.query(
            sql, job_config=config, retry=None, job_retry=None, timeout=self._patience
        )
        return job

    def _config(self) -> bigquery.QueryJobConfig:
        config = bigquery.QueryJobConfig(
            default_dataset=self._dataset, use_legacy_sql=False, labels=dict(LABELS)
        )
        config.job_timeout_ms = max(1, round(self._seconds * 1000))
        return config

    def _rows(self, told: RowIterator) -> Iterator[list[tuple[Any, ...]]]:
        for page in told.pages:
            if batch := [tuple(map(_value, row.values())) for row in page]:
                yield batch
        self.reset()


def _type(field: bigquery.SchemaField) -> str:
    name = _NAMES.get(field.field_type, field.field_type)
    return f"ARRAY<{name}>" if field.mode == "REPEATED" else name


def _value(value: Any) -> Any:
    if not isinstance(value, relativedelta):
        return value
    ticks = ((value.hours * 60 + value.minutes) * 60 + value.seconds) * 1_000_000 + value.microseconds
    return duration(value.years * 12 + value.months, value.days, ticks)
