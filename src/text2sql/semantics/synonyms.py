"""Other words for tables, columns and numbers: names as people write them, comments, and a glossary."""

import re
from collections.abc import Iterable

from text2sql.naming import readable
from text2sql.semantics.tables import ColumnFacts, Synonyms, TableFacts
from text2sql.text_normalization import singular

_LONGEST = 30  # characters of a comment that is a name
_MOST = 12
_CUT = re.compile(r"[,，;；、/|]|\s[-–]\s|[:：。.]\s*|\n")
_BRACKETS = re.compile(r"[(（\[【].*?[)）\]】]")


def table_synonyms(table: TableFacts, glossary: Synonyms) -> tuple[str, ...]:
    name = " ".join(map(singular, readable(table.table.name).split()))
    return _unique(
        (readable(table.table.name), name, *comment_names(table.table.comment), *glossary(name)),
        table.table.name,
    )


def column_synonyms(facts: ColumnFacts, glossary: Synonyms) -> tuple[str, ...]:
    name = " ".join(facts.words.singulars) or readable(facts.name)
    return _unique((readable(facts.name), *comment_names(facts.column.comment), *glossary(name)), facts.name)


def comment_names(comment: str) -> list[str]:
    """The names in a comment: 订单金额 in `订单金额（元）：实付`. A long comment is a description."""
    first = _CUT.split(_BRACKETS.sub("", comment))[0].strip()
    return [first] if 0 < len(first) <= _LONGEST else []


def _unique(names: Iterable[str], original: str) -> tuple[str, ...]:
    seen = dict.fromkeys(name for name in names if name and name != original)
    return tuple(seen)[:_MOST]
