"""What names, types and comments of tables and columns say about their contents, without a query."""

from text2sql.naming.kinds import column_kind, meaning_of
from text2sql.naming.quoting import quoted, quoted_if_needed
from text2sql.naming.types import TypeClass, is_numeric, type_class
from text2sql.naming.units import column_unit
from text2sql.naming.words import Name, name_words, readable

__all__ = [
    "Name",
    "TypeClass",
    "column_kind",
    "column_unit",
    "is_numeric",
    "meaning_of",
    "name_words",
    "quoted",
    "quoted_if_needed",
    "readable",
    "type_class",
]
