"""How well a query answers to the words of its question. Both are taken apart in the same way."""

from collections.abc import Iterable, Sequence

from text2sql.schema.knowledge import Knowledge
from text2sql.schema.terms import Term, Token, pairs, stem, terms, tokens


def unanswered(question: str, names: Iterable[str], knowledge: Knowledge) -> int:
    """The words that the schema answers to, and no name or text of the query."""
    named = {token for name in names for token in tokens(name)}
    missed = {
        term.word
        for term in terms(question)
        if not (term.is_general or term.is_number or term.is_phrase)
        if any(map(knowledge.linker.knows, _ways(term))) and named.isdisjoint(_ways(term))
    }
    return len(missed)


def uncalled(question: str, columns: Iterable[str]) -> int:
    """The columns of the query that no word of the question calls for."""
    said = {way for term in terms(question) if not term.is_number for way in _ways(term)}
    return sum(said.isdisjoint(tokens(column)) for column in set(columns))


def _ways(term: Term) -> Sequence[Token]:
    """The tokens by which a word meets a name."""
    own: Sequence[Token] = pairs(term.word) if term.is_chinese else (term.word, "~" + stem(term.word))
    return (*own, *term.meanings)
