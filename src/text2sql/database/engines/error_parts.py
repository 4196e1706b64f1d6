"""What the translations of several engines' errors share."""

from text2sql.errors import ConnectionFailed


def connection_failed(detail: str, password: str, *, key: str = "", code: str = "") -> ConnectionFailed:
    """The error of a failed connection, without the password. `key` names the cause, if it is known."""
    if password:
        detail = detail.replace(password, "***")
    if not key and ("SSL" in detail or "CERTIFICATE" in detail):
        key = "database.tls"
    return ConnectionFailed(detail, key=key, code=code)


def position_in(sql: str, line: int, column: int) -> int | None:
    """The position of a line and column, all counted from 1; None if the statement has no such line."""
    lines = sql.split("\n")
    if line > len(lines):
        return None
    return sum(len(text) + 1 for text in lines[: line - 1]) + column
