"""Extract what a question says about the schema, which decides where a query can be fixed in two ways."""

from collections.abc import Sequence

from text2sql.question.named_tables import tables_to_name
from text2sql.types import QuestionIntent, QuestionTermT, SchemaWords


def question_intent(
    question: str, terms: Sequence[QuestionTermT], schema: SchemaWords[QuestionTermT]
) -> QuestionIntent:
    """`terms` are the words of the question."""
    return QuestionIntent(named=tables_to_name(question, terms, schema))
