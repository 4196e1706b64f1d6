"""Split names of tables and columns into words."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from text2sql.text_normalization import singular

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CJK = r"\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_PIECE = re.compile(rf"[A-Za-z]+|[{_CJK}]+|[%$€£¥]|[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_IS_CJK = re.compile(rf"[{_CJK}]+")
_BRACKETS = re.compile(r"[(\[【]([^()\[\]【】]*)[)\]】]")
# The last word of two that are written as one: `orderdate`, `unitprice`, `custname`.
_ENDINGS = (
    "date time price name code type amount quantity count status number total salary income address".split()
)
_WHOLE = frozenset(
    "update candidate mandate validate runtime lifetime overtime sometime discount account subtotal surname "
    "username rename prototype barcode zipcode postcode headcount".split()
)
# `number_of_orders` is a number, `date_of_birth` a date, `units_in_stock` are units: the head comes first.
_AFTER_HEAD = frozenset("of per by in on for at to from".split())


@dataclass(frozen=True, slots=True)
class Name:
    """A name as words, without text in brackets. English words are lower case; a run of Chinese characters is
    one word.
    """

    words: tuple[str, ...]  # as written: `orders`
    singulars: tuple[str, ...]  # `order`
    chinese: str  # its Chinese characters
    digits: tuple[str, ...] = ()  # `2` in `address2`; they are no words

    @property
    def head(self) -> tuple[str, ...]:
        """The words up to a preposition, if words follow it and precede it."""
        for index, word in enumerate(self.words[1:-1], start=1):
            if word in _AFTER_HEAD:
                return self.singulars[:index]
        return self.singulars

    @property
    def last(self) -> str:
        return self.singulars[-1] if self.singulars else ""

    def without_first(self, count: int) -> "Name":
        """The name without a prefix of so many words: `name` for `cust_name`."""
        words = self.words[count:]
        chinese = "".join(word for word in words if _IS_CJK.fullmatch(word))
        return Name(words, self.singulars[count:], chinese, self.digits) if words else self

    def has(self, vocabulary: frozenset[str]) -> bool:
        return not vocabulary.isdisjoint(self.singulars)


@lru_cache(maxsize=50_000)
def name_words(name: str) -> Name:
    text = unicodedata.normalize("NFKC", name)
    plain = _CAMEL.sub(" ", _BRACKETS.sub(" ", text).strip(" _") or text)
    words = tuple(word for piece in _PIECE.findall(plain) for word in _parts(piece))
    chinese = "".join(word for word in words if _IS_CJK.fullmatch(word))
    return Name(words, tuple(map(singular, words)), chinese, tuple(_DIGITS.findall(plain)))


def in_brackets(text: str) -> list[str]:
    return _BRACKETS.findall(unicodedata.normalize("NFKC", text))


def _parts(piece: str) -> tuple[str, ...]:
    word = piece.lower()
    if word in _WHOLE or not word.isascii():
        return (word,)
    if word.startswith("num") and len(word) > 6 and word != "numeric":
        return ("num", word.removeprefix("num"))
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return (word.removesuffix(ending), ending)
    return (word,)


@lru_cache(maxsize=50_000)
def readable(name: str) -> str:
    """The name as a reader would write it: `unit price` for `UnitPrice`."""
    text = unicodedata.normalize("NFKC", name)
    return " ".join(_CAMEL.sub(" ", text.replace("_", " ")).lower().split())
