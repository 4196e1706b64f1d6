"""Normalize text so that questions and schemas can be compared: split identifiers, singular forms, Chinese
bigrams.
"""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[A-Za-z]+|\d+|[^\W\d_a-zA-Z]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]+")
# Stop words of questions.
_STOP = frozenset(
    "a all an and any are as at be by can could did do does each every find for from get give had has "
    "have how i in into is it its list many me much my no not of on or our out please show tell than "
    "that the their them there these they this those to us was we were what when where which who "
    "whose why will with would you your".split()
)

_EXPRESSION = re.compile(r"[A-Za-z_]\(.*\)|\bCASE\b|\s[-+*/|]+\s", re.DOTALL)
_INVARIANT = frozenset(("news", "series", "species"))
_IN_IE = frozenset(("calories", "cookies", "movies", "rookies", "selfies", "zombies"))


def is_expression(name: str) -> bool:
    """Whether the name of a result column is an SQL expression, which engines use for unnamed columns."""
    return _EXPRESSION.search(name) is not None


@lru_cache(maxsize=50_000)
def words(text: str) -> tuple[str, ...]:
    """The content words of a text, normalized: `OrderItems` and `order_items` both give order, item."""
    content_words: list[str] = []
    for piece in _WORD.findall(_CAMEL.sub(" ", unicodedata.normalize("NFKC", text))):
        if _CJK.fullmatch(piece):
            content_words += [piece] if len(piece) == 1 else [piece[i : i + 2] for i in range(len(piece) - 1)]
        elif piece.lower() not in _STOP:
            content_words.append(singular(piece.lower()))
    return tuple(content_words)


def singular(word: str) -> str:
    """A rough singular. Both sides of a comparison use it, so it need not be exact."""
    if word in _INVARIANT:
        return word
    if word in _IN_IE:
        return word[:-1]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def normalised(text: str) -> str:
    """The value without differences of case, accents, character width and white space."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    bare = "".join(character for character in folded if not unicodedata.combining(character))
    return " ".join(bare.split())


def has_chinese(text: str) -> bool:
    return _CJK.search(text) is not None


def printable(text: str) -> str:
    """Escape unprintable characters, such as terminal control sequences in names and values."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode()
        for character in text
    )
