"""Checks before parsing: size and nesting of the text, its characters and comments, and ambiguous quoting."""

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Sequence

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

from text2sql.sql.dialects import Grammar
from text2sql.sql.refusal import refuse

MAX_CHARACTERS = 100_000
MAX_TOKENS = 4_000
MAX_WRITTEN = 3 * MAX_TOKENS  # in the generated text, with its wrapped tables
MAX_DEPTH = 60  # nested brackets; people write about ten
MAX_TYPES = 6  # nested types with arguments: each level multiplies the parser's time by five
MAX_STEPS = 16  # subscripts of subscripts: the parser's time grows quadratically
MAX_PIPES = 40  # `|>` in a statement: the parser copies all steps before each one
MAX_SUBSCRIPTS = 200  # in a statement: the parser takes half a millisecond to simplify each index

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_SIGNS = frozenset({TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.NOT})  # each adds a level
_STEPPING = frozenset(
    {TokenType.DOT, TokenType.DCOLON, TokenType.COLON, TokenType.ARROW, TokenType.DARROW}
)  # between two subscripts of one value
_POSTFIX = frozenset(
    {TokenType.DCOLON, TokenType.ARROW, TokenType.DARROW, TokenType.HASH_ARROW, TokenType.DHASH_ARROW}
)  # in a row, each adds a level
_QUOTED = frozenset({TokenType.IDENTIFIER, TokenType.STRING, TokenType.RAW_STRING, TokenType.HEREDOC_STRING})
# Nodes that the parser may build, including those that it discards when it backtracks: `date(date(…` doubles
# them with each level. The queries of public benchmarks and of our own tests build at most 1.1 per token.
_NODES, _NODES_PER_TOKEN = 500, 2
_TOO_MANY_NODES = "Maximum number of AST nodes"  # the parser's message then
# Control characters except tab and line ends, the BOM, and characters that hide or reorder displayed text.
_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_ESCAPED_QUOTE = re.compile(r"\\['\"`]")


class _Tokenizers(threading.local):
    """The tokenizers of this thread: to build one costs a third of its work on a query."""

    def __init__(self) -> None:
        self.of: dict[Dialect, Tokenizer] = {}


_tokenizers = _Tokenizers()


def check_characters(text: str) -> None:
    """Refuse empty and overlong texts, and hidden characters."""
    if not text.strip():
        refuse("empty")
    if len(text) > MAX_CHARACTERS:
        refuse("too_long", f"{len(text)} characters")
    check_hidden_characters(text)


def check_hidden_characters(text: str) -> None:
    """Refuse characters that hide or reorder text, and those that end it for a driver or an engine."""
    hidden = _HIDDEN.search(text)
    if hidden:
        refuse("hidden_character", f"U+{ord(hidden[0]):04X}")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        refuse("hidden_character", "lone surrogate")


def checked_tokens(
    text: str, dialect: Dialect, grammar: Grammar, max_tokens: int = MAX_TOKENS
) -> Sequence[Token]:
    """Tokenize a text and check its tokens."""
    try:
        tokens = tokenize(text, dialect, max_tokens)
    except SqlglotError:
        refuse("unreadable", text)
    for token in [token for token in tokens if token.comments]:
        _executable_comments(token)
    for token in tokens if grammar.foreign_tokens else ():
        if token.text in grammar.foreign_tokens and token.token_type not in _QUOTED:
            refuse("foreign_operator", token.text)
    pipes = sum(token.token_type == TokenType.PIPE_GT for token in tokens) if "|>" in text else 0
    if pipes > MAX_PIPES:
        refuse("too_costly", f"{pipes} pipes")
    if text.count("[") > MAX_STEPS:
        _subscripts(tokens)
    if not text.isascii():
        _unicode_letters(text, tokens)
    if grammar.backslash_strings and _ESCAPED_QUOTE.search(text):
        _ambiguous_strings(text, dialect)
    return tokens


def tokenize(text: str, dialect: Dialect, max_tokens: int = MAX_TOKENS) -> Sequence[Token]:
    """Tokenize a text; refuse more tokens, or deeper nesting, than the parser can handle."""
    tokenizer = _tokenizers.of.get(dialect)
    if tokenizer is None:
        tokenizer = _tokenizers.of[dialect] = dialect.tokenizer()
    tokens = tokenizer.tokenize(text)
    if len(tokens) > max_tokens:
        refuse("too_long", f"{len(tokens)} words")
    if _may_nest_deeply(tokens, dialect):
        _nesting(tokens, dialect)
    return tokens


def parse_tokens(tokens: Sequence[Token], text: str, dialect: Dialect) -> list[exp.Expr | None]:
    """Parse tokens; refuse a text for which the parser would build too many nodes."""
    max_nodes = _NODES + _NODES_PER_TOKEN * len(tokens)
    try:
        return dialect.parser(error_level=ErrorLevel.IMMEDIATE, max_nodes=max_nodes).parse(list(tokens), text)
    except ParseError as error:
        if _TOO_MANY_NODES in str(error):
            refuse("too_costly", f"{len(tokens)} words, more than {max_nodes} nodes")
        raise


def _may_nest_deeply(tokens: Sequence[Token], dialect: Dialect) -> bool:
    """Whether there are enough tokens of a kind to exceed a limit of `_nesting`. In most texts there are not,
    and counting is four times as fast.
    """
    counts = Counter([token.token_type for token in tokens])
    openings, closings, signs, postfixes, types = (
        sum([counts[kind] for kind in kinds if kind in counts])
        for kinds in (_OPENING, _CLOSING, _SIGNS, _POSTFIX, dialect.parser_class.STRUCT_TYPE_TOKENS)
    )
    methods = min(closings, counts[TokenType.DOT])
    return max(openings, signs, postfixes + methods) > MAX_DEPTH or types > MAX_TYPES


def _nesting(tokens: Sequence[Token], dialect: Dialect) -> None:
    """Limit nested brackets, especially those of types like `STRUCT(…)`, and chains of signs, casts and
    arrows.
    """
    types = dialect.parser_class.STRUCT_TYPE_TOKENS
    open_types: list[bool] = []
    signs = chain = 0
    previous: TokenType | None = None
    for token in tokens:
        kind = token.token_type
        signs = signs + 1 if kind in _SIGNS else 0
        is_method = kind == TokenType.DOT and previous in _CLOSING  # `f(x).g()`: the parser copies `f(x)`
        chain = 0 if kind == TokenType.COMMA else chain + (kind in _POSTFIX or is_method)
        if max(signs, chain) > MAX_DEPTH:
            refuse("too_deep", f"{signs} signs" if signs > chain else f"{chain} casts, arrows or methods")
        if kind in _OPENING:
            open_types.append(previous in types)
            if len(open_types) > MAX_DEPTH:
                refuse("too_deep", f"{len(open_types)} brackets")
            if open_types[-1] and sum(open_types) > MAX_TYPES:
                refuse("too_deep", f"{sum(open_types)} types")
        elif kind in _CLOSING and open_types:
            open_types.pop()
        previous = kind


def _subscripts(tokens: Sequence[Token]) -> None:
    """Limit chains of subscripts, `a[1][1]…`, including names, casts and calls in between."""
    brackets = sum(token.token_type == TokenType.L_BRACKET for token in tokens)
    if brackets > MAX_SUBSCRIPTS:
        refuse("too_costly", f"{brackets} square brackets")
    if brackets <= MAX_STEPS:
        return
    chains = [(0, 0)]  # for each open bracket: the length of the current chain, and of the longest
    previous: TokenType | None = None
    for token in tokens:
        kind, (current, longest) = token.token_type, chains[-1]
        if kind in _OPENING:
            current += kind == TokenType.L_BRACKET
            chains[-1] = current, max(current, longest)
            chains.append((0, 0))
        elif kind in _CLOSING and len(chains) > 1:
            chains.pop()
            current = chains[-1][0] + longest
            chains[-1] = current, max(current, chains[-1][1])
        elif kind not in _STEPPING and previous not in _STEPPING:
            chains[-1] = 0, longest
        if chains[-1][1] > MAX_STEPS:
            refuse("too_deep", f"{chains[-1][1]} subscripts")
        previous = kind


def _executable_comments(token: Token) -> None:
    """Refuse `/*! … */`, whose content MySQL and MariaDB execute."""
    for comment in token.comments:
        if comment.lstrip("0123456789").startswith(("!", "M!")):
            refuse("executable_comment", f"/*{comment}*/")


def _unicode_letters(text: str, tokens: Sequence[Token]) -> None:
    """Refuse non-ASCII characters outside quotes that are not part of a word: some engines read a curly quote
    or a wide space as its ASCII counterpart, and the parser does not.
    """
    for token in tokens:
        if token.token_type in _QUOTED:
            continue
        for character in text[token.start : token.end + 1]:
            if ord(character) > 127 and unicodedata.category(character)[0] not in "LMN":
                refuse("hidden_character", f"U+{ord(character):04X}")


def _ambiguous_strings(text: str, dialect: Dialect) -> None:
    """Refuse a text that parses with backslash escapes and also without them, which a session may turn off:
    then `'\\' … '` ends early and the text is another statement. `'it\\'s'` passes: it does not parse without
    them.
    """
    try:
        doubled = text.replace("\\", "\\\\")
        trees = parse_tokens(tokenize(doubled, dialect), doubled, dialect)
    except (SqlglotError, RecursionError):
        return
    if any(trees):
        refuse("two_readings", text)
