"""What a question says, independent of any SQL."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QuestionIntent:
    """What a question refers to in the schema, extracted by rules. Tables have their labels as names."""

    touched: Mapping[str, frozenset[str]]  # table → words of the question that refer to it
    understood: bool  # True if every content word of the question refers to something in the schema
    things: frozenset[str] = frozenset()  # tables whose whole name, or a synonym of it, is in the question
    named: tuple[str, ...] = ()  # *the names of the members*: the tables whose names are requested
