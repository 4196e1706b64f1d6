"""A policy as people write it, in JSON: checked field by field, so that a slip never opens a table; and what
it means for one person, whose roles and claims are known.
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
    """What somebody without a role or a claim may see."""
    return policy_for(read_policies(text), (), {})


def read_policies(text: str) -> Policies:
    """`{"tables": {name: [columns]}, "rows": {name: predicate}, "roles": {role: {"tables", "rows"}},
    "default_schema": {dialect: name}}`; other keys are for people. What stands outside `roles` holds for
    everybody.
    """
    try:
        held = json.loads(text, object_pairs_hook=_each_once)
    except ValueError as error:
        raise UsageError("usage.policy", problem=str(error)) from error
    if not isinstance(held, dict):
        raise UsageError("usage.policy", problem="not a JSON object")
    for key in held.keys() - set(_KEYS):
        if get_close_matches(key.lower(), _KEYS, n=1, cutoff=0.75):
            raise UsageError("usage.policy", problem=f"{key}: is it one of {', '.join(_KEYS)}?")
    schemas = _object(held, "default_schema")
    for dialect, schema in schemas.items():
        if not isinstance(schema, str):
            raise UsageError("usage.policy", problem=f"default_schema.{dialect}: not a name")
    roles = _object(held, "roles")
    return Policies(
        _role(held, "", required=not roles),
        {name: _role(role, f"roles.{name}.", required=True) for name, role in roles.items()},
        dict(schemas),
    )


def policy_for(policies: Policies, roles: Sequence[str], claims: Mapping[str, object]) -> Policy:
    """What a person with these roles and claims may see: all that one of them shows. A role that the document
    does not have shows nothing; nor does a predicate whose claim the person lacks, and a table of which
    nothing is shown is not seen.
    """
    known = [policies.roles[name] for name in dict.fromkeys(roles) if name in policies.roles]
    held = [policies.everybody, *known]
    tables: dict[str, tuple[str, ...]] = {}
    rows: dict[str, tuple[RowRule, ...]] = {}
    for name in dict.fromkeys(name for role in held for name in role.tables):
        granting = [role for role in held if name in role.tables]
        wanted = _predicates(role.rows.get(name) for role in granting)
        rules = tuple(_bound(wanted, claims))
        if wanted and not rules:
            continue
        tables[name] = tuple(dict.fromkeys(column for role in granting for column in role.tables[name]))
        if rules:
            rows[name] = rules
    return Policy(tables, policies.default_schema, rows)


def everything_read(policies: Policies) -> Policy:
    """What the account behind all roles must be able to read: what they see, and what predicates look at."""
    tables: dict[str, dict[str, None]] = {}
    for role in (policies.everybody, *policies.roles.values()):
        for name, columns in role.tables.items():
            tables.setdefault(name, {}).update(dict.fromkeys(columns))
        for name, predicate in role.rows.items():
            for table, column in predicates.columns_of(predicate, name):
                tables.setdefault(table, {})[column] = None
    return Policy({name: tuple(columns) for name, columns in tables.items()}, policies.default_schema)


def _predicates(given: Iterable[str | None]) -> list[str]:
    """Those of the roles that show a table; none if one of them shows all of it."""
    each = list(dict.fromkeys(given))
    return [] if None in each else [one for one in each if one is not None]


def _bound(wanted: Iterable[str], claims: Mapping[str, object]) -> Iterator[RowRule]:
    for predicate in wanted:
        found = predicates.claims_of(predicate, claims)
        if found is not None:
            yield RowRule(predicate, found)


def _role(held: Any, place: str, *, required: bool) -> Role:
    if place and isinstance(held, dict) and held.keys() - {"tables", "rows"}:
        raise UsageError("usage.policy", problem=f"{place[:-1]}: holds more than tables and rows")
    tables = _object(held, "tables", place, required=required)
    for name, columns in tables.items():
        if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
            raise UsageError("usage.policy", problem=f"{place}tables.{name}: not a list of column names")
    rows = _object(held, "rows", place)
    for name, predicate in rows.items():
        if name not in tables:
            raise UsageError("usage.policy", problem=f"{place}rows.{name}: not among the tables")
        if not isinstance(predicate, str):
            raise UsageError("usage.policy", problem=f"{place}rows.{name}: not a condition")
        predicates.checked(name, predicate)
    return Role({name: tuple(columns) for name, columns in tables.items()}, dict(rows))


def _object(held: Any, key: str, place: str = "", *, required: bool = False) -> Mapping[str, Any]:
    if not isinstance(held, dict):
        raise UsageError("usage.policy", problem=f"{place[:-1]}: not an object")
    if key not in held and not required:
        return {}
    value = held.get(key)
    if not isinstance(value, dict):
        raise UsageError("usage.policy", problem=f"{place}{key}: missing, or not an object")
    return value


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two entries of one name JSON keeps the last, which may be the one that shows more."""
    held: dict[str, Any] = {}
    for key, value in pairs:
        if key in held:
            raise ValueError(f"{key}: there twice")
        held[key] = value
    return held
