"""Refusals: a rule raises `Refused`, which the guard turns into the value `SqlRejected`."""

from typing import NoReturn

from sqlglot import exp

from text2sql.types import SqlRejected

_PIECE = 120  # characters of the offending piece to show


class Refused(Exception):
    """A rule refuses the statement. It never leaves the package: `parse.verdict` catches it."""

    def __init__(self, rejected: SqlRejected) -> None:
        super().__init__(rejected)
        self.rejected = rejected


def refuse(rule: str, piece: exp.Expr | str = "") -> NoReturn:
    """Refuse the statement by a rule, showing the offending piece."""
    if isinstance(piece, str):
        raise Refused(SqlRejected(rule, piece[:_PIECE]))
    line, column = location_of(piece)
    raise Refused(SqlRejected(rule, piece.sql(comments=False)[:_PIECE], line, column))


def location_of(node: exp.Expr) -> tuple[int | None, int | None]:
    """The line and column at which a node begins, from 1. The parser records positions on leaves only."""
    for leaf in node.dfs():
        meta = leaf.meta if leaf._meta else {}
        if meta.get("end") is not None:
            return meta["line"], meta["col"] - (meta["end"] - meta["start"])
    return None, None
