"""Recognizes a message of which every word belongs to conversation, in whatever order: "that is not what I
asked". A word that a question about the data needs (a name, a value, "how many", "by", "top") is in no list,
so one such word keeps a message a question. A word of `topics` ("weather", 颜色) belongs to conversation
unless the schema knows it.

The words are in `vocabulary.toml`, both languages together, because messages mix them.
"""

import re
import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TypeVar

Kind = TypeVar("Kind", bound=str)

_RUNS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")
_CJK = re.compile(r"[\u3400-\u9fff]")
_YOU = re.compile(r"\b(?:you|your|yourself|this)\b|[你您这]")
_SOMEBODY = re.compile(r"\b(?:you|your|i|my)\b|[你您我咱]")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    cues: Mapping[str, tuple[str, ...]]  # kind of talk → words and phrases that decide for it
    words: frozenset[str]
    topics: frozenset[str]
    phrases: tuple[tuple[str, ...], ...]  # cues of several words; apart, their words may belong to a question

    def kind_of(self, text: str, kinds: Sequence[Kind], names: Container[str] = ()) -> Kind | None:
        """The first of the kinds that a cue decides for, if there is no word beyond the vocabulary. `names`
        are the topics that the schema knows.
        """
        if not self.covers(text, names):
            return None
        plain = f" {' '.join(_RUNS.findall(text))} "
        return next((kind for kind in kinds if self._decides(kind, plain)), None)

    def _decides(self, kind: str, plain: str) -> bool:
        """Whether a cue of the kind occurs. A topic is chat, and "robot" asks who this is, only where one of
        the two is talked about.
        """
        if kind == "identity" and not _YOU.search(plain):
            return False
        topics = self.topics if kind == "chat" and _SOMEBODY.search(plain) else ()
        return any(_occurs(cue, plain) for cue in (*self.cues.get(kind, ()), *topics))

    def covers(self, text: str, names: Container[str] = ()) -> bool:
        """Whether there is no word beyond the vocabulary."""
        runs = _RUNS.findall(text)
        in_phrases = {
            position
            for phrase in self.phrases
            for start in range(len(runs) - len(phrase) + 1)
            if tuple(runs[start : start + len(phrase)]) == phrase
            for position in range(start, start + len(phrase))
        }
        return bool(runs) and all(
            position in in_phrases or self._covers(run, names) for position, run in enumerate(runs)
        )

    def _covers(self, run: str, names: Container[str]) -> bool:
        """Whether the run is a word, or Chinese that can be cut into words."""
        if not _CJK.match(run):
            return self._is_word(run, names)
        ends = {0}
        for start in range(len(run)):
            if start in ends:
                ends |= {
                    end for end in range(start + 1, len(run) + 1) if self._is_word(run[start:end], names)
                }
        return len(run) in ends

    def _is_word(self, text: str, names: Container[str]) -> bool:
        """`listening` is as much conversation as `listen`."""
        if text in self.topics:
            return text not in names
        return any(form in self.words for form in (text, *_stems(text)))


def _stems(word: str) -> Iterator[str]:
    for ending in ("ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word.removesuffix(ending)
            yield from (stem, f"{stem}e")


def _occurs(cue: str, plain: str) -> bool:
    return cue in plain if _CJK.search(cue) else f" {cue} " in plain


@cache
def vocabulary() -> Vocabulary:
    data = tomllib.loads(resources.files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8"))
    cues = {kind: tuple(_split(text)) for kind, text in data["cues"].items()}
    topics = frozenset(_split(data["topics"]))
    cue_runs = [tuple(_RUNS.findall(cue)) for texts in cues.values() for cue in texts]
    words = {*_split(data["common"]), *(runs[0] for runs in cue_runs if len(runs) == 1)} - topics
    return Vocabulary(cues, frozenset(words), topics, tuple(runs for runs in cue_runs if len(runs) > 1))


def _split(text: str) -> Iterator[str]:
    return (part.strip() for part in re.split(r"[,，\n]", text) if part.strip())
