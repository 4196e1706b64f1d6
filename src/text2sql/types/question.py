"""What a question says, independent of any SQL."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from text2sql.types.catalog import ValueHit

Columns: TypeAlias = tuple[tuple[str, str], ...]  # the (table, column) pairs that a phrase may refer to


@dataclass(frozen=True, slots=True)
class Negation:
    """The negated part of a question: what follows *no*, *not* or *without*."""

    values: tuple[ValueHit, ...] = ()  # *not in Paris*: the negated values
    had: tuple[str, ...] = ()  # *who placed an order but have no account*: the tables before *but*
    lacks: bool = False  # *no* or *without*, which ask for missing rows; not *not* alone
    fails: bool = False  # *do not have*, applied to all alternatives and not to one of several
    at_all: bool = False  # *no … of any kind*: any further condition on the missing rows is wrong


@dataclass(frozen=True, slots=True)
class QuestionIntent:
    """What a question refers to in the schema, extracted by rules. The SQL fixes use it as evidence.

    A field of type `Columns` lists every column that the quoted phrase may refer to.
    """

    touched: Mapping[str, frozenset[str]]  # table → words of the question that refer to it
    understood: bool  # True if every content word of the question refers to something in the schema
    text: str = ""  # the question in lower case
    heard: tuple[ValueHit, ...] = ()  # all phrases that match a column value
    values: tuple[ValueHit, ...] = ()  # the matches among them that are names and occur in one column only
    each: Columns = ()  # *each city*: the grouping column
    sought: Columns = ()  # *which city*: the requested column, unless the question asks for everything
    listed: tuple[Columns, ...] = ()  # *the name, age and town of*: the requested columns, in order
    ranked: Columns = ()  # *sorted by age*: the sort column, unless the question mentions it elsewhere
    different: bool = False  # *the different …*: asks for DISTINCT
    distinct: Columns = ()  # *different rooms*: the column of the DISTINCT
    words: Columns = ()  # columns whose whole name is in the question, ignoring *is* and *has*: `is_retired`
    both: bool = False  # *both … and …*
    negation: Negation | None = None
    things: frozenset[str] = frozenset()  # tables whose whole name, or a synonym of it, is in the question
    named: tuple[str, ...] = ()  # *the names of the members*: the tables whose names are requested
    measure: Literal["avg", "sum", ""] = ""  # *the average of*, *the total of*; "" if neither or both occur
    averaged: Columns = ()  # *average price*: the column, unless it is also mentioned without *average*
    totalled: Columns = ()  # *total price*, *total number of rooms*: likewise
