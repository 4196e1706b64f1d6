"""The first word of a text, for engines where even compiling a statement may run it."""

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


def must_begin_like_a_query(sql: str) -> None:
    """Raises before anything is sent: a known statement is forbidden, anything else is a slip of the pen."""
    if _QUERY.match(sql):
        return
    word = _WORD.match(sql)
    if word and word[1].lower() not in _STATEMENTS:
        raise SqlSyntaxError(f"a query cannot begin with {word[1]}", code="first_word")
    raise Forbidden("only a query can be run here", code="first_word")
