"""Keep only suggested questions that were checked: read surely, compiled, and allowed by the guard."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from text2sql.agents.analytic.reading import AnalyticContext, read_analytic, read_follow_up
from text2sql.errors import CannotCompile
from text2sql.question.reading import AnalyticReading
from text2sql.sql import check, compile_query, in_worker_now
from text2sql.types import AnalyticQuery, Calendar, CheckedSql


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question, and what its reading must have: it may be read surely, and as something else."""

    text: str
    is_meant: Callable[[AnalyticQuery], bool]


@dataclass(frozen=True, slots=True)
class SuggestionCheck:
    context: AnalyticContext
    today: date
    calendar: Calendar

    def example(self, candidate: Candidate) -> bool:
        reading = read_analytic(candidate.text, self.context, self.today, self.calendar)
        return self._is_good(reading, candidate)

    def follow_up(self, candidate: Candidate, previous: AnalyticQuery) -> bool:
        reading = read_follow_up(candidate.text, previous, self.context, self.today, self.calendar)
        return reading.query != previous and self._is_good(reading, candidate)

    def _is_good(self, reading: AnalyticReading, candidate: Candidate) -> bool:
        if not reading.is_sure or reading.assumptions or not candidate.is_meant(reading.query):
            return False
        schema = self.context.schema_context
        try:
            sql = compile_query(
                reading.query, self.context.model, schema.profile, self.today, schema.catalog
            ).sql
        except CannotCompile:
            return False
        checked = in_worker_now(check, sql, schema.catalog.dialect, schema.catalog, schema.policy)
        return isinstance(checked, CheckedSql)


def take_diverse(
    kinds: Iterable[Iterable[Candidate]], is_good: Callable[[Candidate], bool], most: int, seconds: float
) -> tuple[str, ...]:
    """One good candidate of each kind, then a second one, until there are enough or `seconds` of computing
    are over.
    """
    deadline = time.thread_time() + seconds
    left: list[Iterator[Candidate]] = [iter(kind) for kind in kinds]
    taken: dict[str, None] = {}
    while left:
        for kind in list(left):
            found = _next_good(kind, is_good, taken, deadline)
            if found is None:
                left.remove(kind)
            else:
                taken[found] = None
            if len(taken) == most or time.thread_time() > deadline:
                return tuple(taken)
    return tuple(taken)


def _next_good(
    kind: Iterator[Candidate], is_good: Callable[[Candidate], bool], taken: dict[str, None], deadline: float
) -> str | None:
    for candidate in kind:
        if time.thread_time() > deadline:
            return None
        if candidate.text not in taken and is_good(candidate):
            return candidate.text
    return None
