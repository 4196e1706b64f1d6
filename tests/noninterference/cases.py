"""Hand-written statements: the guard's case files, and files of JSON lines."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from noninterference.twins import Twins
from sql_cases import CASES, by_dialect, evasions, headed, pairs

_SHAPES = ("limit", "page", "sorted", "count", "visible")


def statements(twins: Twins) -> Iterator[str]:
    """The statements in the twins' dialect that read the twins' tables."""
    own = {"shop": _shop, "policed": _policed}.get(twins.world, lambda _: iter(()))
    for statement in own(twins.dialect):
        yield _at_home(statement, twins)


def from_files(paths: Iterable[Path], twins: Twins) -> Iterator[str]:
    """Statements from files with lines of `{"dialect": …, "sql": …}`."""
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if case["dialect"] == twins.dialect:
                yield _at_home(case["sql"], twins)


def _shop(dialect: str) -> Iterator[str]:
    yield from (
        sql for folder in ("allowed", "refused") for of, _, sql in by_dialect(folder) if of == dialect
    )
    yield from (query for name in _SHAPES for of, query, _ in pairs(name) if of == dialect)


def _policed(dialect: str) -> Iterator[str]:
    yield from evasions(dialect)
    yield from (sql for heads, sql in headed(CASES / "rows" / "refused.sql") if dialect in heads.split())


def _at_home(statement: str, twins: Twins) -> str:
    """Replace the schema `shop` of the case files by the twins' own database name."""
    return statement.replace("shop.", f"{twins.left.name}.") if twins.left.name else statement
