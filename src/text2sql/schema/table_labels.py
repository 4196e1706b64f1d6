"""Labels of tables (the bare name in the default schema, else `schema.name`) and the joins between them."""

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from text2sql.types import Catalog, ForeignKey, Table


def label(table: Table, catalog: Catalog) -> str:
    return catalog.label(table)


def table_label(name: str, schema: str, catalog: Catalog) -> str:
    return name if schema in ("", catalog.default_schema) else f"{schema}.{name}"


def find(name: str, catalog: Catalog) -> Table | None:
    """The table with that name; case is ignored if the result is unambiguous."""
    schema, _, bare = name.strip().rpartition(".")
    exact = catalog.table(bare, schema) or catalog.table(name.strip())
    if exact is not None:
        return exact
    folded = name.strip().casefold()
    labels = [(f"{table.schema}.{table.name}".casefold(), table) for table in catalog.tables]
    matches = [table for label, table in labels if folded in (label, table.name.casefold())]
    return matches[0] if len(matches) == 1 else None


def nearest(name: str, catalog: Catalog) -> str:
    """Up to three similar table names for an error message; `-` if there are none."""
    bare = name.strip().rpartition(".")[2]
    return ", ".join(get_close_matches(bare, [table.name for table in catalog.tables], n=3)) or "-"


@dataclass(frozen=True, slots=True)
class Join:
    """One step along a foreign key, in either direction."""

    table: str
    columns: tuple[str, ...]
    to: str
    referred: tuple[str, ...]


class Joins:
    """The join graph of a catalog: its foreign keys, in both directions."""

    def __init__(self, catalog: Catalog) -> None:
        known = {label(table, catalog) for table in catalog.tables}
        steps: dict[str, list[Join]] = defaultdict(list)
        self._parents: dict[str, list[str]] = defaultdict(list)
        for table in catalog.tables:
            child = label(table, catalog)
            for foreign in table.foreign_keys:
                parent = _target(table, foreign, catalog)
                if parent in known and parent != child:
                    steps[child].append(Join(child, foreign.columns, parent, foreign.referred))
                    steps[parent].append(Join(parent, foreign.referred, child, foreign.columns))
                    self._parents[child].append(parent)
        self._steps: Mapping[str, list[Join]] = {
            name: sorted(joins, key=lambda step: (step.to, step.columns)) for name, joins in steps.items()
        }

    def steps(self, table: str) -> list[Join]:
        return self._steps.get(table, [])

    def parents(self, table: str) -> list[str]:
        """The tables that a table refers to."""
        return self._parents.get(table, [])

    def between(self, start: str, end: str, longest: int = 4) -> list[str]:
        """The tables on a shortest join path, both ends included; empty if there is no path."""
        previous: dict[str, str] = {start: ""}
        depth = {start: 0}
        queue = deque([start])
        while queue and end not in previous:
            table = queue.popleft()
            if depth[table] == longest:
                break
            for step in self.steps(table):
                if step.to not in previous:
                    previous[step.to] = table
                    depth[step.to] = depth[table] + 1
                    queue.append(step.to)
        path, end_of_path = [], end if end in previous else ""
        while end_of_path:
            path.append(end_of_path)
            end_of_path = previous[end_of_path]
        return path[::-1]


def _target(table: Table, foreign: ForeignKey, catalog: Catalog) -> str:
    if not foreign.schema and catalog.table(foreign.table) is None:
        return table_label(foreign.table, table.schema, catalog)
    return table_label(foreign.table, foreign.schema, catalog)
