"""Text literals, held against what the columns hold, as far as somebody knows it."""

import re
from collections.abc import Iterator

from sqlglot import exp

from text2sql.sql.dialects import ascii_lower, ascii_upper
from text2sql.sql.fixes.fix_context import Fault, FixContext
from text2sql.sql.fixes.joins import add_joins, has_bare_star, shortest_path
from text2sql.sql.schema_index import Entry, folded, is_number
from text2sql.sql.scope import Scope, Source, copy_identifier
from text2sql.types import ValueDomains

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


def comparisons(context: FixContext) -> Iterator[tuple[Scope, exp.Expr, exp.Column, list[exp.Literal]]]:
    for scope, column in context.columns():
        if isinstance(column.parent, (exp.In, *_EQUAL)):
            found = compared(column.parent)
            if found is not None and found[0] is column:
                yield scope, column.parent, *found


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


# -- quotes --


def quoted_text(context: FixContext) -> bool:
    """`= "France"`: double quotes around something that is no column, compared with one."""
    if '"' not in context.text:
        return False
    done = False
    for wrong in context.faulty_columns(Fault.UNKNOWN):
        column = wrong.column
        name = folded(column.name)
        like = any(
            folded(key) == name for one in wrong.expected_scope.sources.values() for key in one.outputs.names
        )
        compared_with = isinstance(column.parent, _COMPARED) and column.arg_key != "this"
        if _in_double_quotes(context, column) and compared_with and (context.dialect == "sqlite" or not like):
            context.replace(column, exp.Literal.string(column.name))
            done = True
    return done


def _in_double_quotes(context: FixContext, column: exp.Column) -> bool:
    meta = column.this.meta if column.this.args.get("quoted") else {}
    start = meta.get("start")
    return start is not None and context.text[start : start + 1] == '"'


# -- spelling --


_AS_NUMBER = {**dict.fromkeys(("yes", "y", "true", "t"), 1), **dict.fromkeys(("no", "n", "false", "f"), 0)}


def value_case(context: FixContext) -> bool:
    """`'FRANCE'` where the column has `France`: the same letters in another case or with other blanks.

    Not below OR: there the query returns rows as it is, which may be all that are wanted.
    """
    done = False
    for scope, node, column, literals in _known_comparisons(context):
        origin, domains = context.origin(scope, column), context.domains
        if origin is None or domains is None or isinstance(node.find_ancestor(exp.Or, exp.Select), exp.Or):
            continue
        for literal in literals:
            spelled = _respelled(domains, (origin[0].name, origin[1].name), literal.this)
            if spelled is not None:
                context.replace(literal, exp.Literal.string(spelled))
                done = True
    return done


def _respelled(domains: ValueDomains, place: tuple[str, str], text: str) -> str | None:
    if domains.contains(*place, text) is not False:
        return None
    spelled = domains.spelled(*place, text)
    return spelled if spelled is not None and _without_case(spelled) == _without_case(text) else None


def _without_case(text: str) -> str:
    return "".join(text.casefold().split())


def value_spelling(context: FixContext) -> bool:
    """`'France'` where the column says `france`."""
    done = False
    for scope, _, column, literals in _known_comparisons(context):
        origin = context.origin(scope, column)
        if origin is None or context.domains is None:
            continue
        entry, held = origin
        for literal in literals:
            if is_number(held) and literal.this.casefold() in _AS_NUMBER:
                context.replace(literal, exp.Literal.number(_AS_NUMBER[literal.this.casefold()]))
                done = True
            elif context.domains.contains(entry.name, held.name, literal.this) is False:
                spelled = context.domains.spelled(entry.name, held.name, literal.this)
                if spelled is not None and spelled != literal.this:
                    context.replace(literal, exp.Literal.string(spelled))
                    done = True
    return done


def _known_comparisons(
    context: FixContext,
) -> list[tuple[Scope, exp.Expr, exp.Column, list[exp.Literal]]]:
    return list(comparisons(context)) if context.domains is not None else []


def value_place(context: FixContext) -> bool:
    """A text that is not in the column it is compared with, and is in one other column in scope."""
    done = False
    for scope, node, column, literals in _known_comparisons(context):
        origin = context.origin(scope, column)
        if origin is None or isinstance(node, exp.NEQ) or isinstance(node.parent, exp.Not):
            continue
        if _is_one_of_several(node, column):
            continue
        place = _other_place(context, scope, origin[0], origin[1].name, literals)
        qualified = bool(column.args.get("table"))
        if place is None and _joined_place(context, scope, column, literals):
            return True  # the scopes have changed; the next round looks again
        if place is not None:
            _move(context, column, literals, *place)
            if not qualified and len(scope.owners(place[1])) == 1:
                column.set("table", None)
            done = True
    return done


def _joined_place(context: FixContext, scope: Scope, column: exp.Column, literals: list[exp.Literal]) -> bool:
    """The one column that has the text, in a table that one shortest way of foreign keys leads to."""
    origin, domains = context.origin(scope, column), context.domains
    if origin is None or domains is None or scope.open or has_bare_star(scope) or len(literals) != 1:
        return False
    text = literals[0].this
    places = domains.places(text) if domains.contains(origin[0].name, origin[1].name, text) is False else []
    if len(places) != 1 or any(
        one.entry and one.entry.name == places[0][0] for one in scope.sources.values()
    ):
        return False
    targets = [one for one in context.schema.entries() if one.name == places[0][0]]
    path = shortest_path(
        [(one, one.entry) for one in scope.sources.values() if one.entry is not None], targets
    )
    key = context.grammar.columns.key(places[0][1], True)
    if path is None or key not in targets[0].columns:
        return False
    name = add_joins(context, scope, *path)
    column.set("this", context.identifier(targets[0].columns[key].name))
    column.set("table", copy_identifier(name))
    spelled = domains.spelled(*places[0], text)
    context.replace(literals[0], exp.Literal.string(spelled or text))
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
    context: FixContext, scope: Scope, entry: Entry, name: str, literals: list[exp.Literal]
) -> tuple[Source, str] | None:
    domains = context.domains
    texts = [one.this for one in literals]
    if domains is None or any(domains.contains(entry.name, name, one) is not False for one in texts):
        return None
    places = set.intersection(*(set(domains.places(one)) for one in texts))
    key = context.grammar.columns.key
    found = [
        (one, key(column, True))
        for one in scope.sources.values()
        for table, column in places
        if one.entry is not None and one.entry.name == table and key(column, True) in one.entry.columns
    ]
    own = [place for place in found if place[0].entry is entry]
    found = own or found
    return found[0] if len(found) == 1 else None


def _move(
    context: FixContext, column: exp.Column, literals: list[exp.Literal], source: Source, key: str
) -> None:
    context.bind(column, source, key)
    if source.entry is None or context.domains is None:
        return
    for literal in literals:
        spelled = context.domains.spelled(source.entry.name, source.entry.columns[key].name, literal.this)
        if spelled is not None and spelled != literal.this:
            context.replace(literal, exp.Literal.string(spelled))


def value_part(context: FixContext) -> bool:
    """`service = 'West Coast'` where the column lists several in one value: LIKE. `field = 'biology course'`
    where it says `Biology`: that.
    """
    done, domains = False, context.domains
    for scope, node, column, literals in _known_comparisons(context):
        origin, text = context.origin(scope, column), literals[0].this
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
            context.replace(node, exp.Like(this=column.copy(), expression=exp.Literal.string(f"%{part}%")))
        elif len(inside) == 1:
            context.replace(literals[0], exp.Literal.string(inside[0]))
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


def asked_part(context: FixContext) -> bool:
    """*Names that have the letter a*, and `LIKE 'a%'`: anywhere. *Beginning with*, and `'%a%'`: there."""
    text = context.intent.text if context.intent is not None else ""
    said = [form for form, how in _PARTS if how.search(text)]
    found = [one for one in context.tree.find_all(exp.Like, exp.ILike) if _is_text(one.expression)]
    if len(said) != 1 or len(found) != 1:
        return False
    literal = found[0].expression
    core = literal.this.strip("%")
    wanted = said[0].format(core)
    if not core or literal.this in (core, wanted) or set(core) & set("%_\\"):
        return False
    context.replace(literal, exp.Literal.string(wanted))
    return True


def letter_case(context: FixContext) -> bool:
    """`LOWER(name) = 'France'` is never true: the text is folded like the column."""
    done = False
    for node in list(context.tree.find_all(exp.EQ)):
        call, literal = node.this, node.expression
        if isinstance(call, (exp.Lower, exp.Upper)) and _is_text(literal):
            fold = ascii_lower if isinstance(call, exp.Lower) else ascii_upper
            if fold(literal.this) != literal.this:
                context.replace(literal, exp.Literal.string(fold(literal.this)))
                done = True
    return done
