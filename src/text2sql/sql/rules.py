"""The rules on the tree: the allow-list of a read-only query. Everything that is not listed is refused.

A rule checks one statement and raises `Refused`, or returns nothing. `resolver.py` decides which tables and
columns are visible.
"""

import re

from sqlglot import exp

from text2sql.sql import functions
from text2sql.sql.dialects import ascii_lower
from text2sql.sql.executable_arguments import refuse_executable_arguments
from text2sql.sql.refusal import refuse
from text2sql.sql.size_limits import refuse_unbounded_sizes
from text2sql.sql.statement import Rule, Statement, name_of
from text2sql.sql.table_wrapper import refuse_reserved_names


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ROOTS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values, exp.Pivot)

# The allowed arguments of the nodes that form a query. The dialects have more (INTO, SETTINGS, FOR UPDATE,
# time travel); a clause that is not listed is refused, whatever it contains.
_CLAUSES: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: _words(
        "connect distinct exclude expressions from_ group having hint joins kind laterals limit offset "
        "operation_modifiers order pivots prewhere qualify sample where windows with_"
    ),
    exp.Table: _words(
        "alias catalog db hints indexed joins laterals only ordinality pivots rows_from sample this"
    ),
    exp.Subquery: _words("alias joins laterals limit offset order pivots sample this with_"),
    exp.Join: _words("expressions global_ kind match_condition method on pivots side this using"),
    exp.With: _words("expressions recursive"),
    exp.CTE: _words("alias materialized scalar this"),
    exp.Lateral: _words("alias cross_apply ordinality outer this view"),
}
_SET_CLAUSES = _words("by_name distinct expression kind limit offset on order side this with_")
_CLAUSES.update(dict.fromkeys((exp.SetOperation, *exp.SetOperation.__subclasses__()), _SET_CLAUSES))
_MODIFIERS = _words("SQL_NO_CACHE SQL_SMALL_RESULT SQL_BIG_RESULT STRAIGHT_JOIN ALL")
_HINTS = _words(
    "all_rows bka bnl cardinality first_rows full hash_join index index_asc index_desc index_ffs "
    "index_join index_merge index_ss inline join_fixed_order join_order join_prefix join_suffix leading "
    "materialize merge no_bka no_bnl no_expand no_hash_join no_index no_index_merge no_merge no_unnest "
    "no_use_hash no_use_merge no_use_nl ordered parallel push_pred semijoin unnest use_hash use_merge "
    "use_nl"
)
_TYPES = _words(
    "box box2d box3d cidr circle citext geography geometry interval jsonpath line lseg ltree macaddr nclob "
    "path point polygon raw tsquery tsvector varbit xml"
)
# The nodes that may contain an identifier.
_NAMING_NODES = (
    exp.Column, exp.Table, exp.TableAlias, exp.Alias, exp.Window, exp.Join, exp.Lambda, exp.Dot, exp.Unnest,
    exp.Pivot, exp.PivotAlias, exp.Kwarg, exp.PropertyEQ, exp.IndexTableHint, exp.Anonymous, exp.ColumnDef,
    exp.Collate, exp.Star, exp.JSONPathKey, exp.Slice, exp.JSONColumnDef, exp.SetOperation,
    exp.Comprehension, exp.XMLElement,
)  # fmt: skip


def require_query_root(statement: Statement) -> None:
    """Refuse anything but a query."""
    if not isinstance(statement.tree, _ROOTS):
        refuse("not_a_query", _opening(statement.tree))


def _opening(tree: exp.Expr) -> str:
    """The statement as text; its class where the parser cannot write what it has read."""
    try:
        return tree.sql(comments=False)
    except ValueError:
        return type(tree).__name__


def refuse_unknown_constructs(statement: Statement) -> None:
    """Refuse nodes that are not on the list of nodes, and calls that are not on the lists of functions."""
    nodes, typed = functions.allowed_nodes(), functions.allowed_typed()
    for node in statement.nodes:
        kind = type(node)
        if kind in nodes:
            if kind is exp.Dot:
                _dotted(statement, node)
            elif kind in _FROM:
                _from_item(node)
            elif kind is exp.DataType and node.this is exp.DataType.Type.USERDEFINED:
                _type_by_name(node)
        elif not isinstance(node, exp.Func):
            refuse("construct", node)
        elif isinstance(node.parent, _FROM_ITEMS) and node.arg_key == "this":
            if name_of(node) not in functions.generators(statement.dialect):
                refuse("table_function", node)
        elif not (kind in typed or kind in _PREFIXED or _is_after_a_dot(node) or _is_known(statement, node)):
            refuse("function", node)


def _is_known(statement: Statement, call: exp.Func) -> bool:
    name = name_of(call)
    if isinstance(call.parent, exp.NetFunc):
        return name in functions.prefixes(statement.dialect).get("net", ())
    if type(call) in functions.NAMED_CALLS and functions.is_allowed_name(statement.dialect, name):
        return True
    return name in functions.generators(statement.dialect)


_PREFIXED = (exp.SafeFunc, exp.NetFunc)  # BigQuery's SAFE.f(x) and NET.f(x): the inner call is checked


def _is_after_a_dot(node: exp.Expr) -> bool:
    return isinstance(node.parent, exp.Dot) and node.parent.expression is node


def _type_by_name(node: exp.Expr) -> None:
    """Refuse an unknown type: a cast to it may look up a name in the catalog (`regclass`), and it may be the
    row type of a table.
    """
    if ascii_lower(str(node.args["kind"])).removeprefix("pg_catalog.").partition("(")[0] not in _TYPES:
        refuse("construct", node)


def _from_item(node: exp.Expr) -> None:
    if not isinstance(node.this, _FROM[type(node)]) and not node.args.get("rows_from"):
        refuse("construct", node)
    alias = node.args.get("alias")
    if isinstance(node, exp.Table):
        if alias and not alias.this:
            refuse("construct", node)  # FROM dictionary('x') reads as a table with a list of columns
        if isinstance(node.this, exp.Func) and node.db and ascii_lower(node.db) != "pg_catalog":
            refuse("table_function", node)


# What may be in FROM: a name, a call or a sub-query, but no string, stage or variable.
_FROM: dict[type[exp.Expr], tuple[type[exp.Expr], ...]] = {
    exp.Table: (exp.Identifier, exp.Func),
    exp.Lateral: (exp.Subquery, exp.Func, exp.Unnest),
    exp.TableFromRows: (exp.Func, exp.UDTF),
}
_FROM_ITEMS = tuple(_FROM)


def _dotted(statement: Statement, node: exp.Expr) -> None:
    """Refuse `schema.f(x)`, a user-defined function. `x.f()` is `f(x)` and checked as such."""
    call = node.expression
    if not isinstance(call, exp.Func):
        if isinstance(node.this.unnest(), exp.Literal):
            refuse("construct", node)  # SQLite reads `'customers'.ssn` as a column
        if statement.dialect == "postgres" and not _is_harmless_field(call):
            refuse("function", node)
        return
    name = name_of(call)
    if isinstance(node.this, (exp.Identifier, exp.Dot)):
        allowed = functions.prefixes(statement.dialect).get(ascii_lower(node.this.name))
        if allowed is None or isinstance(node.this, exp.Dot) or (allowed and name not in allowed):
            refuse("function", node)
        if allowed:
            return
    if type(call) not in functions.allowed_typed() and not functions.is_allowed_name(statement.dialect, name):
        refuse("function", node)


def _is_harmless_field(name: exp.Expr) -> bool:
    """Whether `(x).name` may be read in PostgreSQL, where it calls the function `name` if the value has no
    such field: `('/etc/passwd'::text).pg_read_file` reads the file.
    """
    key = name.name if name.args.get("quoted") else ascii_lower(name.name)
    is_lower = key == ascii_lower(key)  # `"UPPER"` is not the engine's own
    return bool(_FIELD.fullmatch(key)) or (is_lower and functions.is_allowed_name("postgres", key))


_FIELD = re.compile(r"key|value|f\d{1,4}")  # of json_each and ROW (…)


def refuse_unknown_clauses(statement: Statement) -> None:
    """Refuse clauses that are not on the list."""
    for node in statement.nodes:
        kind = type(node)
        allowed = _CLAUSES.get(kind)
        if allowed is None:
            continue
        if kind is exp.Select and not node.expressions and statement.dialect != "postgres":
            refuse("unreadable", node)  # PostgreSQL alone has rows without columns
        if kind is exp.Select and node.args.get("sample") and statement.dialect != "duckdb":
            refuse("clause", "sample")  # elsewhere a table's, but generated after the limit
        for clause, value in node.args.items():
            if value and clause not in allowed:
                refuse("clause", node if kind is exp.Table else clause.rstrip("_"))


def refuse_unsafe_modifiers(statement: Statement) -> None:
    """Drop modifiers and hints that only affect the plan; refuse those that set a variable or a state."""
    hints = []
    for node in [node for node in statement.nodes if isinstance(node, exp.Select)]:
        for modifier in node.args.get("operation_modifiers") or ():
            if modifier.name.upper() not in _MODIFIERS:
                refuse("clause", modifier.name)
        hint = node.args.get("hint")
        if hint:
            if not _hint_names(hint) <= _HINTS:
                refuse("hint", hint)
            hints.append(hint)
    for hint in hints:
        hint.pop()
    if hints:
        statement.list_nodes()


def _hint_names(hint: exp.Expr) -> set[str]:
    """The names in a hint. The parser keeps a hint that it does not understand as text."""
    names: set[str] = set()
    for part in hint.expressions:
        text = part if isinstance(part, str) else part.name or part.sql()
        names.update(ascii_lower(_BRACKETED.sub(" ", text)).split())
    return names


_BRACKETED = re.compile(r"\([^()]*\)")


def refuse_bare_identifiers(statement: Statement) -> None:
    """Refuse an identifier that names nothing and is no lambda parameter: it would be a column in
    disguise.
    """
    for node in statement.nodes:
        if isinstance(node, exp.Identifier):
            if not isinstance(node.parent, _NAMING_NODES) and not _is_introduced(node):
                refuse("construct", node)
            if (
                statement.dialect == "sqlite"
                and node.this[:1] in _PARAMETER_SIGNS
                and not node.args.get("quoted")
            ):
                refuse("construct", node)  # `$x` is a parameter
            if "\\" in node.this or (statement.dialect in _ESCAPED_NAMES and "`" in node.this):
                refuse("hidden_character", node)


_PARAMETER_SIGNS = ("$", "@", ":", "#")
_ESCAPED_NAMES = ("bigquery", "clickhouse")


def _is_introduced(node: exp.Identifier) -> bool:
    """Whether it is a lambda parameter, or the name of the column in UNPIVOT … FOR."""
    if isinstance(node.parent, exp.In) and isinstance(node.parent.parent, exp.Pivot):
        return bool(node.parent.parent.args.get("unpivot")) and node.arg_key == "this"
    inner = node.find_ancestor(exp.Lambda)
    while inner is not None:
        if any(parameter.name == node.name for parameter in inner.expressions):
            return True
        inner = inner.find_ancestor(exp.Lambda)
    return False


def refuse_with_in_union_arm(statement: Statement) -> None:
    """Refuse a WITH in an arm of a UNION, if it hides the WITH of the UNION: a CTE name would mean a table
    there.
    """
    if statement.grammar.ctes_beside_own:
        return
    for node in statement.nodes:
        arms = [node] if isinstance(node, exp.SetOperation) and node.args.get("with_") else []
        while arms:
            arm = arms.pop()
            if arm is not node and arm.args.get("with_"):
                refuse("clause", "with")
            if isinstance(arm, (exp.SetOperation, exp.Subquery)):
                arms += [part for part in (arm.this, arm.args.get("expression")) if part is not None]


def refuse_keyword_values(statement: Statement) -> None:
    """Refuse `SELECT user`, a call without brackets, and `s.nextval`, a write; the parser reads both as
    columns.
    """
    for node in statement.nodes:
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
            name = ascii_lower(node.name)
            if name in statement.grammar.keyword_values and not (node.table or node.this.args.get("quoted")):
                refuse("function", node)
            if name in ("nextval", "currval") and node.table and statement.grammar.keyword_values:
                refuse("function", node)


# The rules for all parts of a statement, both of queries and of writes.
EXPRESSION_RULES: tuple[Rule, ...] = (
    refuse_unknown_clauses,
    refuse_unknown_constructs,
    refuse_bare_identifiers,
    refuse_with_in_union_arm,
    refuse_keyword_values,
    refuse_unbounded_sizes,
    refuse_executable_arguments,
    refuse_reserved_names,
)
RULES: tuple[Rule, ...] = (require_query_root, *EXPRESSION_RULES)
