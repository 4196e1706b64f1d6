"""Detect ambiguous questions: two join paths between the same tables, or two tables that match one word."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.table_labels import Join, Joins, label
from text2sql.schema.tokenizer import folded, terms
from text2sql.text_normalization import words
from text2sql.types import Catalog, Choice

_LONGEST = 4  # foreign keys in a path: a longer path is never the first reading
_SAME = 0.999  # share of the best score from which on a table counts as equally good


@dataclass(frozen=True, slots=True)
class AmbiguousTables:
    """Tables that one word of the question matches equally well, and one choice per table."""

    said: str
    tables: tuple[str, ...]
    choices: tuple[Choice, ...]


def paths(catalog: Catalog, a: str, b: str, most: int = 2) -> list[tuple[Join, ...]]:
    """The shortest join paths from table `a` to table `b` along foreign keys, at most `most`, all of the same
    length. Two paths mean that the user has to choose.
    """
    joins = Joins(catalog)
    shortest: list[tuple[Join, ...]] = []
    queue: deque[tuple[Join, ...]] = deque((step,) for step in joins.steps(a))
    reached = {a: 0}
    while queue and len(shortest) < most:
        path = queue.popleft()
        table = path[-1].to
        if shortest and len(path) > len(shortest[0]):
            break
        if table == b:
            shortest.append(path)
        elif len(path) < _LONGEST and reached.setdefault(table, len(path)) >= len(path):
            queue.extend((*path, step) for step in joins.steps(table))
    return shortest


def rivals(question: str, schema_context: SchemaContext) -> list[AmbiguousTables]:
    """The words that match two tables equally well, when nothing else in the question prefers one of them."""
    scores = schema_context.linker.scores(question, schema_context.values.find(question))
    found: list[AmbiguousTables] = []
    for term in terms(question):
        matching = schema_context.linker.named_by(term) or _twins(term.word, schema_context)
        best = max((scores[name] for name in matching), default=0.0)
        tied = tuple(name for name in matching if scores[name] >= best * _SAME)
        if (
            len(tied) > 1
            and not _belong_together(tied, schema_context)
            and all(tied != ambiguous.tables for ambiguous in found)
        ):
            folded_question = folded(question)
            choices = tuple(
                Choice(name, f"{folded_question[: term.start]}{name}{folded_question[term.end :]}")
                for name in tied
            )
            found.append(AmbiguousTables(term.said, tied, choices))
    return found


def _belong_together(tables: Sequence[str], schema_context: SchemaContext) -> bool:
    """Whether one table refers to another (`has_pet` to `pets`): a question about one is about both."""
    parents = schema_context.linker.joins.parents
    return any(parent in parents(child) for parent in tables for child in tables if parent != child)


def _twins(word: str, schema_context: SchemaContext) -> list[str]:
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
