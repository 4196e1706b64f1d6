"""Measure the cost of replacing each table by a sub-query of its visible columns, on a million rows.

    python tests/servers.py -- python benchmarks/wrapping.py [ROWS]

Each query runs as written, and as the guard sends it under a policy that hides one column, alternating on one
connection; the figure is the ratio of the medians. An engine without a server is reported and skipped.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

from text2sql.sql import check
from text2sql.types import CheckedSql, Policy

Run = Callable[[str], object]

POLICY = Policy({"wrap_orders": ("id", "customer_id", "status", "total"), "wrap_customers": ("id", "city")})
QUERIES = {
    "one row by its key": "SELECT total FROM wrap_orders WHERE id = 123456",
    "rows by an index": "SELECT id, total FROM wrap_orders WHERE customer_id = 77 ORDER BY id",
    "first ten by an index": "SELECT id, total FROM wrap_orders ORDER BY id DESC LIMIT 10",
    "sum of all": "SELECT status, SUM(total) FROM wrap_orders GROUP BY status ORDER BY status",
    "join and group": "SELECT c.city, SUM(o.total) AS s FROM wrap_orders o JOIN wrap_customers c"
    " ON c.id = o.customer_id GROUP BY c.city ORDER BY s DESC LIMIT 5",
    "left join": "SELECT COUNT(*) FROM wrap_customers c LEFT JOIN wrap_orders o"
    " ON o.customer_id = c.id AND o.status = 's3' WHERE o.id IS NULL",
    "in a sub-query": "SELECT COUNT(*) FROM wrap_orders WHERE customer_id IN"
    " (SELECT id FROM wrap_customers WHERE city = 'c7')",
}
REPEATS = 7


def schema(dialect: str, rows: int) -> list[str]:
    """Two tables, the second with a thousandth of the rows; the policy hides `secret`."""
    series, numbers = {
        "sqlite": ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {n}) ", "n"),
        "duckdb": ("", "range(1, {n} + 1) AS n(i)"),
        "postgres": ("", "generate_series(1, {n}) AS n(i)"),
        "mysql": ("", "(SELECT seq AS i FROM seq_1_to_{n}) AS n"),
        "clickhouse": ("", "(SELECT number + 1 AS i FROM numbers({n})) AS n"),
    }[dialect]
    text = {"clickhouse": "String"}.get(dialect, "VARCHAR(20)")
    table_options = {"clickhouse": " ENGINE = MergeTree ORDER BY id"}.get(dialect, "")
    key = "" if dialect == "clickhouse" else " PRIMARY KEY"
    name = {
        "postgres": "'{0}' || i % {1}",
        "sqlite": "'{0}' || (i % {1})",
        "duckdb": "'{0}' || (i % {1})",
    }.get(dialect, "CONCAT('{0}', i % {1})")
    statements = []
    for table, columns, values, count in (
        ("wrap_orders", f"customer_id INT, status {text}, total INT, secret {text}",
         f"1 + i % {rows // 1000}, {name.format('s', 5)}, i % 997, {name.format('x', 91)}", rows),
        ("wrap_customers", f"city {text}, secret {text}",
         f"{name.format('c', 20)}, {name.format('y', 91)}", rows // 1000),
    ):  # fmt: skip
        statements += [
            f"DROP TABLE IF EXISTS {table}",
            f"CREATE TABLE {table} (id INT{key}, {columns}){table_options}",
            f"INSERT INTO {table} {series.format(n=count)}SELECT i, {values} FROM {numbers.format(n=count)}",
        ]
    if dialect != "clickhouse":
        statements.append("CREATE INDEX wrap_by_customer ON wrap_orders (customer_id)")
    return [*statements, *{"postgres": ["ANALYZE"], "sqlite": ["ANALYZE"]}.get(dialect, [])]


@contextmanager
def connections(folder: Path) -> Iterator[dict[str, Run | None]]:
    yield {
        "sqlite": _sqlite(folder / "w.db"),
        "duckdb": _duckdb(folder / "w.duckdb"),
        "postgres": _postgres(os.environ.get("TEXT2SQL_TEST_POSTGRES_URL")),
        "mysql": _mysql(os.environ.get("TEXT2SQL_TEST_MYSQL_URL")),
        "clickhouse": _clickhouse(os.environ.get("TEXT2SQL_TEST_CLICKHOUSE_URL")),
    }


def _sqlite(file: Path) -> Run:
    import sqlite3  # noqa: PLC0415

    connection = sqlite3.connect(file, isolation_level=None)
    return lambda sql: connection.execute(sql).fetchall()


def _duckdb(file: Path) -> Run:
    import duckdb  # noqa: PLC0415

    connection = duckdb.connect(str(file))
    return lambda sql: connection.execute(sql).fetchall()


def _postgres(url: str | None) -> Run | None:
    if url is None:
        return None
    import psycopg  # noqa: PLC0415

    connection = psycopg.connect(url, autocommit=True)

    def run(sql: str) -> object:
        cursor = connection.execute(sql)
        return cursor.fetchall() if cursor.description else None

    return run


def _mysql(url: str | None) -> Run | None:
    if url is None:
        return None
    import pymysql  # noqa: PLC0415

    parts = urlsplit(url)
    connection: Any = pymysql.connect(
        host=parts.hostname or "", port=parts.port or 3306, user=unquote(parts.username or ""),
        password=unquote(parts.password or ""), database=parts.path.strip("/"), autocommit=True,
    )  # fmt: skip

    def run(sql: str) -> object:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    return run


def _clickhouse(url: str | None) -> Run | None:
    if url is None:
        return None
    parts = urlsplit(url)

    def run(sql: str) -> object:
        address = f"http://{parts.hostname}:{parts.port}/?database={parts.path.strip('/') or 'default'}"
        with urlopen(Request(address, sql.encode()), timeout=300) as reply:
            return reply.read()

    return run


def measured(run: Run, plain: str, wrapped: str) -> tuple[float, float]:
    times: tuple[list[float], list[float]] = ([], [])
    if run(plain) != run(wrapped):
        raise RuntimeError(f"not the same rows: {plain}")
    for _ in range(REPEATS):
        for sql, durations in zip((plain, wrapped), times, strict=True):
            start = time.perf_counter()
            run(sql)
            durations.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def main() -> int:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder, connections(Path(folder)) as engines:
        for dialect, run in engines.items():
            if run is None:
                print(f"{dialect}: no server, left out")
                continue
            for statement in schema(dialect, rows):
                run(statement)
            for name, sql in QUERIES.items():
                checked = check(sql, dialect, None, POLICY)
                plain = check(sql, dialect)
                if not isinstance(checked, CheckedSql) or not isinstance(plain, CheckedSql):
                    raise TypeError(f"{dialect}: {checked}")
                before, after = measured(run, plain.sql, checked.sql)
                print(f"{dialect:10} {name:24} {before * 1000:9.2f} ms  {after / before:6.2f} x wrapped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
