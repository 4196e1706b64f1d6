"""Find the words of a question that say what to compute: *how many*, *average*, *top 5*, 占比.

The patterns are in `cues_en.toml` and `cues_zh.toml`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal

from text2sql.types import Cue

Language = Literal["en", "zh"]

_CJK = re.compile(r"[\u3400-\u9fff]")
_CHINESE_DIGITS = "零一二三四五六七八九"
_FACTORS = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "万": 1e4, "亿": 1e8}
_PLAIN_NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s*(k|m|thousand|million|万|亿)?")


@cache
def _file(language: Language) -> Mapping[str, Any]:
    text = resources.files("text2sql.question").joinpath(f"cues_{language}.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def _patterns(language: Language) -> tuple[tuple[str, re.Pattern[str]], ...]:
    start, end = (r"(?<![a-z0-9])", r"(?![a-z0-9])") if language == "en" else ("", "")
    return tuple(
        (kind, re.compile(f"{start}(?:{pattern}){end}"))
        for kind, patterns in _file(language)["cues"].items()
        for pattern in patterns
    )


def find_cues(text: str) -> list[Cue]:
    """All cues in a text in lower case, also overlapping ones, in the order of the text."""
    languages: tuple[Language, ...] = ("zh", "en") if _CJK.search(text) else ("en",)
    cues = [cue for language in languages for cue in _find(text, language)]
    return sorted(cues, key=lambda cue: (cue.start, -cue.end))


def _find(text: str, language: Language) -> Iterator[Cue]:
    for kind, pattern in _patterns(language):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            yield Cue(
                kind,
                match.group(),
                match.start(),
                match.end(),
                read_number(groups.get("n") or ""),
                read_number(groups.get("m") or ""),
                groups.get("unit") or "",
            )


def read_number(text: str) -> float | None:
    """A number in digits or words: `1,200`, `5k`, *twice*, 十二; None if the text is no number."""
    text = text.strip().strip("$€£¥").strip(",.")
    for language in ("en", "zh"):
        known: Mapping[str, float] = _file(language)["numbers"]
        if text in known:
            return float(known[text])
    if match := _PLAIN_NUMBER.fullmatch(text):
        return float(match[1].replace(",", "")) * _FACTORS.get(match[2] or "", 1.0)
    return _chinese_number(text)


def _chinese_number(text: str) -> float | None:
    if not text or any(character not in _CHINESE_DIGITS + "十百千两" for character in text):
        return None
    total, digit = 0, 0
    for character in text.replace("两", "二"):
        if character in "十百千":
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[character]
            digit = 0
        else:
            digit = _CHINESE_DIGITS.index(character)
    return float(total + digit)
