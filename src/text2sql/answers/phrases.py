"""Phrases of sentences about results, from `phrases.toml`, and the small grammar that they need."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from string import Formatter

from text2sql.i18n import Language
from text2sql.result_columns.headers import plural, vocabulary
from text2sql.text_normalization import singular

_MARKS = frozenset("，。：；、（）“”【】《》 ·")
_PLURAL_NOUNS = frozenset("people children men women staff sales".split())
_WITHOUT_ARTICLE = frozenset(
    "revenue sales profit income turnover spending growth inventory stock demand gmv churn".split()
)
_SUPERLATIVES = (
    "average ",
    "lowest ",
    "highest ",
    "number ",
    "share",
    "percentage",
    "ratio",
    "median ",
    "running total ",
    "moving average ",
    "change",
)


@cache
def phrases() -> Mapping[str, Mapping[str, str]]:
    text = resources.files("text2sql.answers").joinpath("phrases.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def phrase(key: str, lang: Language, **facts: object) -> str:
    template = phrases()[key][lang]
    if lang == "en":
        return template.format_map(facts)
    text = ""
    for literal, name, _, _ in Formatter().parse(template):
        text = beside(beside(text, literal), str(facts[name]) if name else "")
    return text


def beside(left: str, right: str) -> str:
    """Two pieces of a Chinese sentence, with a space between Chinese characters and letters or digits, and
    between a Latin name and its number.
    """
    if not left or not right or {left[-1], right[0]} & _MARKS:
        return left + right
    are_apart = _is_latin(left[-1]) != _is_latin(right[0]) or (left[-1].isalpha() and right[0].isdigit())
    return f"{left}{' ' if are_apart else ''}{right}"


def _is_latin(character: str) -> bool:
    return character < "\u2e80"


def joined(items: Sequence[str], lang: Language) -> str:
    """A list in a sentence: *a, b and c*."""
    if len(items) < 2:
        return "".join(items)
    if lang == "zh":
        return beside(beside("、".join(items[:-1]), "和"), items[-1])
    return f"{', '.join(items[:-1])} and {items[-1]}"


def capitalized(text: str) -> str:
    """For the start of a sentence. A name such as iPhone keeps its case."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].islower() else text


def is_plural(noun: str) -> bool:
    last = noun.rpartition(" ")[2].lower()
    if noun.lower().startswith(_SUPERLATIVES):
        return False
    return last in _PLURAL_NOUNS or (
        last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 3
    )


def be(noun: str, *, past: bool) -> str:
    plural_noun = is_plural(noun)
    return ("were" if plural_noun else "was") if past else ("are" if plural_noun else "is")


def have(noun: str) -> str:
    return "have" if is_plural(noun) else "has"


def with_article(noun: str) -> str:
    """The noun as an English subject: *the average total*, but *revenue* and *total sales*."""
    last = noun.rpartition(" ")[2].lower()
    if noun.lower().startswith(_SUPERLATIVES):
        return f"the {noun}"
    if noun.lower().startswith("total ") or last in _WITHOUT_ARTICLE or not noun.isascii():
        return noun
    return f"the {noun}"


def counted(number: int, digits: str, things: str, lang: Language) -> str:
    """*12 customers*, *1 customer*, *12 位客户*; `things` is a plural in English."""
    if lang == "zh":
        measure = measure_word(things)
        return beside(beside(digits, measure), things)
    return f"{digits} {singular_of(things) if number == 1 else things}".strip()


def measure_word(things: str) -> str:
    words: Mapping[str, str] = vocabulary()["measure_words"]
    for length in range(min(4, len(things)), 0, -1):
        if things[-length:] in words:
            return words[things[-length:]]
    return "个" if things else "项"


def singular_of(things: str) -> str:

    head, space, last = things.rpartition(" ")
    irregular = {"people": "person", "children": "child", "men": "man", "women": "woman"}
    return f"{head}{space}{irregular.get(last.lower()) or singular(last)}"


def plural_of(noun: str, lang: Language) -> str:
    return noun if lang == "zh" else plural(noun)
