"""Decide between measures of the same name by the tables that the query needs."""

from dataclasses import replace

from text2sql.question.reading.draft import Draft
from text2sql.types import Aggregation, ValueFilter


def settle_measures(draft: Draft) -> None:
    """Of measures with the same name, the first one whose rows refer to all that the query groups and filters
    by: revenue by month is the total of invoices, by genre that of their lines.
    """
    tables = _tables_needed(draft)
    for number, use in enumerate(draft.measures):
        if isinstance(use.value, Aggregation) and use.value.of not in draft.pinned:
            draft.measures[number] = replace(use, value=_settled(draft, use.value, tables))


def _tables_needed(draft: Draft) -> list[str]:
    names = [grouping.dimension for grouping in draft.groupings]
    names += [item.dimension for item in draft.filters if isinstance(item, ValueFilter)]
    dimensions = [draft.model.dimension(name) for name in names]
    tables = [grouping.entity for grouping in draft.groupings if grouping.entity]
    return [*tables, *(dimension.table for dimension in dimensions if dimension is not None)]


def _same_name(draft: Draft, name: str) -> tuple[str, ...]:
    """The measures that have a synonym in common with this one."""
    own = draft.model.measure(name)
    if own is None:
        return ()
    return tuple(
        measure.name
        for measure in draft.model.measures
        if measure.kind == own.kind and set(measure.synonyms) & set(own.synonyms)
    )


def _settled(draft: Draft, value: Aggregation, tables: list[str]) -> Aggregation:
    options = draft.options.get(value.of) or _same_name(draft, value.of)
    own = draft.model.measure(value.of)
    if own is not None and own.aggregate != "sum":  # a price: of the table that is nearest to the groups
        reachable = [measure for measure in map(draft.model.measure, options) if measure is not None]
        near = tables or ([draft.subject] if draft.subject else [])
        options = tuple(
            measure.name
            for measure in sorted(
                reachable, key=lambda m: sum(draft.graph.distance(m.table, table) for table in near)
            )
        )
    for name in options:
        measure = draft.model.measure(name)
        if measure is not None and all(table in draft.graph.referred(measure.table) for table in tables):
            return replace(value, of=name)
    return value
