"""Joins: declared foreign keys, and those that names and values suggest."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from text2sql.naming.joins import join_candidates, role_of
from text2sql.types import Catalog, DatabaseProfile, Relation, Table


def find_relations(catalog: Catalog, profile: DatabaseProfile | None) -> tuple[Relation, ...]:
    """Without a profile, joins that only names suggest are taken as they are; with one, they were tested."""
    by_name = {(table.schema or catalog.default_schema, table.name): table for table in catalog.tables}
    relations = [*_declared(catalog, by_name)]
    known = {(relation.table, relation.columns) for relation in relations}
    inferred = profile.joins if profile is not None else join_candidates(catalog)
    relations += [
        Relation(join.table, (join.column,), join.to, (join.referred,), declared=False)
        for join in inferred
        if (join.table, (join.column,)) not in known
    ]
    return tuple(_with_role(relation) for relation in relations)


def _declared(catalog: Catalog, by_name: Mapping[tuple[str, str], Table]) -> Iterable[Relation]:
    for table in catalog.tables:
        for foreign in table.foreign_keys:
            target = by_name.get((foreign.schema or catalog.default_schema, foreign.table))
            if target is None and not foreign.schema:
                target = by_name.get((table.schema or catalog.default_schema, foreign.table))
            if target is None:
                continue
            referred = foreign.referred or target.primary_key
            if len(referred) == len(foreign.columns):
                yield Relation(catalog.label(table), foreign.columns, catalog.label(target), referred)


def _with_role(relation: Relation) -> Relation:
    """The role is empty where the column is named after the table, or after the key."""
    column, referred = relation.columns[-1], relation.referred[-1]
    if column == referred and relation.table != relation.to:
        return relation
    return replace(relation, role=role_of(column, relation.to.rpartition(".")[2], referred))
