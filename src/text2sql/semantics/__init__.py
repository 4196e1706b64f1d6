"""Measures, dimensions, entities and joins of a database, for analytic questions."""

from text2sql.semantics.discovery import discover
from text2sql.semantics.tables import Synonyms

__all__ = ["Synonyms", "discover"]
