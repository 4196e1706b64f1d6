"""Text literals, held against what the columns hold, as far as somebody knows it."""

from collections.abc import Iterator

from sqlglot import exp

from text2sql.sql.fixes.fix_context import Fault, FixContext
from text2sql.sql.schema_index import folded, is_number
from text2sql.sql.scope import Scope
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
