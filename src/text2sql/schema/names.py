"""What a table is called in this room: its bare name in the default schema, `schema.name` elsewhere; and the
foreign keys between tables so called.
"""

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from text2sql.types import Catalogue, ForeignKey, Table


def label(table: Table, catalogue: Catalogue) -> str:
    return named(table.name, table.schema, catalogue)


def named(name: str, schema: str, catalogue: Catalogue) -> str:
    return name if schema in ("", catalogue.default_schema) else f"{schema}.{name}"


def find(name: str, catalogue: Catalogue) -> Table | None:
    """As the database spells it, or in other capitals where that leaves no doubt."""
    schema, _, bare = name.strip().rpartition(".")
    exact = catalogue.table(bare, schema) or catalogue.table(name.strip())
    if exact is not None:
        return exact
    wanted = name.strip().casefold()
    labels = [(f"{table.schema}.{table.name}".casefold(), table) for table in catalogue.tables]
    alike = [table for label, table in labels if wanted in (label, table.name.casefold())]
    return alike[0] if len(alike) == 1 else None


def nearest(name: str, catalogue: Catalogue) -> str:
    """What somebody who named no table may have meant, to be read."""
    bare = name.strip().rpartition(".")[2]
    return ", ".join(get_close_matches(bare, [table.name for table in catalogue.tables], n=3)) or "-"


@dataclass(frozen=True, slots=True)
class Join:
    """One step along a foreign key, in the direction it is walked."""

    table: str
    columns: tuple[str, ...]
    to: str
    referred: tuple[str, ...]


class Joins:
    """The foreign keys of a catalogue, walked both ways."""

    def __init__(self, catalogue: Catalogue) -> None:
        known = {label(table, catalogue) for table in catalogue.tables}
        steps: dict[str, list[Join]] = defaultdict(list)
        self._parents: dict[str, list[str]] = defaultdict(list)
        for table in catalogue.tables:
            here = label(table, catalogue)
            for foreign in table.foreign_keys:
                there = _target(table, foreign, catalogue)
                if there in known and there != here:
                    steps[here].append(Join(here, foreign.columns, there, foreign.referred))
                    steps[there].append(Join(there, foreign.referred, here, foreign.columns))
                    self._parents[here].append(there)
        self._steps: Mapping[str, list[Join]] = {
            name: sorted(held, key=lambda step: (step.to, step.columns)) for name, held in steps.items()
        }

    def steps(self, table: str) -> list[Join]:
        return self._steps.get(table, [])

    def parents(self, table: str) -> list[str]:
        """The tables that a table refers to."""
        return self._parents.get(table, [])

    def between(self, start: str, end: str, longest: int = 4) -> list[str]:
        """The tables on a way with the fewest foreign keys, both ends included; empty if there is none."""
        before: dict[str, str] = {start: ""}
        depth = {start: 0}
        queue = deque([start])
        while queue and end not in before:
            here = queue.popleft()
            if depth[here] == longest:
                break
            for step in self.steps(here):
                if step.to not in before:
                    before[step.to] = here
                    depth[step.to] = depth[here] + 1
                    queue.append(step.to)
        path, at = [], end if end in before else ""
        while at:
            path.append(at)
            at = before[at]
        return path[::-1]


def _target(table: Table, foreign: ForeignKey, catalogue: Catalogue) -> str:
    if not foreign.schema and catalogue.table(foreign.table) is None:
        return named(foreign.table, table.schema, catalogue)
    return named(foreign.table, foreign.schema, catalogue)
