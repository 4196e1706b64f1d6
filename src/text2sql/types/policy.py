"""Which tables, columns and rows may be seen, and by whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Claim: TypeAlias = str | int | float | bool | tuple[str | int | float | bool, ...]


@dataclass(frozen=True, slots=True)
class RowRule:
    """A row-level security rule: rows are visible where `predicate`, an SQL condition, is true.

    `:name` in the predicate is replaced by the user's claim of that name.
    """

    predicate: str
    claims: tuple[tuple[str, Claim], ...] = ()  # the user's claims that the predicate refers to


@dataclass(frozen=True, slots=True)
class Policy:
    """An allow-list of the tables, columns and rows that one user may read. Everything else is hidden.

    tables: maps each visible table to its visible columns, in order. Names are spelled as the engine stores
        them: `name` in the default schema, otherwise `schema.name`.
    default_schema: maps a dialect to the schema of unqualified names (`catalog.schema` if the engine has two
        levels).
    rows: maps a table to its row rules. A row is visible if any rule matches; a table without an entry shows
        all rows.
    exact: True if the names come from a catalog. Otherwise a lower-case name also matches the upper-case name
        of an engine that stores identifiers in upper case.
    complete: True if the policy shows the whole database, so that no filtering is needed.
    """

    tables: Mapping[str, tuple[str, ...]]
    default_schema: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, tuple[RowRule, ...]] = field(default_factory=dict)
    exact: bool = False
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    """The tables and columns that a role may read, and row predicates for tables that it may read in part."""

    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Policies:
    """A policy document. `sql.policy_for` derives the `Policy` of one user from it."""

    everybody: Role
    roles: Mapping[str, Role] = field(default_factory=dict)
    default_schema: Mapping[str, str] = field(default_factory=dict)
