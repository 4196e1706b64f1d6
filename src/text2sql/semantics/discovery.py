"""Find measures, dimensions, entities and joins of a database from its catalog and profile."""

from collections.abc import Iterable, Sequence

from text2sql.naming import name_words
from text2sql.semantics.dimensions import find_dimensions
from text2sql.semantics.entities import find_entity
from text2sql.semantics.measures import find_measures
from text2sql.semantics.relations import find_relations
from text2sql.semantics.tables import Schema, Synonyms, shared_prefix, table_facts
from text2sql.types import Catalog, DatabaseProfile, SemanticModel, Table


def no_synonyms(_: str) -> Sequence[str]:
    return ()


def discover(
    catalog: Catalog, profile: DatabaseProfile | None = None, synonyms: Synonyms = no_synonyms
) -> SemanticModel:
    """The semantic model of a database. `synonyms` returns other words for a name, from a glossary."""
    schema = _schema(catalog, profile)
    tables = schema.tables.values()
    return SemanticModel(
        catalog.dialect,
        tuple(find_entity(table, schema, synonyms) for table in tables),
        tuple(dimension for table in tables for dimension in find_dimensions(table, schema, synonyms)),
        find_measures(schema, synonyms),
        tuple(r for r in schema.relations if r.table in schema.tables and r.to in schema.tables),
    )


def _schema(catalog: Catalog, profile: DatabaseProfile | None) -> Schema:
    used: Iterable[Table] = sorted(_used(catalog), key=lambda table: table.kind == "view")
    prefix = shared_prefix([table.name for table in catalog.tables])
    tables = {
        catalog.label(table): table_facts(table, catalog.label(table), profile, prefix) for table in used
    }
    return Schema(catalog, tables, find_relations(catalog, profile), profile is not None)


def _used(catalog: Catalog) -> list[Table]:
    """All tables, and the views that do not merely repeat columns of tables: half of a kept view is new."""
    known = {
        name_words(column.name).singulars
        for table in catalog.tables
        if table.kind == "table"
        for column in table.columns
    }
    return [
        table
        for table in catalog.tables
        if table.kind == "table"
        or sum(name_words(column.name).singulars in known for column in table.columns) * 2
        < len(table.columns)
    ]
