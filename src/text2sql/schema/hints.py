"""Prompt hints that map words of the question to tables and columns. Only unambiguous mappings are given,
because a small model believes every hint.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from text2sql.schema.glossary import glossary
from text2sql.schema.name_index import NamedItem
from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.tokenizer import Term, Token, terms
from text2sql.text_normalization import words


def hints(question: str, schema_context: SchemaContext, most: int = 8) -> list[tuple[str, str]]:
    """Pairs of (words of the question, `table` or `table.column`), in the order of the question.

    A column is unambiguous if it is the only one with that name, or the only one in the tables that the
    question names.
    """
    matches = list(_matches(question, schema_context.linker.name_index))
    tables = {item[0] for _, items in matches for item in _sole(items, column=False)}
    targets: dict[str, str] = {}
    for term, items in matches:
        unambiguous = _sole(items, column=False) or _sole(items, column=True, within=tables)
        if unambiguous and term.text not in targets and not _is_literal(term, unambiguous[0]):
            targets[term.text] = ".".join(part for part in unambiguous[0] if part)
    return list(targets.items())[:most]


def _matches(
    question: str, name_index: Mapping[Token, Sequence[NamedItem]]
) -> Iterator[tuple[Term, Sequence[NamedItem]]]:
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


def _sole(items: Sequence[NamedItem], *, column: bool, within: Collection[str] = ()) -> list[NamedItem]:
    """The only column (or table) among the items, preferably in the tables `within`; empty if ambiguous."""
    candidates = [item for item in items if bool(item[1]) == column]
    if len(candidates) > 1 and within:
        candidates = [item for item in candidates if item[0] in within]
    return candidates if len(candidates) == 1 else []


def _is_literal(term: Term, item: NamedItem) -> bool:
    """Whether the term is the name itself: the model needs no hint that customers are `customers`."""
    return words(term.text) == words(item[1] or item[0].rpartition(".")[2])
