"""What can be said of a text before it is a tree: its size, its characters, and two-faced quoting."""

import re
import unicodedata
from collections.abc import Sequence

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from text2sql.sql.dialects import Grammar
from text2sql.sql.refusal import refuse

MAX_CHARACTERS = 100_000
MAX_TOKENS = 10_000
MAX_DEPTH = 60  # brackets within brackets; people write about ten
MAX_STEPS = 16  # subscripts of subscripts: the parser's time grows with the square of their number

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_SIGNS = frozenset({TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.NOT})  # each nests one deeper
_STEPPING = frozenset(
    {TokenType.DOT, TokenType.DCOLON, TokenType.COLON, TokenType.ARROW, TokenType.DARROW}
)  # between two subscripts of one value
_QUOTED = frozenset({TokenType.IDENTIFIER, TokenType.STRING, TokenType.RAW_STRING, TokenType.HEREDOC_STRING})
# Control characters but tab and line ends; a BOM; what reorders or hides text on a screen.
_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_ESCAPED_QUOTE = re.compile(r"\\['\"`]")


def characters(text: str) -> None:
    if not text.strip():
        refuse("empty")
    if len(text) > MAX_CHARACTERS:
        refuse("too_long", f"{len(text)} characters")
    hidden = _HIDDEN.search(text)
    if hidden:
        refuse("hidden_character", f"U+{ord(hidden[0]):04X}")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        refuse("hidden_character", "lone surrogate")


def tokens(text: str, dialect: Dialect, grammar: Grammar) -> Sequence[Token]:
    try:
        found = dialect.tokenize(text)
    except SqlglotError:
        refuse("unreadable", text)
    if len(found) > MAX_TOKENS:
        refuse("too_long", f"{len(found)} words")
    depth = signs = 0
    for token in found:
        kind = token.token_type
        signs = signs + 1 if kind in _SIGNS else 0
        if signs > MAX_DEPTH:
            refuse("too_deep", f"{signs} signs")
        if kind in _OPENING:
            depth += 1
            if depth > MAX_DEPTH:
                refuse("too_deep", f"{depth} brackets")
        elif kind in _CLOSING:
            depth -= 1
        if token.comments:
            _comments(token)
        if token.text in grammar.foreign_tokens and kind not in _QUOTED:
            refuse("foreign_operator", token.text)
    _subscripts(found)
    if not text.isascii():
        _letters(text, found)
    if grammar.backslash_strings and _ESCAPED_QUOTE.search(text):
        _two_faced(text, dialect)
    return found


def _subscripts(found: Sequence[Token]) -> None:
    """`a[1][1]…`, also with names, casts and calls in between, as one chain within its brackets."""
    if sum(token.token_type == TokenType.L_BRACKET for token in found) <= MAX_STEPS:
        return
    chains = [(0, 0)]  # of each open bracket: the present chain, and the longest
    before: TokenType | None = None
    for token in found:
        kind, (now, most) = token.token_type, chains[-1]
        if kind in _OPENING:
            now += kind == TokenType.L_BRACKET
            chains[-1] = now, max(now, most)
            chains.append((0, 0))
        elif kind in _CLOSING and len(chains) > 1:
            chains.pop()
            now = chains[-1][0] + most
            chains[-1] = now, max(now, chains[-1][1])
        elif kind not in _STEPPING and before not in _STEPPING:
            chains[-1] = 0, most
        if chains[-1][1] > MAX_STEPS:
            refuse("too_deep", f"{chains[-1][1]} subscripts")
        before = kind


def _comments(token: Token) -> None:
    """MySQL and MariaDB run what stands in `/*! … */`; nobody else has a use for writing it."""
    for comment in token.comments:
        if comment.lstrip("0123456789").startswith(("!", "M!")):
            refuse("executable_comment", f"/*{comment}*/")


def _letters(text: str, found: Sequence[Token]) -> None:
    """Outside quotes a character beyond ASCII must belong to a word: a curly quote or a wide space is
    read by some engines as what it looks like, and by the parser as something else.
    """
    for token in found:
        if token.token_type in _QUOTED:
            continue
        for character in text[token.start : token.end + 1]:
            if ord(character) > 127 and unicodedata.category(character)[0] not in "LMN":
                refuse("hidden_character", f"U+{ord(character):04X}")


def _two_faced(text: str, dialect: Dialect) -> None:
    """`'\\' … '` ends early where a session has turned backslash escapes off. A text that is a statement
    under both settings is two statements, and is refused; `'it\\'s'` is none under the second.
    """
    try:
        other = dialect.parse(text.replace("\\", "\\\\"))
    except (SqlglotError, RecursionError):
        return
    if any(other):
        refuse("two_readings", text)
