"""The relations of a semantic model as a graph: which tables a row refers to, and which refer to it."""

from collections import defaultdict, deque
from collections.abc import Iterable
from functools import lru_cache

from text2sql.types import SemanticModel


class Graph:
    def __init__(self, model: SemanticModel) -> None:
        self._parents: dict[str, list[str]] = defaultdict(list)
        self._children: dict[str, list[str]] = defaultdict(list)
        for relation in model.relations:
            if relation.table != relation.to:
                self._parents[relation.table].append(relation.to)
                self._children[relation.to].append(relation.table)

    def referred(self, table: str) -> dict[str, int]:
        """The tables that a row refers to, directly or not, with the number of steps; its own: 0."""
        return _reach(table, self._parents)

    def referring(self, table: str) -> dict[str, int]:
        """The tables whose rows refer to a row of `table`, with the number of steps; itself: 0."""
        return _reach(table, self._children)

    def distance(self, fact: str, table: str) -> float:
        """Steps from a fact table to another table; a step to many costs more. Infinite: not connected."""
        if (steps := self.referred(fact).get(table)) is not None:
            return float(steps)
        down = self.referring(fact)
        if table in down:
            return 3.0 + down[table]
        across = [
            steps + up[table] for middle, steps in down.items() if table in (up := self.referred(middle))
        ]
        for parent, steps in self.referred(fact).items():
            across += [steps + more for child, more in self.referring(parent).items() if child == table]
        return 4.0 + min(across) if across else float("inf")

    def nearest(self, tables: Iterable[str], others: Iterable[str]) -> str:
        """The table that is nearest to all others; the first one if several are."""
        names = list(others)
        return min(tables, key=lambda table: sum(self.distance(name, table) for name in names), default="")


def _reach(table: str, steps: dict[str, list[str]]) -> dict[str, int]:
    reached = {table: 0}
    queue = deque([table])
    while queue:
        current = queue.popleft()
        for following in steps.get(current, ()):
            if following not in reached:
                reached[following] = reached[current] + 1
                queue.append(following)
    return reached


@lru_cache(maxsize=16)
def graph_of(model: SemanticModel) -> Graph:
    return Graph(model)
