"""Detects whether a query returns all of its groups. A pie chart implies it; a top-five query does not."""

import re

# Strings, quoted names and comments are skipped: `WHERE note = 'no LIMIT'`.
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|--[^\n]*|/\*.*?\*/", re.DOTALL)
_LEAVES_OUT = re.compile(
    r"\b(?:LIMIT|FETCH\s+(?:FIRST|NEXT)|TOP|OFFSET|HAVING|QUALIFY|TABLESAMPLE|ROWNUM|"
    r"ROW_NUMBER|(?:DENSE_|PERCENT_)?RANK|NTILE)\b",
    re.IGNORECASE,
)


def may_omit_groups(sql: str) -> bool:
    """True if the query may keep only some of its groups. In doubt True: then there is no pie chart."""
    return _LEAVES_OUT.search(_QUOTED.sub(" ", sql)) is not None
