"""Dimensions: every column that can be grouped by, filtered by or shown."""

from collections.abc import Iterator

from text2sql.semantics.synonyms import column_synonyms
from text2sql.semantics.tables import ColumnFacts, Schema, Synonyms, TableFacts
from text2sql.types import Dimension, DimensionKind


def find_dimensions(table: TableFacts, schema: Schema, synonyms: Synonyms) -> Iterator[Dimension]:
    referring = {column for relation in schema.parents(table.label) for column in relation.columns}
    for facts in table.columns:
        if facts.profile.kind == "other":
            continue
        yield Dimension(
            f"{table.label}.{facts.name}",
            table.label,
            facts.name,
            _kind(facts, facts.name in referring or (facts.name,) == table.key),
            facts.profile.format,
            facts.profile.unit,
            column_synonyms(facts, synonyms),
            facts.profile.is_personal,
        )


def _kind(facts: ColumnFacts, is_key: bool) -> DimensionKind:
    kind = facts.profile.kind
    if kind == "identifier" or (is_key and kind == "code"):
        return "key"
    if kind == "date":
        return "time"
    if kind == "boolean":
        return "boolean"
    if kind in ("label", "text"):
        return "label"
    if kind in ("category", "code", "time"):
        return "category"
    return "number"
