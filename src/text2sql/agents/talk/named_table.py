"""Recognizes questions about a table itself: its columns, its rows, what it holds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from text2sql.agents.talk.lexicon import CJK, DescribeExpressions, lexicon
from text2sql.schema import SchemaContext, label, terms
from text2sql.text_normalization import words
from text2sql.types import Table

UNKNOWN = "?"  # prefix of a table name that does not exist
_MAX_NAME_WORDS = 3


@dataclass(frozen=True, slots=True)
class DescribedTable:
    label: str
    wants_count: bool = False


def described_table(plain: str, schema_context: SchemaContext) -> DescribedTable | None:
    """The table that the message asks about, if it asks for nothing else."""
    expressions = lexicon().describe
    wants_count = expressions.count.search(plain) is not None
    if not (wants_count or expressions.aspect.search(plain)):
        return None
    for mention, table in _mentions(plain, schema_context):
        rest = plain.replace(mention, " ", 1)
        # 客户结构 is how the customers are made up, 客户表的结构 is the table's
        is_aspect = expressions.aspect_of_chinese_name if CJK.search(mention) else expressions.aspect
        if not expressions.frame.sub("", rest).strip() and (wants_count or is_aspect.search(rest)):
            return DescribedTable(label(table, schema_context.catalog), wants_count)
    return _unknown_table(plain, expressions, schema_context)


def _mentions(plain: str, schema_context: SchemaContext) -> Iterator[tuple[str, Table]]:
    """The parts of the message that name a table, longest first."""
    catalog = schema_context.catalog
    found: list[tuple[str, Table]] = []
    for table in catalog.tables:
        names = {_spaced(table.name), _spaced(label(table, catalog)), table.comment.strip().casefold()}
        found += [(name, table) for name in names if name and _occurs(name, plain)]
        found += [(word, table) for word in plain.split() if words(word) and words(word) == words(table.name)]
    by_label = {label(table, catalog): table for table in catalog.tables}
    for term in terms(plain):
        # synonyms are matched across languages only
        if term.is_chinese and len(named := schema_context.linker.named_by(term)) == 1:
            found.append((term.text, by_label[named[0]]))
    return iter(sorted(found, key=lambda pair: -len(pair[0])))


def _spaced(name: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+|[\u3400-\u9fff]+", name.casefold()))


def _occurs(name: str, plain: str) -> bool:
    return name in plain if CJK.search(name) else f" {name} " in f" {plain} "


def _unknown_table(
    plain: str, expressions: DescribeExpressions, schema_context: SchemaContext
) -> DescribedTable | None:
    """A request for the columns of a table that does not exist: a query could not answer it."""
    match = expressions.unknown.search(plain)
    name = (match[1] or match[2] or "").strip() if match else ""
    rest = plain.replace(name, " ", 1)
    is_new = (
        name
        and not lexicon().covers(name)
        and not any(map(schema_context.linker.knows, words(name)))
        and expressions.frame.sub("", name).strip()
    )
    if is_new and len(words(name)) <= _MAX_NAME_WORDS and not expressions.frame.sub("", rest).strip():
        return DescribedTable(f"{UNKNOWN}{name}")
    return None
