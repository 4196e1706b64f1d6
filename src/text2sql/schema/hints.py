"""What words of a question are called here, for the prompt: only where that is sure, because a small model
believes every hint.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from text2sql.schema.callings import Place
from text2sql.schema.glossary import glossary
from text2sql.schema.knowledge import Knowledge
from text2sql.schema.terms import Term, Token, terms
from text2sql.wording import words


def hints(question: str, knowledge: Knowledge, most: int = 8) -> list[tuple[str, str]]:
    """(what was said, `table` or `table.column`), in the order of the question.

    A column is sure if it is the only one so called, or the only one in the tables that the question names.
    """
    said = list(_said(question, knowledge.linker.called))
    tables = {place[0] for _, places in said for place in _sole(places, column=False)}
    found: dict[str, str] = {}
    for term, places in said:
        sure = _sole(places, column=False) or _sole(places, column=True, within=tables)
        if sure and term.said not in found and not _is_same(term, sure[0]):
            found[term.said] = ".".join(part for part in sure[0] if part)
    return list(found.items())[:most]


def _said(question: str, called: Mapping[Token, Sequence[Place]]) -> Iterator[tuple[Term, Sequence[Place]]]:
    """The terms that name something, without the words that a phrase is made of."""
    found = terms(question)
    phrases = [term for term in found if term.is_phrase]
    for term in found:
        inside = any(one.start <= term.start and term.end <= one.end for one in phrases)
        if term.is_general or (inside and not term.is_phrase):
            continue
        ways: list[Token] = [term.word, *sorted(glossary().surely(term.word))]
        for token in ways:
            if token in called:
                yield term, called[token]


def _sole(places: Sequence[Place], *, column: bool, within: Collection[str] = ()) -> list[Place]:
    fitting = [place for place in places if bool(place[1]) == column]
    if len(fitting) > 1 and within:
        fitting = [place for place in fitting if place[0] in within]
    return fitting if len(fitting) == 1 else []


def _is_same(term: Term, place: Place) -> bool:
    """The model needs no telling that customers are `customers`."""
    return words(term.said) == words(place[1] or place[0].rpartition(".")[2])
