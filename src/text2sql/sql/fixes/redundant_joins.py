"""A join that nobody needs. Small models add them freely, most of all to questions in Chinese."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.joins import conditions, conjuncts, has_bare_star, is_plain, sides_of
from text2sql.sql.schema_index import Entry, folded
from text2sql.sql.scope import Scope, Source


@dataclass(frozen=True, slots=True)
class _Tie:
    """How a join ties one source to one other, and where else the source is used."""

    scope: Scope
    source: Source
    other: Source
    columns: dict[str, str]  # of the other → its own, equal by the ON
    uses: Sequence[exp.Column]


_NAMES = ("name", "title", "fullname")
_MayGo = Callable[[FixContext, _Tie], bool]


def needless_join(context: FixContext) -> bool:
    """A table of which nothing but its ON is used, joined many to one along a foreign key."""
    return _dropping(context, _only_names_rows)


def unasked_join(context: FixContext) -> bool:
    """One that multiplies rows, of which at most the columns of its ON are used, and that the question does
    not ask for: each of its words that touches it touches a table that stays. A word that touches nothing may
    be about it where something is counted: *pupils* that the schema calls `list`.
    """
    return context.intent is not None and _dropping(context, _is_unasked)


def _dropping(context: FixContext, may_go: _MayGo) -> bool:
    done = False
    if any(context.faulty_columns(*ERRORS)):
        return False  # a column that nobody has yet may be of that table
    while _dropped(context, may_go):
        done = True
    return done


def _dropped(context: FixContext, may_go: _MayGo) -> bool:
    for scope in context.scopes:
        joins = scope.joins
        if scope.open or scope.merged or not joins or has_bare_star(scope) or not all(map(is_plain, joins)):
            continue
        for source in scope.sources.values():
            join = source.join or joins[0]
            tie = _tied(context, scope, source, join)
            if tie is not None and may_go(context, tie):
                _drop(context, tie, join)
                return True
    return False


def _only_names_rows(context: FixContext, tie: _Tie) -> bool:
    """Whether the join finds, for every row of another source, the one row that its foreign key names."""
    one, other = tie.source.entry, tie.other.entry
    if tie.uses or one is None or other is None:
        return False
    links = [link for link in context.schema.links(other, one) if link.forward]
    return one.is_key(tie.columns.values(), context.grammar) and any(
        dict(link.pairs) == tie.columns for link in links
    )


def _is_unasked(context: FixContext, tie: _Tie) -> bool:
    one, other = tie.source.entry, tie.other.entry
    if one is None or other is None or context.intent is None:
        return False
    if not context.intent.understood and tie.scope.select.find(exp.AggFunc):
        return False
    many = not one.is_key(tie.columns.values(), context.grammar)
    if (
        (many and (one.name in context.intent.things or _leads_to_a_thing(context, tie)))
        or _is_all_that_is_asked(tie)
        or _is_compared(tie)
    ):
        return False
    shared = _shared(tie)
    if any(context.key(column) not in (*tie.columns.values(), *shared) for column in tie.uses):
        return False
    touched, none = context.intent.touched, frozenset[str]()
    staying = [held.entry.name for held in tie.scope.sources.values() if held.entry and held.entry is not one]
    rest = none.union(*(touched.get(name, none) for name in staying))
    along = any(dict(link.pairs) == tie.columns for link in context.schema.links(other, one))
    if (tie.uses and not along) or _counts_ones(context, tie):
        return False
    return touched.get(one.name, none) <= rest


def _leads_to_a_thing(context: FixContext, tie: _Tie) -> bool:
    """*How many farms took part*: `record(farm_id)`, where nothing that stays leads to a farm."""
    entries = [held.entry for held in tie.scope.sources.values() if held.entry is not None]
    staying = [one for one in entries if one is not tie.source.entry]
    near = {one.name for one in staying} | {name for one in staying for name in _referred(one)}
    things = context.intent.things if context.intent is not None else frozenset()
    return tie.source.entry is not None and bool(_referred(tie.source.entry) & things - near)


def _referred(entry: Entry) -> set[str]:
    return {link.there.name for link in entry.links if link.forward}


def _is_all_that_is_asked(tie: _Tie) -> bool:
    """Without it an arm of EXCEPT or INTERSECT would be the whole table."""
    arm = isinstance(tie.scope.select.parent, exp.SetOperation)
    return arm and len(tie.scope.joins) == 1 and not conditions(tie.scope)


def _is_compared(tie: _Tie) -> bool:
    """`WHERE T1.job_id = T2.job_id`: with the other's own in its place, that would always be so."""
    return any(
        isinstance(column.parent, (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE))
        and isinstance(column.parent.parent, (exp.Where, exp.And))
        and all(isinstance(side, exp.Column) for side in column.parent.unnest_operands())
        for column in tie.uses
    )


def _shared(tie: _Tie) -> dict[str, str]:
    """Its own foreign keys → the other's that name rows of the same table: either will do."""
    one, other = tie.source.entry, tie.other.entry
    if one is None or other is None:
        return {}
    held = {(link.there.name, link.referred): link.columns for link in other.links if link.forward}
    return {
        link.columns[0]: held[link.there.name, link.referred][0]
        for link in one.links
        if link.forward and len(link.columns) == 1 and (link.there.name, link.referred) in held
    }


def _counts_ones(context: FixContext, tie: _Tie) -> bool:
    """Without the join each group would be one row of the other table: it is what is counted."""
    select, entry = tie.scope.select, tie.other.entry
    group = select.args.get("group")
    if group is None or entry is None or not select.find(exp.Count):
        return False
    same = {own: key for key, own in tie.columns.items()}  # a column of its ON is the other's too
    owned = [(context.owner(tie.scope, one), context.key(one)) for one in group.find_all(exp.Column)]
    keys = [key for owner, key in owned if owner is tie.other]
    keys += [same[key] for owner, key in owned if owner is tie.source and key in same]
    return entry.is_key(keys, context.grammar) or any(_is_name(entry, key) for key in keys)


def _is_name(entry: Entry, key: str) -> bool:
    """Whether a column says what the row is called: `name`, or `museum_name` of `museum`."""
    table = folded(entry.table.name)
    return folded(key) in (*_NAMES, *(table + name for name in _NAMES))


def _tied(context: FixContext, scope: Scope, source: Source, join: exp.Join) -> _Tie | None:
    """None for a join on something else, or where the uses of the source cannot be known."""
    columns: dict[str, str] = {}
    others: set[str] = set()
    for part in conjuncts(join.args.get("on")):
        sides = sides_of(context, scope, part)
        if sides is None:
            return None
        (one, left), (other, right) = sides if sides[0][0] is source else sides[::-1]
        if one is not source or other is source:
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
    """Its columns that stand outside of its ON."""
    own = {id(column) for column in join.args["on"].find_all(exp.Column)}
    found = []
    for inner, column in _visible_from(context, scope):
        table = column.args.get("table")
        if id(column) in own:
            continue
        if table is not None and context.names.alias(table) == source.key:
            found.append(column)
        elif table is None and source.may_have(context.key(column)):
            owner = context.owner(inner, column)
            if owner is None:
                return None
            found += [column] * (owner is source)
    starred = any(
        one.is_star and context.names.alias(one.args["table"]) == source.key
        for one in scope.select.find_all(exp.Column)
    )
    return None if starred else found


def _visible_from(context: FixContext, scope: Scope) -> Iterator[tuple[Scope, exp.Column]]:
    for inner, column in context.columns():
        if scope in inner.chain():
            yield inner, column


def _drop(context: FixContext, tie: _Tie, join: exp.Join) -> None:
    select, same = tie.scope.select, {**_shared(tie), **{own: key for key, own in tie.columns.items()}}
    for column in tie.uses:
        column.replace(context.column(tie.other, same[context.key(column)]))
    joins = [one for one in tie.scope.joins if one is not join]
    if tie.source.join is None:
        select.args["from_"].set("this", join.this)
    select.set("joins", joins)
    context.invalidate()
