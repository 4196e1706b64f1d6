"""Read conditions on related rows: *customers who never ordered*, *with at least two orders*."""

from typing import Literal

from text2sql.question.reading.draft import Draft, OpenChoice
from text2sql.question.reading.grouping import add_grouping
from text2sql.types import Aggregation, Cue, Grouping, MeasureUse, RelatedFilter, Threshold

_OPERATORS: dict[str, Literal["<", "<=", ">", ">=", "="]] = {
    "at_least": ">=",
    "more_than": ">",
    "at_most": "<=",
    "less_than": "<",
    "exactly": "=",
}


def read_related(draft: Draft) -> None:
    """Before the measures: takes the tables that only stand for a condition."""
    pieces = draft.pieces
    table = draft.subject
    if not table:
        return
    for index in pieces.with_cue("never", "more_than_once", *_OPERATORS):
        cue = pieces[index].cue("never", "more_than_once", *_OPERATORS)
        if cue is None or index in pieces.used or pieces[index].mention is not None:
            continue
        related = _related(draft, index, table, cue)
        if related is None:
            continue
        at_least, at_most = _bounds(cue)
        draft.filters.append(RelatedFilter(related, at_least, at_most))
        pieces.use(index)


def _bounds(cue: Cue) -> tuple[int, int | None]:
    number = int(cue.number) if cue.number is not None else 0
    return {
        "never": (0, 0),
        "more_than_once": (2, None),
        "at_least": (number, None),
        "more_than": (number + 1, None),
        "at_most": (0, number),
        "less_than": (0, number - 1),
        "exactly": (number, number),
    }[cue.kind]


def _related(draft: Draft, index: int, table: str, cue: Cue) -> str | None:
    """The table of the related rows: named after the number, or the only one that can be meant."""
    pieces = draft.pieces
    for other in (*pieces.after(index, 3), *pieces.before(index, 1)):
        entities = [c for c in pieces[other].candidates("entity") if c.table != table]
        if not entities or pieces[other].is_time:
            continue
        below = [c for c in entities if c.table in draft.graph.referring(table)]
        if below:
            pieces.use(other)
            _use_between(draft, index, table, below[0].table)
            return below[0].table
    if cue.kind not in ("never", "more_than_once") and not (cue.number is not None and _says_times(cue)):
        return None
    options = _transactions(draft, table)
    if not options:
        return None
    if len(options) > 1:
        draft.choices.append(OpenChoice("related", cue.text, tuple(options)))
    for other in pieces.after(index, 2):
        if not pieces[other].mention and not pieces[other].value and not pieces[other].is_time:
            pieces.use(other)  # the verb: *never ordered*
    return options[0]


def _use_between(draft: Draft, index: int, table: str, related: str) -> None:
    """The *products* of *suppliers whose products were never returned* are on the way to the returns."""
    on_the_way = draft.graph.referring(table).keys() & draft.graph.referred(related).keys()
    for other in draft.pieces.before(index, 2):
        entities = draft.pieces[other].candidates("entity")
        if entities and entities[0].table != table and entities[0].table in on_the_way:
            draft.pieces.use(other)


def _says_times(cue: Cue) -> bool:
    return any(word in cue.text for word in ("once", "twice", "times", "次"))


def _transactions(draft: Draft, table: str) -> list[str]:
    """The tables that refer to the rows of a table, nearest first, if they are not only bridges."""
    referring = draft.graph.referring(table)
    nearest = sorted(
        (steps, name) for name, steps in referring.items() if steps and not _is_bridge(draft, name)
    )
    with_time = [(steps, name) for steps, name in nearest if _has_time(draft, name)]
    chosen = with_time or nearest
    return [name for steps, name in chosen if steps == chosen[0][0]] if chosen else []


def _is_bridge(draft: Draft, table: str) -> bool:
    entity = draft.model.entity(table)
    return entity is None or entity.is_bridge


def _has_time(draft: Draft, table: str) -> bool:
    entity = draft.model.entity(table)
    return entity is not None and bool(entity.time)


def read_group_thresholds(draft: Draft) -> None:
    """*Cities with at least 10 customers*: a count of each group."""
    pieces = draft.pieces
    for index in pieces.with_cue(*_OPERATORS):
        cue = pieces[index].cue(*_OPERATORS)
        if cue is None or index in pieces.used or cue.number is None:
            continue
        if not draft.groupings and not _group_by_named(draft, index):
            continue
        pieces.use(index)
        draft.thresholds.append(Threshold(_OPERATORS[cue.kind], cue.number))


def _group_by_named(draft: Draft, index: int) -> bool:
    """*Clients with at least 280 shipments*: group the counted rows by the column that is named before."""
    pieces = draft.pieces
    counted = next((i for i in pieces.after(index, 1) if pieces[i].candidates("entity")), None)
    named = next((i for i in pieces.before(index, 3) if pieces[i].candidates("dimension")), None)
    cue = pieces[index].cue(*_OPERATORS)
    if counted is None and named is None and cue is not None and _says_times(cue):
        named = next((i for i in pieces.after(index, 1) if pieces[i].candidates("dimension")), None)
    if named is None or draft.measures or (counted is None and not (cue and _says_times(cue))):
        return False
    if counted is None:  # 下单超过150次的客户: the rows in which the client is named
        table = pieces[named].candidates("dimension")[0].table
        if not _has_time(draft, table):
            return False
    else:
        entity = draft.choose(counted, ("entity",), "measure")
        if entity is None:
            return False
        table = entity.table
    draft.facts.append(table)
    draft.measures.append(MeasureUse(Aggregation("count", table)))
    return add_grouping(draft, named) is not None


def show_counts(draft: Draft) -> None:
    """*Customers with at least two orders*: a list of customers, with how many orders each has."""
    if draft.measures or draft.columns or not draft.subject:
        return
    for item in draft.filters:
        if isinstance(item, RelatedFilter) and item.at_least > 1 and not item.filters:
            draft.filters.remove(item)
            draft.measures.append(MeasureUse(Aggregation("count", item.table)))
            draft.groupings.append(Grouping(entity=draft.subject))
            draft.thresholds.append(Threshold(">=", item.at_least))
            if item.at_most is not None:
                draft.thresholds.append(Threshold("<=", item.at_most))
            return
