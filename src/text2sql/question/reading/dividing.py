"""Read measures that divide one number by another: shares, averages per row, order values."""

from dataclasses import replace

from text2sql.question.reading.draft import Draft
from text2sql.question.reading.measuring import FUNCTIONS, add_measure
from text2sql.types import Aggregation, Measure, MeasureUse, Ratio, ValueFilter


def read_shares(draft: Draft) -> None:
    """*Share of the total* by group; without groups the part of all rows that the filters leave."""
    pieces = draft.pieces
    cues = [index for index in pieces.with_cue("share") if pieces[index].mention is None]
    cues += [i for i in pieces.with_cue("rate") if i and pieces[i - 1].value and not pieces[i].mention]
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
    row_filters = tuple(item for item in draft.filters if isinstance(item, ValueFilter))
    if isinstance(value, Ratio) or not row_filters:
        draft.problems.append("share")
        return
    part = Aggregation(value.function, value.of, value.percentile, row_filters)
    draft.filters = [item for item in draft.filters if item not in row_filters]
    ratio = MeasureUse(Ratio(part, value, percent=True))
    is_asked_too = bool(pieces.with_cue("count")) and not draft.pieces[cues[0]].cue("count")
    draft.measures[-1:] = [MeasureUse(part), ratio] if is_asked_too else [ratio]


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
            add_measure(draft, Aggregation(FUNCTIONS[cue.kind], measure.name), candidate)
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
