"""Join paths between tables, along the relations of a semantic model.

The best path only goes to one. Else it only goes to many, as from a film to the payments of its rentals. Else
it turns as rarely as possible from to-one to to-many: rows that only share a third one, such as a store, are
related least. Then the shortest path is best, and one with few inferred relations.
"""

import heapq
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from text2sql.errors import AmbiguousPath, CannotCompile
from text2sql.types import Relation, SemanticModel

_LONGEST = 6  # steps
_Cost = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Step:
    """One join: along a relation, or against it."""

    relation: Relation
    forward: bool
    to_many: bool

    @property
    def start(self) -> str:
        return self.relation.table if self.forward else self.relation.to

    @property
    def end(self) -> str:
        return self.relation.to if self.forward else self.relation.table

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The joined columns: of the start, and of the end."""
        own, other = self.relation.columns, self.relation.referred
        return tuple(zip(own, other, strict=True) if self.forward else zip(other, own, strict=True))

    @property
    def name(self) -> str:
        return self.relation.role or self.end

    def is_called(self, hint: str) -> bool:
        return hint in (self.relation.role, self.end)


Path = tuple[Step, ...]


class JoinGraph:
    """The relations of a model, in both directions."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model

    @cached_property
    def _steps(self) -> dict[str, list[Step]]:
        steps: dict[str, list[Step]] = {}
        for relation in self._model.relations:
            entity = self._model.entity(relation.table)
            is_one_to_one = entity is not None and set(entity.key) == set(relation.columns)
            for step in (Step(relation, True, False), Step(relation, False, not is_one_to_one)):
                steps.setdefault(step.start, []).append(step)
        return steps

    def path(self, start: str, end: str, hints: tuple[str, ...] = ()) -> Path:
        """The best path that passes the hints, roles or tables, in their order. Raises if there is none, or
        if several are equally good.
        """
        if start == end and not hints:
            return ()
        found = self._best(start, end, hints)
        if not found:
            raise CannotCompile("no_path", table=start, to=end)
        if len(found) > 1:
            raise AmbiguousPath(start, end, tuple(tuple(step.name for step in path) for path in found))
        return found[0]

    def path_to_rows(self, start: str, end: str, hints: tuple[str, ...]) -> Path:
        """The path from a row to related rows. Those of its own table refer to it: the staff of a manager."""
        if start != end:
            return self.path(start, end, hints)
        own = [
            step
            for step in self._steps.get(start, ())
            if step.end == start and not step.forward and all(step.is_called(hint) for hint in hints)
        ]
        if len(own) > 1:
            raise AmbiguousPath(start, end, tuple((step.name,) for step in own))
        return (own[0],) if own else self.path(start, end, hints or (end,))

    def reaches_one(self, start: str, end: str, hints: tuple[str, ...] = ()) -> bool:
        """Whether each row of a table has at most one row of the other."""
        try:
            return not any(step.to_many for step in self.path(start, end, hints))
        except AmbiguousPath:
            return True
        except CannotCompile:
            return False

    def _best(self, start: str, end: str, hints: tuple[str, ...]) -> list[Path]:
        """All paths of the lowest cost. A state is a table, the number of hints that were passed, and
        whether the last step and any step goes to many."""
        found: list[Path] = []
        lowest: _Cost | None = None
        best: dict[tuple[str, int, bool, bool], _Cost] = {}
        queue: list[tuple[_Cost, int, Path]] = [(_cost(()), 0, ())]
        pushed = 0
        while queue:
            cost, _, path = heapq.heappop(queue)
            if lowest is not None and cost > lowest:
                break
            table = path[-1].end if path else start
            passed = _passed(path, hints)
            state = (table, passed, bool(path) and path[-1].to_many, bool(cost[1]))
            if best.setdefault(state, cost) < cost:
                continue
            if table == end and passed == len(hints):
                found.append(path)
                lowest = cost
                continue
            for step in self._steps.get(table, ()) if len(path) < _LONGEST else ():
                if path and step.relation is path[-1].relation and step.forward != path[-1].forward:
                    continue  # there and back
                pushed += 1
                heapq.heappush(queue, (_cost((*path, step)), pushed, (*path, step)))
        return found


def _passed(path: Path, hints: tuple[str, ...]) -> int:
    passed = 0
    for step in path:
        if passed < len(hints) and step.is_called(hints[passed]):
            passed += 1
    return passed


def _cost(path: Path) -> _Cost:
    turns = [(before.to_many, after.to_many) for before, after in pairwise(path)]
    return (
        turns.count((False, True)),
        int(any(step.to_many for step in path)),
        turns.count((True, False)),
        len(path),
        sum(not step.relation.declared for step in path),
    )
