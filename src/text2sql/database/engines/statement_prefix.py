"""Checks the first keyword of a statement, for engines where even compiling a statement may execute it."""

import re

from text2sql.errors import Forbidden, SqlSyntaxError

_QUERY = re.compile(r"[\s(]*(?:SELECT|WITH)\b", re.IGNORECASE)
_WORD = re.compile(r"\s*(\w+)")
_STATEMENTS = frozenset(
    "alter analyze attach begin call comment commit copy create declare delete desc describe detach drop"
    " execute explain flashback get grant insert kill list lock merge noaudit optimize purge put remove"
    " rename replace revoke rollback savepoint set show start system truncate undrop unset update upsert"
    " use".split()
)


def require_query_prefix(sql: str) -> None:
    """Raise before anything is sent: `Forbidden` for a known statement, a syntax error for anything else."""
    if _QUERY.match(sql):
        return
    word = _WORD.match(sql)
    if word and word[1].lower() not in _STATEMENTS:
        raise SqlSyntaxError(f"a query cannot begin with {word[1]}", code="first_word")
    raise Forbidden("only a query can be run here", code="first_word")
