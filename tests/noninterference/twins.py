"""Twin databases: opened on an engine, asked the same checked query, and compared.

A statement interferes if the guard allows it and the twins answer it differently: other rows, other columns
or another error. A difference counts only where a third copy, with the left twin's contents in another
physical order, answers as the left twin does: what depends on that order is unstable, and tells nothing.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import duckdb

from contract import policed
from contract.engine_databases import EngineDatabase, filled
from contract.making import FACTORIES
from noninterference import clinic, shop
from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.database.dialects import BY_NAME
from text2sql.errors import DatabaseError
from text2sql.schema import build
from text2sql.sql import check, policy_for, read_policies
from text2sql.types import Catalog, CheckedSql, Policy, Table

World = Literal["columns", "rows", "shop", "policed"]
WORLDS: tuple[World, ...] = ("columns", "rows", "shop", "policed")
ENGINES = ("sqlite", "duckdb", "postgres", "mysql", "clickhouse")
Answer = tuple[object, ...]

_SECONDS = 4.0
_INCONCLUSIVE = frozenset({"timeout", "resource", "connection", "cancelled", "busy", "lock"})
# what an engine's message says of this run alone: addresses, seconds, query ids, generated names
_OF_THIS_RUN = re.compile(r"0x[0-9a-f]+|\d+\.\d+ (?:seconds|sec\b)|[0-9a-f]{32}|__temp\d+|#sql[\w/-]*")


@dataclass(frozen=True)
class Twin:
    engine_db: EngineDatabase
    database: Database

    @property
    def name(self) -> str:
        """The database's own name, where it stands in queries and messages: each twin has another."""
        return (
            urlsplit(self.engine_db.url).path.strip("/")
            if self.engine_db.dialect in ("mysql", "clickhouse")
            else ""
        )


@dataclass(frozen=True)
class Finding:
    dialect: str
    world: World
    statement: str
    sent: str
    left: Answer
    right: Answer

    def __str__(self) -> str:
        sides = "\n".join(
            f"  {side}: {_short(answer)}" for side, answer in (("left", self.left), ("right", self.right))
        )
        return f"{self.dialect} ({self.world}): {self.statement}\n  sent: {self.sent}\n{sides}"


@dataclass
class Tally:
    """What became of the statements of a run."""

    statements: int = 0
    allowed: int = 0
    answered: int = 0  # with rows, and not with an error
    unstable: int = 0
    inconclusive: int = 0
    mutants: int = 0
    allowed_mutants: int = 0

    def __str__(self) -> str:
        share = 100 * self.allowed // max(1, self.statements)
        return (
            f"{self.statements} statements, {self.allowed} allowed ({share} %), {self.answered} answered, "
            f"{self.unstable} unstable, {self.inconclusive} inconclusive; "
            f"{self.mutants} mutants, {self.allowed_mutants} allowed"
        )


@dataclass(frozen=True)
class Twins:
    dialect: str
    world: World
    left: Twin
    right: Twin
    shuffled: Twin
    document: Policy
    policy: Policy  # as the product makes it of the catalog
    catalog: Catalog
    tally: Tally

    @property
    def schema(self) -> str:
        return self.catalog.default_schema

    def find(self, statement: str) -> Finding | None:
        """Check a statement with and without the catalog, and compare what is answered."""
        self.tally.statements += 1
        verdicts = [
            check(statement, self.dialect, self.catalog, self.policy),
            check(statement, self.dialect, None, self.document),
        ]
        texts = {made.sql: made for made in verdicts if isinstance(made, CheckedSql)}
        self.tally.allowed += bool(texts)
        for made in texts.values():
            if finding := self.compare(statement, made):
                return finding
        return None

    def find_mutant(self, statement: str) -> Finding | None:
        """The same, counted apart: most mutants are meant to be refused."""
        aside = self.uncounted()
        finding = aside.find(statement)
        self.tally.mutants += 1
        self.tally.allowed_mutants += aside.tally.allowed
        self.tally.unstable += aside.tally.unstable
        return finding

    def interferes(self, statement: str) -> bool:
        return self.uncounted().find(statement) is not None

    def uncounted(self) -> "Twins":
        """The same twins with a tally of their own."""
        return replace(self, tally=Tally())

    def compare(self, statement: str, made: CheckedSql) -> Finding | None:
        left, right = self._answer(self.left, made), self._answer(self.right, made)
        self.tally.answered += left[0] == "rows"
        if left == right:
            return None
        for _ in range(3):
            repeated = [self._answer(twin, made) for twin in (self.left, self.shuffled, self.right)]
            if any(answer[0] == "inconclusive" for answer in (left, right, *repeated)):
                self.tally.inconclusive += 1
                return None
            if repeated[0] != left or repeated[1] != left or repeated[2] != right:
                self.tally.unstable += 1
                return None
        return Finding(self.dialect, self.world, statement, made.sql, left, right)

    def _answer(self, twin: Twin, made: CheckedSql) -> Answer:
        here = twin.name
        text = made.sql.replace(self.left.name, here) if here else made.sql
        try:
            result = twin.database.run(replace(made, sql=text))
        except DatabaseError as error:
            if error.kind in _INCONCLUSIVE:
                return ("inconclusive",)
            details = _OF_THIS_RUN.sub("…", repr((error.detail, error.identifiers)))
            return (
                "error",
                type(error).__name__,
                error.code,
                details.replace(here or "\0", "database"),
                error.position,
            )
        columns = tuple((column.name, column.type) for column in result.columns)
        rows = Counter(
            json.dumps(row, ensure_ascii=False).replace(here or "\0", "database") for row in result.rows
        )
        return ("rows", columns, frozenset(rows.items()), result.truncated, result.cut_cells)


def _short(answer: Answer) -> str:
    if answer[0] != "rows":
        return " ".join(map(str, answer))[:400]
    columns, rows = answer[1:3]
    return f"{columns} {sorted(rows, key=str)}"[:400]  # type: ignore[call-overload]


@contextmanager
def twins(dialect: str, world: World, directory: Path) -> Iterator[Twins]:
    """Three copies of a world on an engine: left, right, and left in another order."""
    with ExitStack() as stack:
        made: list[Twin] = []
        for copy in ("left", "right", "shuffled"):
            (directory / copy).mkdir()
            engine_db = _filled(dialect, world, copy, directory / copy, stack)
            database = open_database(engine_db.url, Settings(time_limit=_SECONDS))
            made.append(Twin(engine_db, stack.enter_context(database)))
        left, right, shuffled = made
        catalog = left.database.catalog()
        document = _documents(world, catalog)
        known = build(catalog, document)
        right_catalog = right.database.catalog()
        _assert_alike(
            known.catalog, build(right_catalog, _documents(world, right_catalog)).catalog, left, right
        )
        assert known.policy is not None
        yield Twins(dialect, world, left, right, shuffled, document, known.policy, known.catalog, Tally())


def _filled(dialect: str, world: World, copy: str, directory: Path, stack: ExitStack) -> EngineDatabase:
    if dialect != "duckdb":
        engine_db = stack.enter_context(FACTORIES[dialect](directory))
        _FILL[world](engine_db, copy)
        return engine_db
    path = directory / "twin.duckdb"
    with duckdb.connect(str(path)) as connection:  # one for all statements: to open the file takes longer
        engine_db = EngineDatabase(
            BY_NAME[dialect], f"duckdb:///{path}", lambda sql: connection.execute(sql).fetchall()
        )
        _FILL[world](filled(engine_db), copy)
    return engine_db


def _assert_alike(left: Catalog, right: Catalog, first_twin: Twin, second_twin: Twin) -> None:
    """What a person is shown of the twins' schema is equal, or nothing that follows means anything."""
    texts = [
        repr([_schema_of(table) for table in known.tables]).replace(twin.name or "\0", "")
        for known, twin in ((left, first_twin), (right, second_twin))
    ]
    assert texts[0] == texts[1]


def _schema_of(table: Table) -> Table:
    """Without estimates and samples: an engine takes any."""
    return replace(table, rows=None, columns=tuple(replace(column, samples=()) for column in table.columns))


def _documents(world: World, catalog: Catalog) -> Policy:
    document, claims = _DOCUMENTS[world]
    policy = policy_for(read_policies(json.dumps(document)), [], claims)
    return Policy(policy.tables, {catalog.dialect: catalog.default_schema}, policy.rows)


# Without a catalog a view over tables with row rules is not known to be one: who lists it shows all of it.
_POLICED: dict[str, Any] = {**policed.DOCUMENT, "tables": {**policed.DOCUMENT["tables"]}}
_POLICED["tables"].pop("every_order")


_DOCUMENTS: dict[World, tuple[dict[str, Any], dict[str, object]]] = {
    "columns": (clinic.document(rows=False), clinic.CLAIMS),
    "rows": (clinic.document(rows=True), clinic.CLAIMS),
    "shop": (shop.document(), {}),
    "policed": (_POLICED, policed.CLAIMS),
}


def _fill_policed(engine_db: EngineDatabase, copy: str) -> None:
    policed.fill(engine_db, whole=True)
    if copy == "right":
        for statement in _MORE_HIDDEN_ROWS:
            engine_db.admin(statement)


_MORE_HIDDEN_ROWS = (
    "INSERT INTO orders VALUES (50, 2, 'south', 777, 'zero', 1), (51, 1, 'north', 0, NULL, 2)",
    "INSERT INTO customers VALUES (50, 'Zoe', 'south'), (51, 'Yan', NULL)",
    "INSERT INTO items VALUES (50, 99, 1, 0), (51, 3, 2, 2)",
    "INSERT INTO staff VALUES (50, 'y', 1, 5), (1, 'z', 1, 70)",
    "INSERT INTO marks VALUES (98, 2)",
)
_FILL: dict[World, Callable[[EngineDatabase, str], None]] = {
    "columns": lambda engine_db, copy: clinic.fill(
        engine_db, "right" if copy == "right" else "left", rows=False, backwards=copy == "shuffled"
    ),
    "rows": lambda engine_db, copy: clinic.fill(
        engine_db, "right" if copy == "right" else "left", rows=True, backwards=copy == "shuffled"
    ),
    "shop": shop.fill,
    "policed": _fill_policed,
}


def open_all(dialect: str, worlds: tuple[World, ...], directory: Path, stack: ExitStack) -> list[Twins]:
    made = []
    for world in worlds:
        (directory / world).mkdir(parents=True)
        made.append(stack.enter_context(twins(dialect, world, directory / world)))
    return made


__all__ = ["ENGINES", "WORLDS", "Finding", "Tally", "Twins", "World", "open_all", "twins"]
