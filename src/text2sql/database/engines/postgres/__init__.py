"""PostgreSQL through psycopg 3: session settings, and how a connection is opened."""

import threading
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.types import TypeInfo

from text2sql.config import Settings
from text2sql.database.engines.postgres.errors import connection_error, translate
from text2sql.database.engines.postgres.loaders import register
from text2sql.database.engines.postgres.session import PostgresSession
from text2sql.database.engines.postgres.writing_session import PostgresWritingSession
from text2sql.database.source import Source
from text2sql.errors import DatabaseError

# Passed as start-up options, so that DISCARD ALL restores them without further statements.
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
# Half-open connections (D32): a silent peer is dropped after idle + interval × count seconds, unanswered
# bytes after tcp_user_timeout.
_NETWORK: Mapping[str, str] = {
    "keepalives": "1",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
# Types defined in this database, so that their arrays become lists and columns show their names.
_OWN_TYPES = """
    SELECT t.oid::int8, t.typarray::int8, t.typname::text, pg_catalog.format_type(t.oid, NULL)
    FROM pg_catalog.pg_type t
    WHERE t.typtype IN ('b', 'e') AND t.typelem = 0 AND t.oid >= 16384 LIMIT 2000
"""


class PostgresEngine:
    """Opens sessions to one PostgreSQL database."""

    dialect = "postgres"

    def __init__(self, source: Source, settings: Settings) -> None:
        self._source, self._settings = source, settings
        self._parameters = _parameters(source, settings, "UTF8")
        self._password = source.password
        self._types: list[TypeInfo] | None = None
        self._types_lock = threading.Lock()

    def connect(self) -> PostgresSession:
        return PostgresSession(self._connect())

    def connect_writing(self) -> PostgresWritingSession:
        return PostgresWritingSession(self._connect())

    def _connect(self) -> psycopg.Connection[Any]:
        try:
            connection = self._open()
        except psycopg.Error as error:
            # `from None`: the cause may contain the connection string.
            raise connection_error(error, self._password) from None
        try:
            # No named prepared statements: a connection pooler does not support them.
            connection.prepare_threshold = None
            register(connection)
            for type_info in self._load_user_types(connection):
                type_info.register(connection)
        except psycopg.Error as error:
            connection.close()
            raise connection_error(error, self._password) from error
        return connection

    def _open(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(**self._parameters, autocommit=True)
        parameter_status = connection.info.parameter_status
        if (
            parameter_status("server_encoding") == "SQL_ASCII"
            and parameter_status("client_encoding") != "SQL_ASCII"
        ):
            # Such a database stores bytes of any encoding, and refuses to send invalid UTF-8 to a client
            # that requested UTF-8. With SQL_ASCII it sends bytes, which `loaders.py` decodes.
            connection.close()
            self._parameters = _parameters(self._source, self._settings, "SQL_ASCII")
            connection = psycopg.connect(**self._parameters, autocommit=True)
        return connection

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:  # noqa: ARG002
        return translate(error)

    def close(self) -> None:
        """The pool closes the sessions; there is nothing else to close."""

    def _load_user_types(self, connection: psycopg.Connection[Any]) -> list[TypeInfo]:
        with self._types_lock:
            if self._types is None:
                rows = connection.execute(_OWN_TYPES).fetchall()
                self._types = [
                    TypeInfo(name, oid, array_oid, regtype=full_name)
                    for oid, array_oid, name, full_name in rows
                ]
            return self._types


def _parameters(source: Source, settings: Settings, encoding: str) -> dict[str, Any]:
    """Options of the URL are kept, except that settings which make a session safe come last and win."""
    options_of_url = dict(source.options)
    account = {"host": source.host, "port": source.port, "user": source.user, "dbname": source.database}
    account["password"] = source.password
    pinned = {**_PINNED, "client_encoding": encoding}
    pinned["statement_timeout"] = f"{max(1, round(settings.time_limit * 1000))}"
    setting_flags = " ".join(f"-c {name}={value}" for name, value in pinned.items())
    options = f"{options_of_url.pop('options', '')} {setting_flags}".strip()
    overrides = {"options": options, "application_name": options_of_url.pop("application_name", "text2sql")}
    timeout = {"connect_timeout": str(max(2, round(settings.connect_timeout)))}
    return {**_NETWORK, **timeout, **options_of_url, **{k: v for k, v in account.items() if v}, **overrides}
