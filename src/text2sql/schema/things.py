"""The tables that a question names, and those whose names it wants: *names of members*, *which members*."""

import re
from collections.abc import Iterator

from text2sql.schema.knowledge import Knowledge
from text2sql.schema.terms import Term, folded, terms
from text2sql.wording import words

_NAMES = re.compile(r"(?i)\bnames?\b|姓名|名[称字]|名(?![单额次])")
_WHICH = re.compile(r"(?i)^(?:(?:in|at|from|to|for|of|on|by)\s+)?which\b|哪[一些个所家位座]{0,2}")
_NUMBERS = re.compile(r"(?i)\b(ids?|identifiers?|codes?|numbers?)\b|编号|代码|号码")
_THEIR = re.compile(r"(?i)\b(their|the|its|his|her)\s+(\w+\s+)?names?\b(?!\s+of)")
_BETWEEN = frozenset("的 叫 叫做 什么 是".split())  # a thing and its name
_IS_OF = re.compile(r"['’]s|(?:的|叫做?|什么|是)*")
_ENDS_A_NAME = frozenset("who that which whose in at on with for from by where and or to".split())


def things(question: str, knowledge: Knowledge) -> frozenset[str]:
    """Of several that a word may mean the one that is called so: a `class`, which is a course elsewhere."""
    met = (_called_so(term, knowledge.linker.named_by(term)) for term in terms(question))
    return frozenset(tables[0] for tables in met if len(tables) == 1)


def _called_so(term: Term, tables: list[str]) -> list[str]:
    """Those that go by the very word, if any does."""
    return [one for one in tables if words(one.rpartition(".")[2]) == (term.word,)] or tables


def named(question: str, knowledge: Knowledge) -> tuple[str, ...]:
    """The tables whose names are wanted: *names of the members*, *member names*, 会员的姓名; *Which members
    …? Give their names*.
    """
    text = folded(question)
    line = [term for term in terms(question) if not term.is_phrase and term.said not in _BETWEEN]
    found: dict[str, None] = {}
    for match in _NAMES.finditer(text):
        for term in _beside(match, line, text):
            tables = _tables(term, knowledge)
            if len(tables) == 1:
                found[tables[0]] = None
            if tables:
                break
    return tuple(found) or _asked_for(line, text, knowledge)


def _asked_for(line: list[Term], text: str, knowledge: Knowledge) -> tuple[str, ...]:
    """*Which college …?*: the table, unless numbers are wanted."""
    which = _WHICH.search(text)
    if which is None or _NUMBERS.search(text):
        return ()
    after = next((term for term in line if term.start >= which.end()), None)
    if after is None or text[which.end() : after.start].strip():
        return ()
    tables = _tables(after, knowledge)
    return tuple(tables) if len(tables) == 1 else ()


def _tables(term: Term, knowledge: Knowledge) -> list[str]:
    return _called_so(term, [one for one in knowledge.linker.named_by(term) if is_its_head(term, one)])


def is_its_head(term: Term, table: str) -> bool:
    """A `gas_station` is a station, and no gas."""
    parts = words(table.rpartition(".")[2])
    return term.is_chinese or len(parts) < 2 or term.word not in parts[:-1]


def _beside(name: re.Match[str], line: list[Term], text: str) -> Iterator[Term]:
    """The words that a *name* may be the name of, the likeliest first."""
    before = [term for term in line if term.end <= name.start()]
    after = [term for term in line if term.start >= name.end()]
    if before and _IS_OF.fullmatch(text[before[-1].end : name.start()].strip()):
        yield before[-1]
    if after and after[0].word == "of":
        for term in after[1:6]:
            if term.word in _ENDS_A_NAME:
                break
            yield term
    elif _THEIR.search(text[: name.end()]) and line and line[0].word in ("which", "what"):
        yield from line[1:4]
