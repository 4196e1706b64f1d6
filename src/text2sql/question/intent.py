"""Extract what a question refers to in the schema, for fixes that compare a query with it."""

from collections.abc import Sequence

from text2sql.question.named_tables import mentioned_tables, tables_to_name
from text2sql.types import QuestionIntent, QuestionTermT, SchemaWords, ValueHit


def question_intent(
    question: str,
    terms: Sequence[QuestionTermT],
    schema: SchemaWords[QuestionTermT],
    hits: Sequence[ValueHit] = (),
    *,
    understood: bool,
) -> QuestionIntent:
    """`terms` are the words of the question, `hits` the values in it; a value counts as a word of its table.
    `understood`: every content word refers to something in the schema.
    """
    touched = {table: set(words) for table, words in schema.touched(question).items()}
    for hit in hits:
        touched.setdefault(hit.table, set()).add(hit.said)
    return QuestionIntent(
        {table: frozenset(words) for table, words in touched.items()},
        understood=understood,
        things=mentioned_tables(terms, schema),
        named=tables_to_name(question, terms, schema),
    )
