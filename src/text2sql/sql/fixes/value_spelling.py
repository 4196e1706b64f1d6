"""Fix text literals: their quotes, and their spelling if the values of the column are known."""

from collections.abc import Iterator

from sqlglot import exp

from text2sql.sql.fixes.fix_context import Fault, FixContext
from text2sql.sql.schema_index import folded, is_number
from text2sql.sql.scope import Scope

_EQUALITIES = (exp.EQ, exp.NEQ, exp.Like, exp.ILike, exp.NullSafeEQ, exp.NullSafeNEQ)
_COMPARISONS = (*_EQUALITIES, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between)
_AS_NUMBER = {
    **dict.fromkeys(("yes", "y", "true", "t"), "1"),
    **dict.fromkeys(("no", "n", "false", "f"), "0"),
}


def comparisons(context: FixContext) -> Iterator[tuple[Scope, exp.Expr, exp.Column, list[exp.Literal]]]:
    """Every comparison of a column with texts by `=`, `<>`, IN, or LIKE without a wildcard."""
    for scope, column in context.columns():
        node = column.parent
        if isinstance(node, (exp.In, *_EQUALITIES)) and isinstance(column.this, exp.Identifier):
            literals = _literals(node, column)
            if literals:
                yield scope, node, column, literals


def _literals(node: exp.Expr, column: exp.Column) -> list[exp.Literal]:
    """The texts that the column is compared with; empty if it is compared with anything else."""
    if isinstance(node, exp.In):
        items = node.expressions if node.this is column else []
    else:
        items = [node.expression if node.this is column else node.this]
    texts = [item for item in items if isinstance(item, exp.Literal) and item.is_string]
    if isinstance(node, (exp.Like, exp.ILike)) and any(set(text.this) & set("%_\\") for text in texts):
        return []
    return texts if len(texts) == len(items) else []


def quoted_text(context: FixContext) -> bool:
    """`= "France"`: double quotes around something that is not a column, compared with one."""
    if '"' not in context.text:
        return False
    changed = False
    for faulty in context.faulty_columns(Fault.UNKNOWN_COLUMN):
        column = faulty.column
        name = folded(column.name)
        names = (key for source in faulty.expected_scope.sources.values() for key in source.outputs.names)
        is_operand = isinstance(column.parent, _COMPARISONS) and column.arg_key != "this"
        is_text = context.dialect == "sqlite" or all(folded(key) != name for key in names)
        if _in_double_quotes(context, column) and is_operand and is_text:
            context.replace(column, exp.Literal.string(column.name))
            changed = True
    return changed


def _in_double_quotes(context: FixContext, column: exp.Column) -> bool:
    meta = column.this.meta if column.this.args.get("quoted") else {}
    start = meta.get("start")
    return start is not None and context.text[start : start + 1] == '"'


def value_case(context: FixContext) -> bool:
    """`'FRANCE'` where the column has `France`: the same letters in another case or with other blanks.

    Not below OR: there the query returns rows as it is, which may be all that the question asks for.
    """
    return _respell(context, case_only=True)


def value_spelling(context: FixContext) -> bool:
    """`'left'` where the column has `L`, `'Yes'` where it has 1."""
    return _respell(context, case_only=False)


def _respell(context: FixContext, *, case_only: bool) -> bool:
    changed = False
    for scope, node, column, literals in list(comparisons(context)) if context.domains is not None else ():
        if case_only and isinstance(node.find_ancestor(exp.Or, exp.Select), exp.Or):
            continue
        for literal in literals:
            new = _stored_value(context, scope, column, literal.this)
            if new is not None and (not case_only or _without_case(new.name) == _without_case(literal.this)):
                context.replace(literal, new)
                changed = True
    return changed


def _stored_value(context: FixContext, scope: Scope, column: exp.Column, text: str) -> exp.Literal | None:
    """The value of the column that the text means, if the text is not a value itself."""
    origin, domains = context.origin(scope, column), context.domains
    if origin is None or domains is None:
        return None
    qualified_name = (origin[0].name, origin[1].name)
    if is_number(origin[1]) and text.casefold() in _AS_NUMBER:
        return exp.Literal(this=_AS_NUMBER[text.casefold()], is_string=False)
    spelled = (
        domains.spelled(*qualified_name, text) if domains.contains(*qualified_name, text) is False else None
    )
    return exp.Literal.string(spelled) if spelled is not None and spelled != text else None


def _without_case(text: str) -> str:
    return "".join(text.casefold().split())
