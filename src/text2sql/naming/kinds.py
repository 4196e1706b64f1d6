"""The kind of a column, from its name, type and keys, and from facts about its values if they are known.

English names are read from their last word, Chinese names from their ending; `vocabulary.toml` has the words.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from text2sql.naming.types import TypeClass, type_class
from text2sql.naming.units import is_unit
from text2sql.naming.words import Name, name_words
from text2sql.text_normalization import singular
from text2sql.types import Column, ColumnKind, ColumnProfile, Table

FEW = 50  # distinct values of a category
_LONG = 60  # characters of the average text that is neither a name nor a category
_YES_NO = [
    frozenset(pair.split()) for pair in ("yes no", "y n", "true false", "t f", "是 否", "有 无", "0 1")
]
_NOT_IDS = frozenset(
    "paid bid grid valid invalid solid fluid rapid covid avoid acid void android prepaid unpaid raid maid "
    "said hybrid liquid".split()
)
_CODE_LIKE = re.compile(r"[A-Za-z]{0,5}[-_ ]?\d[\dA-Za-z-]*")
_PLAYED = frozenset("film movie video song track music dvd show episode recording clip".split())
_NUMERIC = ("rate", "duration", "score", "amount", "quantity", "average", "area", "coordinate")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    english: Mapping[str, frozenset[str]]  # by kind
    plural: Mapping[str, str]  # words that mean something else in the plural
    boolean_first: frozenset[str]
    date_last: frozenset[str]
    chinese: Mapping[str, frozenset[str]]  # by ending: kinds
    longest: int


@cache
def vocabulary() -> Vocabulary:
    entries = tomllib.loads(files("text2sql.naming").joinpath("vocabulary.toml").read_text("utf-8"))
    chinese: dict[str, set[str]] = {}
    for kind, entry in entries.items():
        for ending in entry["zh"].split():
            chinese.setdefault(ending, set()).add(kind)
    return Vocabulary(
        {kind: frozenset(entry["en"].split()) for kind, entry in entries.items()},
        {word: kind for kind, entry in entries.items() for word in entry.get("plural", "").split()},
        frozenset(entries["boolean"]["first"].split()),
        frozenset(entries["date"]["last"].split()),
        {ending: frozenset(kinds) for ending, kinds in chinese.items()},
        max(map(len, chinese)),
    )


def column_kind(table: Table, column: Column, profile: ColumnProfile | None = None) -> ColumnKind:
    kind = type_class(column.type)
    meaning = meaning_of(column.name)
    if kind in ("other", "binary"):
        return "other"
    if _is_key(table, column, meaning, kind):
        return "identifier"
    if kind == "boolean" or _is_boolean(column, kind, profile):
        return "boolean"
    if _is_time(kind, meaning, profile):
        is_time_of_day = kind == "time" or (profile is not None and profile.format.startswith("time"))
        return "time" if is_time_of_day else "date"
    if _is_numeric(kind, column, profile, meaning):
        return _number_kind(table, column, meaning, profile)
    return _text_kind(table, column, meaning, profile)


def _is_time(kind: TypeClass, meaning: str, profile: ColumnProfile | None) -> bool:
    if kind in ("date", "datetime", "time"):
        return True
    if profile is not None:
        return profile.format.startswith(("date", "time", "epoch", "year"))
    return kind in ("text", "") and meaning in ("date", "year")


@lru_cache(maxsize=50_000)
def meaning_of(name: str) -> str:
    """The entry of the vocabulary that a name belongs to; "" if there is none."""
    words = name_words(name)
    ends_in_chinese = bool(words.words) and not words.words[-1].isascii()
    if ends_in_chinese:
        return _chinese_meaning(words.chinese)
    return _english_meaning(words) or _chinese_meaning(words.chinese)


def _chinese_meaning(text: str) -> str:
    known = vocabulary()
    for length in range(min(known.longest, len(text)), 0, -1):
        kinds = known.chinese.get(text[-length:], frozenset()) - {"averaged"}
        if kinds:
            return min(kinds, key=list(known.english).index)
    return ""


def _english_meaning(name: Name) -> str:
    known = vocabulary()
    head = name.head
    if not head or name.words[len(head) - 1] in known.plural:
        return known.plural[name.words[len(head) - 1]] if head else ""
    if name.words[-1] in known.date_last and len(name.words) > 1:
        return "date"
    if len(head) > 1 and is_unit(name.words[len(head) - 1]) and head[-1] not in _WORDS_TOO:
        head = head[:-1]
    if head[0] in _COUNT_FIRST and len(name.words) > 1:
        return "quantity"
    for index, word in reversed(list(enumerate(head))):
        is_last = index + 1 == len(head)
        for kind in _ORDER if is_last else _ANYWHERE:
            if word in known.english[kind] or (kind == "identifier" and _ends_with_id(word)):
                return "quantity" if word == "total" and not is_last else kind
    return known.plural.get(name.words[0], "")  # `days_late`


_OF_ONE = frozenset(("unit", "standard", "replacement"))  # `unit_cost`; but `units_sold`


def averaged(name: str) -> bool:
    """Whether the average of such numbers says more than their sum: prices, wages, averages, extremes."""
    words = name_words(name)
    known = vocabulary()
    if words.words and not words.words[-1].isascii():
        text = words.chinese
        starts = any(
            text[:length] in known.chinese and "averaged" in known.chinese[text[:length]] for length in (1, 2)
        )
        return starts or any("averaged" in known.chinese.get(text[-length:], ()) for length in range(1, 4))
    if "total" in words.singulars:
        return False
    return words.has(known.english["averaged"]) or not _OF_ONE.isdisjoint(words.words)


# The lists in the order in which they are asked for a word: for the last word of a name, and for others.
_ORDER = (
    "identifier", "year", "date", "coordinate", "rate", "duration", "score", "quantity", "area", "average",
    "amount", "label", "text", "code", "category", "ordinal", "boolean",
)  # fmt: skip
_ANYWHERE = (
    "date",
    "coordinate",
    "rate",
    "duration",
    "score",
    "quantity",
    "area",
    "average",
    "amount",
    "year",
)
_COUNT_FIRST = frozenset("number num no nb count".split())
_WORDS_TOO = frozenset(("percent", "percentage", "pct", "byte"))  # units that say what a column contains


def _ends_with_id(word: str) -> bool:
    return len(word) > 2 and word.endswith("id") and word not in _NOT_IDS


def is_key_column(table: Table, name: str) -> bool:
    return table.primary_key == (name,) or any(name in key.columns for key in table.foreign_keys)


def _is_key(table: Table, column: Column, meaning: str, kind: TypeClass) -> bool:
    if meaning == "identifier":
        return kind != "boolean"
    if not is_key_column(table, column.name) or kind in ("date", "datetime"):
        return False
    return kind in ("integer", "decimal", "") or meaning not in ("label", "category", "date", "year", "")


def _is_boolean(column: Column, kind: TypeClass, profile: ColumnProfile | None) -> bool:
    if kind not in ("integer", "text", ""):
        return False
    name = name_words(column.name)
    first = name.singulars[0] if name.singulars else ""
    named = name.chinese.startswith(("是否", "有无")) or meaning_of(column.name) == "boolean"
    named = named or (len(name.singulars) > 1 and first in vocabulary().boolean_first)
    if profile is None or profile.distinct is None:
        return named
    if profile.distinct > 3 or (profile.distinct > 2 and not named):
        return False
    values = frozenset(str(value).strip().lower() for value, _ in profile.values)
    if named:
        return bool(values) or not profile.values
    return values in _YES_NO and (kind != "integer" or meaning_of(column.name) not in _NUMERIC)


def _is_numeric(kind: TypeClass, column: Column, profile: ColumnProfile | None, meaning: str) -> bool:
    if profile is not None and profile.format.startswith(("number", "percent")):
        return True
    if profile is not None and profile.smallest is not None:
        return not isinstance(profile.smallest, str) or kind in ("integer", "decimal")
    if kind == "":
        return meaning in _NUMERIC and not column.samples
    return kind in ("integer", "decimal")


_KIND_OF: Mapping[str, ColumnKind] = {
    "rate": "rate",
    "duration": "duration",
    "score": "score",
    "amount": "amount",
    "quantity": "quantity",
    "ordinal": "category",
    "category": "category",
    "code": "code",
    "label": "code",
    "text": "quantity",  # the number of reviews, of comments
    "year": "date",
}


def _number_kind(table: Table, column: Column, meaning: str, profile: ColumnProfile | None) -> ColumnKind:
    name = name_words(column.name)
    if meaning == "date":
        is_date = profile is None or _in_years(profile)
        return "date" if is_date else "duration" if name.chinese.endswith("时间") else "number"
    if meaning == "average" and name.last == "length" and name_words(table.name).has(_PLAYED):
        return "duration"
    if not meaning and type_class(column.type) == "integer" and _is_plural(column.name):
        return "quantity"
    return _KIND_OF.get(meaning, "number")


def _in_years(profile: ColumnProfile | None) -> bool:
    if profile is None or not isinstance(profile.smallest, int | float):
        return False
    return profile.smallest >= 1_000 and isinstance(profile.largest, int | float) and profile.largest <= 2_200


def _is_plural(name: str) -> bool:
    """`Wins`, `Employees`: an integer with such a name is a count."""
    words = name_words(name).words
    return bool(words) and singular(words[-1]) != words[-1]


def _text_kind(table: Table, column: Column, meaning: str, profile: ColumnProfile | None) -> ColumnKind:
    if meaning == "label":
        return "category" if _is_title_of_person(table, column) else "label"
    if meaning in ("code", "text", "category"):
        return meaning  # type: ignore[return-value]
    texts = (
        [str(value) for value, _ in profile.values] if profile and profile.values else list(column.samples)
    )
    if texts and sum(map(len, texts)) / len(texts) > _LONG:
        return "text"
    if profile is not None and profile.is_unique and (profile.distinct or 0) > FEW:
        ends = (str(profile.smallest), str(profile.largest))
        return "code" if all(map(_CODE_LIKE.fullmatch, ends)) else "label"
    return "category"


def _is_title_of_person(table: Table, column: Column) -> bool:
    """A person's title is a job or a courtesy, shared by many."""
    name = name_words(column.name)
    if name.head[-1:] != ("title",):
        return False
    names = {name_words(other.name).last for other in table.columns}
    return name.has(PEOPLE) or name_words(table.name).has(PEOPLE) or {"lastname", "surname"} <= names


PEOPLE = frozenset(
    "employee person people staff customer contact user member author teacher player courtesy job client "
    "worker".split()
)
