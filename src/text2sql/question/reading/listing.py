"""Read what a question lists: the rows of a table, and the columns to show."""

from text2sql.question.reading.draft import Draft
from text2sql.question.reading.pieces import Piece
from text2sql.types import Aggregation, MeasureUse, RelatedFilter

_MIN_SCORE = 0.75


def read_subject(draft: Draft) -> None:
    """The table that the question is about: the first one that it names."""
    head = _head_of_condition(draft)
    if head:
        draft.subject = head
        return
    for index, piece in draft.pieces:
        if index in draft.groups or piece.mention is None:
            continue
        entities = piece.candidates("entity")
        if entities and entities[0].score >= _MIN_SCORE:
            draft.subject = entities[0].table
            return
        named = [c for c in piece.candidates("dimension") if c.score >= 0.9]
        if " " in piece.text and len({candidate.table for candidate in named}) == 1:
            draft.subject = named[0].table  # *names of the documents*
            return
    for _, piece in draft.pieces:
        if piece.value is not None and not any(p.mention for _, p in draft.pieces):
            draft.subject = _described_by(draft, piece.value.hits[0][0])
            return


def _head_of_condition(draft: Draft) -> str:
    """The 运单 of 没有被投诉过的运单: in Chinese a condition precedes what it is about."""
    conditions = draft.pieces.with_cue("never", "more_than_once", "at_least", "more_than", "exactly")
    for condition in conditions:
        for index in draft.pieces.after(condition, 3):
            entities = draft.pieces[index].candidates("entity")
            before = draft.text[: draft.pieces[index].start]
            if entities and entities[0].score >= _MIN_SCORE and before.endswith(("的", "过的")):
                return entities[0].table
    return ""


def _described_by(draft: Draft, name: str) -> str:
    """The table whose rows a value describes: films for the *comedies* of a table of categories."""
    dimension = draft.model.dimension(name)
    if dimension is None:
        return ""
    entity = draft.model.entity(dimension.table)
    if entity is None or entity.labels != (dimension.column,):
        return dimension.table
    tables: dict[str, None] = {}
    for child, steps in draft.graph.referring(dimension.table).items():
        bridge = draft.model.entity(child)
        if steps == 1 and bridge is not None:
            far = int(bridge.is_bridge)
            tables.update(
                dict.fromkeys(name for name, at in draft.graph.referred(child).items() if at == far)
            )
    tables.pop(dimension.table, None)
    return next(iter(tables)) if len(tables) == 1 else ""


def read_list(draft: Draft) -> None:
    """Without a measure: rows of the subject, with the columns that the question names."""
    if not draft.measures and draft.previous is not None and not draft.subject:
        draft.subject = draft.previous.subject
    if not draft.measures:
        if draft.thresholds or draft.comparison is not None:
            draft.problems.append("measure")
        _list_rows(draft)
        return
    _use_context(draft)


def _amount(draft: Draft) -> Aggregation | None:
    """*Expenses per month* and *the running total of invoices* are sums; *orders per month* is a count."""
    pieces = draft.pieces
    is_money = any(
        piece.cue("money") and any(c.table == draft.subject for c in piece.candidates("entity"))
        for _, piece in pieces
    )
    if not is_money and not any(
        "total" in pieces[index].text.lower() for index in pieces.with_cue("running")
    ):
        return None
    amounts = [
        measure.name
        for measure in draft.model.measures
        if measure.table == draft.subject and measure.kind == "amount" and measure.aggregate == "sum"
    ]
    if amounts:
        return Aggregation("sum", amounts[0])
    if is_money:
        draft.problems.append("amount")
    return None


def _list_rows(draft: Draft) -> None:
    pieces = draft.pieces
    if not draft.subject:
        named = [c for _, piece in pieces for c in piece.candidates("dimension") if c.score >= _MIN_SCORE]
        if not named:
            draft.problems.append("subject")
            return
        draft.subject = named[0].table
    if draft.groupings and not draft.order:
        draft.facts.append(draft.subject)
        draft.measures.append(MeasureUse(_amount(draft) or Aggregation("count", draft.subject)))
        _use_context(draft)
        return
    used_columns = {getattr(item, "dimension", "") for item in draft.filters}
    for index, piece in pieces:
        if index in pieces.used:
            continue
        if piece.candidates("entity") and piece.candidates("entity")[0].table == draft.subject:
            draft.choose(index, ("entity",), "subject")
        elif piece.candidates("dimension") and not _is_verb(piece):
            candidate = draft.choose(index, ("dimension",), "subject")
            if (
                candidate is not None
                and candidate.name not in used_columns
                and candidate.name not in draft.columns
            ):
                draft.columns.append(candidate.name)
    if any(isinstance(item, RelatedFilter) for item in draft.filters):
        _refuse_columns_of_many(draft)
    if pieces.with_cue("distinct"):
        draft.distinct = True
        pieces.use(*pieces.with_cue("distinct"))


def _refuse_columns_of_many(draft: Draft) -> None:
    """*Shops that have no devices*: the devices are a part of the condition, and not shown."""
    tables = draft.graph.referred(draft.subject)
    dimensions = [draft.model.dimension(name) for name in draft.columns]
    if any(dimension is not None and dimension.table not in tables for dimension in dimensions):
        draft.problems.append("columns")


def _is_verb(piece: Piece) -> bool:
    """The *ordered* of *never ordered* is no column of dates."""
    candidates = piece.candidates("dimension")
    return bool(piece.cue("transaction")) and candidates[0].score < _MIN_SCORE


def use_transactions(draft: Draft) -> None:
    """Verbs such as *bought* and 下单 say no more than a measure, or a condition on related rows, says."""
    if draft.facts or draft.filters or draft.order:
        draft.pieces.use(*draft.pieces.with_cue("transaction", "when"))


def _use_context(draft: Draft) -> None:
    """Names that only say again what the measure is about: the *customers* of *revenue from customers*."""
    tables = {table for fact in draft.facts for table in draft.graph.referred(fact)}
    tables |= {grouping.entity for grouping in draft.groupings if grouping.entity}
    for index, piece in draft.pieces:
        if index in draft.pieces.used or piece.mention is None:
            continue
        best = piece.mention.candidates[0]
        if best.kind == "entity" and best.table in tables and best.score >= _MIN_SCORE:
            draft.pieces.use(index)
