"""What a question is about: values found in it, tables linked to it, and the schema as a model reads it."""

from text2sql.schema.ambiguity import Rivals, paths, rivals
from text2sql.schema.coverage import ENOUGH, about, is_foreign, uncovered
from text2sql.schema.ddl import ddl
from text2sql.schema.echo import unanswered, uncalled
from text2sql.schema.fetching import Domain, ValueQuery, text_columns, value_queries
from text2sql.schema.glossary import Glossary, glossary
from text2sql.schema.hints import hints
from text2sql.schema.knowledge import Knowledge, build
from text2sql.schema.linking import Linker
from text2sql.schema.names import Join, label
from text2sql.schema.render import render
from text2sql.schema.saying import said
from text2sql.schema.values import ValueIndex
from text2sql.schema.visibility import policy_mark, visible

__all__ = [
    "ENOUGH",
    "Domain",
    "Glossary",
    "Join",
    "Knowledge",
    "Linker",
    "Rivals",
    "ValueIndex",
    "ValueQuery",
    "about",
    "build",
    "ddl",
    "glossary",
    "hints",
    "is_foreign",
    "label",
    "paths",
    "policy_mark",
    "render",
    "rivals",
    "said",
    "text_columns",
    "unanswered",
    "uncalled",
    "uncovered",
    "value_queries",
    "visible",
]
