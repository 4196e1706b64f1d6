"""Reduce a catalog to the tables and columns that a policy makes visible.

The guard decides what a query may read; this module decides which names a model, a prompt and a user get to
see.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, replace

from text2sql.errors import UsageError
from text2sql.schema.table_labels import label
from text2sql.types import Catalog, ForeignKey, Policy, RowRule, SourceNote, Table

# Engines in which two names cannot differ by case only, so that a policy may use any case.
_CASELESS_TABLES = frozenset({"sqlite", "duckdb"})
_CASELESS_COLUMNS = _CASELESS_TABLES | {"mysql", "bigquery"}
_CAPITALS = frozenset({"snowflake", "oracle"})  # store unquoted names in capitals


def visible(catalog: Catalog, policy: Policy | None) -> Catalog:
    """The tables and columns that the policy shows, with the keys that lie wholly within them. Without a
    policy the catalog itself.
    """
    if policy is None:
        return catalog
    visible_names = _VisibleNames(catalog, policy)
    tables = tuple(
        _visible_part(table, visible_names) for table in catalog.tables if visible_names.is_visible(table)
    )
    unruled = [table for table in tables if visible_names.rules(table) is None]  # notes quote values of rows
    notes = tuple(note for note in catalog.notes if _is_about_visible(note, unruled))
    fingerprint = _fingerprint_with_policy(catalog.fingerprint, policy)
    return replace(catalog, tables=tables, fingerprint=fingerprint, notes=notes)


def row_rules(catalog: Catalog, policy: Policy | None) -> Mapping[str, tuple[RowRule, ...]]:
    """The row rules of each table that has any, by its label."""
    if policy is None or not policy.rows:
        return {}
    visible_names = _VisibleNames(catalog, policy)
    pairs = ((label(table, catalog), visible_names.rules(table)) for table in catalog.tables)
    return {name: rules for name, rules in pairs if rules is not None}


class _VisibleNames:
    def __init__(self, catalog: Catalog, policy: Policy) -> None:
        self._catalog = catalog
        self._fold_table = str.lower if catalog.dialect in _CASELESS_TABLES else str
        self._fold_column = str.lower if catalog.dialect in _CASELESS_COLUMNS else str
        stored = _in_capitals if catalog.dialect in _CAPITALS and not policy.exact else str
        own = stored(policy.default_schema.get(catalog.dialect, catalog.default_schema))
        # An engine with two levels may name its default by both (`SHOP.PUBLIC`) and its tables by one.
        default = catalog.default_schema if own.endswith("." + catalog.default_schema) else own
        self._names = {
            name: self._fold_table(stored(name) if "." in name else f"{default}.{stored(name)}")
            for name in policy.tables
        }
        if policy.rows and len(set(self._names.values())) < len(self._names):
            twice = next(name for name, count in Counter(self._names.values()).items() if count > 1)
            raise UsageError("usage.policy", problem=f"rows: {twice} has two names among the tables")
        self._columns: Mapping[str, frozenset[str]] = {
            self._names[name]: frozenset(self._fold_column(stored(column)) for column in columns)
            for name, columns in policy.tables.items()
        }
        self._has_rules = bool(policy.rows)
        self._rules = {self._names[name]: rules for name, rules in policy.rows.items() if name in self._names}

    def columns(self, table: Table) -> frozenset[str]:
        """The visible columns of the table, as the catalog spells them."""
        allowed = self._columns.get(self._key(table), frozenset())
        return frozenset(column.name for column in table.columns if self._fold_column(column.name) in allowed)

    def rules(self, table: Table) -> tuple[RowRule, ...] | None:
        return self._rules.get(self._key(table))

    def is_visible(self, table: Table) -> bool:
        """Whether the table is visible. A view may show rows of tables that have row rules, so under such a
        policy it needs a rule of its own.
        """
        unruled = self._has_rules and table.kind == "view" and self.rules(table) is None
        return bool(self.columns(table)) and not unruled

    def _key(self, table: Table) -> str:
        return self._fold_table(f"{table.schema or self._catalog.default_schema}.{table.name}")

    def referred(self, table: Table, foreign: ForeignKey) -> frozenset[str]:
        """The visible columns of the table that a foreign key refers to; none if it is hidden or unknown."""
        target = self._catalog.referred_table(table, foreign)
        return frozenset() if target is None else self.columns(target)


def _is_about_visible(note: SourceNote, tables: Iterable[Table]) -> bool:
    """A note may quote values and names: of a table that is partly hidden, only those of visible columns are
    shown.
    """
    table = next((table for table in tables if table.name == note.table), None)
    if table is None:
        return False
    return any(column.name == note.column for column in table.columns) or not (table.partial or note.column)


def _in_capitals(name: str) -> str:
    """The name in capitals; a part that contains a capital is kept as written."""
    return ".".join(part.upper() if part.islower() else part for part in name.split("."))


def _visible_part(table: Table, visible_names: _VisibleNames) -> Table:
    columns = visible_names.columns(table)
    if visible_names.rules(table) is not None:  # samples and counts would come from all rows
        bare = tuple(replace(column, samples=()) for column in table.columns)
        table = replace(table, rows=None, columns=bare)
    return replace(
        table,
        columns=tuple(column for column in table.columns if column.name in columns),
        partial=len(columns) < len(table.columns),
        primary_key=table.primary_key if columns.issuperset(table.primary_key) else (),
        foreign_keys=tuple(
            key
            for key in table.foreign_keys
            if columns.issuperset(key.columns) and _is_whole(key, visible_names.referred(table, key))
        ),
        indexes=tuple(index for index in table.indexes if columns.issuperset(index.columns)),
    )


def _is_whole(foreign: ForeignKey, referred: frozenset[str]) -> bool:
    return bool(referred) and referred.issuperset(foreign.referred)


def _fingerprint_with_policy(fingerprint: str, policy: Policy) -> str:
    facts: list[object] = [
        fingerprint,
        sorted((name, list(columns)) for name, columns in policy.tables.items()),
        sorted(policy.default_schema.items()),
    ]
    if policy.rows:  # with the claims: users who see different rows must not share a fingerprint
        facts.append(sorted((name, [*map(astuple, rules)]) for name, rules in policy.rows.items()))
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def policy_mark(policy: Policy) -> str:
    """A hash of all fields of the policy: equal policies have equal marks."""
    content = json.dumps(asdict(policy), sort_keys=True, default=repr)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]
