"""Parameters of stored queries: replaces literals in a query by named parameters, and the names by literals
again.

A stored query is untrusted text, and so is the result: it goes through the guard like any other. Nothing in
this module decides what may run.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from text2sql.sql import parse
from text2sql.sql.parse import dialect_of
from text2sql.types import SqlRejected

Kind: TypeAlias = Literal["text", "number"]

# A value with fewer characters may occur in a query for another reason, so it may occur only once.
_UNIQUE_LENGTH = 4
_NUMBER = re.compile(r"-?\d{1,18}(\.\d{1,18})?")
_DATE = re.compile(r"\b(19|20)\d\d(\b|-)")


@dataclass(frozen=True, slots=True)
class ParameterSpellings:
    """The spellings of a parameter in a query: name → literal, for texts and for numbers."""

    texts: Mapping[str, str]
    numbers: Mapping[str, str] = field(default_factory=dict)
    is_date: bool = False  # a day, month or year, or a range


@dataclass(frozen=True, slots=True)
class ParameterizedSql:
    """A query with `:name` in place of values, and the type of each name."""

    sql: str
    names: Mapping[str, Kind]


def parameterize(
    sql: str, dialect: str, parameters: Mapping[str, ParameterSpellings]
) -> ParameterizedSql | None:
    """Replace the values of parameters by names. None if that is ambiguous: a parameter has no literal, two
    have the same value, a short value occurs twice, or a remaining literal looks like part of a value. Such a
    query is correct for these values only.
    """
    tree = parse.verdict(sql, lambda: parse.parse_statement(sql, dialect, None, None).tree)
    if isinstance(tree, SqlRejected):
        return None
    names: dict[str, Kind] = {}
    used_parameters, counts = set(), Counter[str]()
    for literal in list(_literals(tree)):
        kind: Kind = "text" if literal.is_string else "number"
        matches = list(_matching_names(literal.this, kind, parameters))
        if not matches:
            if any(_resembles(literal, spellings) for spellings in parameters.values()):
                return None
            continue
        owner, name = matches[0]
        counts[literal.this] += 1
        if (
            any(parameter != owner for parameter, _ in matches)
            or names.setdefault(name, kind) != kind
            or (len(literal.this) < _UNIQUE_LENGTH and counts[literal.this] > 1)
        ):
            return None
        used_parameters.add(owner)
        literal.replace(exp.Var(this=f":{name}"))
    if used_parameters != set(parameters):
        return None
    return ParameterizedSql(_formatted(tree, dialect), dict(sorted(names.items())))


def with_values(
    sql: str, dialect: str, names: Mapping[str, Kind], parameters: Mapping[str, ParameterSpellings]
) -> str | SqlRejected:
    """Replace the names in a query by literals. Unknown names stay, and the guard refuses them."""
    texts = {name: text for spellings in parameters.values() for name, text in spellings.texts.items()}
    numbers = {name: text for spellings in parameters.values() for name, text in spellings.numbers.items()}

    def replace_names() -> str:
        tree = parse.parse_statement(sql, dialect, None, None).tree
        for placeholder in list(tree.find_all(exp.Placeholder)):
            kind = names.get(placeholder.name)
            value = (numbers if kind == "number" else texts).get(placeholder.name)
            if kind is not None and value is not None:
                placeholder.replace(_literal(value, kind))
        return _formatted(tree, dialect)

    return parse.verdict(sql, replace_names)


def named_columns(sql: str, dialect: str) -> frozenset[str]:
    """All column names in a query, in lower case, including references to its own aliases."""
    tree = parse.verdict(sql, lambda: parse.parse_statement(sql, dialect, None, None).tree)
    if isinstance(tree, SqlRejected):
        return frozenset()
    return frozenset(column.name.casefold() for column in tree.find_all(exp.Column))


def _literals(tree: exp.Expr) -> Iterator[exp.Literal]:
    for literal in tree.find_all(exp.Literal):
        if not isinstance(literal.parent, exp.Interval):
            yield literal


def _matching_names(
    text: str, kind: Kind, parameters: Mapping[str, ParameterSpellings]
) -> Iterator[tuple[str, str]]:
    for owner, spellings in parameters.items():
        spelled = spellings.texts if kind == "text" else spellings.numbers
        name = next((name for name, value in spelled.items() if value == text), None)
        if name is not None:
            yield owner, name


def _resembles(literal: exp.Literal, spellings: ParameterSpellings) -> bool:
    """Whether a literal may be an unknown spelling of the parameter: a date, or a text that contains its
    value.
    """
    if spellings.is_date and _DATE.search(literal.this):
        return True
    value = next(iter(spellings.texts.values()))
    return literal.is_string and len(value) > 1 and value.casefold() in literal.this.casefold()


def _literal(value: str, kind: Kind) -> exp.Expr:
    if kind == "text" or not _NUMBER.fullmatch(value):
        return exp.Literal.string(value)
    number = exp.Literal.number(value.removeprefix("-"))
    return exp.Neg(this=number) if value.startswith("-") else number


def _formatted(tree: exp.Expr, dialect: str) -> str:
    """Generate formatted SQL, for people to review."""
    generator = dialect_of(dialect).generator(
        comments=False, pretty=True, unsupported_level=ErrorLevel.IGNORE
    )
    return generator.generate(tree)
