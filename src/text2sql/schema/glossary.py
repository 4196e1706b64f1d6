"""Synonyms within English and between Chinese and English, read from `glossary.tsv` (one meaning per line).

No model and no network; the file contains nothing that is specific to one data set.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from text2sql.text_normalization import singular

LONGEST_PHRASE = 3  # English words in one term


class Glossary:
    """Maps terms to meanings (line numbers). English terms are singular words joined by a space."""

    def __init__(self, lines: Iterable[str]) -> None:
        english: dict[str, list[int]] = defaultdict(list)
        chinese: dict[str, list[int]] = defaultdict(list)
        synonymous: set[int] = set()  # lines whose words mean the same; the others are only related
        self._lines: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        for line in lines:
            if not line or line.startswith("#"):
                continue
            left, _, right = line.removeprefix("~").partition("\t")
            is_synonymous = bool(left) and not line.startswith("~")
            number = len(self._lines)
            self._lines.append((tuple(left.split()), tuple(right.split(","))))
            for term in self._lines[-1][0]:
                chinese[term].append(number)
            for term in self._lines[-1][1]:
                english[_phrase(term)].append(number)
            if is_synonymous:
                synonymous.add(number)
        self._english = {term: frozenset(meanings) for term, meanings in english.items()}
        self._chinese = {term: frozenset(meanings) for term, meanings in chinese.items()}
        self._synonymous = frozenset(synonymous)
        self.longest_chinese = max(map(len, self._chinese), default=1)
        self._words = frozenset(word for term in self._english for word in term.split())

    def meanings(self, term: str) -> frozenset[int]:
        """The meanings of a Chinese word, or of English words as `text_normalization.words` returns them,
        joined by a space.
        """
        return self._chinese.get(term) or self._english.get(term) or frozenset()

    def primary_meanings(self, term: str) -> frozenset[int]:
        """Only the primary meanings of a term: `stock` is first an inventory, then a share."""
        if term in self._chinese:
            return self._chinese[term] & self._synonymous
        ranked = [(self._rank(term, meaning), meaning) for meaning in self.meanings(term) & self._synonymous]
        best = min(ranked, default=(0, 0))[0]
        return frozenset(meaning for rank, meaning in ranked if rank == best)

    def synonymous(self, meanings: frozenset[int]) -> frozenset[int]:
        """Those of the meanings whose words mean the same, and are not only related."""
        return meanings & self._synonymous

    def _rank(self, term: str, meaning: int) -> int:
        return [_phrase(synonym) for synonym in self._lines[meaning][1]].index(term)

    def is_chinese_word(self, text: str) -> bool:
        return text in self._chinese

    def is_english_word(self, word: str) -> bool:
        return word in self._words

    def synonyms(self, term: str) -> list[str]:
        """All terms that share a meaning with this one, in both languages, in the order of the glossary."""
        synonyms = dict.fromkeys(
            synonym
            for meaning in sorted(self.meanings(term))
            for side in self._lines[meaning]
            for synonym in side
        )
        synonyms.pop(term, None)
        return list(synonyms)

    def __len__(self) -> int:
        return len(self._lines)


def _phrase(term: str) -> str:
    if term.isalpha():
        return singular(term)
    return " ".join(singular(word) for word in term.replace("-", " ").replace("'", " ").split())


@cache
def glossary() -> Glossary:
    """The built-in glossary, loaded on first use (a few milliseconds)."""
    return Glossary(files("text2sql.schema").joinpath("glossary.tsv").read_text("utf-8").splitlines())
