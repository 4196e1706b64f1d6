"""Rule on arguments that an engine executes: a text that is code, or the bare name of a function.

`values('a UInt8, b String ALIAS file(''/etc/passwd'')', 1)` executes the content of the text, past every
rule on functions. Such an argument must be a literal that contains a single harmless word or type.
ClickHouse calls the function `file` in `arrayMap(file, ['/etc/passwd'])`, unless a column has that name.
"""

import re
from collections.abc import Mapping

from sqlglot import exp

from text2sql.sql import functions
from text2sql.sql.dialects import ascii_lower
from text2sql.sql.refusal import refuse
from text2sql.sql.size_limits import MAX_GENERATED, arguments
from text2sql.sql.statement import Statement

# The position of the argument, from 1 or, if negative, from the end.
_TYPES: Mapping[str, Mapping[str, int]] = {
    "clickhouse": {
        "accuratecast": -1, "accuratecastordefault": 2, "accuratecastornull": -1,
        "cast_to_str_type": -1, "defaultvalueoftypename": -1, "jsonextract": -1,
        "jsonextractcaseinsensitive": -1, "kqlparametercast": -1, "reinterpret": -1,
        "jsonextractkeysandvalues": -1, "jsonextractkeysandvaluescaseinsensitive": -1,
    },
}  # fmt: skip
_AGGREGATES: Mapping[str, Mapping[str, int]] = {
    "clickhouse": {"arrayreduce": 1, "arrayreduceinranges": 1},
    "duckdb": dict.fromkeys(("aggregate", "array_aggr", "array_aggregate", "list_aggr", "list_aggregate"), 2),
}
_LITERALS: Mapping[str, Mapping[str, int]] = {
    "duckdb": dict.fromkeys(("from_json", "from_json_strict", "json_transform", "json_transform_strict"), 2),
    "postgres": {
        **dict.fromkeys(("jsonb_path_exists", "jsonb_path_match", "jsonb_path_query"), 2),
        **dict.fromkeys(("jsonb_path_query_array", "jsonb_path_query_first"), 2),
        **dict.fromkeys(("xpath", "xpath_exists"), 1),
    },
}
# ClickHouse's functions whose first argument may be the name of a function, without underscores
_HIGHER_ORDER = frozenset(
    "arrayall arrayavg arraybottomk arraycompact arraycount arraycumsum arraycumsumnonnegative "
    "arraydifference arrayexists arrayfill arrayfilter arrayfirst arrayfirstindex arrayfirstordefault "
    "arrayfirstornull arrayfold arraylast arraylastindex arraylastornull arraymap arraymax arraymin "
    "arraypartialreversesort arraypartialsort arrayproduct arrayreversefill arrayreversesort "
    "arrayreversesplit arraysort arraysplit arraysum arraytopk mapall mapapply mapexists mapfilter "
    "mappartialreversesort mappartialsort mapreversesort mapsort".split()
)
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9]*(\([A-Za-z0-9_,' ()/+:=-]*\))?")
_CODE = re.compile(
    r"aggregatefunction|alias|default|materialized|ephemeral|codec|object|dynamic", re.IGNORECASE
)
_REFERENCE_SYSTEM = re.compile(r"[A-Za-z]+:\d+")  # of ST_TRANSFORM; a PROJ string can name files
_NUMBER = re.compile(r"\d+")  # FixedString(16000000)
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\([0-9., ]*\))?")


def refuse_executable_arguments(statement: Statement) -> None:
    """Refuse arguments that an engine could execute."""
    types, aggregates, literals = (
        table.get(statement.dialect, {}) for table in (_TYPES, _AGGREGATES, _LITERALS)
    )
    if statement.dialect == "clickhouse":
        for values in [node for node in statement.nodes if isinstance(node, exp.Values)]:
            refuse("table_function", values)  # its first text is the structure of a table
    for node, name in statement.calls:
        if name in types:
            _check_type(node, _text(node, types[name]))
        if name in aggregates:
            _check_aggregate(statement, node, _text(node, aggregates[name]))
        if name in literals:
            _text(node, literals[name])
        if name == "st_transform":
            _check_reference_systems(node)
        if statement.dialect == "clickhouse":
            _check_function_argument(node, name)


def _check_function_argument(call: exp.Func, name: str) -> None:
    """Refuse a bare name before the arrays of a higher-order function: it may mean a function."""
    args = arguments(call)
    if isinstance(call, (exp.ArrayFilter, exp.Transform)):  # the parser puts their array first
        argument = call.expression
    elif len(args) > 1 and name.replace("_", "") in _HIGHER_ORDER:
        argument = args[0]
    else:
        return
    bare = argument.unnest().unalias().unnest()
    if isinstance(bare, (exp.Column, exp.Identifier)) and not bare.args.get("table"):
        refuse("function", call)


def _text(call: exp.Func, position: int) -> str:
    args = arguments(call)
    index = position if position < 0 else position - 1
    argument = args[index] if -len(args) <= index < len(args) else None
    if isinstance(argument, exp.Cast):
        argument = argument.this  # '$.a'::jsonpath
    if not isinstance(argument, exp.Literal) or not argument.is_string:
        refuse("function", call)
    return str(argument.this)


def _check_type(call: exp.Func, text: str) -> None:
    if not _TYPE.fullmatch(text) or _CODE.search(text):
        refuse("function", call)
    if any(int(number) > MAX_GENERATED for number in _NUMBER.findall(text)):
        refuse("bounds", call)


def _check_reference_systems(call: exp.Func) -> None:
    for argument in arguments(call)[1:]:
        value = argument.expression if isinstance(argument, exp.PropertyEQ) else argument
        if isinstance(value, exp.Literal):
            if value.is_string and not _REFERENCE_SYSTEM.fullmatch(value.this):
                refuse("function", call)
        elif not isinstance(value, exp.Boolean):
            refuse("function", call)


def _check_aggregate(statement: Statement, call: exp.Func, text: str) -> None:
    match = _NAME.fullmatch(text)
    name = ascii_lower(match[1]) if match else ""
    known = functions.is_allowed_name(statement.dialect, name) or any(
        name in (known.lower() for known in kind.sql_names())
        for kind in functions.allowed_typed()
        if issubclass(kind, exp.AggFunc)
    )
    if not known or name in functions.sized(statement.dialect):
        refuse("function", call)  # of a sized one, the size would be an argument that is not checked
