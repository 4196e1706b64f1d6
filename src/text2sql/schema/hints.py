"""Prompt hints that map words of the question to tables and columns. Only unambiguous mappings are given,
because a small model believes every hint.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from text2sql.schema.glossary import glossary
from text2sql.schema.name_index import Place
from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.tokenizer import Term, Token, terms
from text2sql.text_normalization import words


def hints(question: str, schema_context: SchemaContext, most: int = 8) -> list[tuple[str, str]]:
    """Pairs of (words of the question, `table` or `table.column`), in the order of the question.

    A column is unambiguous if it is the only one with that name, or the only one in the tables that the
    question names.
    """
    matches = list(_matches(question, schema_context.linker.called))
    tables = {place[0] for _, places in matches for place in _sole(places, column=False)}
    found: dict[str, str] = {}
    for term, places in matches:
        unambiguous = _sole(places, column=False) or _sole(places, column=True, within=tables)
        if unambiguous and term.said not in found and not _is_literal(term, unambiguous[0]):
            found[term.said] = ".".join(part for part in unambiguous[0] if part)
    return list(found.items())[:most]


def _matches(
    question: str, name_index: Mapping[Token, Sequence[Place]]
) -> Iterator[tuple[Term, Sequence[Place]]]:
    """The terms that match a name, except single words inside a phrase."""
    all_terms = terms(question)
    phrases = [term for term in all_terms if term.is_phrase]
    for term in all_terms:
        inside = any(phrase.start <= term.start and term.end <= phrase.end for phrase in phrases)
        if term.is_general or (inside and not term.is_phrase):
            continue
        tokens: list[Token] = [term.word, *sorted(glossary().primary_meanings(term.word))]
        for token in tokens:
            if token in name_index:
                yield term, name_index[token]


def _sole(places: Sequence[Place], *, column: bool, within: Collection[str] = ()) -> list[Place]:
    """The only column (or table) among the places, preferably in the tables `within`; empty if ambiguous."""
    candidates = [place for place in places if bool(place[1]) == column]
    if len(candidates) > 1 and within:
        candidates = [place for place in candidates if place[0] in within]
    return candidates if len(candidates) == 1 else []


def _is_literal(term: Term, place: Place) -> bool:
    """Whether the term is the name itself: the model needs no hint that customers are `customers`."""
    return words(term.said) == words(place[1] or place[0].rpartition(".")[2])
