"""Find values that a word of the question says in another form: 已取消 for 取消, 退回 for *returned*."""

import re
from collections.abc import Iterable, Sequence

from text2sql.schema import ValueIndex, glossary, terms
from text2sql.schema.tokenizer import stem
from text2sql.types import Dimension, SemanticModel, ValueMention

_MOST_VALUES = 30  # of a column of states
_LEAST_LETTERS = 4
_AROUND = re.compile(r"^[已被](?=..)|(?<=..)[中的了]$")


def state_mentions(
    text: str, unused: Sequence[str], values: ValueIndex, model: SemanticModel
) -> list[ValueMention]:
    """For words that nothing else explains. A word that fits two values of a column fits none."""
    mentions: list[ValueMention] = []
    for word in dict.fromkeys(unused):
        start = text.find(word)
        hits = _hits(word, values, model.dimensions) if start >= 0 else []
        if hits:
            mentions.append(ValueMention(word, start, start + len(word), tuple(hits)))
    return mentions


def _hits(word: str, values: ValueIndex, dimensions: Iterable[Dimension]) -> list[tuple[str, str]]:
    hits: list[tuple[str, str]] = []
    for dimension in dimensions:
        if dimension.kind != "category":
            continue
        known = values.all_of(dimension.table, dimension.column, _MOST_VALUES)
        same = [value for value in known if _is_same(word, value)]
        if len(same) == 1:
            hits.append((dimension.name, same[0]))
    return hits


def _is_same(word: str, value: str) -> bool:
    whole, word, value = value, _bare(word), _bare(value)
    if word == value and len(word) > 1:
        return True
    if word.isascii() and value.isascii():
        is_long = min(len(word), len(value)) >= _LEAST_LETTERS
        return is_long and word.isalpha() and value.isalpha() and _root(word) == _root(value)
    return bool(_meanings(word) & (_meanings(value) | _meanings(whole)))


def _bare(text: str) -> str:
    """Without the characters that only say that a state has been reached or lasts."""
    return _AROUND.sub("", text.strip().lower())


def _root(word: str) -> str:
    root = stem(word)
    return root[:-1] if root[-1:] == root[-2:-1] else root  # cancell-ed, cancel-ation


def _meanings(text: str) -> frozenset[int]:
    """The meanings of a text that is one word, or one phrase."""
    found = [term for term in terms(text) if term.start == 0 and term.end == len(text)]
    return glossary().synonymous(found[-1].meanings) if found else frozenset()
