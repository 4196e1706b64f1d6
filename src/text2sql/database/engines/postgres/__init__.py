"""PostgreSQL through psycopg 3: what a connection is pinned to, and how one is opened."""

import threading
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.types import TypeInfo

from text2sql.config import Settings
from text2sql.database.engines.postgres.errors import refused, translate
from text2sql.database.engines.postgres.loaders import register
from text2sql.database.engines.postgres.session import PostgresSession
from text2sql.database.engines.postgres.writing import PostgresWriting
from text2sql.database.source import Source
from text2sql.errors import DatabaseError

# Given at start-up, so DISCARD ALL returns to them and no statement of ours has to be repeated.
_PINNED: Mapping[str, str] = {
    "default_transaction_read_only": "on",
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "IntervalStyle": "iso_8601",
    "bytea_output": "hex",
    "standard_conforming_strings": "on",
    "backslash_quote": "safe_encoding",
    "extra_float_digits": "1",
    "xmloption": "content",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "60s",
    "plan_cache_mode": "auto",
}
# Half-open connections (D32): a silent peer is given up after idle + interval × count seconds, unanswered
# bytes after tcp_user_timeout.
_NETWORK: Mapping[str, str] = {
    "keepalives": "1",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
# Types made in this database, so that arrays of them are lists and columns have their names.
_OWN_TYPES = """
    SELECT t.oid::int8, t.typarray::int8, t.typname::text, pg_catalog.format_type(t.oid, NULL)
    FROM pg_catalog.pg_type t
    WHERE t.typtype IN ('b', 'e') AND t.typelem = 0 AND t.oid >= 16384 LIMIT 2000
"""


class PostgresEngine:
    dialect = "postgres"

    def __init__(self, source: Source, settings: Settings) -> None:
        self._source, self._settings = source, settings
        self._parameters = _parameters(source, settings, "UTF8")
        self._password = source.password
        self._types: list[TypeInfo] | None = None
        self._reading_types = threading.Lock()

    def connect(self) -> PostgresSession:
        return PostgresSession(self._connected())

    def connect_writing(self) -> PostgresWriting:
        return PostgresWriting(self._connected())

    def _connected(self) -> psycopg.Connection[Any]:
        try:
            connection = self._open()
        except psycopg.Error as error:
            raise refused(error, self._password) from None  # the cause may carry the connection string
        try:
            # Without names for statements: a pooler between us and the server does not know them.
            connection.prepare_threshold = None
            register(connection)
            for one in self._own_types(connection):
                one.register(connection)
        except psycopg.Error as error:
            connection.close()
            raise refused(error, self._password) from error
        return connection

    def _open(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(**self._parameters, autocommit=True)
        told = connection.info.parameter_status
        if told("server_encoding") == "SQL_ASCII" and told("client_encoding") != "SQL_ASCII":
            # Such a database holds bytes of any encoding, and refuses to send those that are not UTF-8 to a
            # client that asked for it. Asked for bytes, it sends them; `loaders.py` makes text of them.
            connection.close()
            self._parameters = _parameters(self._source, self._settings, "SQL_ASCII")
            connection = psycopg.connect(**self._parameters, autocommit=True)
        return connection

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:  # noqa: ARG002
        return translate(error)

    def close(self) -> None:
        """Sessions are the pool's; there is nothing else."""

    def _own_types(self, connection: psycopg.Connection[Any]) -> list[TypeInfo]:
        with self._reading_types:
            if self._types is None:
                rows = connection.execute(_OWN_TYPES).fetchall()
                self._types = [TypeInfo(name, oid, many, regtype=full) for oid, many, name, full in rows]
            return self._types


def _parameters(source: Source, settings: Settings, encoding: str) -> dict[str, Any]:
    """The URL's own options stand, except that what makes a session safe comes last and wins."""
    given = dict(source.options)
    named = {"host": source.host, "port": source.port, "user": source.user, "dbname": source.database}
    named["password"] = source.password
    pinned = {**_PINNED, "client_encoding": encoding}
    pinned["statement_timeout"] = f"{max(1, round(settings.time_limit * 1000))}"
    pins = " ".join(f"-c {name}={value}" for name, value in pinned.items())
    options = f"{given.pop('options', '')} {pins}".strip()
    fixed = {"options": options, "application_name": given.pop("application_name", "text2sql")}
    timeout = {"connect_timeout": str(max(2, round(settings.connect_timeout)))}
    return {**_NETWORK, **timeout, **given, **{k: v for k, v in named.items() if v}, **fixed}
