"""Recognizes a message of which every word belongs to conversation, in whatever order: "that is not what I
asked". A word that a question about the data needs (a name, a value, "how many", "by", "top") is in no list,
so one such word keeps a message a question.

The words are in `vocabulary.toml`, both languages together, because messages mix them.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TypeVar

Kind = TypeVar("Kind", bound=str)

_RUNS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")
_CJK = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    cues: Mapping[str, tuple[str, ...]]  # kind of talk → words and phrases that decide for it
    words: frozenset[str]

    def kind_of(self, text: str, kinds: Sequence[Kind]) -> Kind | None:
        """The first of the kinds that a cue decides for, if there is no word beyond the vocabulary."""
        if not self.covers(text):
            return None
        runs = _RUNS.findall(text)
        plain = f" {' '.join(runs)} "
        return next(
            (kind for kind in kinds if any(_occurs(cue, plain) for cue in self.cues.get(kind, ()))), None
        )

    def covers(self, text: str) -> bool:
        """Whether there is no word beyond the vocabulary."""
        runs = _RUNS.findall(text)
        return bool(runs) and all(self._covers(run) for run in runs)

    def _covers(self, run: str) -> bool:
        """Whether the run is a word, or Chinese that can be cut into words."""
        if not _CJK.match(run):
            return run in self.words
        ends = {0}
        for start in range(len(run)):
            if start in ends:
                ends |= {end for end in range(start + 1, len(run) + 1) if run[start:end] in self.words}
        return len(run) in ends


def _occurs(cue: str, plain: str) -> bool:
    return cue in plain if _CJK.search(cue) else f" {cue} " in plain


@cache
def vocabulary() -> Vocabulary:
    data = tomllib.loads(resources.files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8"))
    cues = {kind: tuple(_split(text)) for kind, text in data["cues"].items()}
    words = {
        *_split(data["common"]),
        *(run for cue in cues.values() for text in cue for run in _RUNS.findall(text)),
    }
    return Vocabulary(cues, frozenset(words))


def _split(text: str) -> Iterator[str]:
    return (part.strip() for part in re.split(r"[,，\n]", text) if part.strip())
