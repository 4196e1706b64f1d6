"""Read what a question counts: *how many customers*, *number of orders*, 运单量."""

from text2sql.question.reading.draft import Draft
from text2sql.question.reading.measuring import add_measure, is_measure
from text2sql.question.reading.pieces import Piece
from text2sql.types import Aggregate, Aggregation, SchemaCandidate


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
                add_measure(draft, count, SchemaCandidate("entity", draft.subject, draft.subject, 1.0))
            continue
        if is_measure(draft, target):  # 多少销售额
            pieces.use(index)
            continue
        if _count_events(draft, index, target):
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
        add_measure(draft, Aggregation(function, candidate.name), candidate)


def count_rows(draft: Draft) -> None:
    """*Cumulative orders*, *orders over time*, *any orders*: what is calculated is their number."""
    asks: tuple[str, ...] = ("running", "moving", "growth", "time_per", "exists")
    if draft.groupings or draft.times.buckets:
        asks = (*asks, "ascending", "descending")
    has_calculation = any(draft.pieces[i].mention is None for i in draft.pieces.with_cue(*asks))
    has_calculation = has_calculation or draft.times.comparison is not None or bool(draft.times.windows)
    if draft.measures or draft.columns or not draft.subject or not has_calculation:
        return
    index = next((i for i, p in draft.pieces if _names_table(p, draft.subject)), None)
    if index is None or draft.previous is not None:
        return
    draft.pieces.use(index)
    candidate = SchemaCandidate("entity", draft.subject, draft.subject, 1.0)
    add_measure(draft, Aggregation("count", draft.subject), candidate)


def _names_table(piece: Piece, table: str) -> bool:
    return any(c.table == table and c.score >= 0.75 for c in piece.candidates("entity"))


def _counts_what_is_before(draft: Draft, index: int) -> bool:
    """商品数量 counts goods, although a column may be called 数量."""
    if not index:
        return False
    piece, before = draft.pieces[index], draft.pieces[index - 1]
    entities = before.candidates("entity")
    if "件" in piece.text and any(
        c.table == e.table for c in piece.candidates("measure") for e in entities[:1]
    ):
        return False  # 退货件数 adds up the pieces of each return
    return bool(entities) and entities[0].score >= 0.9 and draft.text[before.end : piece.start] in ("", "的")


def _counted(draft: Draft, index: int) -> int | None:
    """The piece that is counted: the next name in English; in Chinese the next or the one before."""
    pieces = draft.pieces
    if index and _is_suffix(draft, index) and index - 1 not in draft.groups:
        return index - 1  # 运单量和运费
    for other in pieces.after(index, 2):
        if other not in draft.groups and pieces[other].mention is not None:
            return other
        if pieces[other].mention is None and not pieces[other].value and not pieces[other].cues:
            continue
    for other in pieces.before(index, 2):
        if other not in draft.groups and pieces[other].candidates("entity", "dimension"):
            return other
    return None


def _count_events(draft: Draft, index: int, target: int) -> bool:
    """签收量: the rows whose time of delivery is in the period."""
    named = draft.pieces[target].candidates("dimension", "entity")
    if not named or named[0].kind != "dimension" or named[0].score >= 0.75:
        return False
    dimension = draft.model.dimension(named[0].name)
    has_time = bool(draft.times.ranges or draft.times.buckets or draft.times.comparison)
    if dimension is None or dimension.kind != "time" or not has_time or len(named) > 1:
        return False
    draft.event_time = dimension.name
    draft.pieces.use(index, target)
    candidate = SchemaCandidate("entity", dimension.table, dimension.table, 1.0)
    add_measure(draft, Aggregation("count", dimension.table), candidate)
    return True


def _is_suffix(draft: Draft, index: int) -> bool:
    """Whether a Chinese count follows what it counts: 订单数, 运单量."""
    before, cue = draft.pieces[index - 1], draft.pieces[index].cue("count")
    is_chinese = cue is not None and not cue.text.isascii() and "多" not in cue.text and "几" not in cue.text
    is_beside = draft.text[before.end : draft.pieces[index].start] in ("", "的")
    entities = before.candidates("entity")
    return is_chinese and is_beside and bool(entities) and entities[0].score >= 0.75
