"""Read what a question groups by: *by country*, *for each artist*, *per month*, 各类别."""

import re

from text2sql.question.reading.draft import Draft
from text2sql.types import DatePart, Dimension, Grouping, SchemaCandidate

_AND = re.compile(r"\s*(?:,|，|、|and|和|与|及|以及|&|\s)\s*(?:and\s*)?(?:by\s+|per\s+|each\s+|每个?|各)?")
_PARTS: dict[str, DatePart] = {
    "month": "month",
    "weekday": "weekday",
    "quarter": "quarter",
    "day_of_month": "day",
    "hour": "hour",
}
_MIN_SCORE = 0.55


def find_groups(draft: Draft) -> None:
    """The pieces that are grouped by; what they mean is decided once the measures are known."""
    pieces = draft.pieces
    for index in pieces.with_cue("each"):
        if pieces[index].mention is not None:
            continue
        target = next((other for other in pieces.after(index, 2) if _may_group(draft, other)), None)
        if target is None or _is_ranking_measure(draft, index, target):
            continue
        pieces.use(index, target)
        draft.groups.append(target)
        while (following := target + 1) < len(pieces) and _may_group(draft, following):
            between = draft.text[pieces[target].end : pieces[following].start]
            if not _AND.fullmatch(between) or not between.strip():
                break
            pieces.use(following)
            draft.groups.append(following)
            target = following


def _may_group(draft: Draft, index: int) -> bool:
    candidates = draft.pieces[index].candidates("entity", "dimension")
    return bool(candidates) and candidates[0].score >= _MIN_SCORE


def _is_ranking_measure(draft: Draft, index: int, target: int) -> bool:
    """The *by revenue* of *top 5 customers by revenue* orders; it does not group."""
    pieces = draft.pieces
    if not pieces[index].text.startswith(("by", "按", "以", "根据", "依")):
        return False
    measures = pieces[target].candidates("measure")
    is_counted = target > 0 and any(pieces[other].cue("count") for other in range(index, target))
    others = pieces[target].candidates("entity", "dimension")
    is_measure = bool(measures) and measures[0].score >= others[0].score
    return is_counted or is_measure or _is_counted_of_ranked(draft, index, target)


def _is_counted_of_ranked(draft: Draft, index: int, target: int) -> bool:
    """The *by orders* of *top 3 customers by orders*: their rows refer to those of the ranked table."""
    pieces = draft.pieces
    entities = pieces[target].candidates("entity")
    if not entities or entities[0].score < 0.75:
        return False
    table = entities[0].table
    for other in pieces.before(index, 2):
        tops = [i for i in pieces.before(other, 2) if pieces[i].cue("top", "bottom")]
        ranked = pieces[other].candidates("entity", "dimension")
        if tops and ranked and ranked[0].score >= 0.75:
            steps = draft.graph.referred(table).get(ranked[0].table)
            return steps is not None and (steps > 0 or ranked[0].kind == "dimension")
    return False


def resolve_groups(draft: Draft) -> None:
    for index in draft.groups:
        add_grouping(draft, index)
        if index + 1 < len(draft.pieces) and draft.pieces[index + 1].text == "分":
            draft.pieces.use(index + 1)  # 按承运商分
    add_buckets(draft)


def add_buckets(draft: Draft) -> None:
    """*By month*, *per quarter*, *by day of the week*."""
    for bucket in draft.times.buckets:
        if dimension := draft.time_dimension():
            draft.groupings.append(Grouping(dimension, bucket.grain))
        else:
            draft.problems.append("time")
    for part in draft.times.parts:
        if not part.values and (dimension := draft.time_dimension()):
            draft.groupings.append(Grouping(dimension, part=_PARTS[part.part]))


def add_grouping(draft: Draft, index: int) -> Grouping | None:
    """Group by what a piece means: the rows of a table, or the values of a column."""
    candidate = draft.choose(index, ("entity", "dimension"), "grouping")
    if candidate is None:
        return None
    grouping = grouping_of(draft, candidate)
    if grouping not in draft.groupings:
        draft.groupings.append(grouping)
    return grouping


def grouping_of(draft: Draft, candidate: SchemaCandidate) -> Grouping:
    if candidate.kind == "entity":
        return Grouping(entity=candidate.name)
    dimension = draft.model.dimension(candidate.name)
    if dimension is None:
        raise ValueError(candidate.name)
    entity = _entity_of_key(draft, dimension)
    if entity:
        return Grouping(entity=entity)
    if dimension.kind == "time":
        return Grouping(dimension.name, "" if dimension.format == "year" else "day")
    return Grouping(dimension.name)


def _entity_of_key(draft: Draft, dimension: Dimension) -> str:
    """The table whose rows a key column or the only label column identifies."""
    for relation in draft.model.relations:
        if relation.table == dimension.table and relation.columns == (dimension.column,):
            return relation.to
    entity = draft.model.entity(dimension.table)
    if entity is None:
        return ""
    identifies = entity.key == (dimension.column,) or (
        entity.labels == (dimension.column,) and dimension.kind == "label"
    )
    return entity.table if identifies else ""
