"""A verdict does not depend on spelling: comments, case, white space and wrapping change nothing."""

import random
from collections.abc import Callable

import pytest
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from sql_cases import by_dialect
from text2sql.sql import check
from text2sql.types import CheckedSql, Policy

_FIXED = {TokenType.STRING, TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.VAR, TokenType.RAW_STRING}
Spelling = Callable[[str, list[Token], random.Random], str]


def _between(sql: str, tokens: list[Token], gap: Callable[[], str]) -> str:
    """The statement with something put wherever there already is white space between two tokens."""
    pieces = [sql[: tokens[0].start]] if tokens else [sql]
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        pieces.append(sql[token.start : token.end + 1])
        space = sql[token.end + 1 : after.start] if after else sql[token.end + 1 :]
        pieces.append(gap() if space and not space.strip() else space)
    return "".join(pieces)


def comments(sql: str, tokens: list[Token], _: random.Random) -> str:
    return _between(sql, tokens, lambda: " /* delete; drop -- */ ")


def white_space(sql: str, tokens: list[Token], chance: random.Random) -> str:
    return _between(sql, tokens, lambda: chance.choice(["\n", "\t", "  ", "\r\n", " \n\t "]))


def keyword_case(sql: str, tokens: list[Token], chance: random.Random) -> str:
    spelled = list(sql)
    for token in tokens:
        followed_by_bracket = sql[token.end + 1 :].lstrip().startswith(("(", "."))
        named = token.token_type in _FIXED or followed_by_bracket or sql[: token.start].rstrip().endswith(".")
        if not named and sql[token.start : token.end + 1].upper() in _KEYWORDS:
            for index in range(token.start, token.end + 1):
                spelled[index] = chance.choice([spelled[index].lower(), spelled[index].upper()])
    return "".join(spelled)


_KEYWORDS = frozenset(
    "SELECT FROM WHERE GROUP BY ORDER HAVING JOIN LEFT ON USING WITH AS AND OR NOT IN IS NULL UNION "
    "ALL LIMIT OFFSET DISTINCT CASE WHEN THEN ELSE END BETWEEN LIKE DESC ASC CROSS INNER NATURAL "
    "EXISTS RECURSIVE DELETE UPDATE INSERT INTO DROP TABLE VALUES SET MERGE CALL EXECUTE GRANT".split()
)


def in_a_cte(sql: str, *_: object) -> str:
    return f"WITH wrapped AS ({sql.rstrip('; ')}) SELECT 1 FROM wrapped"


def in_a_subquery(sql: str, *_: object) -> str:
    return f"SELECT 1 FROM ({sql.rstrip('; ')}) wrapped"


def in_a_condition(sql: str, *_: object) -> str:
    return f"SELECT 1 FROM orders WHERE EXISTS ({sql.rstrip('; ')})"


SPELLINGS: tuple[Spelling, ...] = (comments, white_space, keyword_case)
WRAPPINGS: tuple[Spelling, ...] = (in_a_cte, in_a_subquery, in_a_condition)


def spelled(change: Spelling, dialect: str, sql: str) -> str | None:
    if "--" in sql or "#" in sql or "/*" in sql:
        return None  # a comment to the end of the line swallows what is put behind it
    try:
        tokens = list(Dialect.get_or_raise(dialect).tokenize(sql))
    except SqlglotError:
        return None
    return change(sql, tokens, random.Random(sql))


@pytest.mark.parametrize("change", [*SPELLINGS, *WRAPPINGS], ids=lambda change: change.__name__)
@pytest.mark.parametrize("dialect", sorted({dialect for dialect, _, _ in by_dialect("refused")}))
def test_a_hostile_statement_stays_refused(change: Spelling, dialect: str, policy: Policy) -> None:
    passed = []
    for of, _, sql in by_dialect("refused"):
        changed = spelled(change, of, sql) if of == dialect else None
        if changed is not None and isinstance(check(changed, dialect, None, policy), CheckedSql):
            passed.append(changed)
    assert passed == []


@pytest.mark.parametrize("change", SPELLINGS, ids=lambda change: change.__name__)
@pytest.mark.parametrize("dialect", sorted({dialect for dialect, _, _ in by_dialect("allowed")}))
def test_an_honest_statement_stays_allowed(change: Spelling, dialect: str, policy: Policy) -> None:
    """And becomes the very same query: spelling is gone once a statement is written from its tree."""
    differing = []
    for of, _, sql in by_dialect("allowed"):
        changed = spelled(change, of, sql) if of == dialect else None
        if changed is not None and check(changed, dialect, None, policy) != check(sql, dialect, None, policy):
            differing.append(changed)
    assert differing == []
