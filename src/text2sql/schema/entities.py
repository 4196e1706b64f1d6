"""Find the tables that a question mentions, and those whose names it asks for: *names of members*, *which
members*.
"""

import re
from collections.abc import Iterator

from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.tokenizer import Term, folded, terms
from text2sql.text_normalization import words

_NAMES = re.compile(r"(?i)\bnames?\b|姓名|名[称字]|名(?![单额次])")
_WHICH = re.compile(r"(?i)^(?:(?:in|at|from|to|for|of|on|by)\s+)?which\b|哪[一些个所家位座]{0,2}")
_NUMBERS = re.compile(r"(?i)\b(ids?|identifiers?|codes?|numbers?)\b|编号|代码|号码")
_THEIR = re.compile(r"(?i)\b(their|the|its|his|her)\s+(\w+\s+)?names?\b(?!\s+of)")
_BETWEEN = frozenset("的 叫 叫做 什么 是".split())  # words between an entity and *name*
_IS_OF = re.compile(r"['’]s|(?:的|叫做?|什么|是)*")
_ENDS_A_NAME = frozenset("who that which whose in at on with for from by where and or to".split())


def mentioned_tables(question: str, schema_context: SchemaContext) -> frozenset[str]:
    """The tables that a word of the question names without doubt. A literal name wins over a synonym: *class*
    is the table `class`, although it may mean a course elsewhere.
    """
    matches = (_prefer_literal_name(term, schema_context.linker.named_by(term)) for term in terms(question))
    return frozenset(tables[0] for tables in matches if len(tables) == 1)


def _prefer_literal_name(term: Term, tables: list[str]) -> list[str]:
    """The tables whose name is exactly the word; all of them if there is none."""
    return [table for table in tables if words(table.rpartition(".")[2]) == (term.word,)] or tables


def tables_to_name(question: str, schema_context: SchemaContext) -> tuple[str, ...]:
    """The tables whose names are requested: *names of the members*, *member names*, 会员的姓名; *Which
    members …? Give their names*.
    """
    text = folded(question)
    single_words = [term for term in terms(question) if not term.is_phrase and term.said not in _BETWEEN]
    named_tables: dict[str, None] = {}
    for match in _NAMES.finditer(text):
        for term in _name_owner_candidates(match, single_words, text):
            tables = _tables(term, schema_context)
            if len(tables) == 1:
                named_tables[tables[0]] = None
            if tables:
                break
    return tuple(named_tables) or _table_after_which(single_words, text, schema_context)


def _table_after_which(single_words: list[Term], text: str, schema_context: SchemaContext) -> tuple[str, ...]:
    """The table of *Which college …?*, unless the question asks for an id or a code."""
    which = _WHICH.search(text)
    if which is None or _NUMBERS.search(text):
        return ()
    following = next((term for term in single_words if term.start >= which.end()), None)
    if following is None or text[which.end() : following.start].strip():
        return ()
    tables = _tables(following, schema_context)
    return tuple(tables) if len(tables) == 1 else ()


def _tables(term: Term, schema_context: SchemaContext) -> list[str]:
    tables = [table for table in schema_context.linker.named_by(term) if is_head_noun(term, table)]
    return _prefer_literal_name(term, tables)


def is_head_noun(term: Term, table: str) -> bool:
    """Whether the word is the head noun of the table's name: a `gas_station` is a station, not gas."""
    parts = words(table.rpartition(".")[2])
    return term.is_chinese or len(parts) < 2 or term.word not in parts[:-1]


def _name_owner_candidates(name: re.Match[str], single_words: list[Term], text: str) -> Iterator[Term]:
    """The words that the *name* in the question may belong to, the likeliest first."""
    before = [term for term in single_words if term.end <= name.start()]
    after = [term for term in single_words if term.start >= name.end()]
    if before and _IS_OF.fullmatch(text[before[-1].end : name.start()].strip()):
        yield before[-1]
    if after and after[0].word == "of":
        for term in after[1:6]:
            if term.word in _ENDS_A_NAME:
                break
            yield term
    elif _THEIR.search(text[: name.end()]) and single_words and single_words[0].word in ("which", "what"):
        yield from single_words[1:4]
