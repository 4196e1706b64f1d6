"""Parameters of a query that is kept: a value in the tree becomes a name, and a name a literal again.

A kept query is text of anybody's. What is made of it here is text too, and goes through the guard like any
other: nothing in this module decides what may run.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from text2sql.sql import trees
from text2sql.sql.repairs.draft import reader
from text2sql.types import SqlRejected

Kind: TypeAlias = Literal["text", "number"]

_SURE = 4  # letters: a shorter value may stand in a query for another reason, so only once
_NUMBER = re.compile(r"-?\d{1,18}(\.\d{1,18})?")
_DATED = re.compile(r"\b(19|20)\d\d(\b|-)")


@dataclass(frozen=True, slots=True)
class Forms:
    """How one parameter may be spelled in a query: name → text, for literals of text and of numbers."""

    texts: Mapping[str, str]
    numbers: Mapping[str, str] = field(default_factory=dict)
    dated: bool = False  # a day, month, year or a range of them


@dataclass(frozen=True, slots=True)
class Named:
    """A query with `:name` where values stood, and what each name stands for."""

    sql: str
    names: Mapping[str, Kind]


def with_names(sql: str, dialect: str, parameters: Mapping[str, Forms]) -> Named | None:
    """None where it is not plain which literals a parameter became: one of them is nowhere, two have the same
    value, a short value stands in two places, or a literal is left that looks like a part of one. Such a
    query is right for these values and for no others.
    """
    read = trees.verdict(sql, lambda: trees.read(sql, dialect, None, None).tree)
    if isinstance(read, SqlRejected):
        return None
    found: dict[str, Kind] = {}
    used, counted = set(), Counter[str]()
    for literal in list(_literals(read)):
        kind: Kind = "text" if literal.is_string else "number"
        meant = list(_meant(literal.this, kind, parameters))
        if not meant:
            if any(_resembles(literal, forms) for forms in parameters.values()):
                return None
            continue
        owner, name = meant[0]
        counted[literal.this] += 1
        if (
            any(other != owner for other, _ in meant)
            or found.setdefault(name, kind) != kind
            or (len(literal.this) < _SURE and counted[literal.this] > 1)
        ):
            return None
        used.add(owner)
        literal.replace(exp.Var(this=f":{name}"))
    if used != set(parameters):
        return None
    return Named(_written(read, dialect), dict(sorted(found.items())))


def with_values(
    sql: str, dialect: str, names: Mapping[str, Kind], parameters: Mapping[str, Forms]
) -> str | SqlRejected:
    """The query with literals for its names; a name that nobody knows is left for the guard to refuse."""
    texts = {name: text for forms in parameters.values() for name, text in forms.texts.items()}
    numbers = {name: text for forms in parameters.values() for name, text in forms.numbers.items()}

    def work() -> str:
        tree = trees.read(sql, dialect, None, None).tree
        for place in list(tree.find_all(exp.Placeholder)):
            kind = names.get(place.name)
            value = (numbers if kind == "number" else texts).get(place.name)
            if kind is not None and value is not None:
                place.replace(_literal(value, kind))
        return _written(tree, dialect)

    return trees.verdict(sql, work)


def named_columns(sql: str, dialect: str) -> frozenset[str]:
    """Every name that a query uses as a column's, in lower case; aliases of its own are among them."""
    tree = trees.verdict(sql, lambda: trees.read(sql, dialect, None, None).tree)
    if isinstance(tree, SqlRejected):
        return frozenset()
    return frozenset(column.name.casefold() for column in tree.find_all(exp.Column))


def _literals(tree: exp.Expr) -> Iterator[exp.Literal]:
    for literal in tree.find_all(exp.Literal):
        if not isinstance(literal.parent, exp.Interval):
            yield literal


def _meant(text: str, kind: Kind, parameters: Mapping[str, Forms]) -> Iterator[tuple[str, str]]:
    for owner, forms in parameters.items():
        spelled = forms.texts if kind == "text" else forms.numbers
        name = next((name for name, value in spelled.items() if value == text), None)
        if name is not None:
            yield owner, name


def _resembles(literal: exp.Literal, forms: Forms) -> bool:
    """A date beside a window, or a text around a value: probably a spelling that is not among the forms."""
    if forms.dated and _DATED.search(literal.this):
        return True
    value = next(iter(forms.texts.values()))
    return literal.is_string and len(value) > 1 and value.casefold() in literal.this.casefold()


def _literal(value: str, kind: Kind) -> exp.Expr:
    if kind == "text" or not _NUMBER.fullmatch(value):
        return exp.Literal.string(value)
    number = exp.Literal.number(value.removeprefix("-"))
    return exp.Neg(this=number) if value.startswith("-") else number


def _written(tree: exp.Expr, dialect: str) -> str:
    """On several lines, as people review it."""
    generator = reader(dialect).generator(comments=False, pretty=True, unsupported_level=ErrorLevel.IGNORE)
    return generator.generate(tree)
