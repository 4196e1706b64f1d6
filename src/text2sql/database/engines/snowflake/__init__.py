"""Snowflake through its connector: account, role and warehouse, and session settings.

Not tested against Snowflake itself: only what runs without it is tested.
"""

from typing import Any, NoReturn

import snowflake.connector
from snowflake.connector.errors import Error

from text2sql.config import Settings
from text2sql.database.dialects import BY_NAME
from text2sql.database.engines.options import Options
from text2sql.database.engines.snowflake.errors import connection_error, translate
from text2sql.database.engines.snowflake.session import SnowflakeSession
from text2sql.database.source import Source
from text2sql.errors import DatabaseError, Forbidden

_OPTIONS = (
    "authenticator",
    "connect_timeout",
    "host",
    "port",
    "private_key_file",
    "protocol",
    "role",
    "warehouse",
)
_PASSED_ON = ("authenticator", "host", "port", "private_key_file", "protocol", "role", "warehouse")
_PINNED = {
    "QUERY_TAG": "text2sql",
    "TIMEZONE": "UTC",
    "MULTI_STATEMENT_COUNT": 1,
    "QUOTED_IDENTIFIERS_IGNORE_CASE": False,
    "CLIENT_TELEMETRY_ENABLED": False,
    "ABORT_DETACHED_QUERY": True,  # a query ends if its client disconnects
}


class SnowflakeEngine:
    """Opens sessions to one Snowflake database."""

    dialect = "snowflake"

    def __init__(self, source: Source, settings: Settings) -> None:
        self._source = source
        self._schema = source.database.partition("/")[2] or BY_NAME[self.dialect].default_schema
        self._parameters = _parameters(source, self._schema, settings)

    def connect(self) -> SnowflakeSession:
        try:
            connection = snowflake.connector.connect(**self._parameters)
        except Error as error:
            # `from None`: the cause may contain the address.
            raise connection_error(error, self._source.password) from None
        return SnowflakeSession(connection, self._schema)

    def connect_writing(self) -> NoReturn:
        raise Forbidden("not yet tried", key="database.no_writes", product=BY_NAME[self.dialect].product)

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return translate(error, sql)

    def close(self) -> None:
        """The pool closes the sessions; there is nothing else to close."""


def _parameters(source: Source, schema: str, settings: Settings) -> dict[str, Any]:
    options = Options(source, _OPTIONS)
    passed_on = {name: options[name] for name in _PASSED_ON if options[name]}
    timeout = max(1, round(options.number("connect_timeout", settings.connect_timeout)))
    return {
        "account": source.host,
        "user": source.user,
        "password": source.password,
        "database": source.database.partition("/")[0],
        "schema": schema,
        **passed_on,
        "login_timeout": timeout,
        "session_parameters": dict(_PINNED),
        "application": "text2sql",
        "platform_detection_timeout_seconds": 0.0,  # skips the probes of three cloud platforms
        "enable_server_session_keep_alive_auto_detection": False,  # queries that still run are ended on close
    }
