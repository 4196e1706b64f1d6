"""The guard taken away: whatever is sent, nothing has changed afterwards and nothing is left for the next."""

from pathlib import Path

import pytest

from contract.engine_databases import EngineDatabase
from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.errors import DatabaseError

WRITES = (
    "INSERT INTO customers VALUES (9, 'x', 'y', NULL)",
    "UPDATE customers SET name = 'x'",
    "DELETE FROM orders",
    "CREATE TABLE made (a INTEGER)",
    "CREATE TEMPORARY TABLE customers (a INTEGER)",
    "CREATE VIEW made AS SELECT 1",
    "DROP TABLE uses",
    "DROP VIEW big_orders",
    "ALTER TABLE customers ADD COLUMN x INTEGER",
    "ALTER TABLE customers RENAME TO clients",
    "CREATE INDEX made ON orders (amount)",
    "COMMIT",
    "ROLLBACK",
    "BEGIN",
)
OWN = {
    "sqlite": (
        "PRAGMA query_only = OFF",
        "PRAGMA writable_schema = ON",
        "PRAGMA user_version = 7",
        "PRAGMA journal_mode = WAL",
        "ATTACH '{file}' AS other",
        "VACUUM INTO '{file}'",
        "VACUUM",
        "ANALYZE",
        "REINDEX",
        "SELECT load_extension('{file}')",
        "SELECT writefile('{file}', 'x')",
        "SELECT sql FROM sqlite_master",
        "UPDATE sqlite_master SET sql = 'x'",
        "WITH x AS (SELECT 1) INSERT INTO orders SELECT 9, 9, 9, 'x' FROM x",
        "REPLACE INTO customers VALUES (1, 'x', 'y', NULL)",
        "CREATE TEMP VIEW customers AS SELECT 1",
    ),
    "duckdb": (
        "COPY customers TO '{file}'",
        "EXPORT DATABASE '{file}'",
        "ATTACH '{file}' AS other",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET memory_limit = '99GB'",
        "SET enable_external_access = true",
        "RESET lock_configuration",
        "PRAGMA enable_profiling = 'json'",
        "SET VARIABLE x = 1",
        "USE memory",
        "PREPARE p AS SELECT 1",
        "CREATE MACRO m() AS 1",
        "CHECKPOINT",
        "CALL enable_logging()",
    ),
    "postgres": (
        "COPY customers TO '{file}'",
        "COPY customers TO PROGRAM 'cat > {file}'",
        "SELECT * INTO made FROM customers",
        "SELECT * FROM customers FOR UPDATE",
        "WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x",
        "SELECT pg_read_file('/etc/passwd')",
        "SET ROLE postgres",
        "DO $$ BEGIN DELETE FROM orders; END $$",
        "LOCK TABLE customers",
        "ANALYZE",
        "VACUUM",
        "NOTIFY x",
    ),
    "mysql": (
        "SELECT 1 INTO OUTFILE '{file}'",
        "SELECT 1 INTO DUMPFILE '{file}'",
        "TRUNCATE TABLE orders",
        "RENAME TABLE orders TO bills",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE orders",
        "LOCK TABLES customers WRITE",
        "SET GLOBAL max_connections = 1",
    ),
    "clickhouse": (
        "SELECT 1 INTO OUTFILE '{file}'",
        "INSERT INTO FUNCTION file('{file}', 'TSV', 'a Int8') SELECT 1",
        "SELECT * FROM file('/etc/hostname', 'LineAsString')",
        "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
        "SELECT * FROM remote('127.0.0.1', 'system', 'one')",
        "SELECT * FROM executable('cat', 'TSV', 'a String')",
        "SELECT * FROM mysql('a:1', 'b', 'c', 'd', 'e')",
        "SELECT 1 SETTINGS readonly = 0",
        "SELECT 1 SETTINGS max_execution_time = 0",
        "SET readonly = 0",
        "USE system",
        "KILL QUERY WHERE 1 = 1",
        "TRUNCATE TABLE orders",
        "RENAME TABLE orders TO bills",
        "OPTIMIZE TABLE orders",
        "ALTER TABLE orders DELETE WHERE 1 = 1",
        "SYSTEM FLUSH LOGS",
        "SELECT 1 FORMAT TSV",
    ),
    "oracle": (
        "SELECT * FROM customers FOR UPDATE",
        "TRUNCATE TABLE orders",
        "RENAME orders TO bills",
        "MERGE INTO orders o USING customers c ON (o.id = c.id) WHEN MATCHED THEN UPDATE SET o.note = 'x'",
        "BEGIN DELETE FROM orders; END;",
        "CALL DBMS_LOCK.SLEEP(1)",
        "LOCK TABLE orders IN EXCLUSIVE MODE",
        "ALTER SESSION SET TIME_ZONE = '+08:00'",
        "EXPLAIN PLAN FOR SELECT 1 FROM dual",
        "SET TRANSACTION READ WRITE",
    ),
    "snowflake": (
        "TRUNCATE TABLE orders",
        "MERGE INTO orders o USING customers c ON o.id = c.id WHEN MATCHED THEN UPDATE SET note = 'x'",
        "COPY INTO @~/made FROM customers",
        "COPY INTO customers FROM 's3://bucket/file'",
        "PUT file://{file} @~",
        "GET @~ file://{file}",
        "CALL SYSTEM$WAIT(1)",
        "EXECUTE IMMEDIATE 'DELETE FROM orders'",
        "BEGIN DELETE FROM orders; END",
        "USE ROLE ACCOUNTADMIN",
        "USE SCHEMA INFORMATION_SCHEMA",
        "ALTER SESSION SET TIMEZONE = 'Asia/Shanghai'",
        "SET left_behind = 1",
        "UNDROP TABLE orders",
        "GRANT ALL ON TABLE orders TO ROLE PUBLIC",
        "WITH x AS (SELECT 1) DELETE FROM orders",
        "SELECT 1; DELETE FROM orders",
        "SHOW TABLES",
        "DESCRIBE TABLE orders",
    ),
    "bigquery": (
        "TRUNCATE TABLE orders",
        "MERGE orders o USING customers c ON o.id = c.id WHEN MATCHED THEN UPDATE SET note = 'x'",
        "EXPORT DATA OPTIONS (uri = 'gs://bucket/*.csv', format = 'CSV') AS SELECT 1 AS a",
        "LOAD DATA INTO customers FROM FILES (format = 'CSV', uris = ['gs://bucket/file'])",
        "CREATE TEMP FUNCTION f() AS (1); SELECT f()",
        "DECLARE x INT64 DEFAULT 1; DELETE FROM orders WHERE TRUE",
        "EXECUTE IMMEDIATE 'DELETE FROM orders WHERE TRUE'",
        "CALL nowhere.procedure()",
        "BEGIN DELETE FROM orders WHERE TRUE; END",
        "SET @@time_zone = 'Asia/Shanghai'",
        "GRANT `roles/bigquery.dataViewer` ON TABLE orders TO 'user:a@b.c'",
        "SELECT 1; DELETE FROM orders WHERE TRUE",
        "DELETE FROM orders WHERE TRUE",
        "UPDATE customers SET name = 'x' WHERE TRUE",
    ),
}


def state(engine_db: EngineDatabase) -> list[object]:
    tables = ("customers", "orders", "parts", "uses")
    return [sorted(map(repr, engine_db.admin(f"SELECT * FROM {name}"))) for name in tables]


def attempt(db: Database, engine_db: EngineDatabase, sql: str) -> str:
    try:
        db.run(engine_db.checked(sql))
    except DatabaseError as error:
        return error.kind
    return "ran"


# Not refused everywhere, and harmless everywhere: they open or end a transaction that holds nothing, or set
# something that dies with the request.
FLEETING = {
    "sqlite": set[str](),
    "duckdb": {"PRAGMA enable_profiling = 'json'"},
    "postgres": {"COMMIT", "ROLLBACK", "BEGIN", "CREATE TEMPORARY TABLE customers (a INTEGER)"},
    "mysql": {"COMMIT", "ROLLBACK", "BEGIN"},
    "clickhouse": set[str](),
    "oracle": set[str](),
    "snowflake": set[str](),
    "bigquery": set[str](),
}


def test_no_statement_changes_anything(engine_db: EngineDatabase, tmp_path: Path) -> None:
    rows, file = state(engine_db), tmp_path / "made"
    with open_database(engine_db.url, Settings()) as db:
        schema = db.catalog(0).fingerprint
        statements = WRITES + OWN[engine_db.dialect]
        ran = {sql for sql in statements if attempt(db, engine_db, sql.format(file=file)) == "ran"}
        assert db.catalog(0).fingerprint == schema
    assert state(engine_db) == rows
    assert not file.exists()
    assert ran <= FLEETING[engine_db.dialect]


STATE = {
    "sqlite": ("PRAGMA case_sensitive_like = ON", "SELECT 'A' LIKE 'a'", ((1,),)),
    "duckdb": ("SET VARIABLE left_behind = 1", "SELECT getvariable('left_behind')", ((None,),)),
    "postgres": ("SET search_path = nowhere", "SELECT count(*) FROM customers", ((3,),)),
    "mysql": ("SET @left_behind = 1", "SELECT @left_behind", ((None,),)),
    "clickhouse": ("USE system", "SELECT count(*) FROM customers", ((3,),)),
    "oracle": ("ALTER SESSION SET NLS_COMP = LINGUISTIC", "SELECT count(*) FROM customers", ((3,),)),
    "bigquery": ("SET @@dataset_id = 'nowhere'", "SELECT count(*) FROM customers", ((3,),)),
    "snowflake": ("USE SCHEMA INFORMATION_SCHEMA", "SELECT count(*) FROM customers", ((3,),)),
}


@pytest.mark.fault("D31")
def test_nothing_is_left_for_the_next_query(db: Database, engine_db: EngineDatabase) -> None:
    poison, question, expected = STATE[engine_db.dialect]
    for _ in range(3):
        attempt(db, engine_db, poison)
        assert db.run(engine_db.checked(question)).rows == expected


def test_a_temporary_table_does_not_shadow_a_real_one(db: Database, engine_db: EngineDatabase) -> None:
    attempt(db, engine_db, "CREATE TEMPORARY TABLE customers AS SELECT 0 AS id")
    assert db.run(engine_db.checked("SELECT count(*) FROM customers")).rows == ((3,),)


@pytest.mark.needs("privileges")
def test_a_transaction_left_open_is_closed(db: Database, engine_db: EngineDatabase) -> None:
    attempt(db, engine_db, "BEGIN")
    assert db.run(engine_db.checked("SELECT count(*) FROM customers")).rows == ((3,),)
    engine_db.admin("CREATE TABLE unlocked (a INTEGER)")
    engine_db.admin("DROP TABLE unlocked")


def test_the_doctor_sees_a_write_refused_on_every_engine(db: Database, engine_db: EngineDatabase) -> None:
    table = next(table for table in db.catalog(0).tables if table.name == engine_db.named("customers")[0])
    assert db.rejects_writes(table)
