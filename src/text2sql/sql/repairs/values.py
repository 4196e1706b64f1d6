"""Text literals, held against what the columns hold, as far as somebody knows it."""

import re
from collections.abc import Iterator

from sqlglot import exp

from text2sql.sql.dialects import ascii_lower, ascii_upper
from text2sql.sql.repairs.draft import Draft, Fault
from text2sql.sql.repairs.joins import add_joins, has_bare_star, shortest_path
from text2sql.sql.repairs.known import Entry, folded, is_number
from text2sql.sql.repairs.views import Source, View, Views
from text2sql.sql.scope import again

_EQUAL = (exp.EQ, exp.NEQ, exp.Like, exp.ILike, exp.NullSafeEQ, exp.NullSafeNEQ)
_COMPARED = (*_EQUAL, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between)


def compared(node: exp.Expr) -> tuple[exp.Column, list[exp.Literal]] | None:
    """The column and the texts of `=`, `<>`, IN, and LIKE without a wildcard."""
    if isinstance(node, exp.In):
        held = node.expressions
        column, literals = node.this, [one for one in held if _is_text(one)]
        whole = len(literals) == len(held) > 0
    elif isinstance(node, _EQUAL):
        column, literal = node.this, node.expression
        if not isinstance(column, exp.Column):
            column, literal = literal, column
        literals, whole = [literal], _is_text(literal)
        if isinstance(node, (exp.Like, exp.ILike)) and whole:
            whole = not set(literal.this) & set("%_\\")
    else:
        return None
    if not whole or not isinstance(column, exp.Column) or not isinstance(column.this, exp.Identifier):
        return None
    return column, literals


def comparisons(views: Views) -> Iterator[tuple[View, exp.Expr, exp.Column, list[exp.Literal]]]:
    for view, column in views.every():
        if isinstance(column.parent, (exp.In, *_EQUAL)):
            found = compared(column.parent)
            if found is not None and found[0] is column:
                yield view, column.parent, *found


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


# -- quotes --


def quoted_text(draft: Draft) -> bool:
    """`= "France"`: double quotes around something that is no column, compared with one."""
    if '"' not in draft.text:
        return False
    done = False
    for wrong in draft.wrong(Fault.UNKNOWN):
        column = wrong.column
        name = folded(column.name)
        like = any(folded(key) == name for one in wrong.at.sources.values() for key in one.shape.columns)
        compared_with = isinstance(column.parent, _COMPARED) and column.arg_key != "this"
        if _in_double_quotes(draft, column) and compared_with and (draft.dialect == "sqlite" or not like):
            draft.put(column, exp.Literal.string(column.name))
            done = True
    return done


def _in_double_quotes(draft: Draft, column: exp.Column) -> bool:
    meta = column.this.meta if column.this.args.get("quoted") else {}
    start = meta.get("start")
    return start is not None and draft.text[start : start + 1] == '"'


# -- spelling --


_AS_NUMBER = {**dict.fromkeys(("yes", "y", "true", "t"), 1), **dict.fromkeys(("no", "n", "false", "f"), 0)}


def value_spelling(draft: Draft) -> bool:
    """`'France'` where the column says `france`."""
    done = False
    for view, _, column, literals in _known_comparisons(draft):
        origin = draft.origin(view, column)
        if origin is None or draft.domains is None:
            continue
        entry, held = origin
        for literal in literals:
            if is_number(held) and literal.this.casefold() in _AS_NUMBER:
                draft.put(literal, exp.Literal.number(_AS_NUMBER[literal.this.casefold()]))
                done = True
            elif draft.domains.contains(entry.name, held.name, literal.this) is False:
                spelled = draft.domains.spelled(entry.name, held.name, literal.this)
                if spelled is not None and spelled != literal.this:
                    draft.put(literal, exp.Literal.string(spelled))
                    done = True
    return done


def _known_comparisons(
    draft: Draft,
) -> list[tuple[View, exp.Expr, exp.Column, list[exp.Literal]]]:
    return list(comparisons(draft.views)) if draft.domains is not None else []


def value_place(draft: Draft) -> bool:
    """A text that is not in the column it is compared with, and is in one other column in scope."""
    done = False
    for view, node, column, literals in _known_comparisons(draft):
        origin = draft.origin(view, column)
        if origin is None or isinstance(node, exp.NEQ) or isinstance(node.parent, exp.Not):
            continue
        if _is_one_of_several(node, column):
            continue
        place = _other_place(draft, view, origin[0], origin[1].name, literals)
        qualified = bool(column.args.get("table"))
        if place is None and _joined_place(draft, view, column, literals):
            return True  # the views have changed; the next round looks again
        if place is not None:
            _move(draft, column, literals, *place)
            if not qualified and len(view.owners(place[1])) == 1:
                column.set("table", None)
            done = True
    return done


def _joined_place(draft: Draft, view: View, column: exp.Column, literals: list[exp.Literal]) -> bool:
    """The one column that has the text, in a table that one shortest way of foreign keys leads to."""
    origin, domains = draft.origin(view, column), draft.domains
    if origin is None or domains is None or view.open or has_bare_star(view) or len(literals) != 1:
        return False
    text = literals[0].this
    places = domains.places(text) if domains.contains(origin[0].name, origin[1].name, text) is False else []
    if len(places) != 1 or any(one.entry and one.entry.name == places[0][0] for one in view.sources.values()):
        return False
    targets = [one for one in draft.known.entries() if one.name == places[0][0]]
    path = shortest_path(
        [(one, one.entry) for one in view.sources.values() if one.entry is not None], targets
    )
    key = draft.grammar.columns.key(places[0][1], True)
    if path is None or key not in targets[0].columns:
        return False
    name = add_joins(draft, view, *path)
    column.set("this", draft.identifier(targets[0].columns[key].name))
    column.set("table", again(name))
    spelled = domains.spelled(*places[0], text)
    draft.put(literals[0], exp.Literal.string(spelled or text))
    return True


def _is_one_of_several(node: exp.Expr, column: exp.Column) -> bool:
    """`a = 'x' OR a = 'y'`: that the column stands there twice says that it is meant."""
    around = node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    others = list(around.flatten()) if isinstance(around, exp.Or) else []
    found = [compared(one) for one in others if one is not node]
    return any(one is not None and one[0] == column for one in found)


def _other_place(
    draft: Draft, view: View, entry: Entry, name: str, literals: list[exp.Literal]
) -> tuple[Source, str] | None:
    domains = draft.domains
    texts = [one.this for one in literals]
    if domains is None or any(domains.contains(entry.name, name, one) is not False for one in texts):
        return None
    places = set.intersection(*(set(domains.places(one)) for one in texts))
    key = draft.grammar.columns.key
    found = [
        (one, key(column, True))
        for one in view.sources.values()
        for table, column in places
        if one.entry is not None and one.entry.name == table and key(column, True) in one.entry.columns
    ]
    own = [place for place in found if place[0].entry is entry]
    found = own or found
    return found[0] if len(found) == 1 else None


def _move(draft: Draft, column: exp.Column, literals: list[exp.Literal], source: Source, key: str) -> None:
    draft.bind(column, source, key)
    if source.entry is None or draft.domains is None:
        return
    for literal in literals:
        spelled = draft.domains.spelled(source.entry.name, source.entry.columns[key].name, literal.this)
        if spelled is not None and spelled != literal.this:
            draft.put(literal, exp.Literal.string(spelled))


def value_part(draft: Draft) -> bool:
    """`service = 'West Coast'` where the column lists several in one value: LIKE. `field = 'biology course'`
    where it says `Biology`: that.
    """
    done, domains = False, draft.domains
    for view, node, column, literals in _known_comparisons(draft):
        origin, text = draft.origin(view, column), literals[0].this
        if domains is None or origin is None or not isinstance(node, exp.EQ) or set(text) & set("%_\\"):
            continue
        place = (origin[0].name, origin[1].name)
        if domains.contains(*place, text) is not False or domains.places(text):
            continue
        around = domains.holding(*place, text)
        inside = [] if around else domains.within(*place, text)
        if around:
            at = around[0].casefold().find(text.casefold())
            part = around[0][at : at + len(text)] if at >= 0 else text
            draft.put(node, exp.Like(this=column.copy(), expression=exp.Literal.string(f"%{part}%")))
        elif len(inside) == 1:
            draft.put(literals[0], exp.Literal.string(inside[0]))
        else:
            continue
        done = True
    return done


_NO_TIME = r"(?! (?:in|on|at|from|before|after|dates?|times?|years?)\b)"  # *starting in May*
_PARTS = (  # what is said of a text, and where its wildcards stand
    (
        "%{}%",
        re.compile(
            r"\bcontain|\binclud|\bsubstring|\b(?:has|have|with) (?:the |a )?(?:letter|word)|包含|含有|带有"
        ),
    ),
    ("{}%", re.compile(rf"\b(?:start|begin)\w*\b{_NO_TIME}|\bprefix|\binitial|开头|首字母|打头")),
    ("%{}", re.compile(rf"\bend(?:s|ing|ed)?\b{_NO_TIME}|\bsuffix|结尾|收尾")),
)


def asked_part(draft: Draft) -> bool:
    """*Names that have the letter a*, and `LIKE 'a%'`: anywhere. *Beginning with*, and `'%a%'`: there."""
    text = draft.said.text if draft.said is not None else ""
    said = [form for form, how in _PARTS if how.search(text)]
    found = [one for one in draft.tree.find_all(exp.Like, exp.ILike) if _is_text(one.expression)]
    if len(said) != 1 or len(found) != 1:
        return False
    literal = found[0].expression
    core = literal.this.strip("%")
    wanted = said[0].format(core)
    if not core or literal.this in (core, wanted) or set(core) & set("%_\\"):
        return False
    draft.put(literal, exp.Literal.string(wanted))
    return True


def letter_case(draft: Draft) -> bool:
    """`LOWER(name) = 'France'` is never true: the text is folded like the column."""
    done = False
    for node in list(draft.tree.find_all(exp.EQ)):
        call, literal = node.this, node.expression
        if isinstance(call, (exp.Lower, exp.Upper)) and _is_text(literal):
            fold = ascii_lower if isinstance(call, exp.Lower) else ascii_upper
            if fold(literal.this) != literal.this:
                draft.put(literal, exp.Literal.string(fold(literal.this)))
                done = True
    return done
