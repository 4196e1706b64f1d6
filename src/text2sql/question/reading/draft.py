"""The analytic query while it is read: what is known so far, and what words leave open."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from text2sql.question.reading.graph import Graph
from text2sql.question.reading.pieces import Pieces
from text2sql.types import (
    AnalyticQuery,
    Comparison,
    Filter,
    Grouping,
    MeasureUse,
    Order,
    Ranking,
    SchemaCandidate,
    SemanticModel,
    Threshold,
    TimeReading,
)

Slot = Literal["measure", "grouping", "filter", "subject", "time", "related"]


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """A part of the query for which the question allows several readings; the first one was taken."""

    slot: Slot
    text: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnalyticReading:
    """The query that a question was read into, and what speaks against it."""

    query: AnalyticQuery
    unused: tuple[str, ...] = ()  # words that no part of the query stands for
    choices: tuple[OpenChoice, ...] = ()
    problems: tuple[str, ...] = ()  # what the question asks for and the query does not contain
    weakest: float = 1.0  # score of the name that matches its words least
    assumptions: tuple[str, ...] = ()  # measures that the question does not name
    corrections: tuple[tuple[str, str], ...] = ()  # misspelled words and the values that they were taken for

    @property
    def is_sure(self) -> bool:
        return not self.unused and not self.choices and not self.problems and self.weakest >= 0.75


@dataclass(slots=True)
class Draft:
    text: str
    pieces: Pieces
    model: SemanticModel
    graph: Graph
    times: TimeReading
    groups: list[int] = field(default_factory=list)  # indexes of pieces
    ranked: list[int] = field(default_factory=list)
    excluded: set[int] = field(default_factory=set)
    facts: list[str] = field(default_factory=list)  # tables of the measures
    subject: str = ""
    measures: list[MeasureUse] = field(default_factory=list)
    groupings: list[Grouping] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    thresholds: list[Threshold] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    order: list[Order] = field(default_factory=list)
    ranking: Ranking | None = None
    comparison: Comparison | None = None
    limit: int = 0
    distinct: bool = False
    pinned: set[str] = field(default_factory=set)  # measures of the table that is named before them
    event_time: str = ""  # the time dimension that a verb names: *shipped*
    choices: list[OpenChoice] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    weakest: float = 1.0
    previous: AnalyticQuery | None = None  # that a follow-up edits
    context: list[str] = field(default_factory=list)  # its tables
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)  # measures that have the same name

    def near(self) -> list[str]:
        """The tables that names without a table of their own are looked for near to."""
        return [*self.facts, *([self.subject] if self.subject else [])] or self.context

    def choose(
        self, index: int, kinds: Sequence[str], slot: Slot, near: Iterable[str] | None = None
    ) -> SchemaCandidate | None:
        """The best candidate of a piece: by its words, then by its distance from the other tables."""
        candidates = self.pieces[index].candidates(*kinds)
        if not candidates:
            return None
        tables = list(self.near() if near is None else near)
        if slot == "measure" and candidates[0].kind == "measure":
            tables = []  # `settle_measures` decides

        dated = [table for table in map(self._dated, tables) if table]

        def rank(candidate: SchemaCandidate) -> tuple[float, float, float]:
            """By words, then by steps from the facts, then from the table that has their date: the country of
            a sale is that of its customer rather than that of its supplier.
            """
            distance, from_date = (
                sum(self.graph.distance(table, candidate.table) for table in group)
                for group in (tables, dated)
            )
            return -round(candidate.score, 1), distance, from_date

        best = sorted(candidates, key=rank)
        first = best[0]
        equal = [c for c in best if rank(c) == rank(first)]
        is_settled_later = slot == "measure" and first.kind == "measure"
        if not is_settled_later and len({candidate.name for candidate in equal}) > 1:
            self.choices.append(
                OpenChoice(slot, self.pieces[index].text, tuple(candidate.name for candidate in equal))
            )
        if first.kind == "entity" and first.score <= 0.9:
            rivals = [c for c in candidates if c.kind == "entity" and c.name != first.name and c.score >= 0.6]
            if rivals:  # *items*: rows of `order_items`, or products
                self.choices.append(OpenChoice(slot, self.pieces[index].text, (first.name, rivals[0].name)))
        self.weakest = min(self.weakest, first.score)
        self.pieces.use(index)
        return first

    def _dated(self, table: str) -> str:
        entity = self.model.entity(table)
        dimension = self.model.dimension(entity.time) if entity is not None else None
        return dimension.table if dimension is not None else ""

    def time_dimension(self) -> str:
        """The time that a verb names, or the time dimension of the fact tables, or of the subject."""
        if self.event_time:
            return self.event_time
        for table in self.near():
            for at in sorted(self.graph.referred(table).items(), key=lambda entry: entry[1]):
                entity = self.model.entity(at[0])
                if entity is not None and entity.time:
                    return entity.time
        return ""

    def finish(self) -> AnalyticReading:
        query = AnalyticQuery(
            subject=self.subject,
            measures=tuple(self.measures),
            groupings=tuple(dict.fromkeys(self.groupings)),
            filters=tuple(dict.fromkeys(self.filters)),
            comparison=self.comparison,
            ranking=self.ranking,
            thresholds=tuple(self.thresholds),
            columns=tuple(dict.fromkeys(self.columns)),
            order=tuple(self.order),
            limit=self.limit,
            distinct=self.distinct,
        )
        return AnalyticReading(
            query,
            tuple(self.pieces.unused_texts(follow_up=self.previous is not None)),
            tuple(self.choices),
            tuple(self.problems),
            self.weakest,
            tuple(self.assumptions),
        )
