"""Measure how well a query matches its question: words it ignores, and columns that no word asks for."""

from collections.abc import Iterable, Sequence

from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.tokenizer import Term, Token, pairs, stem, terms, tokens


def count_ignored_words(question: str, names: Iterable[str], schema_context: SchemaContext) -> int:
    """The number of words that occur in the schema, but in no name or text of the query."""
    query_tokens = {token for name in names for token in tokens(name)}
    ignored = {
        term.word
        for term in terms(question)
        if not (term.is_general or term.is_number or term.is_phrase)
        if any(map(schema_context.linker.knows, _match_tokens(term)))
        and query_tokens.isdisjoint(_match_tokens(term))
    }
    return len(ignored)


def count_unrequested_columns(question: str, columns: Iterable[str]) -> int:
    """The number of columns of the query that no word of the question asks for."""
    question_tokens = {
        token for term in terms(question) if not term.is_number for token in _match_tokens(term)
    }
    return sum(question_tokens.isdisjoint(tokens(column)) for column in set(columns))


def _match_tokens(term: Term) -> Sequence[Token]:
    """The tokens by which a word can match a name."""
    literal: Sequence[Token] = pairs(term.word) if term.is_chinese else (term.word, "~" + stem(term.word))
    return (*literal, *term.meanings)
