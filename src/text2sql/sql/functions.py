"""What a harmless query may be made of: the lists in ``allowed/``, read when first asked for.

Everything that is not listed is refused. The lists are data, one name to a line, so that a review reads
names and not code; a name that the installed sqlglot does not know is an error, because a list that is
silently shorter or longer than it looks guards nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from sqlglot import exp

DIALECTS = ("bigquery", "clickhouse", "duckdb", "mysql", "oracle", "postgres", "snowflake", "sqlite")

# calls whose class says nothing: the name they carry is looked up in the list of the dialect
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
    """The node classes, functions aside, that may stand in a query."""
    classes = frozenset(_class(name) for name in _lines("nodes.txt"))
    if functions := sorted(node.__name__ for node in classes if issubclass(node, exp.Func)):
        raise LookupError(f"allowed/nodes.txt: {functions} are functions")
    return classes


@cache
def allowed_typed() -> frozenset[type[exp.Func]]:
    """The function classes that may stand in a query, whatever the dialect calls them."""
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
    """The endings, in lower case, that make a new aggregate of an allowed one (ClickHouse: ``sumIf``)."""
    lines = _lines("functions", f"{_known(dialect)}.txt")
    return frozenset(line.removeprefix(_COMBINATORS) for line in lines if line.startswith(_COMBINATORS))


@cache
def aggregates(dialect: str) -> frozenset[str]:
    """The aggregates, in lower case, that may carry a combinator."""
    return frozenset(
        line.removeprefix("aggregate ")
        for line in _lines("functions", f"{_known(dialect)}.txt")
        if line.startswith("aggregate ")
    )


def is_allowed_name(dialect: str, name: str) -> bool:
    """Whether a call by this name is allowed, in any case, with up to four combinators at its end."""
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
    """Functions, in lower case, that may stand in FROM; true where the number of rows needs a bound.

    A function that sqlglot has a class for is listed by the names of that class as well, so that
    ``node.sql_name().lower()`` finds it.
    """
    return MappingProxyType(
        {name: mark == "bounded" for name, mark in _of_dialect(dialect, "generators.txt")}
    )


@cache
def sized(dialect: str) -> frozenset[str]:
    """Allowed functions, in lower case, whose numeric arguments decide how large the result grows."""
    return frozenset(name for name, _ in _of_dialect(dialect, "sized.txt"))


@cache
def prefixes(dialect: str) -> Mapping[str, frozenset[str]]:
    """Prefixes, in lower case, that a call may carry, each with the names it may be put before.

    An empty set means any call that would be allowed without the prefix.
    """
    names: dict[str, set[str]] = {}
    for prefix, name in _of_dialect(dialect, "prefixes.txt"):
        names.setdefault(prefix, set()).update({name} if name else set())
    return MappingProxyType({prefix: frozenset(found) for prefix, found in names.items()})


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
