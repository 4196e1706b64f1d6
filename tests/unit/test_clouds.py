"""BigQuery and Snowflake without their services: the requests, and how errors and schemas are parsed."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from dateutil.relativedelta import relativedelta
from google.api_core import exceptions as google
from google.cloud import bigquery
from snowflake.connector import errors as snow

from text2sql.config import Settings
from text2sql.database import open_database
from text2sql.database.dialects import BY_NAME, UNTESTED, load_engine
from text2sql.database.engines.bigquery import catalog as tables_of_bigquery
from text2sql.database.engines.bigquery.errors import translate as from_google
from text2sql.database.engines.bigquery.session import LABELS, BigquerySession
from text2sql.database.engines.snowflake import catalog as tables_of_snowflake
from text2sql.database.engines.snowflake.errors import connection_error
from text2sql.database.engines.snowflake.errors import translate as from_snowflake
from text2sql.database.engines.snowflake.session import SnowflakeSession
from text2sql.database.source import Source
from text2sql.database.url import read_source
from text2sql.errors import ConnectionFailed, Forbidden, ResourceExhausted, UsageError
from text2sql.i18n import explain
from text2sql.types import ForeignKey

# -- BigQuery ------------------------------------------------------------------------------------


class Job:
    """What the service says of a job."""

    def __init__(
        self, sql: str, config: Any, properties: dict[str, Any], rows: Sequence[tuple[Any, ...]]
    ) -> None:
        self.sql, self.config, self.rows = sql, config, rows
        self.statement_type = properties.get("kind", "SELECT")
        self.total_bytes_processed = properties.get("bytes", 100)
        self.referenced_tables = [SimpleNamespace(dataset_id="shop", table_id="orders")]
        self.cancelled = False

    def result(self, **_: Any) -> Any:
        fields = [bigquery.SchemaField("id", "INTEGER"), bigquery.SchemaField("tags", "STRING", "REPEATED")]
        pages = [[SimpleNamespace(values=lambda row=row: row) for row in self.rows]]
        return SimpleNamespace(schema=fields, pages=pages)

    def cancel(self, **_: Any) -> None:
        self.cancelled = True


class Client:
    def __init__(self, **properties: Any) -> None:
        self.properties = properties
        self.jobs: list[Job] = []

    def query(self, sql: str, job_config: Any, **_: Any) -> Job:
        self.jobs.append(Job(sql, job_config, self.properties, [(1, ["a"]), (2, [])]))
        return self.jobs[-1]


def on_bigquery(client: Client, most: int = 1_000) -> BigquerySession:
    session = BigquerySession(client, "proj.shop", byte_limit=most, timeout=5.0)  # type: ignore[arg-type]
    session.begin(2.5)
    return session


def test_a_query_is_tried_dry_and_then_run_under_a_cap_with_its_label() -> None:
    client = Client()
    result = on_bigquery(client).execute("SELECT 1", 10)
    assert [(column.name, column.type) for column in result.columns] == [
        ("id", "INT64"),
        ("tags", "ARRAY<STRING>"),
    ]
    assert list(result.batches) == [[(1, ["a"]), (2, [])]]
    dry, real = client.jobs
    assert (dry.config.dry_run, dry.sql) == (True, "SELECT 1")
    assert (dry.config.maximum_bytes_billed, real.config.maximum_bytes_billed) == (None, 1_000)
    assert real.config.dry_run is None
    assert (real.config.labels, int(real.config.job_timeout_ms)) == (LABELS, 2500)
    assert str(real.config.default_dataset) == "proj.shop"


def test_a_query_that_would_read_too_much_is_never_run() -> None:
    client = Client(bytes=1_001)
    with pytest.raises(ResourceExhausted) as caught:
        on_bigquery(client).execute("SELECT 1", 10)
    assert [job.config.dry_run for job in client.jobs] == [True]
    assert "1001" in explain(caught.value, "zh")


@pytest.mark.parametrize("kind", ["INSERT", "SCRIPT", "CREATE_TABLE", "EXPORT_DATA", "CALL"])
def test_what_the_service_does_not_call_a_select_is_not_run(kind: str) -> None:
    client = Client(kind=kind)
    with pytest.raises(Forbidden):
        on_bigquery(client).execute("SELECT 1; DROP TABLE x", 10)
    assert [job.config.dry_run for job in client.jobs] == [True]


def test_an_emulator_that_does_not_name_the_statement_must_parse_it_inside_another() -> None:
    client = Client(kind=None)
    on_bigquery(client).execute("SELECT 1", 10)
    assert [job.sql for job in client.jobs] == ["SELECT 1", "SELECT 1 FROM (\nSELECT 1\n)", "SELECT 1"]


def test_an_estimate_names_the_tables_and_the_bytes() -> None:
    plan = on_bigquery(Client(bytes=77)).explain("SELECT 1")
    assert (plan.text, plan.cost) == ("shop.orders\n77 bytes", 77.0)


def test_a_running_job_is_cancelled_and_a_finished_one_is_not() -> None:
    client = Client()
    session = on_bigquery(client)
    session.cancel()
    result = session.execute("SELECT 1", 10)
    session.cancel()
    assert client.jobs[-1].cancelled
    list(result.batches)
    client.jobs[-1].cancelled = False
    session.cancel()
    assert not client.jobs[-1].cancelled


def service_error(
    reason: str, message: str, kind: type[google.GoogleAPICallError] = google.BadRequest
) -> Exception:
    return kind(message, errors=[{"reason": reason, "message": message}])


@pytest.mark.parametrize(
    ("error", "kind", "names", "position"),
    [
        (
            service_error("invalidQuery", 'Syntax error: Unexpected identifier "SELEC" at [1:1]'),
            "syntax",
            (),
            1,
        ),
        (
            service_error("invalidQuery", "Unrecognized name: absent at [2:3]"),
            "unknown_column",
            ("absent",),
            14,
        ),
        (
            service_error("invalidQuery", "Name absent not found inside c at [1:8]"),
            "unknown_column",
            ("absent",),
            8,
        ),
        (
            service_error("notFound", "Not found: Table proj:shop.nowhere was not found", google.NotFound),
            "unknown_table",
            ("nowhere",),
            None,
        ),
        (
            service_error("invalidQuery", "Column name id is ambiguous at [1:8]"),
            "ambiguous_column",
            ("id",),
            8,
        ),
        (service_error("invalidQuery", "Bad int64 value: abc"), "type", (), None),
        (service_error("invalidQuery", "No matching signature for operator + at [1:8]"), "type", (), 8),
        (service_error("accessDenied", "Access Denied: Table x", google.Forbidden), "permission", (), None),
        (
            service_error("bytesBilledLimitExceeded", "Query exceeded limit for bytes billed"),
            "resource",
            (),
            None,
        ),
        (service_error("stopped", "Job was cancelled"), "cancelled", (), None),
        (service_error("backendError", "try again", google.ServiceUnavailable), "connection", (), None),
        (service_error("rateLimitExceeded", "too many", google.TooManyRequests), "busy", (), None),
        (service_error("", "x", google.InternalServerError), "connection", (), None),
    ],
)
def test_an_error_of_bigquery_has_its_kind(
    error: Exception, kind: str, names: Sequence[str], position: int | None
) -> None:
    ours = from_google(error, "SELECT id,\n  absent\nFROM customers")
    assert ours is not None
    assert (ours.kind, ours.identifiers, ours.position) == (kind, names, position)


def test_types_and_intervals_of_bigquery_are_written_as_its_own() -> None:
    from text2sql.database.engines.bigquery.session import _value

    inner = bigquery.SchemaField("a", "INTEGER")
    field = bigquery.SchemaField("x", "RECORD", "REPEATED", fields=[inner])
    assert tables_of_bigquery.type_name(field) == "ARRAY<STRUCT<a INT64>>"
    assert _value(relativedelta(years=1, months=2, days=3, hours=4, seconds=6)) == "P1Y2M3DT4H6S"


def test_tables_of_bigquery_become_a_catalog_without_a_query() -> None:
    schema = [bigquery.SchemaField("id", "INTEGER", "REQUIRED"), bigquery.SchemaField("city", "STRING")]
    keys = SimpleNamespace(primary_key=SimpleNamespace(columns=["id"]), foreign_keys=[])
    table = SimpleNamespace(
        table_id="customers",
        dataset_id="shop",
        project="proj",
        table_type="TABLE",
        description="客户",
        schema=schema,
        num_rows=3,
        table_constraints=keys,
        view_query=None,
    )
    client: Any = SimpleNamespace(
        list_tables=lambda *_, **__: [SimpleNamespace(reference="r")],
        get_table=lambda *_, **__: table,
        list_rows=lambda *_, **__: [("Oslo",), ("北京",), (None,)],
    )
    catalog = tables_of_bigquery.read(client, "proj.shop", 3)
    (loaded,) = catalog.tables
    assert (catalog.default_schema, loaded.name, loaded.comment, loaded.rows) == (
        "shop",
        "customers",
        "客户",
        3,
    )
    assert (loaded.primary_key, loaded.columns[1].samples) == (("id",), ("Oslo", "北京"))
    assert [column.nullable for column in loaded.columns] == [False, True]


def test_an_address_of_bigquery_names_a_dataset() -> None:
    with pytest.raises(UsageError):
        open_database("bigquery://proj")
    with pytest.raises(UsageError) as caught:
        open_database("bigquery://proj/shop?maximum_bytes_billed=much")
    assert caught.value.facts["option"] == "maximum_bytes_billed=much"


# -- Snowflake -----------------------------------------------------------------------------------


class Cursor:
    def __init__(self, log: list[str], bad: Sequence[str]) -> None:
        self.log, self.bad = log, bad
        column = SimpleNamespace(name="DOC", type_code=5, precision=None, scale=None)
        self.description, self.rows = [column], [('{"a": 1}',), (None,)]

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *_: object) -> None: ...

    def close(self) -> None: ...

    def execute(self, sql: str) -> None:
        self.log.append(sql)

    def describe(self, sql: str) -> None:
        self.log.append(f"describe {sql}")
        if sql in self.bad:
            raise snow.ProgrammingError(
                "SQL compilation error:\nsyntax error line 1 at position 3", errno=1003
            )

    def execute_async(self, sql: str) -> dict[str, str]:
        self.log.append(f"begin {sql}")
        return {"queryId": "q-1"}

    def query_result(self, query_id: str) -> None:
        self.log.append(f"read {query_id}")

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        rows, self.rows = self.rows, []
        return rows

    def abort_query(self, query_id: str) -> None:
        self.log.append(f"abort {query_id}")


class Connection:
    def __init__(self, bad: Sequence[str] = ()) -> None:
        self.log: list[str] = []
        self.bad = bad

    def cursor(self) -> Cursor:
        return Cursor(self.log, self.bad)

    def get_query_status_throw_if_error(self, query_id: str) -> str:
        self.log.append(f"wait {query_id}")
        return "running" if self.log.count(f"wait {query_id}") < 2 else "over"

    def is_still_running(self, status: str) -> bool:
        return status == "running"


def test_a_query_is_compiled_inside_another_then_begun_and_read_in_batches() -> None:
    connection = Connection()
    session = SnowflakeSession(connection, "PUBLIC")
    session.begin(1.2)
    result = session.execute("SELECT doc FROM t", 10)
    assert [(column.name, column.type) for column in result.columns] == [("DOC", "VARIANT")]
    assert list(result.batches) == [[({"a": 1},), (None,)]]
    session.cancel()
    assert connection.log == [
        "ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = 2",
        "describe SELECT COUNT(*) FROM (\nSELECT doc FROM t\n)",
        "begin SELECT doc FROM t",
        "wait q-1",
        "wait q-1",
        "read q-1",
    ]


def test_the_time_limit_of_snowflake_is_sent_only_when_it_changes() -> None:
    connection = Connection()
    session = SnowflakeSession(connection, "PUBLIC")
    for seconds in (1.2, 1.9, 3.0):
        session.begin(seconds)
    assert [line.rpartition(" ")[2] for line in connection.log] == ["2", "3"]


def test_rows_that_are_left_unread_stop_the_query() -> None:
    connection = Connection()
    result = SnowflakeSession(connection, "PUBLIC").execute("SELECT doc FROM t", 10)
    next(result.batches)
    result.batches.close()  # type: ignore[attr-defined]
    assert connection.log[-1] == "abort q-1"


@pytest.mark.parametrize("sql", ["DROP TABLE t", "CALL p()", "/* SELECT */ DELETE FROM t", "USE ROLE x", ""])
def test_what_is_no_query_never_reaches_snowflake(sql: str) -> None:
    connection = Connection()
    with pytest.raises(Forbidden):
        SnowflakeSession(connection, "PUBLIC").execute(sql, 10)
    assert connection.log == []


def test_what_cannot_stand_in_a_query_is_not_run_on_snowflake() -> None:
    connection = Connection(bad=["SELECT COUNT(*) FROM (\nSELECT 1; DROP TABLE t\n)"])
    with pytest.raises(Forbidden):
        SnowflakeSession(connection, "PUBLIC").execute("SELECT 1; DROP TABLE t", 10)
    assert not any(line.startswith("begin") for line in connection.log)


def compiled(words: str, number: int, state: str = "42000") -> snow.Error:
    return snow.ProgrammingError(f"SQL compilation error:\n{words}", errno=number, sqlstate=state)


@pytest.mark.parametrize(
    ("error", "kind", "names"),
    [
        (compiled("syntax error line 1 at position 0 unexpected 'SELEC'.", 1003), "syntax", ()),
        (
            compiled("error line 2 at position 2\ninvalid identifier 'ABSENT'", 904),
            "unknown_column",
            ("ABSENT",),
        ),
        (
            snow.ProgrammingError("User must login again to access the service.", errno=390104),
            "connection",
            (),
        ),
        (snow.ProgrammingError("Actual statement count 2 did not match", errno=8), "syntax", ()),
        (compiled("invalid identifier 'C.ABSENT'", 904), "unknown_column", ("C", "ABSENT")),
        (
            compiled("Object 'NOWHERE' does not exist or not authorized.", 2003, "42S02"),
            "unknown_table",
            ("NOWHERE",),
        ),
        (compiled("ambiguous column name 'ID'", 2025), "ambiguous_column", ("ID",)),
        (
            snow.ProgrammingError("Numeric value 'abc' is not recognized", errno=100038, sqlstate="22018"),
            "type",
            (),
        ),
        (compiled("Insufficient privileges to operate on table", 3001, "42501"), "permission", ()),
        (snow.ProgrammingError("SQL execution canceled", errno=604, sqlstate="57014"), "cancelled", ()),
        (snow.ProgrammingError("Statement reached its statement timeout", errno=630), "timeout", ()),
        (snow.OperationalError("Could not connect", errno=250001), "connection", ()),
        (snow.InternalError("something else"), "other", ()),
    ],
)
def test_an_error_of_snowflake_has_its_kind(error: Exception, kind: str, names: Sequence[str]) -> None:
    ours = from_snowflake(error, "SELECT 1\nFROM x")
    assert ours is not None
    assert (ours.kind, ours.identifiers) == (kind, names)
    assert "\n" not in ours.detail


def test_a_refused_login_of_snowflake_hides_the_password() -> None:
    error = connection_error(
        snow.DatabaseError("Incorrect username or password s3cret", errno=390100), "s3cret"
    )
    assert isinstance(error, ConnectionFailed)
    assert (error.message_key, error.detail) == ("database.login", "Incorrect username or password ***")


def test_keys_of_snowflake_are_read_from_what_it_shows() -> None:
    def part(number: int, letter: str) -> dict[str, Any]:
        there = {"pk_schema_name": "PUBLIC", "pk_table_name": "PARTS", "pk_column_name": letter}
        own = {"fk_table_name": "USES", "fk_column_name": f"PART_{letter}", "fk_name": "FK"}
        return {"key_sequence": number, **there, **own}

    def shown(sql: str) -> list[dict[str, Any]]:
        if sql.startswith("SHOW PRIMARY"):
            return [{"table_name": "USES", "column_name": "ID", "key_sequence": 1}]
        return [part(2, "B"), part(1, "A")]

    def ask(sql: str) -> list[tuple[Any, ...]]:
        if "information_schema.tables" in sql:
            return [("USES", "BASE TABLE", None, 5)]
        if "information_schema.columns" in sql:
            return [("USES", "ID", "NUMBER", 38, 0, None, "NO", "a key")]
        return []

    catalog = tables_of_snowflake.read(ask, shown, "PUBLIC", 3)
    (uses,) = catalog.tables
    assert (uses.primary_key, uses.rows, uses.columns[0].type) == (("ID",), 5, "NUMBER(38,0)")
    assert uses.foreign_keys == (ForeignKey(("PART_A", "PART_B"), "PARTS", ("A", "B"), "PUBLIC"),)


# -- Known by name -------------------------------------------------------------------------------


def test_what_speaks_mysqls_protocol_is_opened_as_mysql() -> None:
    for name in ("doris", "starrocks"):
        with open_database(f"{name}://u:p@host/shop") as db:
            assert db.dialect == "mysql"
        assert not BY_NAME[name].seen
        assert read_source(f"{name}://u:p@host/shop").port == 9030


def test_an_engine_that_is_not_there_yet_says_so() -> None:
    assert [facts.name for facts in UNTESTED if not facts.engine] == ["trino"]
    with pytest.raises(UsageError) as caught:
        load_engine(BY_NAME["trino"], Source("trino"), Settings())
    assert "Trino" in explain(caught.value, "zh")
