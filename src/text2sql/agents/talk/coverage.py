"""Applies the vocabulary to a message about one schema: which of its words name data there, and which chart
or file it asks for.
"""

import re
from collections.abc import Mapping

from text2sql.agents.talk.rules import Rules, TalkKind
from text2sql.agents.talk.vocabulary import vocabulary
from text2sql.schema import SchemaContext
from text2sql.text_normalization import singular, words

# In order of precedence where only the vocabulary recognizes: "why is this a pie chart?" asks for no chart.
_KINDS: tuple[TalkKind, ...] = (
    "schema", "tables", "complaint", "examples", "capabilities", "identity", "certainty", "export", "explain",
    "again", "thanks", "chart", "farewell", "greeting", "chat",
)  # fmt: skip
_NEGATION = re.compile(r"\b(?:not?|without|don t|do not)\b|不|别")
_INSTEAD_OF = re.compile(r"instead of|rather than|而不是|代替")
# An earlier question of the thread is meant, not a question that could be asked.
_EARLIER_QUESTION = re.compile(
    r"\b(?:was|were|did)\b.*\b(?:questions?|ask(?:ed)?)\b|我(?:的|刚才|之前|上次)?(?:第一|上一?|前一)个?问题|问过|问了什么"
)
_TABLE = re.compile(r"\b(?:table|grid)\b|表格")


def covered(text: str, rules: Rules, schema_context: SchemaContext) -> tuple[TalkKind, str] | None:
    """The kind and the named form of a message of which the vocabulary covers every word, if none of them
    names data of this schema.
    """
    tables = schema_context.catalog.tables
    entities = {words(table.name)[-1:] for table in tables} | {words(table.name) for table in tables}
    if any((word,) in entities for word in words(text)):
        return None
    topics = {topic for topic in vocabulary().topics if topic in text and _knows_topic(topic, schema_context)}
    kind = vocabulary().kind_of(text, _KINDS, topics | _columns(text, schema_context))
    if kind is None or (kind == "examples" and _EARLIER_QUESTION.search(text)):
        return None
    return kind, _named_form(text, {"chart": rules.charts, "export": rules.formats}.get(kind, {}))


def _named_form(text: str, forms: Mapping[str, str]) -> str:
    """The only kind of chart or file that is named; "no pie chart" asks for the table."""
    text = _INSTEAD_OF.split(text)[0]
    named = {form for word, form in forms.items() if re.search(rf"(?<![a-z]){word}(?![a-z])", text)}
    chosen = named - {"table"} or named & {"table"} if _TABLE.search(text) else named - {"table"}
    if len(chosen) == 1 and "table" in named and _NEGATION.search(text):
        return "table"
    return chosen.pop() if len(chosen) == 1 else ""


def _knows_topic(topic: str, schema_context: SchemaContext) -> bool:
    knows, meanings = schema_context.linker.knows, schema_context.glossary.meanings(singular(topic))
    return any(map(knows, words(topic))) or any(map(knows, meanings))


def _columns(text: str, schema_context: SchemaContext) -> set[str]:
    """The words of the text that are a column's whole name."""
    names = {column.name for table in schema_context.catalog.tables for column in table.columns}
    single = {words(name) for name in names}
    return {name for name in names if name in text} | {word for word in text.split() if words(word) in single}
