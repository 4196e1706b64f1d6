"""Quote names for SQL text."""

import re

_BACKTICKS = frozenset({"mysql", "bigquery", "hive", "spark", "databricks"})
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CAPITALS = frozenset({"oracle", "snowflake"})  # fold unquoted names to capitals
_LOWER = frozenset({"postgres"})
_RESERVED = frozenset(
    "all alter analyze and any as asc between both by case cast check collate column constraint create cross "
    "current_date default delete desc distinct drop else end except exists fetch for foreign from full grant "
    "group having in index inner insert intersect interval into is join key left level like limit mode "
    "natural not null number of offset on or order outer over partition primary range rank references right "
    "row rows select set size some start table then to trigger union unique update user using values view "
    "when where window with year".split()
)


def quoted(name: str, dialect: str) -> str:
    quote = "`" if dialect in _BACKTICKS else '"'
    return quote + name.replace(quote, quote * 2) + quote


def quoted_if_needed(name: str, dialect: str) -> str:
    """The bare name where that means the same to the engine."""
    folded = name.upper() if dialect in _CAPITALS else name.lower() if dialect in _LOWER else name
    if _PLAIN.fullmatch(name) and name == folded and name.lower() not in _RESERVED:
        return name
    return quoted(name, dialect)
