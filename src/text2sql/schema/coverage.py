"""When not to answer: which words of a question nothing in this database is about.

Conservative, because a wrong "no data" is worse than a wrong answer that a receipt explains. Only a word that
the glossary knows, and that this schema has no counterpart of, speaks against a question; a word that
nobody knows may be somebody's name. How often it errs is in docs/schema.md.
"""

import re
from functools import lru_cache
from typing import Literal, TypeAlias

from text2sql.schema.knowledge import Knowledge
from text2sql.schema.terms import Term, folded, pairs, stem, terms
from text2sql.wording import words

_QUESTIONS = 64  # whose words are remembered
ENOUGH = 0.45  # of what a question says is in the database, or there is no data about it
# The same of a Chinese question: more of it is missed where its words meet English names. Chosen by
# benchmarks/turned_away.py.
ENOUGH_CHINESE = 0.35

_How: TypeAlias = Literal[
    "name", "stem", "value", "inside", "table", "general", "neutral", "unknown", "missing"
]
_Judged: TypeAlias = tuple[tuple[Term, _How], ...]
_WORTH: dict[_How, float] = {
    "name": 1.0,  # a table, a column, a comment, or a synonym of one
    "stem": 0.8,
    "value": 0.4,  # Paris is in many databases, its weather in few
    "inside": 0.3,  # one word of a longer value
    "table": 0.5,  # `orders`, `categories`: a general word that a table is called by
    "general": 0.15,  # `name`, `number`: in every question and in every schema
    "neutral": 0.0,
    "unknown": -0.5,
    "missing": -1.0,
}

_ENDINGS = frozenset("者员生师家手单")  # they make a word for somebody, or for a slip of paper


def uncovered(question: str, knowledge: Knowledge) -> list[str]:
    """The content words, as they were said, that no table, column, comment, value or synonym answers to."""
    return list(
        dict.fromkeys(
            term.said for term, how in _judged(question, knowledge) if how in ("missing", "unknown")
        )
    )


def about(question: str, knowledge: Knowledge) -> float:
    """How much of what a question says is in this database; 1.0 if it says nothing in particular."""
    return _share(_judged(question, knowledge))


def is_foreign(question: str, knowledge: Knowledge) -> bool:
    """Whether the question is surely about something else."""
    if not knowledge.linker.is_readable:
        return False
    judged = _judged(question, knowledge)
    enough = ENOUGH_CHINESE if any(term.is_chinese for term, _ in judged) else ENOUGH
    return any(how == "missing" for _, how in judged) and _share(judged) < enough


def _share(judged: _Judged) -> float:
    worth = [_WORTH[how] for how in {term.word: how for term, how in judged}.values()]
    found, lost = sum(one for one in worth if one > 0), -sum(one for one in worth if one < 0)
    return found / (found + lost) if found + lost else 1.0


@lru_cache(maxsize=_QUESTIONS)
def _judged(question: str, knowledge: Knowledge) -> _Judged:
    """Kept for a while: the stages of one question ask it again and again."""
    said = terms(question)
    values = _value_spans(question, knowledge)
    phrases = [(term.start, term.end) for term in said if term.is_phrase and _is_meant(term, knowledge)]
    others = [(term.start, term.end) for term in said if term.is_phrase and not _is_meant(term, knowledge)]
    judged: list[tuple[Term, _How]] = []
    for term in said:
        if term.is_phrase or term.is_number:
            continue
        if _is_inside(term, values):
            judged.append((term, max(_how(term, knowledge), "value", key=lambda how: _WORTH[how])))
        elif _is_inside(term, phrases):
            judged.append((term, "name"))
        else:
            how = _how(term, knowledge)
            judged.append((term, "missing" if how == "unknown" and _is_inside(term, others) else how))
    return tuple(_with_compounds(judged))


def _how(term: Term, knowledge: Knowledge) -> _How:
    found = _met(term, knowledge)
    if term.is_general:
        if found not in ("name", "stem") or not words(term.said):
            return "neutral"
        return "table" if knowledge.linker.named_by(term) else "general"
    if found:
        return found
    return "missing" if term.is_known and term.meanings else "unknown"


def _met(term: Term, knowledge: Knowledge) -> _How | None:
    linker = knowledge.linker
    parts = pairs(term.word) if term.is_chinese else [term.word]
    if all(map(linker.knows, parts)) or _is_meant(term, knowledge) or _is_said_in_parts(term, knowledge):
        return "name"
    if not term.is_chinese and linker.knows("~" + stem(term.word)):
        return "stem"
    return "inside" if all(map(knowledge.values.mentions, parts)) else None


def _is_meant(term: Term, knowledge: Knowledge) -> bool:
    return any(map(knowledge.linker.knows, term.meanings))


def _is_said_in_parts(term: Term, knowledge: Knowledge) -> bool:
    """付款方式 is a payment method: `payments` has a column `method`."""
    if not term.is_chinese:
        return False
    for way in knowledge.glossary.synonyms(term.word):
        said = [one for one in terms(way) if not one.is_phrase]
        own = [one for one in said if not one.is_general]
        if (
            own
            and len(said) > 1
            and all(knowledge.linker.knows(one.word) or _is_meant(one, knowledge) for one in own)
        ):
            return True
    return False


def _is_inside(term: Term, spans: list[tuple[int, int]]) -> bool:
    return any(start <= term.start and term.end <= end for start, end in spans)


def _value_spans(question: str, knowledge: Knowledge) -> list[tuple[int, int]]:
    text = folded(question)
    said = {folded(hit.said) for hit in knowledge.values.find(question)}
    return [match.span() for piece in said for match in re.finditer(re.escape(piece), text)]


def _with_compounds(judged: list[tuple[Term, _How]]) -> list[tuple[Term, _How]]:
    """A known word grown together with one more character is another word, which nobody here knows."""
    for at in range(1, len(judged)):
        (left, of_left), (right, of_right) = judged[at - 1], judged[at]
        if left.is_chinese and right.is_chinese and left.end == right.start:
            grown = right.word in _ENDINGS or (of_right == "unknown" and len(right.word) == 1)
            if of_left == "missing" and grown:
                judged[at - 1] = (left, "unknown")
            elif of_left == "unknown" and of_right == "missing" and len(left.word) == 1:
                judged[at] = (right, "unknown")
    return [(term, "neutral" if _is_left_over(term) and how == "unknown" else how) for term, how in judged]


def _is_left_over(term: Term) -> bool:
    """What a cut leaves of a word that it did not know is no word: the 副 of 副班长."""
    return term.is_chinese and not term.is_known and len(term.word) == 1
