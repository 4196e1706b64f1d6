"""Joins that a query does not need. Small models add them often, most of all to Chinese questions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.joins import conditions, conjuncts, has_bare_star, is_plain, sides_of
from text2sql.sql.schema_index import Entry, folded
from text2sql.sql.scope import Scope, Source
from text2sql.types import QuestionIntent


@dataclass(frozen=True, slots=True)
class _Tie:
    """A source that is joined to a single other one."""

    scope: Scope
    source: Source
    other: Source
    columns: dict[str, str]  # column of the other source → the equal column of this one
    uses: Sequence[exp.Column]  # columns of the source outside of its ON clause


_NAMES = ("name", "title", "fullname")
_CanDrop = Callable[[FixContext, _Tie, Entry, Entry], bool]


def needless_join(context: FixContext) -> bool:
    """Drop a table that is joined many-to-one along a foreign key and not used otherwise."""
    return _drop_joins(context, _only_checks_key)


def unasked_join(context: FixContext) -> bool:
    """Drop a table that multiplies rows, of which at most the columns of its ON are used, and that the
    question does not ask for: each word that refers to it also refers to a table that stays. If something is
    counted, every word of the question must be understood: *pupils* may mean a table called `list`.
    """
    return context.intent is not None and _drop_joins(context, _is_unasked)


def _drop_joins(context: FixContext, can_drop: _CanDrop) -> bool:
    if any(context.faulty_columns(*ERRORS)):
        return False  # an unknown column may belong to that table
    done = False
    while _drop_one(context, can_drop):
        done = True
    return done


def _drop_one(context: FixContext, can_drop: _CanDrop) -> bool:
    for scope in context.scopes:
        joins = scope.joins
        if scope.open or scope.merged or not joins or has_bare_star(scope) or not all(map(is_plain, joins)):
            continue
        for source in scope.sources.values():
            join = source.join or joins[0]
            tie = _tie_of(context, scope, source, join)
            if tie is None or tie.source.entry is None or tie.other.entry is None:
                continue
            if can_drop(context, tie, tie.source.entry, tie.other.entry):
                _drop(context, tie, join)
                return True
    return False


def _only_checks_key(context: FixContext, tie: _Tie, entry: Entry, other: Entry) -> bool:
    """Whether the join finds, for each row of the other source, the row that its foreign key refers to."""
    links = [link for link in context.schema.links(other, entry) if link.forward]
    return (
        not tie.uses
        and entry.is_key(tie.columns.values(), context.grammar)
        and any(dict(link.pairs) == tie.columns for link in links)
    )


def _is_unasked(context: FixContext, tie: _Tie, entry: Entry, other: Entry) -> bool:
    intent = context.intent
    if intent is None or (not intent.understood and tie.scope.select.find(exp.AggFunc)):
        return False
    multiplies = not entry.is_key(tie.columns.values(), context.grammar)
    if multiplies and (entry.name in intent.things or _leads_to_a_thing(tie, entry, intent)):
        return False
    if _is_whole_condition(tie) or _is_compared(tie) or _is_counted(context, tie, other):
        return False
    replaceable = (*tie.columns.values(), *_shared_keys(entry, other))
    if any(context.key(column) not in replaceable for column in tie.uses):
        return False
    along_key = any(dict(link.pairs) == tie.columns for link in context.schema.links(other, entry))
    if tie.uses and not along_key:
        return False
    entries = (source.entry for source in tie.scope.sources.values())
    staying = [table.name for table in entries if table is not None and table is not entry]
    elsewhere = frozenset[str]().union(*(intent.touched.get(name, frozenset()) for name in staying))
    return intent.touched.get(entry.name, frozenset()) <= elsewhere


def _leads_to_a_thing(tie: _Tie, entry: Entry, intent: QuestionIntent) -> bool:
    """*How many farms took part*: `record(farm_id)`, where no table that stays leads to a farm."""
    entries = [source.entry for source in tie.scope.sources.values() if source.entry is not None]
    staying = [other for other in entries if other is not entry]
    near = {other.name for other in staying} | {name for other in staying for name in _referred(other)}
    return bool(_referred(entry) & intent.things - near)


def _referred(entry: Entry) -> set[str]:
    return {link.there.name for link in entry.links if link.forward}


def _is_whole_condition(tie: _Tie) -> bool:
    """Whether a part of EXCEPT or INTERSECT would be the whole table without the join."""
    is_part = isinstance(tie.scope.select.parent, exp.SetOperation)
    return is_part and len(tie.scope.joins) == 1 and not conditions(tie.scope)


def _is_compared(tie: _Tie) -> bool:
    """Whether a condition such as `T1.job_id = T2.job_id` would compare a column with itself."""
    return any(
        isinstance(column.parent, (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE))
        and isinstance(column.parent.parent, (exp.Where, exp.And))
        and all(isinstance(side, exp.Column) for side in column.parent.unnest_operands())
        for column in tie.uses
    )


def _shared_keys(entry: Entry, other: Entry) -> dict[str, str]:
    """Foreign keys of the table → those of the other one that refer to the same rows."""
    keys = {(link.there.name, link.referred): link.columns for link in other.links if link.forward}
    return {
        link.columns[0]: keys[link.there.name, link.referred][0]
        for link in entry.links
        if link.forward and len(link.columns) == 1 and (link.there.name, link.referred) in keys
    }


def _is_counted(context: FixContext, tie: _Tie, other: Entry) -> bool:
    """Whether the rows of the table are counted: without it each group would be one row of the other."""
    select = tie.scope.select
    group = select.args.get("group")
    if group is None or not select.find(exp.Count):
        return False
    equal = {own: key for key, own in tie.columns.items()}
    owned = [(context.owner(tie.scope, column), context.key(column)) for column in group.find_all(exp.Column)]
    keys = [key for owner, key in owned if owner is tie.other]
    keys += [equal[key] for owner, key in owned if owner is tie.source and key in equal]
    return other.is_key(keys, context.grammar) or any(_is_name(other, key) for key in keys)


def _is_name(entry: Entry, key: str) -> bool:
    """Whether a column has the name of the row: `name`, or `museum_name` of `museum`."""
    table = folded(entry.table.name)
    return folded(key) in (*_NAMES, *(table + name for name in _NAMES))


def _tie_of(context: FixContext, scope: Scope, source: Source, join: exp.Join) -> _Tie | None:
    """None for a join on something else, or if the uses of the source cannot be known."""
    columns: dict[str, str] = {}
    others: set[str] = set()
    for part in conjuncts(join.args.get("on")):
        sides = sides_of(context, scope, part)
        if sides is None:
            return None
        (own, left), (other, right) = sides if sides[0][0] is source else sides[::-1]
        if own is not source or other is source:
            return None
        columns[right] = left
        others.add(other.key)
    if len(others) != 1:
        return None
    other = scope.sources[others.pop()]
    uses = _uses(context, scope, source, join)
    if uses is None or (source.join is None and other.join is not join):
        return None
    return _Tie(scope, source, other, columns, uses)


def _uses(context: FixContext, scope: Scope, source: Source, join: exp.Join) -> list[exp.Column] | None:
    """The columns of the source outside of its ON clause; None if they cannot be known."""
    in_join = {id(column) for column in join.args["on"].find_all(exp.Column)}
    uses = []
    for inner, column in _visible_from(context, scope):
        table = column.args.get("table")
        if id(column) in in_join:
            continue
        if table is not None and context.names.alias(table) == source.key:
            uses.append(column)
        elif table is None and source.may_have(context.key(column)):
            owner = context.owner(inner, column)
            if owner is None:
                return None
            uses += [column] * (owner is source)
    has_star = any(
        column.is_star and context.names.alias(column.args["table"]) == source.key
        for column in scope.select.find_all(exp.Column)
    )
    return None if has_star else uses


def _visible_from(context: FixContext, scope: Scope) -> Iterator[tuple[Scope, exp.Column]]:
    for inner, column in context.columns():
        if scope in inner.chain():
            yield inner, column


def _drop(context: FixContext, tie: _Tie, join: exp.Join) -> None:
    entry, other = tie.source.entry, tie.other.entry
    shared = _shared_keys(entry, other) if entry is not None and other is not None else {}
    equal = {**shared, **{own: key for key, own in tie.columns.items()}}
    for column in tie.uses:
        column.replace(context.column(tie.other, equal[context.key(column)]))
    if tie.source.join is None:
        tie.scope.select.args["from_"].set("this", join.this)
    tie.scope.select.set("joins", [other_join for other_join in tie.scope.joins if other_join is not join])
    context.invalidate()
