"""Other words for tables, columns and numbers: names as people write them, comments, and a glossary."""

import re
from collections.abc import Iterable

from text2sql.naming import readable
from text2sql.naming.units import is_unit
from text2sql.semantics.tables import ColumnFacts, Synonyms, TableFacts
from text2sql.text_normalization import singular

_LONGEST = 30  # characters of a comment that is a name
_MOST = 12
_CUT = re.compile(r"[,，;；、/|]|\s[-–]\s|[:：。.]\s*|\n")
_BRACKETS = re.compile(r"[(（\[【].*?[)）\]】]")


def table_synonyms(table: TableFacts, glossary: Synonyms) -> tuple[str, ...]:
    written = readable(table.table.name)
    name = " ".join(map(singular, written.split()))
    topic = "" if table.words.digits else " ".join(table.topic)
    return _unique(
        (written, name, topic, *comment_names(table.table.comment), *glossary(topic or name)),
        table.table.name,
    )


def column_synonyms(facts: ColumnFacts, glossary: Synonyms) -> tuple[str, ...]:
    written, name = readable(facts.name), "" if facts.words.digits else " ".join(facts.words.words)
    return _unique(
        (written, name, *comment_names(facts.column.comment), *glossary(" ".join(facts.words.singulars))),
        facts.name,
    )


def comment_names(comment: str) -> list[str]:
    """The names in a comment: 订单金额 in `订单金额（元）：实付`. Descriptions and units are no names."""
    first = _CUT.split(_BRACKETS.sub("", comment))[0].strip()
    return [first] if 0 < len(first) <= _LONGEST and not is_unit(first.lower()) else []


def _unique(names: Iterable[str], original: str) -> tuple[str, ...]:
    seen = dict.fromkeys(name for name in names if name and name != original)
    return tuple(seen)[:_MOST]
