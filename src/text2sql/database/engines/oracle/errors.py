"""Translates Oracle's errors: by the server's number (ORA), or the driver's own (DPY)."""

import re
from typing import Any

import oracledb

from text2sql import errors as ours
from text2sql.database.engines.error_parts import connection_failed
from text2sql.errors import DatabaseError

_KINDS: dict[type[DatabaseError], str] = {
    ours.SqlSyntaxError: (
        "900 903 905 906 907 908 909 911 913 917 920 921 922 923 924 925 927 928 933 934 935 936 937 938 "
        "939 947 969 970 972 979 1427 1719 1740 1747 1756 1785 1789 3048 3049 30483 30484 30485 32034 "
        "32035 32039 32044"
    ),
    ours.UnknownTable: "942 4043 2019 44801",
    ours.UnknownColumn: "904",
    ours.AmbiguousColumn: "918",
    ours.TypeMismatch: (
        "932 1426 1476 1481 1489 1722 1790 1821 1830 1839 1840 1841 1843 1847 1850 1858 1861 1873 1882 "
        "6502 12899 40441 61801"
    ),
    ours.PermissionDenied: "1031 1039 1720 41900",
    ours.ConstraintViolated: "1 1400 1407 2290 2291 2292",
    ours.QueryTimeout: "2393 2394 3156 40",
    ours.QueryCancelled: "1013",
    ours.LockConflict: "54 60 4020 4021 8176 8177 30006",
    ours.Forbidden: "1456 16000 25153",
    ours.ResourceExhausted: "1114 1536 1555 1652 1653 1654 4030 4031 4036 10260 30009 30036",
    ours.ConnectionFailed: (
        "18 20 28 1012 1017 1033 1034 1035 1089 1090 1092 2391 3113 3114 3135 12154 12170 12505 12514 "
        "12516 12519 12520 12521 12528 12537 12541 12543 12545 12547 12560 28000 28001 28759 28860 29024"
    ),
}
_BY_NUMBER = {int(number): kind for kind, numbers in _KINDS.items() for number in numbers.split()}
_BY_DRIVER_CODE: dict[str, type[DatabaseError]] = {
    "DPY-4024": ours.QueryTimeout,  # the call's timeout
    "DPY-4026": ours.ConnectionFailed,
    "DPY-4011": ours.ConnectionFailed,
    "DPY-1001": ours.ConnectionFailed,
    "DPY-6005": ours.ConnectionFailed,
    "DPY-6000": ours.ConnectionFailed,
    "DPY-6001": ours.ConnectionFailed,
    "DPY-6003": ours.ConnectionFailed,
    "DPY-6004": ours.ConnectionFailed,
    "DPY-3010": ours.ConnectionFailed,
}
_KEYS = {
    **dict.fromkeys(("ORA-01017", "ORA-28000", "ORA-28001"), "database.login"),
    **dict.fromkeys(("ORA-12514", "ORA-12505", "DPY-6001", "DPY-6003"), "database.no_such_database"),
    **dict.fromkeys(
        ("ORA-00018", "ORA-00020", "ORA-12516", "ORA-12519", "ORA-12520", "ORA-02391"), "database.full"
    ),
    **dict.fromkeys(("ORA-28759", "ORA-28860", "ORA-29024"), "database.tls"),
}
_WITH_IDENTIFIER = frozenset({904, 918, 942})
_QUOTED = re.compile(r'"([^"]+)"')
_CODE = re.compile(r"^(?:ORA|DPY)-\d+: ")


def translate(error: Exception) -> DatabaseError | None:
    if not isinstance(error, oracledb.Error):
        return None
    driver_error, detail, code = _parts(error)
    number = int(getattr(driver_error, "code", 0) or 0) if code.startswith("ORA") else 0
    kind = _BY_DRIVER_CODE.get(code) or _BY_NUMBER.get(number, ours.OtherDatabaseError)
    offset = getattr(driver_error, "offset", 0)
    return kind(
        detail,
        code=code,
        identifiers=tuple(_QUOTED.findall(detail)) if number in _WITH_IDENTIFIER else (),
        position=int(offset) + 1 if offset else None,
    )


def connection_error(error: Exception, password: str) -> DatabaseError:
    """Translate an error that was raised while connecting."""
    _, detail, code = _parts(error)
    return connection_failed(detail, password, key=_KEYS.get(code, ""), code=code)


def _parts(error: Exception) -> tuple[Any, str, str]:
    driver_error = error.args[0] if error.args else error
    text = str(getattr(driver_error, "message", driver_error)).strip()
    line = text.splitlines()[0] if text else type(error).__name__
    return driver_error, _CODE.sub("", line), str(getattr(driver_error, "full_code", ""))
