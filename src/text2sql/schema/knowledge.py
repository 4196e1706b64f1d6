"""Everything that is known of one database at one moment, and may be seen of it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from text2sql.schema.fetching import Domain
from text2sql.schema.glossary import Glossary, glossary
from text2sql.schema.linking import Linker
from text2sql.schema.names import label
from text2sql.schema.values import ValueIndex
from text2sql.schema.visibility import row_rules, visible
from text2sql.types import Catalogue, Policy


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """Never changed, so it can be shared between questions; a new schema or policy makes a new one. Equal to
    itself alone: what was found out with one may be kept under it.
    """

    catalogue: Catalogue  # what the policy shows of it
    linker: Linker
    values: ValueIndex
    glossary: Glossary
    policy: Policy  # the catalogue as the guard reads it: nothing else may be named in a query

    def with_values(self, domains: Iterable[Domain]) -> "Knowledge":
        """The same schema with these values instead of the ones it had. Hidden columns are left out."""
        shown = {
            (name, column.name)
            for table, name in zip(self.catalogue.tables, self.linker.labels, strict=True)
            for column in table.columns
        }
        values = _sampled(self.catalogue)
        for domain in domains:
            if (domain.table, domain.column) in shown:
                values.add_domain(domain)
        return replace(self, values=values)


def build(catalogue: Catalogue, policy: Policy | None = None) -> Knowledge:
    """At once, from the catalogue alone: of values it knows the samples."""
    shown = visible(catalogue, policy)
    held = replace(_everything(shown), rows=row_rules(shown, policy))
    return Knowledge(shown, Linker(shown), _sampled(shown), glossary(), held)


def _everything(catalogue: Catalogue) -> Policy:
    names = {label(table, catalogue): tuple(one.name for one in table.columns) for table in catalogue.tables}
    return Policy(names, {catalogue.dialect: catalogue.default_schema}, exact=True)


def _sampled(catalogue: Catalogue) -> ValueIndex:
    names = {table.name for table in catalogue.tables}
    names |= {column.name for table in catalogue.tables for column in table.columns}
    values = ValueIndex(names, catalogue.default_schema)
    for table in catalogue.tables:
        for column in table.columns:
            if column.samples:
                values.add(label(table, catalogue), column.name, column.samples)
    return values
