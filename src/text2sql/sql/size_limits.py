"""Rule on sizes: the size of what a call generates (characters, elements, rows) must be a small constant.

`repeat('x', 31 << 25)`, `lpad(x, pow(10, 9))` and a series up to the value of a column are refused, and so is
any size that cannot be computed here. Growth without an explicit size is left to the limits of query
execution.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from text2sql.sql import constants, functions
from text2sql.sql.dialects import ascii_lower
from text2sql.sql.refusal import refuse
from text2sql.sql.statement import Statement, name_of

MAX_GENERATED = 1_000_000  # characters, elements or rows that one call may generate
_COLUMN_LENGTH = 1_000  # assumed length, in characters, of a value in a column
_UNBOUNDED_FIELD = re.compile(r"\d{5,}|\*|\{[^}]*\{")  # of a format: a wide one, or of variable width
_WIDTH = re.compile(r"\d+")
_MAX_TOTAL_WIDTH = 20_000  # of all fields of a format
_FIELD = re.compile(r"%[^%]|\{")
# The position, from 1, of the argument that is inserted for every match or between all values.
_MULTIPLYING: Mapping[str, int] = {
    **dict.fromkeys(("replace", "replaceall", "regexp_replace", "replaceregexpall"), 3),
    **dict.fromkeys(("array_to_string", "arraystringconcat", "list_string_agg"), 2),
    **dict.fromkeys(("list_aggr", "list_aggregate", "array_aggr", "array_aggregate"), 3),
}
_DOUBLING = frozenset(
    {"hex", "to_hex", "low_hex", "hex_encode", "quote", "json_quote", "to_base64", "base64_encode", "encode",
     "quote_ident", "quote_literal", "quote_nullable"}
)  # fmt: skip
_MAX_STEPS = 20_000  # nodes whose length is estimated, counting repetitions; people write a few hundred
_MAX_STATE = 10_000  # values that an aggregate may reserve memory for, in each group


class _Sizes:
    """Estimates of text lengths within one statement."""

    def __init__(self, statement: Statement) -> None:
        self.functions = functions.sized(statement.dialect)  # function → where its size argument is
        self.dialect = statement.dialect
        self._statement = statement
        self._lengths: dict[str, float] | None = None
        self._steps = 0

    def of_column(self, name: str) -> float:
        """The maximum length of the text in a column: sub-queries must not multiply sizes."""
        if self._lengths is None:
            self._lengths = {}
            self._estimate(_columns_of(self._statement), self._lengths)
        return self._lengths.get(ascii_lower(name), _COLUMN_LENGTH)

    def _estimate(self, columns: Mapping[str, list[exp.Expr]], lengths: dict[str, float]) -> None:
        """Repeat until no length grows. A length reaches every column after as many rounds as there are
        columns; what still grows then is a recursive query, which the engine's limits end. Only columns whose
        definition uses one that has grown are estimated again.
        """
        users = _users_of(columns)
        outdated = set(columns)
        for _ in range(len(columns) + 1):
            if not outdated:
                return
            for name in columns:
                if name not in outdated:
                    continue
                outdated.remove(name)
                length = max([_length(definition, self) for definition in columns[name]])
                if length > lengths.get(name, _COLUMN_LENGTH):
                    lengths[name] = length
                    outdated |= users.get(name, set())

    def count_step(self) -> None:
        """Refuse a statement that nests sized calls, or columns of one name, too often."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            refuse("too_costly", f"{self._steps} estimates of lengths")


def _users_of(columns: Mapping[str, list[exp.Expr]]) -> dict[str, set[str]]:
    """The columns that are defined by each column."""
    users: dict[str, set[str]] = defaultdict(set)
    for name, definitions in columns.items():
        for column in (column for part in definitions for column in part.find_all(exp.Column)):
            users[ascii_lower(column.name)].add(name)
    return users


def _columns_of(statement: Statement) -> dict[str, list[exp.Expr]]:
    """The expressions behind each column name that an alias or a column list defines."""
    columns: dict[str, list[exp.Expr]] = defaultdict(list)
    for node in reversed(statement.nodes):  # inner queries first
        if isinstance(node, exp.Alias):
            columns[ascii_lower(node.alias)].append(node.this)
        alias = node.args.get("alias")
        if isinstance(alias, exp.TableAlias) and isinstance(node.this, exp.Query):
            for arm in _arms(node.this):
                for name, expression in zip(alias.columns, arm.expressions, strict=False):
                    columns[ascii_lower(name.name)].append(expression.unalias())
    return columns


def _arms(query: exp.Expr) -> Iterator[exp.Expr]:
    stack = [query]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.SetOperation):
            stack += [node.this, node.expression]
        elif isinstance(node, exp.Subquery):
            stack.append(node.this)
        else:
            yield node


def refuse_unbounded_sizes(statement: Statement) -> None:
    """Refuse calls and types whose size is too large or unknown."""
    generators = functions.generators(statement.dialect)
    sizes = _Sizes(statement)
    for node in statement.nodes:
        if isinstance(node, exp.DataType):
            _check_type(node)
        elif isinstance(node, exp.WithFill):
            _check_fill(node)
    for call, name in statement.calls:
        if name in sizes.functions:
            _check_sized(call, name, sizes)
        elif name in _MULTIPLYING or name in _DOUBLING:
            _check_size(_length(call, sizes), call)
        elif generators.get(name):
            _check_range(call, name)


def arguments(call: exp.Expr) -> list[exp.Expr]:
    """The arguments of a call, in order."""
    args: list[exp.Expr] = []
    for key in call.arg_types if not isinstance(call, functions.NAMED_CALLS) else ("expressions",):
        value = call.args.get(key)
        args += [
            part for part in (value if isinstance(value, list) else [value]) if isinstance(part, exp.Expr)
        ]
    return args


def _check_size(size: float, call: exp.Expr) -> None:
    if size > MAX_GENERATED:
        refuse("bounds", call)


def _check_sized(call: exp.Func, name: str, sizes: _Sizes) -> None:
    args, size = arguments(call), sizes.functions[name]
    if size == "format":
        _check_format(call, args, sizes)
    elif size == "range":
        _check_range(call, name)
    elif size.startswith(_STATE):
        _check_state(call, args, int(size.removeprefix(_STATE)))
    else:
        _check_size(_length(call, sizes), call)


_STATE = "state:"  # and the position of the argument


def _check_state(call: exp.Expr, args: Sequence[exp.Expr], position: int) -> None:
    """Check how many values an aggregate reserves memory for: engines do so before any limit of theirs."""
    if position <= len(args):
        count = constants.number_of(args[position - 1])
        if count is None or abs(count) > _MAX_STATE:
            refuse("bounds", call)


def _constant_product(node: exp.Expr, call: exp.Expr, dialect: str) -> float:
    if dialect == "oracle":
        node = node.transform(_level_as_number)
    parts = node.expressions if isinstance(node, exp.Array) else [node]
    total = 1.0
    for part in parts:
        number = constants.number_of(part.expression if isinstance(part, _NAMED_ARGUMENTS) else part)
        if number is None:
            refuse("bounds", call)
        total *= max(abs(number), 1.0)
    return total


def _level_as_number(node: exp.Expr) -> exp.Expr:
    """Replace LEVEL, the depth of a row in a hierarchy (`LPAD(' ', 2 * LEVEL)`), by the deepest one."""
    is_level = isinstance(node, exp.Column) and not node.table and ascii_lower(node.name) == "level"
    if is_level and not node.this.args.get("quoted"):
        return exp.Literal.number(_DEEPEST_LEVEL)
    return node


_DEEPEST_LEVEL = 1_000  # assumed


def _length(node: exp.Expr, sizes: _Sizes) -> float:
    """The maximum length of a text, or the number of elements of a list, as far as the statement determines
    it.
    """
    sizes.count_step()
    if isinstance(node, exp.Literal):
        return float(len(node.this))
    if isinstance(node, exp.Column):
        return sizes.of_column(node.name)
    name = name_of(node) if isinstance(node, exp.Func) else ""
    size = sizes.functions.get(name, "")
    length = _sized_length(node, name, size, sizes)
    if length is not None:
        return length
    lengths = [_length(part, sizes) for part in node.iter_expressions()]
    position = _MULTIPLYING.get(name, 0)
    if position and len(lengths) >= position:
        return max(lengths[0], 1.0) * max(lengths[position - 1], 1.0)
    return sum(lengths) * (2.0 if name in _DOUBLING else 1.0)


def _sized_length(node: exp.Expr, name: str, size: str, sizes: _Sizes) -> float | None:
    """The maximum length of the result of a sized function; None for any other node."""
    if size == "times" or size.isdecimal():
        return _generated_size(node, name, size, sizes)
    if size == "range":
        return _series_length(node, name) or 0.0  # `_check_range` refuses an unknown count
    if size == "format":
        return _formatted_length(arguments(node), sizes)
    return None


def _generated_size(call: exp.Expr, name: str, size: str, sizes: _Sizes) -> float:
    """The size of what a call generates: a repeated text, a text of a given length, or a list of values."""
    args = arguments(call)
    position = 1 if size == "times" else int(size) - 1
    if position >= len(args):
        return 0.0  # without the argument the function's default applies
    times = _constant_product(args[position], call, sizes.dialect)
    lengths = [_length(part, sizes) for index, part in enumerate(args) if index != position]
    largest = max(lengths, default=1.0)
    return times * max(largest, 1.0) if size == "times" or name in _LIST_FUNCTIONS else max(times, largest)


_LIST_FUNCTIONS = frozenset(
    {"list_resize", "array_resize", "arrayresize", "array_fill", "arraywithconstant", "export_set"}
)


def _check_range(call: exp.Func, name: str) -> None:
    count = _series_length(call, name)
    if count is None or count > MAX_GENERATED:
        refuse("bounds", call)


def _series_length(call: exp.Expr, name: str) -> float | None:
    """The maximum number of values in a series; None: unknown."""
    args = [part.expression if isinstance(part, _NAMED_ARGUMENTS) else part for part in arguments(call)]
    args = [part for part in args if not isinstance(part, (exp.Boolean, exp.Var))]
    if name in _SERIES_BY_LENGTH:  # numbers(offset, length, step), repeat(value, times)
        if isinstance(call, exp.Generator):  # without ROWCOUNT the TIMELIMIT decides
            length = call.args.get("rowcount")
        else:
            length = args[1] if len(args) > 1 and name != "repeat_row" else args[-1] if args else None
        count = constants.number_of(length)
        return None if count is None or count < 0 else count
    if len(args) == 1:
        return constants.number_of(args[0])
    return constants.steps(*_series_bounds(args))


_NAMED_ARGUMENTS = (exp.Kwarg, exp.PropertyEQ)
_SERIES_BY_LENGTH = frozenset(
    {"numbers", "numbers_mt", "zeros", "zeros_mt", "repeat", "repeat_row", "generator"}
)


def _series_bounds(args: Sequence[exp.Expr]) -> tuple[constants.Value | None, ...]:
    values = [constants.value_of(part) for part in args]
    first = values[0] if values else None
    if len(values) == 2 or (len(values) > 2 and args[2] is None):
        step: constants.Value = 1.0 if isinstance(first, float) else constants.DAY
        return first, values[1], step
    if len(values) < 3 or args[2].find(exp.Binary):  # a computed step may be smaller than its estimate
        return None, None, None
    return (*values[:3],)


def _check_fill(node: exp.Expr) -> None:
    """Check ClickHouse's ORDER BY … WITH FILL FROM a TO b STEP c. Without FROM and TO it fills gaps in the
    data.
    """
    start, end, step = (node.args.get(key) or None for key in ("from_", "to", "step"))
    if start is None and end is None:
        width = constants.number_of(step) if step is not None else 1.0
        if width is not None and abs(width) < 1.0:
            refuse("bounds", node)
        return
    first, last = constants.value_of(start), constants.value_of(end)
    by = constants.value_of(step) if step is not None else (1.0 if isinstance(last, float) else constants.DAY)
    if isinstance(by, float) and not isinstance(last, float):
        by = constants.DAY * by
    count = constants.steps(first if start is not None else last, last if end is not None else first, by)
    if count is None or count > MAX_GENERATED:
        refuse("bounds", node)


def _check_format(call: exp.Func, args: Sequence[exp.Expr], sizes: _Sizes) -> None:
    """Check that a format is a literal, its fields are narrow, and its arguments are short."""
    text = args[0] if args else None
    if not isinstance(text, exp.Literal) or not text.is_string or _UNBOUNDED_FIELD.search(text.this):
        refuse("bounds", call)
    if sum(int(width) for width in _WIDTH.findall(text.this)) > _MAX_TOTAL_WIDTH:
        refuse("bounds", call)
    _check_size(_formatted_length(args, sizes), call)


def _formatted_length(args: Sequence[exp.Expr], sizes: _Sizes) -> float:
    """The maximum length of a formatted text: every field may insert the longest argument."""
    if not args:
        return 0.0
    template = args[0].name if isinstance(args[0], exp.Literal) else ""
    widths = sum(int(width) for width in _WIDTH.findall(template))
    largest = max((_length(part, sizes) for part in args[1:]), default=0.0)
    return len(template) + widths + len(_FIELD.findall(template)) * largest


def _check_type(node: exp.DataType) -> None:
    """Check the length of a type, such as `BINARY(1000000000)` or `INTEGER[1000][1000]`."""
    elements = 1.0
    for part in node.walk():
        if isinstance(part, exp.DataTypeParam):
            _check_size(constants.number_of(part.this) or 0.0, node)
        elif isinstance(part, exp.DataType):
            for size in part.args.get("values") or ():
                elements *= constants.number_of(size) or 1.0
    _check_size(elements, node)
