"""Tokenize questions and schema names in the same way: words, stems, meanings and expanded abbreviations.

A token is a word, a stem (`~…`) or the number of a meaning in the glossary.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from text2sql.schema.glossary import LONGEST_PHRASE, glossary
from text2sql.schema.stopwords import vocabulary
from text2sql.text_normalization import singular

Token: TypeAlias = str | int
_AddToken: TypeAlias = Callable[[Token, float], None]

_CJK = r"\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_PIECE = re.compile(rf"[{_CJK}]+|\d+(?:[.,:/-]\d+)*|[^\W\d_{_CJK}]+(?:['’]s\b)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s\b)")
_IS_CJK = re.compile(rf"[{_CJK}]")
_SUFFIXES = tuple(
    "ization isation ations ation ments ment ness ings ing ants ant ents ent ors or ers er ions ion ies ied "
    "ances ance ences ence ally al ly ed es e y s".split()
)
_STEM = 4  # least length of a stem
_WORD, _SHORT, _MEANING, _ROOT = 1.0, 0.9, 0.75, 0.6  # confidence by kind of token


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question, or a phrase of the glossary; `start` and `end` refer to `folded(question)`."""

    text: str
    start: int
    end: int
    word: str  # lower case and singular
    meanings: frozenset[int] = frozenset()
    is_chinese: bool = False
    is_number: bool = False
    is_known: bool = True  # False: Chinese characters that are in no word list; they may be a name
    is_phrase: bool = False  # several words, which are also terms of their own

    @property
    def is_general(self) -> bool:
        stopwords = vocabulary()
        return stopwords.is_general(self.word) or stopwords.is_general(self.text.lower())


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def has_cjk(text: str) -> bool:
    return _IS_CJK.search(text) is not None


@lru_cache(maxsize=1_000)
def terms(question: str) -> tuple[Term, ...]:
    """The terms of a question in order; a phrase follows its words."""
    text = folded(question)
    all_terms: list[Term] = []
    english: list[Term] = []
    for match in _PIECE.finditer(text):
        start, end = match.span()
        if _IS_CJK.match(text, start):
            all_terms += _with_phrases(english)
            english = []
            all_terms += _chinese(match.group(), start)
        elif match.group()[0].isdecimal():
            english.append(Term(match.group(), start, end, match.group(), is_number=True))
        else:
            english += _english(match.group(), start)
    return (*all_terms, *_with_phrases(english))


def _english(piece: str, start: int) -> Iterator[Term]:
    bare = re.sub(r"['’]s$", "", piece)
    position = start
    for part in _CAMEL.split(bare):
        word = singular(part.lower())
        yield Term(part, position, position + len(part), word, _english_meanings(word))
        position += len(part)


def _english_meanings(word: str) -> frozenset[int]:
    """The meanings of the word, and of the verb that it may be a form of."""
    known_words = glossary()
    return known_words.meanings(word).union(*map(known_words.meanings, _infinitives(word)))


def _infinitives(word: str) -> tuple[str, ...]:
    if word.endswith("ed"):
        return (word[:-1], word[:-2], word[:-3])  # rate-d, work-ed, stop-ped
    if word.endswith("ing"):
        return (word[:-3], word[:-3] + "e", word[:-4])
    return ()


def _with_phrases(english: list[Term]) -> list[Term]:
    """The terms with phrases added. Words inside a phrase lose their own meanings: the `credit` of a credit
    card is not a course credit.
    """
    known_words = glossary()
    with_phrases: list[Term] = []
    index = 0
    while index < len(english):
        for count in range(min(LONGEST_PHRASE, len(english) - index), 1, -1):
            group = english[index : index + count]
            word = " ".join(term.word for term in group)
            if meanings := known_words.meanings(word):
                with_phrases += [Term(term.text, term.start, term.end, term.word) for term in group]
                phrase = " ".join(term.text for term in group)
                with_phrases.append(
                    Term(phrase, group[0].start, group[-1].end, word, meanings, is_phrase=True)
                )
                index += count
                break
        else:
            with_phrases.append(english[index])
            index += 1
    return with_phrases


def _chinese(run: str, start: int) -> list[Term]:
    """Segment Chinese text into known words by least cost; unknown characters stay together."""
    known_words, general = glossary(), vocabulary().chinese
    cost: list[float] = [0.0]
    cut: list[tuple[int, bool]] = [(0, True)]
    for end in range(1, len(run) + 1):
        best_cost, best_cut = cost[end - 1] + 3.0, (end - 1, False)
        for begin in range(max(0, end - known_words.longest_chinese), end):
            piece = run[begin:end]
            if piece in general or known_words.is_chinese_word(piece):
                total = cost[begin] + _word_cost(piece)
                if total < best_cost:
                    best_cost, best_cut = total, (begin, True)
        cost.append(best_cost)
        cut.append(best_cut)
    pieces: list[tuple[int, int, bool]] = []
    end = len(run)
    while end:
        begin, is_known = cut[end]
        if pieces and not is_known and not pieces[-1][2]:
            pieces[-1] = (begin, pieces[-1][1], False)
        else:
            pieces.append((begin, end, is_known))
        end = begin
    return [
        Term(
            run[begin:end],
            start + begin,
            start + end,
            run[begin:end],
            known_words.meanings(run[begin:end]),
            is_chinese=True,
            is_known=is_known,
        )
        for begin, end, is_known in reversed(pieces)
    ]


def _word_cost(word: str) -> float:
    """The cost of a word in the segmentation. A single character is a word only if nothing longer fits,
    except 的, which nearly always is one (项目|的).
    """
    if len(word) > 1:
        return 1.0
    return 1.2 if word == "的" else 1.6


def stem(word: str) -> str:
    """A rough stem, the same for `enrolled` and `enrollment`: a hint, not linguistically exact."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM:
            return stem(word[: -len(suffix)])  # stud-y-ing
    return word


@lru_cache(maxsize=50_000)
def tokens(name: str) -> dict[Token, float]:
    """All tokens of a name or a comment with their confidence. Cached: do not modify the result."""
    confidences: dict[Token, float] = {}

    def add(token: Token, confidence: float) -> None:
        if confidences.get(token, 0.0) < confidence:
            confidences[token] = confidence

    for term in terms(name.replace("_", " ")):
        for meaning in term.meanings:
            add(meaning, _MEANING)
        if term.is_chinese:
            for pair in pairs(term.word):
                add(pair, _WORD)
        elif not term.is_phrase:
            _add_word(term.word, add)
    if has_cjk(name):  # pairs across words too, so that another segmentation of the same text still matches
        for match in re.finditer(rf"[{_CJK}]+", folded(name)):
            for pair in pairs(match.group()):
                add(pair, _WORD)
    return confidences


def _add_word(word: str, add: _AddToken) -> None:
    add(word, _WORD)
    add("~" + stem(word), _ROOT)
    for meaning in glossary().meanings(word):  # `GovernmentForm` is about governments too
        add(meaning, _ROOT)
    for long_form in _expand(word):
        _add_long_form(long_form, add)


def _add_long_form(long_form: str, add: _AddToken) -> None:
    for meaning in glossary().meanings(long_form):
        add(meaning, _MEANING)
    for word in long_form.split():
        add(singular(word), _SHORT)
        add("~" + stem(singular(word)), _ROOT)
        for meaning in glossary().meanings(singular(word)):
            add(meaning, _MEANING)


def pairs(run: str) -> list[str]:
    """The character bigrams of a Chinese text; the text itself if it is shorter than three."""
    return [run] if len(run) < 3 else [run[index : index + 2] for index in range(len(run) - 1)]


@lru_cache(maxsize=20_000)
def _expand(word: str) -> tuple[str, ...]:
    """The long forms of an abbreviation, and the parts of two words written as one: `custid`, `hiredate`."""
    abbreviations = vocabulary().abbreviations
    if word in abbreviations:
        return abbreviations[word]
    if len(word) < 5 or not word.isascii() or is_word(word):
        return ()
    for index in range(len(word) - 2, 1, -1):
        left, right = word[:index], word[index:]
        if _is_part(left) and _is_part(right):
            return tuple(long for part in (left, right) for long in abbreviations.get(part, (part,)))
    return ()


def is_word(word: str) -> bool:
    return glossary().is_english_word(word) or word in vocabulary().english


def _is_part(part: str) -> bool:
    if part == "id" or part in vocabulary().abbreviations:
        return True
    return len(part) > 2 and is_word(singular(part))
