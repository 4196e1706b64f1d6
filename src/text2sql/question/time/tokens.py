"""Cut a question into tokens: words and phrases of the lexicon, numbers, dates in digits, other signs."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from text2sql.question.time.lexicon import Tags, canonical, lexicon
from text2sql.question.time.numerals import CHARACTERS, chinese_number

LITERALS: set[str] = set()  # Chinese words of the rules; `grammar.rule` adds them
_SKIPPED = frozenset(("the", "'", '"', "“", "”", "‘", "’"))
_NUMBER_LENGTH = 8  # longer digits are identifiers
_DATES = r"""
  (?P<ymd>(?<![\d./-])(?:1[5-9]|2\d)\d\d(?P<sep>[-/.])\d{1,2}(?P=sep)\d{1,2}(?![\d/]|-\d|\.\d))
| (?P<compact>(?<![\d./-])(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?![\d./-]))
| (?P<xyz>(?<![\d./-])\d{1,2}(?P<sep2>[-/.])\d{1,2}(?P=sep2)(?:(?:19|20)\d\d|\d\d)(?![\d/]|-\d|\.\d))
| (?P<ym>(?<![\d./-])(?:19|20)\d\d[-/](?:0?[1-9]|1[0-2])(?![\d/]|-\d|\.\d))
| (?P<my>(?<![\d./-])(?:0?[1-9]|1[0-2])/(?:19|20)\d\d(?![\d/]|-\d|\.\d))
| (?P<clock>(?<![\d:])(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?![\d:]))
| (?P<short_year>['’]\d\d(?!\w))
"""


@dataclass(frozen=True, slots=True)
class Token:
    text: str  # as in the lexicon: lower case
    begin: int
    end: int
    tags: Tags


@cache
def _pattern() -> re.Pattern[str]:
    phrases = sorted({*lexicon().phrases, *LITERALS}, key=len, reverse=True)
    english = "|".join(re.escape(p).replace(r"\ ", r"[\s\-‐‑]+") for p in phrases if p.isascii())
    chinese = "|".join(re.escape(p) for p in phrases if not p.isascii())
    return re.compile(
        rf"""{_DATES}
        | (?P<phrase>(?<![A-Za-z])(?:{english})(?![A-Za-z])|{chinese})
        | (?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?)
        | (?P<numeral>[{CHARACTERS}]+)
        | (?P<word>[A-Za-z]+)
        | (?P<possessive>['’]s(?![A-Za-z]))
        | (?P<other>\S)""",
        re.VERBOSE | re.IGNORECASE,
    )


def normalize(question: str) -> str:
    return unicodedata.normalize("NFKC", question)


def tokenize(text: str) -> list[Token]:
    """The tokens of a normalized question. White space, quotes and *the* are left out."""
    return list(_ordinals_joined(text, list(_tokens(text))))


def _tokens(text: str) -> Iterator[Token]:
    for match in _pattern().finditer(text):
        kind = match.lastgroup or ""
        written = match[0]
        if kind in ("sep", "sep2"):
            kind = "ymd" if match["ymd"] else "xyz"
        if written.lower() in _SKIPPED:
            continue
        name = "'s" if kind == "possessive" else canonical(written) if kind == "phrase" else written.lower()
        yield Token(name, match.start(), match.end(), _tags(kind, written, name))


def _tags(kind: str, written: str, name: str) -> Tags:
    tags: dict[str, Any] = dict(lexicon().tags.get(name, {}))
    if kind == "number" and len(written) <= _NUMBER_LENGTH and written.isascii() and written.isdigit():
        tags["number"] = int(written)
        tags["digits"] = len(written)
        if len(written) == 4 and written[:2] in ("19", "20"):
            tags["year_number"] = int(written)
    elif kind == "numeral" and len(written) <= _NUMBER_LENGTH:
        tags["number"] = chinese_number(written)
        tags["numeral"] = len(written)
        if len(written) == 4 and 1900 <= tags["number"] < 2100:
            tags["chinese_year"] = tags["number"]
    elif kind in ("ymd", "xyz", "ym", "my", "clock"):
        tags[kind] = tuple(int(part) for part in re.findall(r"\d+", written))
        if kind == "xyz" and "." in written:
            tags["dotted"] = True
    elif kind == "compact":
        tags["ymd"] = int(written[:4]), int(written[4:6]), int(written[6:])
    elif kind == "short_year":
        tags["short_year"] = int(written[1:])
    return tags


def _ordinals_joined(text: str, tokens: list[Token]) -> Iterator[Token]:
    """Join *21* and *st*, *twenty* and *first*, *1990* and *s*."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        joined = _joined(token, following) if following else None
        if joined and following:
            yield Token(text[token.begin : following.end].lower(), token.begin, following.end, joined)
            index += 2
        else:
            yield token
            index += 1


def _joined(token: Token, following: Token) -> Tags | None:
    number = token.tags.get("number")
    if number is None:
        return None
    adjacent = following.begin == token.end
    if adjacent and following.text in ("st", "nd", "rd", "th") and "digits" in token.tags:
        return {"ordinal": number}
    if adjacent and following.text in ("s", "'s") and "digits" in token.tags and number % 10 == 0:
        return {"decade": number if number >= 100 else 1900 + number if number > 20 else 2000 + number}
    if "digits" not in token.tags and "numeral" not in token.tags and number in range(20, 100, 10):
        ones = following.tags.get("ordinal", 0) if following.begin - token.end == 1 else 0
        if 0 < ones < 10:
            return {"ordinal": number + ones}
        ones = following.tags.get("number", 0)
        if 0 < ones < 10 and "digits" not in following.tags:
            return {"number": number + ones}
    return None
