"""Read a question against a schema: connects `question/`, which knows no schema, with `schema/`."""

from text2sql.question import question_intent
from text2sql.schema import SchemaContext, terms
from text2sql.types import QuestionIntent


def read_intent(question: str, schema_context: SchemaContext) -> QuestionIntent:
    return question_intent(question, terms(question), schema_context.linker)
