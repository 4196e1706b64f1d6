"""Extract the tables whose names a question asks for: *names of members*, *which members*. They decide
between two possible fixes of a query.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from text2sql.question.patterns import name_pattern, name_words
from text2sql.text_normalization import words
from text2sql.types import QuestionIntent, QuestionTermT, SchemaWords

_MAX_DISTANCE = 5  # words between *name of* and its owner


def question_intent(
    question: str, terms: Sequence[QuestionTermT], schema: SchemaWords[QuestionTermT]
) -> QuestionIntent:
    """The intent of a question, given its terms and the names in the schema."""
    return QuestionIntent(named=_tables_to_name(question, terms, schema))


def _prefer_literal_name(term: QuestionTermT, tables: list[str]) -> list[str]:
    """The tables whose name is exactly the word, else all: *class* is the table `class`, not a course."""
    return [table for table in tables if words(table.rpartition(".")[2]) == (term.word,)] or tables


def _tables_to_name(
    question: str, terms: Sequence[QuestionTermT], schema: SchemaWords[QuestionTermT]
) -> tuple[str, ...]:
    """The tables whose names are requested: *names of the members*, *member names*, 会员的姓名; *Which
    members …? Give their names*.
    """
    text = unicodedata.normalize("NFKC", question)
    between = name_words("between")
    single_words = [term for term in terms if not term.is_phrase and term.text not in between]
    named_tables: dict[str, None] = {}
    for match in name_pattern("name").finditer(text):
        for term in _owner_candidates(match, single_words, text):
            tables = _tables(term, schema)
            if len(tables) == 1:
                named_tables[tables[0]] = None
            if tables:
                break
    return tuple(named_tables) or _table_after_which(single_words, text, schema)


def _table_after_which(
    single_words: Sequence[QuestionTermT], text: str, schema: SchemaWords[QuestionTermT]
) -> tuple[str, ...]:
    """The table of *Which college …?*, unless the question asks for an id or a code."""
    which = name_pattern("which").search(text)
    if which is None or name_pattern("number").search(text):
        return ()
    following = next((term for term in single_words if term.start >= which.end()), None)
    if following is None or text[which.end() : following.start].strip():
        return ()
    tables = _tables(following, schema)
    return tuple(tables) if len(tables) == 1 else ()


def _tables(term: QuestionTermT, schema: SchemaWords[QuestionTermT]) -> list[str]:
    tables = [table for table in schema.named_by(term) if _is_head_noun(term, table)]
    return _prefer_literal_name(term, tables)


def _is_head_noun(term: QuestionTermT, table: str) -> bool:
    """Whether the word is the head noun of the table's name: a `gas_station` is a station, not gas."""
    parts = words(table.rpartition(".")[2])
    return term.is_chinese or len(parts) < 2 or term.word not in parts[:-1]


def _owner_candidates(
    name: re.Match[str], single_words: Sequence[QuestionTermT], text: str
) -> Iterator[QuestionTermT]:
    """The words that the *name* in the question may belong to, the likeliest first."""
    before = [term for term in single_words if term.end <= name.start()]
    after = [term for term in single_words if term.start >= name.end()]
    if before and name_pattern("possessive").fullmatch(text[before[-1].end : name.start()].strip()):
        yield before[-1]
    if after and after[0].word == "of":
        for term in after[1 : _MAX_DISTANCE + 1]:
            if term.word in name_words("clause"):
                break
            yield term
    elif (
        name_pattern("their").search(text[: name.end()])
        and single_words
        and single_words[0].word in name_words("interrogative")
    ):
        yield from single_words[1:4]
