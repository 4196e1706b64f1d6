"""MySQL and MariaDB through PyMySQL: what a session is pinned to, and how one is opened."""

import ssl
from collections.abc import Mapping
from typing import Any, TypeVar

import pymysql
from pymysql.constants import CLIENT

from text2sql.config import Settings
from text2sql.database.engines.mysql.connection import Wire
from text2sql.database.engines.mysql.errors import refused, translate
from text2sql.database.engines.mysql.session import CANCEL_SECONDS, MysqlSession
from text2sql.database.engines.mysql.writing import MysqlWriting
from text2sql.database.source import Source
from text2sql.errors import DatabaseError, UsageError

# Sent at the start and after each reset. The modes decide how the server reads our text, so none is left to
# chance: no ANSI_QUOTES, no NO_BACKSLASH_ESCAPES, no PIPES_AS_CONCAT. ONLY_FULL_GROUP_BY turns an arbitrary
# value into an error on MySQL, where it is the default; MariaDB's knows no functional dependence and would
# refuse an honest GROUP BY of a primary key.
_PINNED = (
    "SET NAMES utf8mb4, SESSION sql_mode = '{mode}', SESSION time_zone = '+00:00',"
    " SESSION autocommit = {reading}, SESSION {read_only} = {reading},"
    " SESSION group_concat_max_len = 1048576, SESSION {recursion}"
)
# A value that does not fit is an error and not cut to size; zero is no date.
_STRICT = ("STRICT_ALL_TABLES", "NO_ZERO_DATE", "NO_ZERO_IN_DATE", "ERROR_FOR_DIVISION_BY_ZERO")

S = TypeVar("S", bound=MysqlSession)


class MysqlEngine:
    dialect = "mysql"

    def __init__(self, source: Source, settings: Settings) -> None:
        self._source = source
        self._parameters = _parameters(source, settings)

    def connect(self) -> MysqlSession:
        return self._session(MysqlSession, self._parameters, 1, ())

    def connect_writing(self) -> MysqlWriting:
        # Rows that an UPDATE finds and leaves as they are count too, as on every other engine.
        parameters = {**self._parameters, "client_flag": CLIENT.FOUND_ROWS}
        return self._session(MysqlWriting, parameters, 0, _STRICT)

    def _session(self, kind: type[S], parameters: dict[str, Any], reading: int, modes: tuple[str, ...]) -> S:
        try:
            wire = Wire(**parameters)
        except pymysql.Error as error:
            raise refused(error, self._source.password) from None  # the cause holds the parameters
        try:
            pinned = _PINNED.format(reading=reading, **_words(wire, modes))
            return kind(wire, self._open_second, database=self._source.database, pinned=pinned)
        except pymysql.Error as error:
            wire.end()
            raise refused(error, self._source.password) from error

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:  # noqa: ARG002
        return translate(error)

    def close(self) -> None:
        """Sessions are the pool's; there is nothing else."""

    def _open_second(self) -> Wire:
        """To cancel: somebody waits for it, so a dead network is found out soon."""
        soon = dict.fromkeys(("connect_timeout", "read_timeout", "write_timeout"), CANCEL_SECONDS)
        return Wire(**{**self._parameters, **soon})


def _words(wire: Wire, modes: tuple[str, ...]) -> dict[str, str]:
    """What the two servers call things. MariaDB ends a recursion at its limit and calls that the answer, so
    there is none: the time limit ends it with an error.
    """
    if wire.is_mariadb:
        recursion = "max_recursive_iterations = 4294967295"
        return {"mode": ",".join(modes), "read_only": "tx_read_only", "recursion": recursion}
    recursion = "cte_max_recursion_depth = 1000000"
    mode = ",".join(("ONLY_FULL_GROUP_BY", *modes))
    return {"mode": mode, "read_only": "transaction_read_only", "recursion": recursion}


# -- What may stand after `?` --------------------------------------------------------------------

_ENCRYPTED = {
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
_PINNED_ANYWAY = frozenset({"charset", "use_unicode"})
_FALSE = ("", "0", "false", "no", "off")


def _parameters(source: Source, settings: Settings) -> dict[str, Any]:
    options = _options(source)
    # A server that accepts and then says nothing is given up like one that does not accept.
    patience = float(options.get("connect_timeout") or settings.connect_timeout)
    return {
        "host": source.host or None,
        "port": source.port or 0,
        "user": source.user or None,
        "password": source.password.encode(),  # PyMySQL would take it for Latin-1
        "database": source.database or None,
        "unix_socket": options.get("unix_socket"),
        "charset": "utf8mb4",
        "local_infile": False,
        "autocommit": None,
        "program_name": "text2sql",
        **dict.fromkeys(("connect_timeout", "read_timeout", "write_timeout"), patience),
        **_secured(options),
    }


def _options(source: Source) -> dict[str, str]:
    """An option we do not know is refused: it might have asked for safety, or for its opposite."""
    options: dict[str, str] = {}
    for name, value in source.options.items():
        plain = name.lower().replace("-", "_").replace("sslmode", "ssl_mode")
        if plain in _OPTIONS:
            options[plain] = value
        elif plain not in _PINNED_ANYWAY:
            raise UsageError("usage.db_option", option=name, options=", ".join(sorted(_OPTIONS)))
    return options


def _secured(options: Mapping[str, str]) -> dict[str, Any]:
    """MySQL's ssl-mode: what it asks for is had, or the connection is not made.

    PyMySQL encrypts where it can and trusts anybody, even with an ssl_ca; whoever names an authority or a
    certificate wants it checked.
    """
    asked = options.get("ssl_mode", "").upper()
    if asked in ("DISABLED", "DISABLE"):
        return {"ssl_disabled": True}
    if _is_on(options, "ssl_verify_identity"):
        asked = "VERIFY_IDENTITY"
    elif not asked and ("ssl_ca" in options or _is_on(options, "ssl_verify_cert")):
        asked = "VERIFY_CA"
    if asked in ("", "PREFERRED", "PREFER") and "ssl_cert" not in options:
        return {}
    mode = _ENCRYPTED.get(asked or "REQUIRED")
    if mode is None:
        raise UsageError("usage.db_option", option=f"ssl_mode={asked}", options=", ".join(_ENCRYPTED))
    try:
        context = ssl.create_default_context(cafile=options.get("ssl_ca"))
        if certificate := options.get("ssl_cert"):
            context.load_cert_chain(certificate, options.get("ssl_key"))
    except OSError as error:
        raise UsageError("usage.db_unreadable", path="ssl_ca, ssl_cert", detail=str(error)) from error
    context.check_hostname = mode == "VERIFY_IDENTITY"
    if mode == "REQUIRED":
        context.verify_mode = ssl.CERT_NONE
    return {"ssl": context}


def _is_on(options: Mapping[str, str], name: str) -> bool:
    return options.get(name, "").lower() not in _FALSE
