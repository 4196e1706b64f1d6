"""Find the columns that a question lists for output: *the name, age and town of each student*,
学生的姓名、年龄和家乡.
"""

import re
from collections.abc import Iterator

from text2sql.schema.schema_context import SchemaContext
from text2sql.text_normalization import words
from text2sql.types import Columns

_BETWEEN = re.compile(r"(?i)\s*,\s*(?:and|as well as)\b|\s*,|\s+and\b|\s+as well as\b|、|以及|[和及与]")
_BREAK = re.compile(
    r"(?i)[?.;:!()，。；：？！（）\"“”]"
    r"|\b(?:of|for|from|in|on|at|to|with|by|who|that|which|whose|where|when|if|is|are|was|were|has|have|had|do|does"
    r"|sorted|ordered|listed|show|list|give|return|find|display|what|how|than|each|every|all|or|but)\b"
    r"|[的是按]|分别|多少|什么|哪些|列出|给出|显示|返回|找出|按照"
)
_BY = re.compile(
    r"(?i)\b(?:by|than|between|in|or|both|order of)\s*(?:the|their|its)?\s*$|[按比在]\s*$|按照\s*$"
)
_DETERMINER = re.compile(r"(?i)^\s*(?:(?:the|their|its|his|her|a|an|both|also|any)\s+)*|^[其各]")


def listed_columns(question: str, schema_context: SchemaContext) -> tuple[Columns, ...]:
    """The candidate columns of each item of the first list that names any column."""
    for run in _lists(question):
        head = run[-1].rpartition(" ")[2]  # *first and last names*
        found = tuple(
            _columns(item, schema_context) or _columns(f"{item} {head}", schema_context) for item in run
        )
        if any(found):
            return found
    return ()


def _lists(question: str) -> Iterator[list[str]]:
    """The lists in the question: pieces between two breaks, divided by words for *and*. Lists to sort or
    compare by are left out.
    """
    start = 0
    for stop in (*_BREAK.finditer(question), None):
        end = stop.start() if stop else len(question)
        pieces = _BETWEEN.split(question[start:end])
        items = [_DETERMINER.sub("", piece).strip() for piece in pieces if piece.strip()]
        plain = not any(map(str.isdigit, question[start:end]))  # *over 50, under 40* are comparisons
        if len(items) > 1 and plain and not _BY.search(question[:start]):
            yield items
        start = stop.end() if stop else end


def _columns(text: str, schema_context: SchemaContext) -> Columns:
    """The columns whose name is the text or a synonym of it."""
    synonyms = schema_context.glossary.synonyms(text) if not text.isascii() else ()
    names = [name for name in dict.fromkeys(map(words, (text, *synonyms))) if name]
    columns = (
        column for index in schema_context.linker.columns for name in names for column in index.get(name, ())
    )
    return tuple(dict.fromkeys(columns))
