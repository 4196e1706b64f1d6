"""Extract what a question refers to in the schema, for fixes that compare a query with it."""

from collections.abc import Sequence

from text2sql.schema.entities import mentioned_tables, tables_to_name
from text2sql.schema.out_of_scope import uncovered_words
from text2sql.schema.schema_context import SchemaContext
from text2sql.types import QuestionIntent, ValueHit


def question_intent(
    question: str, schema_context: SchemaContext, hits: Sequence[ValueHit] = ()
) -> QuestionIntent:
    """A matched value counts as a word that touches its table."""
    touched = {table: set(words) for table, words in schema_context.linker.touched(question).items()}
    for hit in hits:
        touched.setdefault(hit.table, set()).add(hit.said)
    return QuestionIntent(
        {table: frozenset(words) for table, words in touched.items()},
        understood=not uncovered_words(question, schema_context),
        things=mentioned_tables(question, schema_context),
        named=tables_to_name(question, schema_context),
    )
