"""Translates MySQL's and MariaDB's errors, by number."""

import re

import pymysql

from text2sql import errors as ours
from text2sql.database.engines.error_parts import connection_failed
from text2sql.errors import DatabaseError

_KINDS: dict[type[DatabaseError], str] = {
    ours.SqlSyntaxError: "1064 1065 1149 1055 1056 1111 1140 1235 1241 1248 1327 1060 1222 1242",
    ours.UnknownTable: "1146 1051 1109",
    ours.UnknownColumn: "1054 1072",
    ours.AmbiguousColumn: "1052",
    ours.TypeMismatch: "1292 1264 1365 1366 1367 1411 1582 1690 1305 1630 3140 3141 3143 4037",
    ours.PermissionDenied: "1044 1142 1143 1227 1370 1345 1356 1419",
    ours.ConstraintViolated: (
        "1022 1048 1062 1169 1216 1217 1364 1451 1452 1557 1586 1644 1761 1762 1859 3819 4025"
    ),
    ours.QueryTimeout: "1969 3024",
    ours.QueryCancelled: "1317",
    ours.LockConflict: "1205 1213 1206 1614 3572",
    ours.Forbidden: "1792 1290 1295 1836",
    ours.ResourceExhausted: "1021 1037 1038 1039 1041 1104 1114 1153 1226 1301 1436 3 28 1116 1117",
    ours.ConnectionFailed: (
        "1040 1042 1043 1045 1046 1049 1053 1077 1079 1080 1129 1130 1152 1158 1159 1160 1161 1184 1203 "
        "1698 1927 2002 2003 2005 2006 2012 2013 2026 2055 3169 4031"
    ),
}
_BY_NUMBER = {int(number): kind for kind, numbers in _KINDS.items() for number in numbers.split()}
_KEYS = {
    **dict.fromkeys((1045, 1698, 1130, 1044), "database.login"),
    1049: "database.no_such_database",
    **dict.fromkeys((1040, 1203, 1226), "database.full"),
    2026: "database.tls",
}
_QUOTED = re.compile(r"'([^']+)'")
# The first quoted word of these errors is the name.
_WITH_IDENTIFIER = frozenset({1146, 1051, 1109, 1054, 1052, 1305})


def translate(error: Exception) -> DatabaseError | None:
    if isinstance(error, DatabaseError):
        return error
    if not isinstance(error, pymysql.Error):
        return None
    number, detail = _parts(error)
    kind = _BY_NUMBER.get(number, ours.OtherDatabaseError)
    if number == 0 and isinstance(error, pymysql.InterfaceError | pymysql.InternalError):
        kind = ours.ConnectionFailed  # PyMySQL raises this if the socket is closed or out of sync
    identifiers = tuple(_QUOTED.findall(detail)[:1]) if number in _WITH_IDENTIFIER else ()
    return kind(detail, code=str(number or ""), identifiers=identifiers)


def connection_error(error: pymysql.Error, password: str) -> DatabaseError:
    """Translate an error that was raised while connecting."""
    number, detail = _parts(error)
    return connection_failed(detail, password, key=_KEYS.get(number, ""), code=str(number or ""))


def _parts(error: pymysql.Error) -> tuple[int, str]:
    number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    text = str(error.args[1] if len(error.args) > 1 else error).strip()
    return number, text.splitlines()[0] if text else "the connection is closed"
