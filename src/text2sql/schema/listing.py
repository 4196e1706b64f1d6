"""What a question lists to be shown: *the name, age and town of each student*, 学生的姓名、年龄和家乡."""

import re
from collections.abc import Iterator

from text2sql.schema.knowledge import Knowledge
from text2sql.types import Columns
from text2sql.wording import words

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


def listed(question: str, knowledge: Knowledge) -> tuple[Columns, ...]:
    """Of the first list with columns in it, what each item may be."""
    for run in _runs(question):
        head = run[-1].rpartition(" ")[2]  # *first and last names*
        found = tuple(_columns(item, knowledge) or _columns(f"{item} {head}", knowledge) for item in run)
        if any(found):
            return found
    return ()


def _runs(question: str) -> Iterator[list[str]]:
    """Pieces between two breaks that words for *and* divide, unless it is sorted or compared by them."""
    start = 0
    for stop in (*_BREAK.finditer(question), None):
        end = stop.start() if stop else len(question)
        pieces = _BETWEEN.split(question[start:end])
        items = [_DETERMINER.sub("", piece).strip() for piece in pieces if piece.strip()]
        plain = not any(map(str.isdigit, question[start:end]))  # *over 50, under 40*: what is compared
        if len(items) > 1 and plain and not _BY.search(question[:start]):
            yield items
        start = stop.end() if stop else end


def _columns(said: str, knowledge: Knowledge) -> Columns:
    """The columns that go by it."""
    meant = knowledge.glossary.synonyms(said) if not said.isascii() else ()
    ways = [way for way in dict.fromkeys(map(words, (said, *meant))) if way]
    found = (place for called in knowledge.linker.columns for way in ways for place in called.get(way, ()))
    return tuple(dict.fromkeys(found))
