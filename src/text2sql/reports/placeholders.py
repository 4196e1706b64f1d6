"""Parse placeholders: `{{ question }}`, `{{ question | table }}`, `{{ question | chart:line }}`.

This is not a template engine, because those execute expressions. `\\{{` is a literal `{{`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from text2sql.charts import KINDS
from text2sql.errors import UsageError

Form: TypeAlias = Literal["auto", "value", "table", "chart", "list", "sentence"]
FORMS: tuple[Form, ...] = get_args(Form)

MAX_PLACEHOLDERS = 500  # placeholders in one template
_MAX_LENGTH = 2_000  # characters of a question
_MAX_ROWS = 1_000
_NEXT = re.compile(r"(\\\{\{)|\{\{(.*?)\}\}|(\{\{)", re.DOTALL)
_FORM = re.compile(r"\s*([a-z]+)\s*(?::\s*([\w-]+)\s*)?")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A question and how to show its answer."""

    question: str
    form: Form = "auto"
    option: str = ""  # the chart type, or the maximum number of rows
    line: int = 1


@dataclass(frozen=True, slots=True)
class Piece:
    """A placeholder with its position in the text."""

    placeholder: Placeholder
    start: int
    end: int


def scan(text: str) -> Iterator[Piece]:
    for match in _NEXT.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        escaped, inside, unclosed = match.groups()
        if unclosed:
            raise UsageError("usage.report_unclosed", line=line)
        if not escaped:
            yield Piece(read(inside, line), match.start(), match.end())


def unescaped(text: str) -> str:
    return text.replace("\\{{", "{{")


def read(inside: str, line: int = 1) -> Placeholder:
    """Parse the text between the braces. A `|` without a valid form after it belongs to the question."""
    question, bar, tail = inside.rpartition("|")
    form = _FORM.fullmatch(tail) if bar else None
    if form is None:
        return Placeholder(_question(inside, line), line=line)
    name, option = form[1], form[2] or ""
    if name not in FORMS or not _fits(name, option):
        raise UsageError("usage.report_form", form=tail.strip(), line=line, forms=", ".join(FORMS[1:]))
    return Placeholder(_question(question, line), name, option, line)


def _question(text: str, line: int) -> str:
    question = " ".join(text.split())
    if not question or len(question) > _MAX_LENGTH:
        raise UsageError("usage.report_question", line=line, most=_MAX_LENGTH)
    return question


def _fits(name: str, option: str) -> bool:
    if not option:
        return True
    if name == "chart":
        return option in KINDS
    return name in ("table", "list") and option.isdecimal() and 0 < int(option[:9]) <= _MAX_ROWS
