"""The next questions after an answer: short follow-ups that edit its analytic query."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import date, datetime

from text2sql.agents.analytic.item_words import ItemWords, spaced
from text2sql.agents.analytic.reading import AnalyticContext
from text2sql.agents.analytic.suggestion_check import Candidate, SuggestionCheck, take_diverse
from text2sql.agents.analytic.suggestion_items import SuggestionItems
from text2sql.i18n import Language, say
from text2sql.types import AnalyticQuery, Calendar, Dimension, Ratio, TimeFilter, ValueFilter

# Of computing, at most: an answer waits for it. Usually 0.03; more for the first answer of a process.
_SECONDS = 0.3
_DIMENSIONS, _VALUES = 3, 2  # that are tried
_TOP = 5


def next_questions(
    query: AnalyticQuery,
    context: AnalyticContext,
    today: date,
    calendar: Calendar,
    language: Language,
    *,
    most: int = 3,
) -> tuple[str, ...]:
    """Another kind of question each, none that repeats what the query has."""
    following = _Following(query, SuggestionItems(context), ItemWords(context, language), language)
    check = SuggestionCheck(context, today, calendar)
    return take_diverse(
        following.kinds(), lambda candidate: check.follow_up(candidate, query), most, _SECONDS
    )


@dataclass(frozen=True, slots=True)
class _Following:
    query: AnalyticQuery
    items: SuggestionItems
    words: ItemWords
    language: Language

    def kinds(self) -> tuple[Iterable[Candidate], ...]:
        """In the order of their use for the shape of the answer."""
        if not self.query.measures:
            return (self.counts(), self.values())
        if self._bucket:
            return (self.comparisons(), self.dimensions(), self.running(), self.values())
        if self.query.groupings:
            return (
                self.shares(), self.months(), self.top(), self.dimensions(), self.numbers(), self.values(),
            )  # fmt: skip
        return (self.months(), self.dimensions(), self.comparisons(), self.numbers(), self.values())

    def months(self) -> Iterator[Candidate]:
        yield self._candidate("groupings", _has_month, "suggest.by_month")

    def dimensions(self) -> Iterator[Candidate]:
        used = self._used
        for dimension, name in self._categories():
            if dimension.name not in used:
                yield self._candidate("groupings", _grouped_by(dimension.name), "suggest.by", group=name)

    def shares(self) -> Iterator[Candidate]:
        is_plain = not any(isinstance(use.value, Ratio) or use.share for use in self.query.measures)
        if is_plain and self.query.comparison is None and self._may_add_up:
            yield self._candidate("measures", _has_share, "suggest.share")

    def top(self) -> Iterator[Candidate]:
        if self.query.ranking is None and not self.query.limit and self._has_many_groups:
            yield self._candidate("ranking", _is_ranked, "suggest.top")

    def comparisons(self) -> Iterator[Candidate]:
        if self.query.comparison is not None:
            return
        year = self._year
        if self._bucket in ("month", "quarter"):
            yield self._candidate("comparison", _compares, "suggest.compare_last_year")
        elif year and not self.query.groupings:
            meant = _compares_years(year - 1, year)
            yield self._candidate("comparison", meant, "suggest.compare_years", year=year, before=year - 1)
        if self._bucket == "month":
            yield self._candidate("comparison", _compares, "suggest.compare_previous_month")

    def running(self) -> Iterator[Candidate]:
        if self.query.comparison is None and self._may_add_up:
            yield self._candidate("measures", _is_running, "suggest.running")

    def values(self) -> Iterator[Candidate]:
        """A value of a dimension that the query has not got: one value of a shown one is no comparison."""
        used = self._used
        for dimension, _ in self._categories():
            if dimension.name in used:
                continue
            for value in self.items.values(dimension)[:_VALUES]:
                yield self._candidate("filters", _filters(dimension.name, value), "suggest.only", value=value)

    def numbers(self) -> Iterator[Candidate]:
        """How many there are, instead of another measure."""
        entity = self.items.context.model.entity(self._table)
        is_thing = entity is not None and (entity.labels or entity.time.startswith(f"{entity.table}."))
        name = self.words.entity(entity) if entity is not None and is_thing else ""
        if name and not any(getattr(use.value, "function", "") == "count" for use in self.query.measures):
            yield self._candidate("measures", _counts, "suggest.number", entity=name)

    def counts(self) -> Iterator[Candidate]:
        entity = self.items.context.model.entity(self.query.subject)
        name = self.words.entity(entity) if entity is not None else ""
        for dimension, group in self._categories() if name else ():
            meant = _grouped_by(dimension.name)
            yield self._candidate("groupings", meant, "suggest.count", entity=name, group=group)

    def _candidate(
        self, changed: str, is_meant: Callable[[AnalyticQuery], bool], key: str, **words: object
    ) -> Candidate:
        """`changed`: the part of the query that the question edits."""
        text = say(key, self.language, **words)
        return Candidate(
            spaced(text) if self.language == "zh" else text,
            lambda edited: is_meant(edited) and _changes(self.query, edited) <= _MAY_CHANGE[changed],
        )

    def _categories(self) -> Iterator[tuple[Dimension, str]]:
        for dimension in self.items.categories(self._table)[:_DIMENSIONS]:
            name = self.words.dimension(dimension)
            if name:
                yield dimension, name

    @property
    def _table(self) -> str:
        """Whose rows are aggregated or listed."""
        if not self.query.measures:
            return self.query.subject
        value = self.query.measures[0].value
        of = (value.numerator if isinstance(value, Ratio) else value).of
        measure = self.items.context.model.measure(of)
        dimension = self.items.context.model.dimension(of)
        return measure.table if measure else dimension.table if dimension else of

    @property
    def _bucket(self) -> str:
        return next((grouping.bucket for grouping in self.query.groupings if grouping.bucket), "")

    @property
    def _used(self) -> set[str]:
        """Dimensions that are grouped by, or that have one value."""
        filtered = {item.dimension for item in self.query.filters if isinstance(item, ValueFilter)}
        return filtered | {grouping.dimension for grouping in self.query.groupings}

    @property
    def _may_add_up(self) -> bool:
        """Shares and running totals are of sums and counts."""
        functions = {getattr(use.value, "function", "") for use in self.query.measures}
        return functions <= {"sum", "count"} and not any(
            use.running or use.moving for use in self.query.measures
        )

    @property
    def _has_many_groups(self) -> bool:
        """More than five, as far as is known."""
        grouping = self.query.groupings[0]
        dimension = self.items.context.model.dimension(grouping.dimension)
        values = self.items.values(dimension) if dimension is not None else []
        return grouping.part is None and (not values or len(values) > _TOP)

    @property
    def _year(self) -> int:
        """The year of the only period; 0 if there is none, or another period."""
        times = [item for item in self.query.filters if isinstance(item, TimeFilter)]
        if len(times) != 1 or len(times[0].ranges) != 1:
            return 0
        start, end = times[0].ranges[0]
        if start is None or end is None or isinstance(start, datetime) or isinstance(end, datetime):
            return 0
        return start.year if (start, end) == (date(start.year, 1, 1), date(start.year + 1, 1, 1)) else 0


_MAY_CHANGE = {
    "groupings": frozenset(("groupings", "measures", "ranking", "thresholds", "order", "columns", "limit")),
    "measures": frozenset(("measures", "subject")),
    "ranking": frozenset(("ranking",)),
    "comparison": frozenset(("comparison", "filters", "order")),
    "filters": frozenset(("filters",)),
}


def _changes(old: AnalyticQuery, new: AnalyticQuery) -> set[str]:
    names = [field.name for field in fields(AnalyticQuery)]
    return {name for name in names if getattr(old, name) != getattr(new, name)}


def _has_month(query: AnalyticQuery) -> bool:
    return [grouping.bucket for grouping in query.groupings] == ["month"]


def _grouped_by(name: str) -> Callable[[AnalyticQuery], bool]:
    return lambda query: [grouping.dimension for grouping in query.groupings] == [name]


def _has_share(query: AnalyticQuery) -> bool:
    return any(use.share for use in query.measures)


def _counts(query: AnalyticQuery) -> bool:
    return [getattr(use.value, "function", "") for use in query.measures] == ["count"]


def _is_running(query: AnalyticQuery) -> bool:
    return any(use.running for use in query.measures)


def _is_ranked(query: AnalyticQuery) -> bool:
    return query.ranking is not None and query.ranking.most > 0


def _compares(query: AnalyticQuery) -> bool:
    return query.comparison is not None


def _compares_years(before: int, year: int) -> Callable[[AnalyticQuery], bool]:
    wanted = tuple((date(number, 1, 1), date(number + 1, 1, 1)) for number in (before, year))
    return lambda query: query.comparison is not None and query.comparison.ranges == wanted


def _filters(name: str, value: str) -> Callable[[AnalyticQuery], bool]:
    return lambda query: ValueFilter(name, "=", (value,)) in query.filters
