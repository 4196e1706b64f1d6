"""Detect ambiguous questions: two tables that match one word equally well."""

from collections.abc import Sequence
from dataclasses import dataclass

from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.table_labels import label
from text2sql.schema.tokenizer import folded, terms
from text2sql.text_normalization import words
from text2sql.types import Choice

_TIE_SHARE = 0.999  # share of the best score from which on a table counts as equally good


@dataclass(frozen=True, slots=True)
class AmbiguousTables:
    """Tables that one word of the question matches equally well, and one choice per table."""

    phrase: str
    tables: tuple[str, ...]
    choices: tuple[Choice, ...]


def find_ambiguous_tables(question: str, schema_context: SchemaContext) -> list[AmbiguousTables]:
    """The words that match two tables equally well, when nothing else in the question prefers one of them."""
    scores = schema_context.linker.scores(question, schema_context.values.find(question))
    ambiguous_tables: list[AmbiguousTables] = []
    for term in terms(question):
        matching_tables = schema_context.linker.named_by(term) or _tables_with_equal_columns(
            term.word, schema_context
        )
        best = max((scores[name] for name in matching_tables), default=0.0)
        tied_tables = tuple(name for name in matching_tables if scores[name] >= best * _TIE_SHARE)
        if (
            len(tied_tables) > 1
            and not _belong_together(tied_tables, schema_context)
            and all(tied_tables != ambiguous.tables for ambiguous in ambiguous_tables)
        ):
            folded_question = folded(question)
            choices = tuple(
                Choice(name, f"{folded_question[: term.start]}{name}{folded_question[term.end :]}")
                for name in tied_tables
            )
            ambiguous_tables.append(AmbiguousTables(term.text, tied_tables, choices))
    return ambiguous_tables


def _belong_together(tables: Sequence[str], schema_context: SchemaContext) -> bool:
    """Whether one table refers to another (`has_pet` to `pets`): a question about one is about both."""
    parents = schema_context.linker.joins.parents
    return any(parent in parents(child) for parent in tables for child in tables if parent != child)


def _tables_with_equal_columns(word: str, schema_context: SchemaContext) -> list[str]:
    """Tables whose names end in a word and whose columns are the same: `store_orders` and `web_orders` are
    two readings of "orders"; `orders` and `order_notes` are not.
    """
    tables_by_columns: dict[frozenset[str], list[str]] = {}
    for table in schema_context.catalog.tables:
        parts = words(table.name)
        if len(parts) > 1 and parts[-1] == word:
            columns = frozenset(column.name.lower() for column in table.columns)
            tables_by_columns.setdefault(columns, []).append(label(table, schema_context.catalog))
    return max(tables_by_columns.values(), key=len, default=[])
