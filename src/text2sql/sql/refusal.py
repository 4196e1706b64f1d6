"""How a rule says no: it raises, and the guard turns that into the value `SqlRejected`."""

from typing import NoReturn

from sqlglot import exp

from text2sql.types import SqlRejected

_PIECE = 120  # characters of the offending piece that are worth showing


class Refused(Exception):
    def __init__(self, rejected: SqlRejected) -> None:
        super().__init__(rejected)
        self.rejected = rejected


def refuse(rule: str, piece: exp.Expr | str = "") -> NoReturn:
    if isinstance(piece, str):
        raise Refused(SqlRejected(rule, piece[:_PIECE]))
    line, column = place(piece)
    raise Refused(SqlRejected(rule, piece.sql(comments=False)[:_PIECE], line, column))


def place(node: exp.Expr) -> tuple[int | None, int | None]:
    """Where a piece begins in the text, 1-based; the parser notes that on leaves only."""
    for leaf in node.dfs():
        meta = leaf.meta if leaf._meta else {}
        if meta.get("end") is not None:
            return meta["line"], meta["col"] - (meta["end"] - meta["start"])
    return None, None
