"""Tables that the suite's account may change, for the tests of writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from contract.engine_databases import EngineDatabase

TABLES = ("boxes", "shelves", "numbered", "log")
AUTO = {
    "sqlite": "id INTEGER PRIMARY KEY AUTOINCREMENT",
    "duckdb": "id INTEGER DEFAULT nextval('numbers')",
    "postgres": "id SERIAL PRIMARY KEY",
    "mysql": "id INTEGER PRIMARY KEY AUTO_INCREMENT",
}


@contextmanager
def shelf_in(engine_db: EngineDatabase) -> Iterator[EngineDatabase]:
    """Create separate tables that the account may change; the other tables stay read-only for it."""
    statements = [
        "CREATE TABLE shelves (id INTEGER PRIMARY KEY, label VARCHAR(20) NOT NULL UNIQUE)",
        "CREATE TABLE boxes (id INTEGER PRIMARY KEY, shelf_id INTEGER NOT NULL, weight INTEGER,"
        " CHECK (weight > 0), FOREIGN KEY (shelf_id) REFERENCES shelves (id))",
        *(["CREATE SEQUENCE numbers"] if engine_db.dialect == "duckdb" else []),
        f"CREATE TABLE numbered ({AUTO[engine_db.dialect]}, label VARCHAR(20))",
        "CREATE TABLE log (box INTEGER)",
        "INSERT INTO shelves VALUES (1, 'a'), (2, 'b')",
        "INSERT INTO boxes VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30)",
    ]
    for statement in statements:
        engine_db.admin(statement)
    user = urlsplit(engine_db.url).username
    if engine_db.dialect == "postgres":
        engine_db.admin(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {', '.join(TABLES)} TO {user}")
        engine_db.admin(f"GRANT USAGE ON SEQUENCE numbered_id_seq TO {user}")
    if engine_db.dialect == "mysql":
        for table in TABLES:
            engine_db.admin(f"GRANT INSERT, UPDATE, DELETE ON {table} TO {user}@'%'")
    yield engine_db
    for table in TABLES:
        engine_db.admin(f"DROP TABLE {table}")
    if engine_db.dialect == "duckdb":
        engine_db.admin("DROP SEQUENCE numbers")
