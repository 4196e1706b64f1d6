"""Read the measures of a question: what is counted, added up or averaged."""

import re
from dataclasses import replace

from text2sql.question.reading.draft import Draft
from text2sql.types import (
    Aggregate,
    Aggregation,
    Measure,
    MeasureUse,
    Ratio,
    SchemaCandidate,
    ValueFilter,
)

_FUNCTIONS: dict[str, Aggregate] = {
    "sum": "sum",
    "average": "average",
    "median": "median",
    "percentile": "percentile",
}
_REACH = 3  # pieces between *average* and what is averaged


def read_counts(draft: Draft) -> None:
    """*How many customers*, *number of orders*, 多少订单, 订单数量."""
    pieces = draft.pieces
    for index in pieces.with_cue("count", "average_per"):
        if pieces[index].mention is not None and not _counts_what_is_before(draft, index):
            continue
        target = _counted(draft, index)
        if target is None:
            if draft.subject and not any(piece.mention for _, piece in pieces):
                pieces.use(index)
                count = Aggregation("count", draft.subject)
                _add(draft, count, SchemaCandidate("entity", draft.subject, draft.subject, 1.0))
            continue
        if _is_measure(draft, target):  # 多少销售额
            pieces.use(index)
            continue
        candidate = draft.choose(target, ("entity",), "subject") or draft.choose(
            target, ("dimension",), "measure"
        )
        if candidate is None:
            continue
        pieces.use(index, target)
        distinct = candidate.kind == "dimension" or bool(pieces.with_cue("distinct"))
        pieces.use(*pieces.with_cue("distinct"))
        function: Aggregate = "count_distinct" if candidate.kind == "dimension" else "count"
        if not distinct or candidate.kind == "entity":
            function = "count"
        _add(draft, Aggregation(function, candidate.name), candidate)


def _counts_what_is_before(draft: Draft, index: int) -> bool:
    """商品数量 counts goods, although a column may be called 数量."""
    if not index:
        return False
    piece, before = draft.pieces[index], draft.pieces[index - 1]
    entities = before.candidates("entity")
    return bool(entities) and entities[0].score >= 0.9 and draft.text[before.end : piece.start] in ("", "的")


def _counted(draft: Draft, index: int) -> int | None:
    """The piece that is counted: the next name in English; in Chinese the next or the one before."""
    pieces = draft.pieces
    for other in pieces.after(index, 2):
        if other not in draft.groups and pieces[other].mention is not None:
            return other
        if pieces[other].mention is None and not pieces[other].value and not pieces[other].cues:
            continue
    for other in pieces.before(index, 2):
        if other not in draft.groups and pieces[other].candidates("entity", "dimension"):
            return other
    return None


def read_aggregates(draft: Draft) -> None:
    """*Average price*, *total sales*, 价格的中位数; a measure without a function has its usual one."""
    pieces = draft.pieces
    for index, piece in pieces:
        if index in pieces.used or index in draft.groups or index in draft.ranked:
            continue
        if not _is_measure(draft, index):
            if _is_counted_beside(draft, index):
                counted = draft.choose(index, ("entity",), "measure")
                if counted is not None:
                    _add(draft, Aggregation("count", counted.name), counted)
            continue
        if _repeats_measure(draft, index):
            pieces.use(index)
            continue
        cue_index, function, percentile = _function(draft, index)
        candidate = draft.choose(index, ("measure",), "measure") or draft.choose(
            index, ("dimension",), "measure"
        )
        if candidate is None:
            continue
        if cue_index is not None:
            pieces.use(cue_index)
        measures = piece.candidates("measure")
        draft.options[candidate.name] = tuple(c.name for c in measures if c.score >= candidate.score - 0.01)
        measure = draft.model.measure(candidate.name)
        if not function:
            own = piece.cue(*_FUNCTIONS)
            function = _FUNCTIONS[own.kind] if own else (measure.aggregate if measure else "sum")
        if cue_index is None and not piece.cue(*_FUNCTIONS) and function == "average" and not draft.groups:
            draft.problems.append("function")  # *the prices of wines* are listed
        if measure is not None and measure.kind == "rate" and function == "sum":
            draft.problems.append("sum of rates")
        _add(draft, Aggregation(function, candidate.name, percentile), candidate)


_AND = re.compile(r"\s*(?:and|&|,|和|与|及|以及|、|，)\s*(?:the\s+)?")


def _is_counted_beside(draft: Draft, index: int) -> bool:
    """*Orders and revenue*: a table beside a measure is counted."""
    pieces = draft.pieces
    entities = pieces[index].candidates("entity")
    if not entities or entities[0].score < 0.9 or index + 1 >= len(pieces):
        return False
    between = draft.text[pieces[index].end : pieces[index + 1].start]
    return _AND.fullmatch(between) is not None and _is_measure(draft, index + 1)


def _repeats_measure(draft: Draft, index: int) -> bool:
    """The 金额 of 赔付金额, whose first part is a measure already."""
    piece = draft.pieces[index]
    before = draft.pieces[index - 1] if index else None
    return (
        before is not None
        and index - 1 in draft.pieces.used
        and before.end == piece.start
        and bool(piece.cue("amount"))
        and bool(before.candidates("measure"))
    )


def _is_measure(draft: Draft, index: int) -> bool:
    """Whether the piece is rather a measure than a dimension or an entity."""
    best = draft.pieces[index].mention
    if best is None:
        return False
    measures = draft.pieces[index].candidates("measure")
    if not measures:
        return False
    others = draft.pieces[index].candidates("entity")
    return not others or measures[0].score > others[0].score


def _function(draft: Draft, index: int) -> tuple[int | None, Aggregate | None, float | None]:
    """The function of the cue that is nearest to a measure."""
    pieces = draft.pieces
    for other in (*pieces.before(index, _REACH), *pieces.after(index, 1)):
        if other in pieces.used and not pieces[other].cue("average", "median", "sum"):
            continue
        if pieces[other].mention is not None:
            continue
        cue = pieces[other].cue("average", "median", "percentile", "sum")
        if cue is not None:
            percentile = (cue.number or 50) / 100 if cue.kind == "percentile" else None
            return other, _FUNCTIONS[cue.kind], percentile
        if pieces[other].value is not None:
            break
    return None, None, None


def _add(draft: Draft, aggregation: Aggregation, candidate: SchemaCandidate) -> None:
    if candidate.table not in draft.facts:
        draft.facts.append(candidate.table)
    draft.pieces.use(*draft.pieces.with_cue("exists"))
    use = MeasureUse(aggregation)
    if use not in draft.measures:
        draft.measures.append(use)


def read_shares(draft: Draft) -> None:
    """*Share of the total* by group; without groups the part of all rows that the filters leave."""
    pieces = draft.pieces
    cues = [index for index in pieces.with_cue("share") if pieces[index].mention is None]
    if not cues:
        return
    pieces.use(*cues)
    if draft.times.comparison is not None or pieces.with_cue("growth"):
        return  # *growth as a percentage*
    pieces.use(*pieces.with_cue("sum"))
    if not draft.measures:
        grouped = [draft.model.dimension(grouping.dimension) for grouping in draft.groupings]
        draft.subject = draft.subject or next((d.table for d in grouped if d is not None), "")
        if not draft.subject:
            draft.problems.append("share")
            return
        draft.measures.append(MeasureUse(Aggregation("count", draft.subject)))
        draft.facts.append(draft.subject)
    if draft.groupings or draft.groups or draft.ranked:
        last = draft.measures[-1]
        draft.measures[-1] = MeasureUse(last.value, share=True)
        return
    value = draft.measures[-1].value
    row_filters = tuple(item for item in draft.filters if hasattr(item, "dimension") and not _is_time(item))
    if isinstance(value, Ratio) or not row_filters:
        draft.problems.append("share")
        return
    part = Aggregation(value.function, value.of, value.percentile, row_filters)  # type: ignore[arg-type]
    draft.filters = [item for item in draft.filters if item not in row_filters]
    ratio = MeasureUse(Ratio(part, value, percent=True))
    is_asked_too = bool(pieces.with_cue("count")) and not draft.pieces[cues[0]].cue("count")
    draft.measures[-1:] = [MeasureUse(part), ratio] if is_asked_too else [ratio]


def _is_time(item: object) -> bool:
    return hasattr(item, "ranges")


def read_ratios(draft: Draft) -> None:
    """*Average orders per customer*: one count divided by another."""
    pieces = draft.pieces
    averages = pieces.with_cue("average", "average_per")
    if not averages or len(draft.measures) != 1 or len(draft.groupings) != 1:
        return
    value, grouping = draft.measures[0].value, draft.groupings[0]
    if isinstance(value, Ratio) or value.function not in ("count", "sum") or not grouping.entity:
        return
    pieces.use(*averages)
    draft.measures[0] = MeasureUse(Ratio(value, Aggregation("count_distinct", grouping.entity)))
    draft.groupings = []


def read_order_value(draft: Draft) -> None:
    """*Average order value*, 客单价: the mean amount of the rows of a table, or of what belongs to each."""
    pieces = draft.pieces
    _total_of_each(draft)
    amounts, averages = pieces.with_cue("amount"), pieces.with_cue("average", "median")
    if draft.measures or not amounts or not averages:
        return
    cue = pieces[averages[0]].cue("average", "median")
    near = next(
        (
            i
            for i in (*pieces.before(amounts[0], 2), *pieces.after(amounts[0], 1))
            if pieces[i].candidates("entity")
        ),
        None,
    )
    if near is None or cue is None:
        return
    candidate = draft.choose(near, ("entity",), "measure")
    if candidate is None:
        return
    for measure in draft.model.measures:
        if measure.kind != "amount" or measure.aggregate != "sum":
            continue
        if measure.table == candidate.table:
            _add(draft, Aggregation(_FUNCTIONS[cue.kind], measure.name), candidate)
        elif candidate.table in draft.graph.referred(measure.table) and cue.kind == "average":
            total = Aggregation("sum", measure.name)
            draft.facts.append(measure.table)
            draft.measures.append(MeasureUse(Ratio(total, Aggregation("count_distinct", candidate.name))))
        else:
            continue
        pieces.use(*amounts, *averages)
        return


def _total_of_each(draft: Draft) -> None:
    """*Average order amount*, where only the lines of an order have amounts: the total of each order."""
    for number, use in enumerate(draft.measures):
        value = use.value
        measure = draft.model.measure(value.of) if isinstance(value, Aggregation) else None
        if measure is None or isinstance(value, Ratio) or measure.aggregate != "sum":
            continue
        if value.function not in ("average", "median", "percentile", "max", "min"):
            continue
        header = _header_before(draft, measure)
        if not header:
            continue
        if value.function == "average":
            total = replace(value, function="sum")
            draft.measures[number] = MeasureUse(Ratio(total, Aggregation("count_distinct", header)))
        else:
            draft.problems.append("nested")


def _header_before(draft: Draft, measure: Measure) -> str:
    """The table before the measure in the question, if the rows of the measure belong to its rows."""
    for index, piece in draft.pieces:
        if index and any(candidate.name == measure.name for candidate in piece.candidates("measure")):
            entities = draft.pieces[index - 1].candidates("entity")
            if entities and entities[0].table != measure.table:
                steps = draft.graph.referred(measure.table).get(entities[0].table)
                return entities[0].table if steps else ""
    return ""


def settle_measures(draft: Draft) -> None:
    """Of measures with the same name, the first one whose rows refer to all that the query groups and filters
    by: revenue by month is the total of invoices, by genre that of their lines.
    """
    tables = _tables_needed(draft)
    for number, use in enumerate(draft.measures):
        if isinstance(use.value, Aggregation):
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
