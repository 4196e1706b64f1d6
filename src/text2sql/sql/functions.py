"""The allow-lists of nodes and functions in ``allowed/``, loaded on first use.

Everything that is not listed is refused. The lists are data, one name per line, so that they can be reviewed
without reading code. A name that the installed sqlglot does not know is an error: the list would silently not
apply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from sqlglot import exp

DIALECTS = ("bigquery", "clickhouse", "duckdb", "mysql", "oracle", "postgres", "snowflake", "sqlite")

# generic call classes: the name of the call is looked up in the list of the dialect
NAMED_CALLS: tuple[type[exp.Func], ...] = (
    exp.Anonymous,
    exp.AnonymousAggFunc,
    exp.CombinedAggFunc,
    exp.CombinedParameterizedAgg,
    exp.ParameterizedAgg,
)

_COMBINATORS = "combinator "


@cache
def allowed_nodes() -> frozenset[type[exp.Expression]]:
    """The node classes, except functions, that a query may contain."""
    classes = frozenset(_class(name) for name in _lines("nodes.txt"))
    if functions := sorted(node.__name__ for node in classes if issubclass(node, exp.Func)):
        raise LookupError(f"allowed/nodes.txt: {functions} are functions")
    return classes


@cache
def allowed_typed() -> frozenset[type[exp.Func]]:
    """The function classes that a query may contain, whatever their names in the dialect."""
    names = _lines("functions", "typed.txt")
    classes = frozenset(node for name in names if issubclass(node := _class(name), exp.Func))
    if others := set(names) - {node.__name__ for node in classes if not issubclass(node, NAMED_CALLS)}:
        raise LookupError(f"allowed/functions/typed.txt: {sorted(others)} say nothing of what is called")
    return classes


@cache
def allowed_names(dialect: str) -> frozenset[str]:
    """The names, in lower case, of allowed calls that sqlglot has no class for in this dialect."""
    own = frozenset(line for line in _lines("functions", f"{_known(dialect)}.txt") if " " not in line)
    return own | frozenset(_lines("functions", "common.txt"))


@cache
def combinators(dialect: str) -> frozenset[str]:
    """The suffixes, in lower case, that turn an allowed aggregate into another one (ClickHouse:
    ``sumIf``).
    """
    lines = _lines("functions", f"{_known(dialect)}.txt")
    return frozenset(line.removeprefix(_COMBINATORS) for line in lines if line.startswith(_COMBINATORS))


@cache
def aggregates(dialect: str) -> frozenset[str]:
    """The aggregates, in lower case, that may have a combinator."""
    return frozenset(
        line.removeprefix("aggregate ")
        for line in _lines("functions", f"{_known(dialect)}.txt")
        if line.startswith("aggregate ")
    )


def is_allowed_name(dialect: str, name: str) -> bool:
    """Whether a function is allowed, ignoring case, with up to four combinators."""
    if not name.isascii():
        return False
    name = name.lower()
    return name in allowed_names(dialect) or _is_aggregate(dialect, name, 4)


def _is_aggregate(dialect: str, name: str, endings: int) -> bool:
    if name in aggregates(dialect):
        return True
    return endings > 0 and any(
        name.endswith(ending) and _is_aggregate(dialect, name.removesuffix(ending), endings - 1)
        for ending in combinators(dialect)
    )


@cache
def generators(dialect: str) -> Mapping[str, bool]:
    """Functions, in lower case, that are allowed in FROM; true if the number of rows must be limited.

    A function with a sqlglot class is also listed by the names of that class, so that
    ``node.sql_name().lower()`` finds it.
    """
    return MappingProxyType(
        {name: mark == "bounded" for name, mark in _of_dialect(dialect, "generators.txt")}
    )


@cache
def sized(dialect: str) -> Mapping[str, str]:
    """Allowed functions, in lower case, whose result size depends on an argument, and the position of that
    one.
    """
    return MappingProxyType(dict(_of_dialect(dialect, "sized.txt")))


@cache
def prefixes(dialect: str) -> Mapping[str, frozenset[str]]:
    """Allowed prefixes of calls, in lower case, each with the functions that it may precede.

    An empty set means every function that is allowed without the prefix.
    """
    names: dict[str, set[str]] = {}
    for prefix, name in _of_dialect(dialect, "prefixes.txt"):
        names.setdefault(prefix, set()).update({name} if name else set())
    return MappingProxyType({prefix: frozenset(functions) for prefix, functions in names.items()})


def _of_dialect(dialect: str, file: str) -> Iterator[tuple[str, str]]:
    _known(dialect)
    for line in _lines("functions", file):
        of, name, *rest = line.split()
        if of not in DIALECTS or len(rest) > 1:
            raise LookupError(f"allowed/functions/{file}: {line}")
        if of == dialect:
            yield name, rest[0] if rest else ""


def _known(dialect: str) -> str:
    if dialect not in DIALECTS:
        raise LookupError(f"no list of functions for the dialect {dialect!r}")
    return dialect


def _class(name: str) -> type[exp.Expression]:
    node = getattr(exp, name, None)
    if isinstance(node, type) and issubclass(node, exp.Expression):
        return node
    raise LookupError(f"sqlglot has no expression named {name}: the lists need a review")


@cache
def _lines(*path: str) -> tuple[str, ...]:
    text = resources.files("text2sql").joinpath("sql", "allowed", *path).read_text(encoding="utf-8")
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(line for line in lines if line)
