"""Oracle through python-oracledb's thin mode: session settings, and how a session is opened.

Not tested against a server: only what runs without one is tested.
"""

from typing import Any, NoReturn

import oracledb

from text2sql.config import Settings
from text2sql.database.dialects import BY_NAME
from text2sql.database.engines.options import Options
from text2sql.database.engines.oracle.errors import connection_error, translate
from text2sql.database.engines.oracle.session import OracleSession
from text2sql.database.source import Source
from text2sql.errors import DatabaseError, Forbidden

_OPTIONS = ("connect_timeout", "schema", "sid", "ssl_server_dn_match", "wallet_location", "wallet_password")
# These formats parse dates that are compared with text; they must not depend on the server's locale.
_PINNED = (
    "ALTER SESSION SET NLS_DATE_FORMAT = 'YYYY-MM-DD HH24:MI:SS'"
    " NLS_TIMESTAMP_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF'"
    " NLS_TIMESTAMP_TZ_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF TZH:TZM' NLS_NUMERIC_CHARACTERS = '.,'"
    " NLS_SORT = BINARY NLS_COMP = BINARY NLS_LANGUAGE = AMERICAN TIME_ZONE = '+00:00'"
)


class OracleEngine:
    """Opens sessions to one Oracle database."""

    dialect = "oracle"

    def __init__(self, source: Source, settings: Settings) -> None:
        self._source = source
        self._options = Options(source, _OPTIONS)
        self._parameters = _parameters(source, self._options, settings)

    def connect(self) -> OracleSession:
        try:
            connection = oracledb.connect(**self._parameters)
        except oracledb.Error as error:
            # `from None`: the cause may contain the address.
            raise connection_error(error, self._source.password) from None
        try:
            with connection.cursor() as cursor:
                cursor.execute(_PINNED)
                if schema := self._options["schema"]:
                    cursor.execute(f"ALTER SESSION SET CURRENT_SCHEMA = {BY_NAME['oracle'].quoted(schema)}")
        except oracledb.Error as error:
            connection.close()
            raise connection_error(error, self._source.password) from error
        return OracleSession(connection)

    def connect_writing(self) -> NoReturn:
        raise Forbidden("not yet tried", key="database.no_writes", product=BY_NAME[self.dialect].product)

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:  # noqa: ARG002
        return translate(error)

    def close(self) -> None:
        """The pool closes the sessions; there is nothing else to close."""


def _parameters(source: Source, options: Options, settings: Settings) -> dict[str, Any]:
    service = {"sid": options["sid"]} if options["sid"] else {"service_name": source.database}
    wallet = {name: options[name] for name in ("wallet_location", "wallet_password") if options[name]}
    return {
        "user": source.user,
        "password": source.password,
        "host": source.host,
        "port": source.port,
        **service,
        **wallet,
        "protocol": "tcps" if wallet or options["ssl_server_dn_match"] else "tcp",
        "ssl_server_dn_match": options.is_on("ssl_server_dn_match", default=True),
        "tcp_connect_timeout": options.number("connect_timeout", settings.connect_timeout),
        "retry_count": 0,
        "program": "text2sql",
    }
