"""`*` written out as the visible columns, with EXCEPT, REPLACE and RENAME where a dialect has them."""

from sqlglot import exp

from text2sql.sql.refusal import refuse
from text2sql.sql.scope import Names, Outputs, Scope, Source, again

_CHANGES = ("except_", "replace", "rename", "ilike")


def write_out_stars(node: exp.Select, scope: Scope, names: Names) -> Outputs:
    """Replace the stars of a SELECT list; the outputs it then has. A star over sources that hide nothing
    stays as it is.
    """
    written: list[exp.Expr] = []
    outputs: list[str] | None = []
    items: list[exp.Expr]
    added: list[str] | None
    for part in node.expressions:
        if not part.is_star or isinstance(part, (exp.Count, exp.Window)):
            items, added = [part], [names.output(part)]
        elif node.args.get("kind"):
            refuse("star", part)  # SELECT AS STRUCT *: a whole row in one value
        elif isinstance(part, exp.Star) and not any(part.args.values()) and not scope.hides_any():
            items, added = [part], _columns_of_all(scope)
        else:
            items, added = _written_out(part, scope, names)
        written += items
        outputs = None if outputs is None or added is None else [*outputs, *added]
    node.set("expressions", written)
    return None if outputs is None else tuple(outputs)


def _columns_of_all(scope: Scope) -> list[str] | None:
    """What an untouched `*` gives: unknown where a source is, or where USING merges columns."""
    sources = scope.sources.values()
    if any(source.columns is None or source.merged for source in sources):
        return None
    return [column for source in sources for column in source.columns or ()]


def _written_out(part: exp.Expr, scope: Scope, names: Names) -> tuple[list[exp.Expr], list[str] | None]:
    star = part if isinstance(part, exp.Star) else part.this
    if not isinstance(star, exp.Star) or not isinstance(part, (exp.Star, exp.Column)):
        refuse("star", part)
    items: list[exp.Expr] = []
    outputs: list[str] | None = []
    for source in _sources(part, scope, names):
        columns = _columns(part, star, source, scope, names)
        items += columns
        if outputs is None or (source.columns is None and columns[0].is_star):
            outputs = None
        elif columns and columns[0].is_star:
            outputs += source.columns or ()
        else:
            outputs += [names.output(column) for column in columns]
    return items, outputs


def _sources(part: exp.Expr, scope: Scope, names: Names) -> list[Source]:
    if isinstance(part, exp.Star):
        if not scope.sources:
            refuse("star", part)
        return list(scope.sources.values())
    source = scope.sources.get(names.alias(part.args["table"]))
    if source is None:
        refuse("star", part)
    return [source]


def _columns(part: exp.Expr, star: exp.Star, source: Source, scope: Scope, names: Names) -> list[exp.Expr]:
    qualified = isinstance(part, exp.Column)
    plain = not any(star.args.get(change) for change in _CHANGES)
    whole = plain and not source.hides and (qualified or not source.merged)
    if source.name is not None and (whole or (plain and source.columns is None)):
        return [exp.Column(this=exp.Star(), table=again(source.name))]
    if source.columns is None or "" in source.columns:
        refuse("star", part)
    changed = _changes(star, source, names, alone=len(scope.sources) == 1)
    columns: list[exp.Expr] = []
    for key in source.columns:
        if key in source.merged and not qualified:
            continue
        column = exp.Column(this=exp.to_identifier(key, quoted=True))
        if source.name is not None and not scope.is_merged(key):
            column.set("table", again(source.name))
        become = changed.get(key, column)
        if isinstance(become, exp.Identifier):
            columns.append(exp.alias_(column, become.copy()))
        elif become is not None:
            columns.append(become.copy())
    return columns


def _changes(star: exp.Star, source: Source, names: Names, *, alone: bool) -> dict[str, exp.Expr | None]:
    """What becomes of a column: None, left out; an alias, replaced; an identifier, a new name."""
    if star.args.get("ilike"):
        refuse("star", star)
    changed: dict[str, exp.Expr | None] = {}
    for one in star.args.get("except_") or ():
        changed[names.column(_name(one))] = None
    for one in star.args.get("replace") or ():
        changed[names.column(one.args["alias"])] = one
    for one in star.args.get("rename") or ():
        changed[names.column(_name(one.this))] = one.args["alias"]
    unknown = set(changed) - set(source.columns or ())
    if unknown and alone:
        refuse("column", min(unknown))
    return changed


def _name(node: exp.Expr) -> exp.Expr:
    name: exp.Expr = node.this if isinstance(node, exp.Column) else node
    return name
