"""Schema and question: value matching, table linking, policy filtering and the schema text for a prompt."""

from text2sql.schema.ambiguity import AmbiguousTables, find_ambiguous_tables
from text2sql.schema.ddl import ddl
from text2sql.schema.glossary import Glossary, glossary
from text2sql.schema.hints import hints
from text2sql.schema.linking import Linker
from text2sql.schema.out_of_scope import (
    classified_terms,
    coverage,
    evidence,
    is_out_of_scope,
    names_nothing,
    uncovered_words,
)
from text2sql.schema.policy_filter import policy_mark, visible
from text2sql.schema.query_relevance import count_ignored_words, count_unrequested_columns
from text2sql.schema.render import render
from text2sql.schema.schema_context import SchemaContext, build
from text2sql.schema.sharing import ValueSharing, share_values
from text2sql.schema.table_labels import Join, label
from text2sql.schema.tokenizer import folded, terms
from text2sql.schema.value_index import ValueIndex
from text2sql.schema.value_queries import (
    MOST_QUERIES,
    Domain,
    ValueQuery,
    count_query,
    sample_domains,
    text_columns,
    value_queries,
)

__all__ = [
    "MOST_QUERIES",
    "AmbiguousTables",
    "Domain",
    "Glossary",
    "Join",
    "Linker",
    "SchemaContext",
    "ValueIndex",
    "ValueQuery",
    "ValueSharing",
    "build",
    "classified_terms",
    "count_ignored_words",
    "count_query",
    "count_unrequested_columns",
    "coverage",
    "ddl",
    "evidence",
    "find_ambiguous_tables",
    "folded",
    "glossary",
    "hints",
    "is_out_of_scope",
    "label",
    "names_nothing",
    "policy_mark",
    "render",
    "sample_domains",
    "share_values",
    "terms",
    "text_columns",
    "uncovered_words",
    "value_queries",
    "visible",
]
