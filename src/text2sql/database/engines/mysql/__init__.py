"""MySQL and MariaDB through PyMySQL: session settings, and how a session is opened."""

import ssl
from dataclasses import replace
from typing import Any, TypeVar

import pymysql
from pymysql.constants import CLIENT

from text2sql.config import Settings
from text2sql.database.engines.mysql.connection import MysqlConnection
from text2sql.database.engines.mysql.errors import connection_error, translate
from text2sql.database.engines.mysql.session import CANCEL_SECONDS, MysqlSession
from text2sql.database.engines.mysql.writing_session import MysqlWritingSession
from text2sql.database.engines.options import Options
from text2sql.database.source import Source
from text2sql.errors import DatabaseError, UsageError

# Sent on connect and after each reset. The modes decide how the server parses SQL, so all of them are set:
# no ANSI_QUOTES, no NO_BACKSLASH_ESCAPES, no PIPES_AS_CONCAT. ONLY_FULL_GROUP_BY turns an arbitrary value
# into an error on MySQL, where it is the default; MariaDB's does not know functional dependence and would
# refuse a valid GROUP BY of a primary key.
_PINNED = (
    "SET NAMES utf8mb4, SESSION sql_mode = '{mode}', SESSION time_zone = '+00:00',"
    " SESSION autocommit = {enabled}, SESSION {read_only} = {enabled},"
    " SESSION group_concat_max_len = 1048576, SESSION {recursion}"
)
# A value that does not fit is an error and not truncated; zero is not a date.
_STRICT = ("STRICT_ALL_TABLES", "NO_ZERO_DATE", "NO_ZERO_IN_DATE", "ERROR_FOR_DIVISION_BY_ZERO")

S = TypeVar("S", bound=MysqlSession)


class MysqlEngine:
    """Opens sessions to one MySQL or MariaDB server."""

    dialect = "mysql"

    def __init__(self, source: Source, settings: Settings) -> None:
        self._source = source
        self._parameters = _parameters(source, settings)

    def connect(self) -> MysqlSession:
        return self._open_session(MysqlSession, self._parameters, 1, ())

    def connect_writing(self) -> MysqlWritingSession:
        # Rows that an UPDATE matches but does not change count too, as on every other engine.
        parameters = {**self._parameters, "client_flag": CLIENT.FOUND_ROWS}
        return self._open_session(MysqlWritingSession, parameters, 0, _STRICT)

    def _open_session(
        self, session_class: type[S], parameters: dict[str, Any], read_only: int, extra_modes: tuple[str, ...]
    ) -> S:
        try:
            connection = MysqlConnection(**parameters)
        except pymysql.Error as error:
            # `from None`: the cause contains the parameters.
            raise connection_error(error, self._source.password) from None
        try:
            pinned = _PINNED.format(enabled=read_only, **_server_settings(connection, extra_modes))
            return session_class(
                connection, self._open_for_cancel, database=self._source.database, pinned=pinned
            )
        except pymysql.Error as error:
            connection.end()
            raise connection_error(error, self._source.password) from error

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:  # noqa: ARG002
        return translate(error)

    def close(self) -> None:
        """The pool closes the sessions; there is nothing else to close."""

    def _open_for_cancel(self) -> MysqlConnection:
        """A connection that sends a cancel, with short timeouts because a caller waits for it."""
        short_timeouts = dict.fromkeys(("connect_timeout", "read_timeout", "write_timeout"), CANCEL_SECONDS)
        return MysqlConnection(**{**self._parameters, **short_timeouts})


def _server_settings(connection: MysqlConnection, modes: tuple[str, ...]) -> dict[str, str]:
    """Return the settings whose names differ between the two servers. MariaDB stops a recursion at its limit
    and returns that as the result, so the limit is lifted: the time limit ends it with an error.
    """
    if connection.is_mariadb:
        recursion = "max_recursive_iterations = 4294967295"
        return {"mode": ",".join(modes), "read_only": "tx_read_only", "recursion": recursion}
    recursion = "cte_max_recursion_depth = 1000000"
    mode = ",".join(("ONLY_FULL_GROUP_BY", *modes))
    return {"mode": mode, "read_only": "transaction_read_only", "recursion": recursion}


# -- URL options ----------------------------------------------------------------------------------

_TLS_MODES = {
    "REQUIRED": "REQUIRED",
    "REQUIRE": "REQUIRED",
    "VERIFY_CA": "VERIFY_CA",
    "VERIFY_IDENTITY": "VERIFY_IDENTITY",
    "VERIFY_FULL": "VERIFY_IDENTITY",
}
_OPTIONS = (
    "connect_timeout",
    "ssl_ca",
    "ssl_cert",
    "ssl_key",
    "ssl_mode",
    "ssl_verify_cert",
    "ssl_verify_identity",
    "unix_socket",
)
_IGNORED = frozenset({"charset", "use_unicode"})


def _parameters(source: Source, settings: Settings) -> dict[str, Any]:
    options = _options(source)
    # The same limit for a server that accepts the connection but does not answer.
    timeout = options.number("connect_timeout", settings.connect_timeout)
    return {
        "host": source.host or None,
        "port": source.port or 0,
        "user": source.user or None,
        "password": source.password.encode(),  # PyMySQL would encode it as Latin-1
        "database": source.database or None,
        "unix_socket": options["unix_socket"] or None,
        "charset": "utf8mb4",
        "local_infile": False,
        "autocommit": None,
        "program_name": "text2sql",
        **dict.fromkeys(("connect_timeout", "read_timeout", "write_timeout"), timeout),
        **_tls_parameters(options),
    }


def _options(source: Source) -> Options:
    spellings = {
        name.lower().replace("-", "_").replace("sslmode", "ssl_mode"): value
        for name, value in source.options.items()
    }
    known = {name: value for name, value in spellings.items() if name not in _IGNORED}
    return Options(replace(source, options=known), _OPTIONS)


def _tls_parameters(options: Options) -> dict[str, Any]:
    """Implement MySQL's ssl-mode: the connection is as secure as requested, or it is not made.

    PyMySQL encrypts if it can and trusts any server, even with an ssl_ca; naming an authority or a
    certificate here means that it is verified.
    """
    requested = options["ssl_mode"].upper()
    if requested in ("DISABLED", "DISABLE"):
        return {"ssl_disabled": True}
    if options.is_on("ssl_verify_identity"):
        requested = "VERIFY_IDENTITY"
    elif not requested and ("ssl_ca" in options or options.is_on("ssl_verify_cert")):
        requested = "VERIFY_CA"
    if requested in ("", "PREFERRED", "PREFER") and "ssl_cert" not in options:
        return {}
    mode = _TLS_MODES.get(requested or "REQUIRED")
    if mode is None:
        raise UsageError("usage.db_option", option=f"ssl_mode={requested}", options=", ".join(_TLS_MODES))
    try:
        context = ssl.create_default_context(cafile=options["ssl_ca"] or None)
        if certificate := options["ssl_cert"]:
            context.load_cert_chain(certificate, options["ssl_key"] or None)
    except OSError as error:
        raise UsageError("usage.db_unreadable", path="ssl_ca, ssl_cert", detail=str(error)) from error
    context.check_hostname = mode == "VERIFY_IDENTITY"
    if mode == "REQUIRED":
        context.verify_mode = ssl.CERT_NONE
    return {"ssl": context}
