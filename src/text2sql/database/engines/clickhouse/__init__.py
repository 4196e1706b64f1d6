"""ClickHouse through clickhouse-connect: settings of every request, and how a client is created."""

import logging
import threading
from collections.abc import Mapping
from typing import Any, NoReturn

import clickhouse_connect
from clickhouse_connect.driver import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from text2sql.config import Settings
from text2sql.database.dialects import BY_NAME
from text2sql.database.engines.clickhouse.errors import connection_error, translate
from text2sql.database.engines.clickhouse.session import ClickhouseSession
from text2sql.database.engines.options import Options
from text2sql.database.source import Source
from text2sql.errors import ConnectionFailed, DatabaseError, Forbidden

# The driver also logs the errors that it raises, so they would appear twice.
logging.getLogger("clickhouse_connect").setLevel(logging.CRITICAL)

CANCEL_SECONDS = 2
_TLS_PORT = 8443
_OPTIONS = ("ca_cert", "client_cert", "client_cert_key", "connect_timeout", "secure", "verify")
# Sent with every query. `readonly` = 1 forbids writes, changes of settings, and the table functions that read
# files, hosts and other databases. The next group gives joins, set operations and WITH the meaning that they
# have in other databases; the last group defines the format of values.
_PINNED: Mapping[str, str] = {
    "readonly": "1",
    "timeout_overflow_mode": "throw",
    "result_overflow_mode": "break",
    "cancel_http_readonly_queries_on_client_close": "1",
    "join_use_nulls": "1",
    "single_join_prefer_left_table": "0",
    "union_default_mode": "DISTINCT",
    "intersect_default_mode": "DISTINCT",
    "except_default_mode": "DISTINCT",
    "enable_global_with_statement": "1",
    "use_query_condition_cache": "0",  # 26.9 loses rows of tables with row policies
    "session_timezone": "UTC",
    "date_time_output_format": "iso",
    "output_format_json_quote_decimals": "1",
    "output_format_json_quote_denormals": "1",
    "output_format_json_quote_64bit_integers": "0",
    "output_format_json_named_tuples_as_objects": "1",
}


class ClickhouseEngine:
    """Opens clients of one ClickHouse server."""

    dialect = "clickhouse"

    def __init__(self, source: Source, settings: Settings) -> None:
        self._source = source
        self._parameters = _parameters(source, settings)
        self._lock = threading.Lock()
        self._kill_client: Client | None = None

    def connect(self) -> ClickhouseSession:
        try:
            client = clickhouse_connect.get_client(**self._parameters)
        except ClickHouseError as error:
            # `from None`: the cause may contain the address.
            raise connection_error(error, self._source.password) from None
        return ClickhouseSession(
            client, self._kill, database=self._source.database, pinned=_allowed_settings(client)
        )

    def connect_writing(self) -> NoReturn:
        raise Forbidden("no transactions", key="database.no_writes", product=BY_NAME[self.dialect].product)

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return translate(error, sql)

    def close(self) -> None:
        with self._lock:
            if self._kill_client is not None:
                self._kill_client.close()

    def _kill(self, query_id: str) -> None:
        """Kill a query over a separate client with short timeouts, because a caller waits for it."""
        with self._lock:
            if self._kill_client is None:
                short_timeouts = {"connect_timeout": CANCEL_SECONDS, "send_receive_timeout": CANCEL_SECONDS}
                self._kill_client = clickhouse_connect.get_client(**{**self._parameters, **short_timeouts})
            self._kill_client.raw_query(f"KILL QUERY WHERE query_id = '{query_id}' ASYNC")


def _allowed_settings(client: Client) -> dict[str, str]:
    """Return the settings that the account's profile allows. A permanently read-only profile
    may forbid some.
    """
    known = client.server_settings
    mode = known["readonly"]
    if mode.readonly and mode.value not in ("1", "2"):
        raise ConnectionFailed("the account's profile does not let a query be read-only", code="readonly")
    return {name: value for name, value in _PINNED.items() if name in known and not known[name].readonly}


def _parameters(source: Source, settings: Settings) -> dict[str, Any]:
    options = Options(source, _OPTIONS)
    secure = options.is_on("secure")
    timeout = max(1, round(options.number("connect_timeout", settings.connect_timeout)))
    files = {name: options[name] for name in ("ca_cert", "client_cert", "client_cert_key") if options[name]}
    return {
        "interface": "https" if secure else "http",
        "host": source.host,
        "port": _TLS_PORT if secure and source.port == BY_NAME["clickhouse"].port else source.port,
        "username": source.user or "default",
        "password": source.password,
        "database": source.database or None,
        "verify": options.is_on("verify", default=True),
        **files,
        "connect_timeout": timeout,
        "send_receive_timeout": timeout,
        "client_name": "text2sql",
        "compress": False,
        "query_retries": 0,  # the pool replaces a lost connection
        "autogenerate_session_id": False,  # requests are independent of each other
        "show_clickhouse_errors": "scrub",
        "dedicated_pool": True,
    }
