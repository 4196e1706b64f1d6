"""Values of text columns, found in a question. Exact or normalised-exact only: an uncertain hint costs a
small model more answers than it saves.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from text2sql.schema.words import normalised, words
from text2sql.types import Catalogue, Table, ValueHit

MOST_VALUES = 200_000  # in one index: about 60 MB
MOST_CHARACTERS = 60  # of a value that somebody would type
_WORDS_A_VALUE = 6
_CJK_CHARACTERS = 12
_WORD = re.compile(r"[^\W_]+(?:['’.&/-][^\W_]+)*", re.UNICODE)
_HAS_CJK = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_TEXT_TYPE = re.compile(r"(?i)char|text|string|enum|clob|^$")


class ValueIndex:
    """normalised value → where it stands. Built once a database, asked with every question."""

    def __init__(self) -> None:
        self._places: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        self._count = 0

    def add(self, table: str, column: str, values: Iterable[object]) -> None:
        for value in values:
            if self._count >= MOST_VALUES:
                return
            if isinstance(value, str) and 0 < len(value) <= MOST_CHARACTERS:
                self._places[normalised(value)].append((value, table, column))
                self._count += 1

    def __len__(self) -> int:
        return self._count

    def find(self, question: str) -> list[ValueHit]:
        """Longest first; a piece inside a longer hit is not reported again."""
        hits: list[ValueHit] = []
        taken: list[tuple[int, int]] = []
        for start, end in sorted(_pieces(question), key=lambda piece: piece[0] - piece[1]):
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            said = question[start:end]
            places = self._places.get(normalised(said), ())
            if places and (len(places) <= 3 or _worth_it(said)):
                taken.append((start, end))
                hits += [ValueHit(said, value, table, column) for value, table, column in places[:5]]
        return hits

    def nearest(self, table: str, column: str, value: str, most: int = 5) -> list[str]:
        """Values of one column that share words with a text: what to offer when it is in no domain."""
        wanted = set(words(value))
        scored = []
        for places in self._places.values():
            for stored, of_table, of_column in places:
                if (of_table, of_column) == (table, column):
                    shared = len(wanted & set(words(stored)))
                    if shared:
                        scored.append((-shared, len(stored), stored))
        return [stored for _, _, stored in sorted(scored)[:most]]

    def contains(self, table: str, column: str, value: str) -> bool:
        return any(
            (of_table, of_column) == (table, column)
            for _, of_table, of_column in self._places.get(normalised(value), ())
        )


def text_columns(catalogue: Catalogue) -> Iterator[tuple[Table, Sequence[str]]]:
    """The columns whose values people name, table by table."""
    for table in catalogue.tables:
        columns = [column.name for column in table.columns if _TEXT_TYPE.search(column.type)]
        if columns and table.kind == "table":
            yield table, columns


def _pieces(question: str) -> Iterator[tuple[int, int]]:
    """Every run of words, and every run of Chinese characters, that could be a value."""
    spans = [match.span() for match in _WORD.finditer(question)]
    for i, (start, _) in enumerate(spans):
        for _, end in spans[i : i + _WORDS_A_VALUE]:
            yield start, end
    for start in range(len(question)):
        if not _HAS_CJK.match(question[start]):
            continue
        for end in range(start + 2, min(len(question), start + _CJK_CHARACTERS) + 1):
            if not _HAS_CJK.match(question[end - 1]):
                break
            yield start, end


def _worth_it(said: str) -> bool:
    """A value that stands everywhere, such as `yes`, tells nothing about where to look."""
    return len(said) > 4 or bool(_HAS_CJK.search(said))
