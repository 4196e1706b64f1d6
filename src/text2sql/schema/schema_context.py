"""The visible schema of one database with its linker, value index and glossary."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from text2sql.schema.glossary import Glossary, glossary
from text2sql.schema.linking import Linker
from text2sql.schema.policy_filter import row_rules, visible
from text2sql.schema.table_labels import label
from text2sql.schema.value_index import ValueIndex
from text2sql.schema.value_queries import Domain
from text2sql.types import Catalog, DatabaseProfile, Policy


@dataclass(frozen=True, slots=True, eq=False)
class SchemaContext:
    """Immutable, so it can be shared between questions; a new schema or policy needs a new one. Compared by
    identity, so it can be the key of a cache.
    """

    catalog: Catalog  # only what the policy makes visible
    linker: Linker
    values: ValueIndex
    glossary: Glossary
    policy: Policy  # the same catalog for the guard: a query may name nothing else
    profile: DatabaseProfile | None = None  # None until it has been read

    def with_values(self, domains: Iterable[Domain]) -> "SchemaContext":
        """A copy of the context whose value index contains these values. Hidden columns are skipped."""
        visible_columns = {
            (name, column.name)
            for table, name in zip(self.catalog.tables, self.linker.labels, strict=True)
            for column in table.columns
        }
        values = _index_samples(self.catalog)
        for domain in domains:
            if (domain.table, domain.column) in visible_columns:
                values.add_domain(domain)
        return replace(self, values=values)

    def with_profile(self, profile: DatabaseProfile | None) -> "SchemaContext":
        return replace(self, profile=profile)


def build(catalog: Catalog, policy: Policy | None = None) -> SchemaContext:
    """Build the context from the catalog alone, without a query; the value index contains the samples."""
    shown = visible(catalog, policy)
    exact = replace(_policy_for_all(shown), rows=row_rules(shown, policy), complete=policy is None)
    return SchemaContext(shown, Linker(shown), _index_samples(shown), glossary(), exact)


def _policy_for_all(catalog: Catalog) -> Policy:
    """A policy that shows every table and column of the catalog."""
    tables = {
        label(table, catalog): tuple(column.name for column in table.columns) for table in catalog.tables
    }
    return Policy(tables, {catalog.dialect: catalog.default_schema}, exact=True)


def _index_samples(catalog: Catalog) -> ValueIndex:
    names = {table.name for table in catalog.tables}
    names |= {column.name for table in catalog.tables for column in table.columns}
    values = ValueIndex(names, catalog.default_schema)
    for table in catalog.tables:
        for column in table.columns:
            if column.samples:
                values.add(label(table, catalog), column.name, column.samples)
    return values
