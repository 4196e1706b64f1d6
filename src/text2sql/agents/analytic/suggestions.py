"""Questions worth asking: examples for a database, and the next ones after an answer. All are checked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from text2sql.agents.analytic.item_words import ItemWords, spaced
from text2sql.agents.analytic.reading import AnalyticContext
from text2sql.agents.analytic.suggestion_check import Candidate, SuggestionCheck, take_diverse
from text2sql.agents.analytic.suggestion_items import SuggestionItems
from text2sql.i18n import Language, say
from text2sql.types import AnalyticQuery, Calendar, Dimension, Entity, Measure, RelatedFilter

_SECONDS = 1.0  # of computing; examples are cached
_MEASURES, _ENTITIES, _DIMENSIONS = 3, 6, 3  # that are tried


def example_questions(
    context: AnalyticContext,
    today: date,
    calendar: Calendar,
    language: Language,
    *,
    most: int = 6,
    about: tuple[str, ...] = (),
    year: int = 0,
) -> tuple[str, ...]:
    """Different kinds of questions first. `about`: tables that they should be about; `year`: of a trend."""
    examples = _Examples(SuggestionItems(context, about), ItemWords(context, language), language, year)
    kinds = (
        examples.trends(),
        examples.rankings(),
        examples.counts_by_category(),
        examples.without(),
        examples.shares(),
        examples.changes(),
        examples.averages(),
        examples.counts(),
    )
    check = SuggestionCheck(context, today, calendar)
    return take_diverse(kinds, check.example, most, _SECONDS)


@dataclass(frozen=True, slots=True)
class _Examples:
    items: SuggestionItems
    words: ItemWords
    language: Language
    year: int

    def trends(self) -> Iterator[Candidate]:
        """By month of the last year that has data."""
        for measure, name in self._measures():
            year = self.year or (self._years(measure) or (0, 0))[1]
            key = "example.trend_of_year" if year else "example.trend"
            yield self._about(measure, _has_bucket, key, measure=name, year=year)
        for entity, name in self._entities():
            if entity.time and self.year:
                yield self._candidate(_has_bucket, "example.counts_of_year", entity=name, year=self.year)

    def rankings(self) -> Iterator[Candidate]:
        for measure, name in self._measures():
            reached = self.items.reached(measure.table)
            for entity, plural in self._entities():
                if entity.table in reached and entity.table != measure.table and entity.labels:
                    meant = _grouped_by(entity.table)
                    yield self._about(measure, meant, "example.top", measure=name, entity=plural)

    def counts_by_category(self) -> Iterator[Candidate]:
        for entity, name in self._entities():
            for dimension, group in self._categories(entity.table):
                if dimension.table == entity.table:
                    yield self._candidate(
                        _grouped_by(dimension.name), "example.counts", entity=name, group=group
                    )

    def without(self) -> Iterator[Candidate]:
        for entity, name in self._entities():
            for child in self.items.children(entity) if entity.labels else ():
                related = self.words.entity(child)
                if related:
                    yield self._candidate(_lacks(child), "example.without", entity=name, related=related)

    def shares(self) -> Iterator[Candidate]:
        for measure, name in self._measures():
            for dimension, group in self._categories(measure.table):
                yield self._about(
                    measure, _grouped_by(dimension.name), "example.share", measure=name, group=group
                )

    def changes(self) -> Iterator[Candidate]:
        """The last two years that have data."""
        for measure, name in self._measures():
            years = self._years(measure)
            if years and years[0] < years[1]:
                yield self._about(
                    measure, _compares, "example.change", measure=name, year=years[1], before=years[1] - 1
                )

    def averages(self) -> Iterator[Candidate]:
        for measure in self.items.averages()[:_MEASURES]:
            name = self.words.measure(measure)
            for dimension, group in self._categories(measure.table) if name else ():
                yield self._about(
                    measure, _grouped_by(dimension.name), "example.average", measure=name, group=group
                )

    def counts(self) -> Iterator[Candidate]:
        for entity, name in self._entities():
            yield self._candidate(_counts(entity), "example.count", entity=name)

    def _measures(self) -> Iterator[tuple[Measure, str]]:
        for measure in self.items.measures()[:_MEASURES]:
            name = self.words.measure(measure)
            if name:
                yield measure, name

    def _entities(self) -> Iterator[tuple[Entity, str]]:
        for entity in self.items.entities()[:_ENTITIES]:
            name = self.words.entity(entity)
            if name:
                yield entity, name

    def _categories(self, table: str) -> Iterator[tuple[Dimension, str]]:
        for dimension in self.items.categories(table)[:_DIMENSIONS]:
            name = self.words.dimension(dimension)
            if name:
                yield dimension, name

    def _years(self, measure: Measure) -> tuple[int, int] | None:
        entity = self.items.context.model.entity(measure.table)
        return self.items.years(measure.time or (entity.time if entity else ""))

    def _about(
        self, of: Measure, is_meant: Callable[[AnalyticQuery], bool], key: str, /, **words: object
    ) -> Candidate:
        return self._candidate(lambda query: _uses(query, of) and is_meant(query), key, **words)

    def _candidate(self, is_meant: Callable[[AnalyticQuery], bool], key: str, **words: object) -> Candidate:
        text = say(key, self.language, **words)
        return Candidate(spaced(text) if self.language == "zh" else text, is_meant)


def _uses(query: AnalyticQuery, measure: Measure) -> bool:
    return any(getattr(use.value, "of", "") == measure.name for use in query.measures)


def _counts(entity: Entity) -> Callable[[AnalyticQuery], bool]:
    return lambda query: [getattr(use.value, "of", "") for use in query.measures] == [entity.table]


def _grouped_by(name: str) -> Callable[[AnalyticQuery], bool]:
    return lambda query: [grouping.entity or grouping.dimension for grouping in query.groupings] == [name]


def _has_bucket(query: AnalyticQuery) -> bool:
    return any(grouping.bucket for grouping in query.groupings)


def _compares(query: AnalyticQuery) -> bool:
    return query.comparison is not None


def _lacks(child: Entity) -> Callable[[AnalyticQuery], bool]:
    return lambda query: any(
        isinstance(item, RelatedFilter) and item.table == child.table and item.at_most == 0
        for item in query.filters
    )
