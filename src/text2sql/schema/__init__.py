"""What a question is about: values found in it, tables linked to it, and the schema as a model reads it."""

from text2sql.schema.linking import Linker
from text2sql.schema.render import render
from text2sql.schema.values import ValueIndex, text_columns

__all__ = ["Linker", "ValueIndex", "render", "text_columns"]
