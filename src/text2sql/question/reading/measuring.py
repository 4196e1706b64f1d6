"""Read the measures of a question: what is counted, added up or averaged."""

import re
from dataclasses import replace

from text2sql.question.reading.draft import Draft
from text2sql.types import (
    Aggregate,
    Aggregation,
    MeasureUse,
    Ratio,
    SchemaCandidate,
)

FUNCTIONS: dict[str, Aggregate] = {
    "sum": "sum",
    "average": "average",
    "median": "median",
    "percentile": "percentile",
}
_REACH = 3  # pieces between *average* and what is averaged


def read_aggregates(draft: Draft) -> None:
    """*Average price*, *total sales*, 价格的中位数; a measure without a function has its usual one."""
    pieces = draft.pieces
    for index, _ in pieces:
        if index in pieces.used or index in draft.groups or index in draft.ranked:
            continue
        if not is_measure(draft, index):
            _count_beside(draft, index)
            continue
        if _repeats_measure(draft, index):
            pieces.use(index)
            _total_amount(draft)
            continue
        candidate = _chosen_measure(draft, index)
        if candidate is not None:
            _aggregate(draft, index, candidate)


def _chosen_measure(draft: Draft, index: int) -> SchemaCandidate | None:
    return (
        _measure_of_table_before(draft, index)
        or draft.choose(index, ("measure",), "measure")
        or draft.choose(index, ("dimension",), "measure")
    )


def _aggregate(draft: Draft, index: int, candidate: SchemaCandidate) -> None:
    pieces, piece = draft.pieces, draft.pieces[index]
    measures = piece.candidates("measure")
    draft.options[candidate.name] = tuple(c.name for c in measures if c.score >= candidate.score - 0.01)
    several = _several_functions(draft, index)
    if several:
        pieces.use(*(i for i in pieces.before(index, len(several)) if pieces[i].mention is None))
        for each in several:
            add_measure(draft, Aggregation(each, candidate.name), candidate)
        return
    cue_index, function, percentile = _function(draft, index)
    if cue_index is not None:
        pieces.use(cue_index)
    measure, own = draft.model.measure(candidate.name), piece.cue(*FUNCTIONS)
    if not function:
        function = FUNCTIONS[own.kind] if own else (measure.aggregate if measure else "sum")
    if cue_index is None and not own and function == "average" and not draft.groups:
        draft.problems.append("function")  # *the prices of wines* are listed
    if measure is not None and measure.kind == "rate" and function == "sum":
        draft.problems.append("sum of rates")
    if not _is_margin(draft, index, candidate):
        add_measure(draft, Aggregation(function, candidate.name, percentile), candidate)


_LISTED: dict[str, Aggregate] = {**FUNCTIONS, "most": "max", "least": "min"}


def _several_functions(draft: Draft, index: int) -> list[Aggregate]:
    """*The minimum, maximum and average price*, 最大和平均年龄."""
    functions: list[Aggregate] = []
    following = index
    for other in draft.pieces.before(index, 4):
        cue = draft.pieces[other].cue("sum", "average", "median", "most", "least")
        between = draft.text[draft.pieces[other].end : draft.pieces[following].start]
        is_first = following == index
        if cue is None or draft.pieces[other].mention is not None:
            break
        if not (is_first and not between.strip()) and not _AND.fullmatch(between):
            break
        functions.insert(0, _LISTED[cue.kind])
        following = other
    return functions if len(functions) > 1 else []


_MARGIN = re.compile(r"\bmargins?\b|率", re.IGNORECASE)


def _is_margin(draft: Draft, index: int, candidate: SchemaCandidate) -> bool:
    """The profit *margin*, 利润率: profit as a percentage of revenue."""
    following = draft.pieces[index + 1] if index + 1 < len(draft.pieces) else None
    has_rate = following is not None and following.start == draft.pieces[index].end and following.cue("rate")
    profit = draft.model.measure(candidate.name)
    if profit is None or not (has_rate or _MARGIN.search(draft.pieces[index].text)):
        return False
    if "profit" not in (profit.name, *profit.synonyms):
        return False
    if has_rate:
        draft.pieces.use(index + 1)
    revenue = next(
        (m for m in draft.model.measures if m.table == profit.table and "sales" in m.synonyms), None
    )
    if revenue is None:
        draft.problems.append("margin")
        return True
    if profit.table not in draft.facts:
        draft.facts.append(profit.table)
    parts = Aggregation("sum", profit.name), Aggregation("sum", revenue.name)
    draft.measures.append(MeasureUse(Ratio(*parts, percent=True)))
    return True


_AND = re.compile(r"\s*(?:and|&|,|和|与|及|以及|、|，)\s*(?:the\s+)?")


def _measure_of_table_before(draft: Draft, index: int) -> SchemaCandidate | None:
    """The *units* of *returned units* are those of the returns."""
    before = draft.pieces[index - 1] if index else None
    entities = before.candidates("entity") if before is not None else ()
    if before is None or not entities or entities[0].score < 0.9 or index - 1 in draft.groups:
        return None
    if draft.text[before.end : draft.pieces[index].start].strip(" 的"):
        return None
    measures = [c for c in draft.pieces[index].candidates("measure") if c.score >= 0.85]
    own = [c for c in measures if c.table == entities[0].table]
    if len(own) != 1 or own[0] == measures[0]:
        return None
    draft.pieces.use(index, index - 1)
    draft.pinned.add(own[0].name)
    return own[0]


def _count_beside(draft: Draft, index: int) -> None:
    """*Orders and revenue*: a table beside a measure is counted."""
    pieces = draft.pieces
    entities = pieces[index].candidates("entity")
    if not entities or entities[0].score < 0.9 or index + 1 >= len(pieces):
        return
    between = draft.text[pieces[index].end : pieces[index + 1].start]
    if _AND.fullmatch(between) and is_measure(draft, index + 1):
        counted = draft.choose(index, ("entity",), "measure")
        if counted is not None:
            add_measure(draft, Aggregation("count", counted.name), counted)


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


def _total_amount(draft: Draft) -> None:
    """赔付金额 is the total of the compensations, unless the question has them averaged."""
    use = draft.measures[-1] if draft.measures else None
    if use is None or not isinstance(use.value, Aggregation) or use.value.function != "average":
        return
    measure = draft.model.measure(use.value.of)
    if measure is not None and measure.kind in ("amount", "number") and not draft.pieces.with_cue("average"):
        draft.measures[-1] = replace(use, value=replace(use.value, function="sum"))


def is_measure(draft: Draft, index: int) -> bool:
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
            return other, FUNCTIONS[cue.kind], percentile
        if pieces[other].value is not None:
            break
    return None, None, None


def add_measure(draft: Draft, aggregation: Aggregation, candidate: SchemaCandidate) -> None:
    if candidate.table not in draft.facts:
        draft.facts.append(candidate.table)
    draft.pieces.use(*draft.pieces.with_cue("exists"))
    use = MeasureUse(aggregation)
    if use not in draft.measures:
        draft.measures.append(use)
