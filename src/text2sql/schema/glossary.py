"""Which words mean the same, within English and between Chinese and English: `glossary.tsv`, one meaning a
line. No model, no network, nothing that belongs to one data set.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from text2sql.wording import singular

LONGEST_PHRASE = 3  # English words in one term


class Glossary:
    """A meaning is the number of a line. English terms are kept as singular words joined by one space."""

    def __init__(self, lines: Iterable[str]) -> None:
        english: dict[str, list[int]] = defaultdict(list)
        chinese: dict[str, list[int]] = defaultdict(list)
        same: set[int] = set()
        self._lines: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        for line in lines:
            if not line or line.startswith("#"):
                continue
            left, _, right = line.removeprefix("~").partition("\t")
            is_same = bool(left) and not line.startswith("~")
            here = len(self._lines)
            self._lines.append((tuple(left.split()), tuple(right.split(","))))
            for term in self._lines[-1][0]:
                chinese[term].append(here)
            for term in self._lines[-1][1]:
                english[_phrase(term)].append(here)
            if is_same:
                same.add(here)
        self._english = {term: frozenset(held) for term, held in english.items()}
        self._chinese = {term: frozenset(held) for term, held in chinese.items()}
        self._same = frozenset(same)
        self.longest_chinese = max(map(len, self._chinese), default=1)
        self._words = frozenset(word for term in self._english for word in term.split())

    def meanings(self, term: str) -> frozenset[int]:
        """Of a Chinese word, or of English words as `wording.words` gives them, joined by a space."""
        return self._chinese.get(term) or self._english.get(term) or frozenset()

    def surely(self, term: str) -> frozenset[int]:
        """Only the meanings that a term has before all others: `stock` is what a shop holds, then a share."""
        if term in self._chinese:
            return self._chinese[term] & self._same
        held = [(self._rank(term, meaning), meaning) for meaning in self.meanings(term) & self._same]
        first = min(held, default=(0, 0))[0]
        return frozenset(meaning for rank, meaning in held if rank == first)

    def _rank(self, term: str, meaning: int) -> int:
        return [_phrase(other) for other in self._lines[meaning][1]].index(term)

    def is_chinese_word(self, text: str) -> bool:
        return text in self._chinese

    def is_english_word(self, word: str) -> bool:
        return word in self._words

    def synonyms(self, term: str) -> list[str]:
        """Everything that can mean the same, in both languages, in the order of the glossary."""
        found = dict.fromkeys(
            other
            for meaning in sorted(self.meanings(term))
            for side in self._lines[meaning]
            for other in side
        )
        found.pop(term, None)
        return list(found)

    def __len__(self) -> int:
        return len(self._lines)


def _phrase(term: str) -> str:
    if term.isalpha():
        return singular(term)
    return " ".join(singular(word) for word in term.replace("-", " ").replace("'", " ").split())


@cache
def glossary() -> Glossary:
    """The built-in one, read when it is first asked for: a few milliseconds."""
    return Glossary(files("text2sql.schema").joinpath("glossary.tsv").read_text("utf-8").splitlines())
