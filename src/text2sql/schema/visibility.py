"""A catalogue cut down to what a policy lets see. The guard decides what may be read; this decides what a
model, a prompt and a person get to know of, so a hidden name never stands in any of them.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, astuple, replace

from text2sql.errors import UsageError
from text2sql.schema.names import label
from text2sql.types import Catalogue, ForeignKey, Policy, RowRule, Table

# Engines in which two names cannot differ by case only, so that a policy may write them as it likes.
_CASELESS_TABLES = frozenset({"sqlite", "duckdb"})
_CASELESS_COLUMNS = _CASELESS_TABLES | {"mysql", "bigquery"}
_CAPITALS = frozenset({"snowflake", "oracle"})  # what a policy says in lower case, these store in capitals


def visible(catalogue: Catalogue, policy: Policy | None) -> Catalogue:
    """The same catalogue without a policy; otherwise only its tables and columns, and keys whole in them."""
    if policy is None:
        return catalogue
    shown = _Shown(catalogue, policy)
    tables = tuple(_cut(table, shown) for table in catalogue.tables if shown.is_there(table))
    return replace(catalogue, tables=tables, fingerprint=_mixed(catalogue.fingerprint, policy))


def row_rules(catalogue: Catalogue, policy: Policy | None) -> Mapping[str, tuple[RowRule, ...]]:
    """The rules of each table that has some, by its label."""
    if policy is None or not policy.rows:
        return {}
    shown = _Shown(catalogue, policy)
    held = ((label(table, catalogue), shown.rules(table)) for table in catalogue.tables)
    return {name: rules for name, rules in held if rules is not None}


class _Shown:
    def __init__(self, catalogue: Catalogue, policy: Policy) -> None:
        self._catalogue = catalogue
        self._fold_table = str.lower if catalogue.dialect in _CASELESS_TABLES else str
        self._fold_column = str.lower if catalogue.dialect in _CASELESS_COLUMNS else str
        said = _in_capitals if catalogue.dialect in _CAPITALS and not policy.exact else str
        own = said(policy.default_schema.get(catalogue.dialect, catalogue.default_schema))
        # An engine with two levels may name its default by both (`SHOP.PUBLIC`) and its tables by one.
        default = catalogue.default_schema if own.endswith("." + catalogue.default_schema) else own
        self._names = {
            name: self._fold_table(said(name) if "." in name else f"{default}.{said(name)}")
            for name in policy.tables
        }
        if policy.rows and len(set(self._names.values())) < len(self._names):
            twice = next(name for name, count in Counter(self._names.values()).items() if count > 1)
            raise UsageError("usage.policy", problem=f"rows: {twice} has two names among the tables")
        self._columns: Mapping[str, frozenset[str]] = {
            self._names[name]: frozenset(self._fold_column(said(one)) for one in columns)
            for name, columns in policy.tables.items()
        }
        self._policed = bool(policy.rows)
        self._rules = {self._names[name]: rules for name, rules in policy.rows.items() if name in self._names}

    def columns(self, table: Table) -> frozenset[str]:
        """Of the table, as the catalogue spells them."""
        allowed = self._columns.get(self._key(table), frozenset())
        return frozenset(one.name for one in table.columns if self._fold_column(one.name) in allowed)

    def rules(self, table: Table) -> tuple[RowRule, ...] | None:
        return self._rules.get(self._key(table))

    def is_there(self, table: Table) -> bool:
        """A view shows rows of tables that have rules; without a rule of its own nobody sees it."""
        unruled = self._policed and table.kind == "view" and self.rules(table) is None
        return bool(self.columns(table)) and not unruled

    def _key(self, table: Table) -> str:
        return self._fold_table(f"{table.schema or self._catalogue.default_schema}.{table.name}")

    def referred(self, table: Table, foreign: ForeignKey) -> frozenset[str]:
        """The columns of a foreign key's other side; none if its table is hidden or unknown."""
        found = self._catalogue.table(foreign.table, foreign.schema)
        if found is None and not foreign.schema:
            found = self._catalogue.table(foreign.table, table.schema)
        return frozenset() if found is None else self.columns(found)


def _in_capitals(name: str) -> str:
    """Each part that has no capital; one that has some was meant as it stands."""
    return ".".join(part.upper() if part.islower() else part for part in name.split("."))


def _cut(table: Table, shown: _Shown) -> Table:
    columns = shown.columns(table)
    if shown.rules(table) is not None:  # samples and counts are of all rows
        table = replace(table, rows=None, columns=tuple(replace(one, samples=()) for one in table.columns))
    return replace(
        table,
        columns=tuple(column for column in table.columns if column.name in columns),
        partial=len(columns) < len(table.columns),
        primary_key=table.primary_key if columns.issuperset(table.primary_key) else (),
        foreign_keys=tuple(
            one
            for one in table.foreign_keys
            if columns.issuperset(one.columns) and _is_whole(one, shown.referred(table, one))
        ),
        indexes=tuple(one for one in table.indexes if columns.issuperset(one.columns)),
    )


def _is_whole(foreign: ForeignKey, referred: frozenset[str]) -> bool:
    return bool(referred) and referred.issuperset(foreign.referred)


def _mixed(fingerprint: str, policy: Policy) -> str:
    facts: list[object] = [
        fingerprint,
        sorted((name, list(columns)) for name, columns in policy.tables.items()),
        sorted(policy.default_schema.items()),
    ]
    if policy.rows:  # claims and all: what two people may not both see, they do not share
        facts.append(sorted((name, [*map(astuple, rules)]) for name, rules in policy.rows.items()))
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def policy_mark(policy: Policy) -> str:
    """Two policies have one mark if they say the same; whatever a policy may ever say is in it."""
    told = json.dumps(asdict(policy), sort_keys=True, default=repr)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32]
