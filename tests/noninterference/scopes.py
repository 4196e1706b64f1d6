"""What a generated query can name at a place in it, and how a name is written."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from noninterference import clinic

VISIBLE: dict[str, dict[str, str]] = {
    **{table.name: dict[str, str](table.visible) for table in clinic.TABLES},
    "visit_view": dict(clinic.VIEW),
}
HIDDEN_COLUMNS = tuple(
    dict.fromkeys([*(name for table in clinic.TABLES for name in table.hidden), "amount", "secret", "密码"])
)
HIDDEN_OF = {table.name: tuple(table.hidden) for table in clinic.TABLES}
# columns that engines add to every table
SYSTEM_COLUMNS = {
    "sqlite": ("rowid", "_rowid_", "oid"),
    "duckdb": ("rowid", "rownum"),
    "postgres": ("ctid", "xmin", "tableoid", "oid"),
    "mysql": ("_rowid",),
    "clickhouse": ("_part", "_part_offset", "_table", "_row_exists"),
}
_RESERVED = frozenset({"order", "group", "select", "where", "level", "day", "name"})
_FRESH = tuple("abcdefgh")


@dataclass
class Source:
    name: str
    columns: dict[str, str]  # with their kinds
    table: str = ""  # whose hidden columns it would have


@dataclass
class Scope:
    """The sources of a query, and those of the query around it."""

    sources: list[Source] = field(default_factory=list)
    outer: "Scope | None" = None
    ctes: dict[str, dict[str, str]] = field(default_factory=dict)

    def all(self) -> list[Source]:
        return [*self.sources, *(self.outer.all() if self.outer else [])]

    def columns(self) -> dict[str, str]:
        return {name: kind for source in self.sources for name, kind in source.columns.items()}


class Names:
    """Chooses and writes names. `odd` is how often a new name is one that means something else already. Of
    all the places of a statement where something hidden could be named, a few are chosen beforehand: most
    references are honest, else the guard refuses nearly every statement and nothing is learned.
    """

    def __init__(self, rng: random.Random, dialect: str) -> None:
        self.rng, self.dialect = rng, dialect
        self.odd = 0.0
        self._place, self._chosen = 0, frozenset[int]()
        self._folds = dialect in ("sqlite", "duckdb", "postgres")
        self._quote = "`" if dialect == "mysql" else '"'

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def begin(self) -> None:
        """A new statement."""
        self.odd = self.rng.choice((0, 0.1, 0.3, 0.6))
        self._place = 0
        self._chosen = frozenset(self.rng.randrange(14) for _ in range(self.rng.choice((0, 0, 0, 1, 1, 2))))

    def sneaks(self) -> bool:
        """Whether this is a place to name something hidden."""
        self._place += 1
        return self._place in self._chosen

    def written(self, name: str) -> str:
        if name in _RESERVED or not name.isascii() or self.chance(0.04):
            return f"{self._quote}{name}{self._quote}"
        return name.upper() if self._folds and self.chance(0.02) else name

    def hidden(self, source: Source | None = None) -> str:
        pool: Sequence[str] = HIDDEN_COLUMNS
        if source and source.table in HIDDEN_OF and self.chance(0.7):
            pool = HIDDEN_OF[source.table]
        elif self.chance(0.1):
            pool = SYSTEM_COLUMNS[self.dialect]
        return self.rng.choice(pool)

    def new(self, scope: Scope | None = None) -> str:
        """A name for an alias, a column or a CTE."""
        if self.chance(self.odd):
            pools: tuple[Sequence[str], ...] = (
                HIDDEN_COLUMNS,
                tuple(VISIBLE),
                clinic.HIDDEN_TABLES,
                ("id", "name", "fee", "ward", "city"),
                tuple(source.name for source in scope.all()) if scope and scope.all() else _FRESH,
            )
            return self.rng.choice(self.rng.choice(pools))
        if scope and scope.sources and self.chance(0.04):
            return self.rng.choice(scope.sources).name
        taken = {source.name for source in scope.all()} if scope else set()
        return self.rng.choice([name for name in _FRESH if name not in taken] or list(_FRESH))

    def reference(self, scope: Scope, kind: str) -> str | None:
        """A column of that kind; None where there is none to be had."""
        sources = scope.sources if scope.sources and self.chance(0.8) else scope.all()
        if not sources:
            return None
        source = self.rng.choice(sources)
        if self.sneaks():
            source = self.rng.choice(scope.all())  # a hidden column of the query around this one, too
            column = self.hidden(source)
        else:
            fitting = [name for name, of in source.columns.items() if kind in ("any", of)]
            if not fitting:
                return None
            column = self.rng.choice(fitting)
        if self.chance(0.55):
            return f"{self.written(source.name)}.{self.written(column)}"
        return self.written(column)
