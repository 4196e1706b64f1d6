"""The class of a column's type, whatever the engine calls it."""

import re
from functools import lru_cache
from typing import Literal, TypeAlias

TypeClass: TypeAlias = Literal[
    "", "integer", "decimal", "text", "date", "datetime", "time", "boolean", "binary", "other"
]

_WRAPPER = re.compile(r"(?i)^(?:nullable|lowcardinality)\((.*)\)$")
_CLASSES: tuple[tuple[TypeClass, re.Pattern[str]], ...] = (  # the first that matches
    (
        "other",
        re.compile(r"(?i)json|struct|map\(|array|tuple|nested|\[\]|variant|geo|interval|point|xml|vector"),
    ),
    ("boolean", re.compile(r"(?i)bool|^bit(?:\(1\))?$|^tinyint\(1\)$")),
    ("text", re.compile(r"(?i)char|text|string|clob|enum|uuid|^set\(|inet|^name$")),
    ("binary", re.compile(r"(?i)blob|bytea|binary|^raw|image")),
    ("datetime", re.compile(r"(?i)timestamp|datetime")),
    ("date", re.compile(r"(?i)date")),
    ("time", re.compile(r"(?i)^time")),
    ("integer", re.compile(r"(?i)int|serial|^year|^(?:number|decimal|numeric|dec)\(\d+(?:, ?0)?\)$")),
    ("decimal", re.compile(r"(?i)real|floa|doub|dec|num|money|fixed")),
)


@lru_cache(maxsize=10_000)
def type_class(type_name: str) -> TypeClass:
    """ "" if the type is empty or unknown, as columns of SQLite views and expressions have it."""
    name = type_name.strip()
    while wrapper := _WRAPPER.match(name):
        name = wrapper[1]
    return next((kind for kind, pattern in _CLASSES if pattern.search(name)), "")


def is_numeric(type_name: str) -> bool:
    return type_class(type_name) in ("integer", "decimal")
