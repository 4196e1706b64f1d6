"""Masks the literals of a statement that may not be shown, by the tokens of its dialect."""

from collections.abc import Callable

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

MASK = "…"  # replaces a value that may not be shown
_TEXTS = frozenset(kind for kind in TokenType if f"_{kind.name}".endswith("_STRING"))
_PRIVATE_DIGITS = 7  # a number with as many digits may be that of a phone or a card


def mask_literals(sql: str, dialect: str, is_public: Callable[[str], bool]) -> str:
    """The statement without comments, and with every text and long number masked that is not public. A text
    that the dialect cannot read is masked as a whole.
    """
    try:
        tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    except (SqlglotError, ValueError):
        return MASK
    pieces: list[str] = []
    end = 0
    for token in tokens:
        between = sql[end : token.start]
        pieces.append(between if between.isspace() else " " if between else "")
        end = token.end + 1
        pieces.append(
            sql[token.start : end] if _is_harmless(token) or is_public(token.text) else _mask(token)
        )
    return "".join(pieces).strip()


def _is_harmless(token: Token) -> bool:
    if token.token_type == TokenType.NUMBER:
        return sum(map(str.isdigit, token.text)) < _PRIVATE_DIGITS
    return token.token_type not in _TEXTS


def _mask(token: Token) -> str:
    return MASK if token.token_type == TokenType.NUMBER else f"'{MASK}'"
