"""The words of conversation, both languages together, because messages mix them: `en.toml` and `zh.toml`.

A *cue* is a word or a literal phrase of a kind of talk, a *frame* an expression with gaps. A word that
narrows, counts, orders or names data ("only", "how many", "top", 多少, 按) is in no list of single words.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias, get_args

TalkKind: TypeAlias = Literal[
    "describe", "row_count", "cause", "advice", "remove", "language", "sort", "style", "schema", "export",
    "chart", "complaint", "examples", "tables", "thanks", "farewell", "certainty", "explain", "again",
    "capabilities", "identity", "greeting", "world", "chat",
]  # fmt: skip
# In order of precedence.
KINDS: tuple[TalkKind, ...] = get_args(TalkKind)

RUNS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+", re.IGNORECASE)
_YOU = re.compile(r"\b(?:you|your|yourself|this)\b|[你您这]")
CJK = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class DescribeExpressions:
    """Questions about a table itself."""

    aspect: re.Pattern[str]  # columns, contains …
    aspect_of_chinese_name: re.Pattern[str]
    count: re.Pattern[str]  # how many rows
    frame: re.Pattern[str]  # all other words that may be there
    unknown: re.Pattern[str]  # captures the name of a table that may not exist


@dataclass(frozen=True, slots=True)
class Lexicon:
    words: frozenset[str]  # common words and cues of one word
    meta: frozenset[str]  # words of conversation and of questions
    cues: Mapping[str, tuple[str, ...]]
    frames: Mapping[str, tuple[re.Pattern[str], ...]]
    phrases: re.Pattern[str]  # cues of several words; apart, their words may belong to a question
    chinese: re.Pattern[str]  # Chinese words, to find those that the schema's tokenizer cuts differently
    analytic: re.Pattern[str]
    cause: re.Pattern[str]
    advice: re.Pattern[str]
    describe: DescribeExpressions
    charts: Mapping[str, str]  # word → kind of chart
    formats: Mapping[str, str]  # word → ending of a file
    languages: Mapping[str, str]  # word → language of a reply

    def has_cue(self, kind: str, text: str) -> bool:
        plain = f" {text} "
        if kind == "identity" and not _YOU.search(text):
            return False
        return any(
            cue in plain if CJK.search(cue) else f" {cue} " in plain for cue in self.cues.get(kind, ())
        )

    def has_frame(self, kind: str, text: str) -> bool:
        return any(frame.search(text) for frame in self.frames.get(kind, ()))

    def covers(self, text: str) -> bool:
        """Whether every word of the text belongs to conversation."""
        runs = RUNS.findall(self.phrases.sub(" ", text))
        return bool(RUNS.search(text)) and all(self._covers(run) for run in runs)

    def knows(self, word: str) -> bool:
        """`listening` is as much conversation as `listen`."""
        return any(form in self.words for form in (word, *_stems(word)))

    def is_conversation(self, word: str) -> bool:
        """Whether a word of a question is also a word of conversation."""
        return word in self.meta or self.covers(word)

    def _covers(self, run: str) -> bool:
        """Whether the run is a word, or Chinese that can be cut into words."""
        if not CJK.match(run):
            return self.knows(run)
        ends = {0}
        for start in range(len(run)):
            if start in ends:
                ends |= {end for end in range(start + 1, len(run) + 1) if run[start:end] in self.words}
        return len(run) in ends


def _stems(word: str) -> Iterator[str]:
    for ending in ("ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word.removesuffix(ending)
            yield from (stem, f"{stem}e")


@cache
def lexicon() -> Lexicon:
    files = [_load(language) for language in ("en", "zh")]
    cues: dict[str, tuple[str, ...]] = {}
    frames: dict[str, tuple[re.Pattern[str], ...]] = {}
    for data in files:
        for kind, text in data["cues"].items():
            cues[kind] = (*cues.get(kind, ()), *_split(text))
        for kind, patterns in data["frames"].items():
            frames[kind] = (*frames.get(kind, ()), *map(re.compile, patterns))
    all_cues = [cue for texts in cues.values() for cue in texts]
    phrases = sorted((cue for cue in all_cues if " " in cue), key=len, reverse=True)
    words, meta = (
        {word for data in files for word in _split(data[section])} for section in ("common", "meta")
    )
    chinese = sorted(filter(_is_chinese_word, (*all_cues, *meta)), key=len, reverse=True)
    return Lexicon(
        words=frozenset(words | {cue for cue in all_cues if " " not in cue}),
        meta=frozenset(meta),
        cues=cues,
        frames=frames,
        phrases=re.compile("|".join(rf"(?<!\S){re.escape(phrase)}(?!\S)" for phrase in phrases)),
        chinese=re.compile("|".join(chinese)),
        analytic=_either(data["analytic"] for data in files),
        cause=_either(data["judgement"]["cause"] for data in files),
        advice=_either(data["judgement"]["advice"] for data in files),
        describe=DescribeExpressions(
            *(
                _either(data["describe"][field.name] for data in files)
                for field in fields(DescribeExpressions)
            )
        ),
        charts=_by_word(files, "charts"),
        formats=_by_word(files, "formats"),
        languages=_by_word(files, "languages"),
    )


def _load(language: str) -> dict[str, Any]:
    return tomllib.loads(
        resources.files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    )


def _split(text: str) -> Iterator[str]:
    return (part.strip() for part in re.split(r"[,，\n]", text) if part.strip())


def _either(patterns: Iterator[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def _is_chinese_word(word: str) -> bool:
    return len(word) > 1 and CJK.match(word) is not None


def _by_word(files: list[dict[str, Any]], section: str) -> dict[str, str]:
    return {word: name for data in files for name, words in data[section].items() for word in words}
