"""Reads policies from JSON, checking every field so that a mistake never exposes a table, and derives the
policy of a person from their roles and claims.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from text2sql.errors import UsageError
from text2sql.sql import predicates
from text2sql.types import Policies, Policy, Role, RowRule

_KEYS = ("tables", "rows", "roles", "default_schema")


def read_policy(text: str) -> Policy:
    """The policy of a person without roles and claims."""
    return policy_for(read_policies(text), (), {})


def read_policies(text: str) -> Policies:
    """`{"tables": {name: [columns]}, "rows": {name: predicate}, "roles": {role: {"tables", "rows"}},
    "default_schema": {dialect: name}}`. Other keys are ignored. What is outside `roles` applies to
    everybody.
    """
    try:
        document = json.loads(text, object_pairs_hook=_unique_keys)
    except ValueError as error:
        raise UsageError("usage.policy", problem=str(error)) from error
    if not isinstance(document, dict):
        raise UsageError("usage.policy", problem="not a JSON object")
    for key in document.keys() - set(_KEYS):
        if get_close_matches(key.lower(), _KEYS, n=1, cutoff=0.75):
            raise UsageError("usage.policy", problem=f"{key}: is it one of {', '.join(_KEYS)}?")
    schemas = _object(document, "default_schema")
    for dialect, schema in schemas.items():
        if not isinstance(schema, str):
            raise UsageError("usage.policy", problem=f"default_schema.{dialect}: not a name")
    roles = _object(document, "roles")
    return Policies(
        _role(document, "", required=not roles),
        {name: _role(role, f"roles.{name}.", required=True) for name, role in roles.items()},
        dict(schemas),
    )


def policy_for(policies: Policies, roles: Sequence[str], claims: Mapping[str, object]) -> Policy:
    """The policy of a person with these roles and claims: the union of what the roles show. An unknown role
    shows nothing, nor does a predicate whose claim the person lacks. A table without a remaining rule is
    hidden.
    """
    known = [policies.roles[name] for name in dict.fromkeys(roles) if name in policies.roles]
    applicable = [policies.everybody, *known]
    tables: dict[str, tuple[str, ...]] = {}
    rows: dict[str, tuple[RowRule, ...]] = {}
    for name in dict.fromkeys(name for role in applicable for name in role.tables):
        granting = [role for role in applicable if name in role.tables]
        row_predicates = _predicates(role.rows.get(name) for role in granting)
        rules = tuple(_row_rules(row_predicates, claims))
        if row_predicates and not rules:
            continue
        tables[name] = tuple(dict.fromkeys(column for role in granting for column in role.tables[name]))
        if rules:
            rows[name] = rules
    return Policy(tables, policies.default_schema, rows)


def readable_by_all_roles(policies: Policies) -> Policy:
    """What the database account for all roles must be able to read: visible columns, and those in
    predicates.
    """
    return Policy(_read((policies.everybody, *policies.roles.values())), policies.default_schema)


def readable_by_roles(policies: Policies, roles: Sequence[str]) -> Policy:
    """What a database account must be able to read if it serves exactly these roles."""
    for name in roles:
        if name not in policies.roles:
            raise UsageError("usage.role", name=name, roles=", ".join(policies.roles))
    chosen = {name: policies.roles[name] for name in roles}
    return readable_by_all_roles(Policies(policies.everybody, chosen, policies.default_schema))


def columns_read(policy: Policy) -> Policy:
    """What statements under a policy read: its visible columns, and the columns in its row rules."""
    rules = [
        Role({}, {name: rule.predicate}) for name, table_rules in policy.rows.items() for rule in table_rules
    ]
    return Policy(_read((Role(policy.tables), *rules)), policy.default_schema, exact=policy.exact)


def _read(roles: Iterable[Role]) -> dict[str, tuple[str, ...]]:
    tables: dict[str, dict[str, None]] = {}
    for role in roles:
        for name, columns in role.tables.items():
            tables.setdefault(name, {}).update(dict.fromkeys(columns))
        for name, predicate in role.rows.items():
            for table, column in predicates.columns_of(predicate, name):
                tables.setdefault(table, {})[column] = None
    return {name: tuple(columns) for name, columns in tables.items()}


def _predicates(predicates_of_roles: Iterable[str | None]) -> list[str]:
    """The distinct predicates on a table; empty if one of the roles shows all rows."""
    distinct = list(dict.fromkeys(predicates_of_roles))
    return [] if None in distinct else [predicate for predicate in distinct if predicate is not None]


def _row_rules(row_predicates: Iterable[str], claims: Mapping[str, object]) -> Iterator[RowRule]:
    for predicate in row_predicates:
        values = predicates.claims_of(predicate, claims)
        if values is not None:
            yield RowRule(predicate, values)


def _role(document: Any, path: str, *, required: bool) -> Role:
    if path and isinstance(document, dict) and document.keys() - {"tables", "rows"}:
        raise UsageError("usage.policy", problem=f"{path[:-1]}: holds more than tables and rows")
    tables = _object(document, "tables", path, required=required)
    for name, columns in tables.items():
        if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
            raise UsageError("usage.policy", problem=f"{path}tables.{name}: not a list of column names")
    rows = _object(document, "rows", path)
    for name, predicate in rows.items():
        if name not in tables:
            raise UsageError("usage.policy", problem=f"{path}rows.{name}: not among the tables")
        if not isinstance(predicate, str):
            raise UsageError("usage.policy", problem=f"{path}rows.{name}: not a condition")
        predicates.checked(name, predicate)
    return Role({name: tuple(columns) for name, columns in tables.items()}, dict(rows))


def _object(document: Any, key: str, path: str = "", *, required: bool = False) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise UsageError("usage.policy", problem=f"{path[:-1]}: not an object")
    if key not in document and not required:
        return {}
    value = document.get(key)
    if not isinstance(value, dict):
        raise UsageError("usage.policy", problem=f"{path}{key}: missing, or not an object")
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse duplicate keys: JSON would keep the last one, which may show more."""
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"{key}: there twice")
        result[key] = value
    return result
