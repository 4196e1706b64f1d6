"""Read rankings: *top 5 customers by revenue*, *which city has the most orders*, 价格最高的产品."""

import re
from dataclasses import replace

from text2sql.question.reading.draft import Draft
from text2sql.question.reading.grouping import add_grouping
from text2sql.types import (
    Aggregate,
    Aggregation,
    Cue,
    Grouping,
    MeasureUse,
    Order,
    Ranking,
)

_TOP = ("top", "bottom")
_EXTREMES = ("most", "least")
_POPULAR = ("popular", "unpopular")
# Superlatives that say by what: kinds of measures and parts of names, and whether the largest is meant.
_PROPERTIES: dict[str, tuple[tuple[str, ...], bool]] = {
    "longest": (("duration", "length", "长", "milliseconds", "minutes", "runtime"), True),
    "shortest": (("duration", "length", "长", "milliseconds", "minutes", "runtime"), False),
    "expensive": (("price", "价", "cost", "rate", "amount", "费"), True),
    "cheap": (("price", "价", "cost", "rate", "amount", "费"), False),
    "oldest": (("age", "年龄"), True),
    "youngest": (("age", "年龄"), False),
    "heaviest": (("weight", "重"), True),
    "tallest": (("height", "高"), True),
}
# *The most orders* are counted, *the biggest order* is not.
_COUNTING = re.compile(r"most|least|fewest|number")
_SEVERAL = 10  # *our best customers*
_TIMES = ("latest", "earliest")
_AGES = ("oldest", "youngest")
_KINDS = (*_TOP, *_EXTREMES, *_POPULAR, *_PROPERTIES, *_TIMES)
_LARGEST = frozenset(("top", "most", "popular", "latest"))


def find_ranked(draft: Draft) -> None:
    """The piece whose groups or rows are ranked: *customers* in *top 5 customers*."""
    pieces = draft.pieces
    for index in pieces.with_cue(*_KINDS):
        cue = pieces[index].cue(*_KINDS)
        if cue is None or pieces[index].mention is not None:
            continue
        target = _target(draft, index, cue)
        if target is not None:
            draft.ranked.append(target)
            return


def _target(draft: Draft, index: int, cue: Cue) -> int | None:
    pieces = draft.pieces
    if cue.kind in _EXTREMES:
        listed = next(
            (
                other
                for which in pieces.with_cue("list")
                for other in pieces.after(which, 1)
                if which < index and pieces[other].candidates("entity", "dimension")
            ),
            None,
        )
        if listed is not None and listed != index + 1:
            return listed
    following = [
        other
        for other in pieces.after(index, 2)
        if pieces[other].candidates("entity", "dimension")
        and not pieces[other].cue("each")
        and other not in draft.groups
    ]
    if cue.kind in (*_TOP, *_POPULAR, *_PROPERTIES) and following:
        return following[0]
    if cue.kind in _TIMES and following and pieces[following[0]].candidates("entity"):
        return following[0]
    if cue.kind in _EXTREMES:
        is_chinese = not cue.text.isascii()
        if following and (is_chinese or not _COUNTING.search(cue.text)) and _is_thing(draft, following[0]):
            return following[0]
        before = [
            other for other in pieces.before(index, 3) if pieces[other].candidates("entity", "dimension")
        ]
        return before[-1] if before and not is_chinese else None
    return None


def _is_thing(draft: Draft, index: int) -> bool:
    """Whether the piece names rows or a category, and not a number."""
    measures = draft.pieces[index].candidates("measure")
    others = draft.pieces[index].candidates("entity", "dimension")
    return not measures or (others[0].score >= measures[0].score and others[0].kind == "entity")


def read_ranking(draft: Draft) -> None:
    """After the measures: rank the groups by the measure, or the rows of a table by a column."""
    pieces = draft.pieces
    indexes = [i for i in pieces.with_cue(*_KINDS) if pieces[i].mention is None and i not in pieces.used]
    cue = _best_cue(draft, indexes[0]) if indexes else None
    if cue is None:
        return
    pieces.use(*indexes)
    most, descending = _most(draft, cue), _is_descending(cue)
    if not draft.ranked:
        if cue.kind in _TOP and (draft.groupings or draft.previous is not None):
            draft.ranking = Ranking(most, descending)
        else:
            _extreme_of_measure(draft, cue)
        return
    pieces.use(*(index for index in pieces.with_cue("each") if index + 1 not in draft.groups))
    if cue.kind in _PROPERTIES or cue.kind in _TIMES:
        _rank_rows(draft, draft.ranked[0], cue, most, descending=descending)
        return
    _find_measure(draft, cue, indexes[0])
    if not draft.measures:
        draft.choose(draft.ranked[0], ("entity", "dimension"), "grouping")
        draft.problems.append("ranking")
    elif _is_own_number(draft, draft.ranked[0]):
        _rank_rows_by_measure(draft, draft.ranked[0], most, descending=descending)
    else:
        _rank_groups(draft, most, descending=descending)


def _best_cue(draft: Draft, index: int) -> Cue | None:
    """The 最高的 of 工资最高的员工 is about their wages, not about their height."""
    piece = draft.pieces[index]
    return (piece.cue(*_EXTREMES) if draft.measures else None) or piece.cue(*_KINDS)


def _find_measure(draft: Draft, cue: Cue, index: int) -> None:
    """The measure of a ranking that names none."""
    target = draft.ranked[0]
    if not draft.measures and cue.kind in _POPULAR:
        _count_transactions(draft, target)
    is_size = cue.kind in _EXTREMES and cue.text.isascii() and not _COUNTING.search(cue.text)
    if not draft.measures and cue.kind in (*_EXTREMES, *_TOP) and not is_size:
        _count_named(draft, target, index)
    if not draft.measures and cue.kind in (*_EXTREMES, *_TOP):
        _use_amount(draft, target)


def _rank_groups(draft: Draft, most: int, *, descending: bool) -> None:
    others = list(draft.groupings)
    grouping = add_grouping(draft, draft.ranked[0])
    if grouping is None:
        return
    buckets = [other for other in others if other.bucket or other.part]
    apart = [other for other in others if other not in buckets and other != grouping]
    per = ""
    if apart and draft.pieces.with_cue("each"):
        per = apart[0].entity or apart[0].dimension
    elif buckets:
        per = buckets[0].dimension
    draft.ranking = Ranking(most, descending, 0, per, ties=most == 1)


def _most(draft: Draft, cue: Cue) -> int:
    if cue.number is not None:
        return int(cue.number)
    tops = [draft.pieces[i].cue(*_TOP) for i in draft.pieces.with_cue(*_TOP)]
    for top in tops:
        if top is not None and top.number is not None:
            return int(top.number)
    is_plural = bool(draft.ranked) and draft.pieces[draft.ranked[0]].text.lower().endswith("s")
    return _SEVERAL if cue.kind in _TOP or is_plural else 1


def _is_descending(cue: Cue) -> bool:
    if cue.kind in _PROPERTIES:
        return _PROPERTIES[cue.kind][1]
    if cue.kind in _TOP:
        return cue.kind == "top" and not any(word in cue.text for word in ("少", "低", "小", "差"))
    return cue.kind in _LARGEST


def _extreme_of_measure(draft: Draft, cue: Cue) -> None:
    """*The highest price*: the largest value, or with groups the largest of each."""
    function: Aggregate = "max" if _is_descending(cue) else "min"
    if len(draft.measures) == 1 and isinstance(draft.measures[0].value, Aggregation):
        value = draft.measures[0].value
        if value.function == "count" or _kind(draft, value.of) in ("category", "label", "key", "boolean"):
            draft.problems.append("ranking")
            return
        draft.measures[0] = replace(draft.measures[0], value=replace(value, function=function))
        return
    if not draft.measures and cue.kind in _TIMES:
        for index, piece in draft.pieces:
            named = [c for c in piece.candidates("dimension") if _kind(draft, c.name) == "time"]
            if named:
                draft.pieces.use(index)
                draft.facts.append(named[0].table)
                draft.measures.append(MeasureUse(Aggregation(function, named[0].name)))
                return
    draft.problems.append("ranking")


def _kind(draft: Draft, name: str) -> str:
    dimension = draft.model.dimension(name)
    return dimension.kind if dimension else ""


def _is_own_number(draft: Draft, target: int) -> bool:
    """Whether the measure is a column of the ranked rows: *the 3 products with the highest price*."""
    entities = draft.pieces[target].candidates("entity")
    value = draft.measures[0].value
    if not entities or len(draft.measures) != 1 or not isinstance(value, Aggregation):
        return False
    if any(grouping.bucket or grouping.part for grouping in draft.groupings):
        return False
    measure = draft.model.measure(value.of)
    named = draft.pieces[target].candidates("entity", "dimension")[0]
    return (
        named.kind == "entity"
        and measure is not None
        and measure.table == named.table
        and value.function in ("sum", "average")
    )


def _rank_rows_by_measure(draft: Draft, target: int, most: int, *, descending: bool) -> None:
    candidate = draft.choose(target, ("entity",), "subject")
    value = draft.measures.pop().value
    if candidate is None or not isinstance(value, Aggregation):
        return
    draft.subject = candidate.name
    _rank_own_number(draft, value.of, most, descending=descending)


def _rank_own_number(draft: Draft, name: str, most: int, *, descending: bool) -> None:
    """Rows in the order of one of their numbers; with groups, the first ones of each group."""
    if not draft.groupings:
        _list_by(draft, name, most, descending=descending)
        return
    function: Aggregate = "max" if descending else "min"
    draft.facts.append(draft.subject)
    draft.measures.append(MeasureUse(Aggregation(function, name)))
    per = draft.groupings[0].entity or draft.groupings[0].dimension
    draft.groupings.append(Grouping(entity=draft.subject))
    draft.ranking = Ranking(most, descending, 0, per, ties=most == 1)


def _list_by(draft: Draft, name: str, most: int, *, descending: bool) -> None:
    entity = draft.model.entity(draft.subject)
    labels = [f"{draft.subject}.{column}" for column in (entity.labels if entity else ())]
    draft.columns = [*labels, *draft.columns, name]
    draft.order = [Order(name, descending)]
    draft.limit = most


def _rank_rows(draft: Draft, target: int, cue: Cue, most: int, *, descending: bool) -> None:
    """*The longest film*, *the latest order*: rows in the order of one of their columns."""
    candidate = draft.choose(target, ("entity",), "subject")
    if candidate is None:
        draft.problems.append("ranking")
        return
    draft.subject = candidate.name
    name = _property(draft, candidate.table, cue)
    if cue.kind in _AGES and _kind(draft, name) == "time":  # the oldest order is the first one
        descending = cue.kind == "youngest"
    if not name:
        draft.problems.append("ranking")
        return
    draft.measures = []
    if draft.pieces.with_cue("when") and cue.kind in _TIMES:
        draft.facts.append(candidate.table)
        draft.measures.append(MeasureUse(Aggregation("max" if descending else "min", name)))
    else:
        _rank_own_number(draft, name, most, descending=descending)


def _property(draft: Draft, table: str, cue: Cue) -> str:
    if cue.kind in _TIMES:
        entity = draft.model.entity(table)
        return entity.time if entity else ""
    words = _PROPERTIES[cue.kind][0]
    for measure in draft.model.measures:
        if measure.table == table and measure.kind in words:
            return measure.name
    for word in words:
        for measure in draft.model.measures:
            if measure.table == table and word in measure.name.rpartition(".")[2].lower():
                return measure.name
    entity = draft.model.entity(table)
    return entity.time if entity is not None and cue.kind in _AGES else ""


def _count_transactions(draft: Draft, target: int) -> None:
    """*The most popular actors*: by how many rows of the only table with a time refer to them."""
    candidate = draft.pieces[target].candidates("entity")
    if not candidate:
        return
    referring = draft.graph.referring(candidate[0].table)
    facts = [
        entity.table
        for entity in draft.model.entities
        if entity.table in referring and entity.table != candidate[0].table and not entity.is_bridge
    ]
    if len(facts) == 1:
        draft.facts.append(facts[0])
        draft.measures.append(MeasureUse(Aggregation("count", facts[0])))


def _count_named(draft: Draft, target: int, index: int) -> None:
    """*Which genre has the most tracks*: count the table that is named beside the superlative."""
    pieces = draft.pieces
    for other in (*pieces.after(index, 3), *pieces.before(index, 2)):
        if other == target or other in pieces.used or other in draft.groups:
            continue
        candidate = draft.choose(other, ("entity",), "measure") if pieces[other].mention else None
        if candidate is not None:
            draft.facts.append(candidate.table)
            draft.measures.append(MeasureUse(Aggregation("count", candidate.table)))
            return


def _use_amount(draft: Draft, target: int) -> None:
    """*Our biggest customers*: by the amount of what refers to them."""
    entities = draft.pieces[target].candidates("entity")
    if not entities:
        return
    referring = draft.graph.referring(entities[0].table)
    for measure in draft.model.measures:
        if measure.kind == "amount" and measure.aggregate == "sum" and measure.table in referring:
            draft.facts.append(measure.table)
            draft.measures.append(MeasureUse(Aggregation("sum", measure.name)))
            draft.assumptions.append(measure.name)
            return


def read_order(draft: Draft) -> None:
    """*Sorted by name*, 按金额降序."""
    pieces = draft.pieces
    directions = [i for i in pieces.with_cue("ascending", "descending") if not pieces.with_cue("order")]
    if directions and draft.measures and draft.ranking is None:
        pieces.use(*directions)
        draft.ranking = Ranking(0, bool(pieces[directions[0]].cue("descending")))
    for index in pieces.with_cue("order"):
        target = next(
            (i for i in (*pieces.after(index, 1), *pieces.before(index, 1)) if pieces[i].mention), None
        )
        if target is None:
            continue
        candidate = draft.choose(target, ("dimension", "measure"), "grouping")
        if candidate is not None:
            descending = bool(pieces.with_cue("descending"))
            pieces.use(index, *pieces.with_cue("descending", "ascending"))
            draft.order.append(Order(candidate.name, descending))
