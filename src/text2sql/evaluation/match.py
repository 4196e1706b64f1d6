"""Whether two queries return the same: execution match.

Rows are compared as multisets, as sequences where the reference has an ORDER BY at its top; columns in any
order, names ignored; numbers within one millionth of each other, integers exactly; NULL equals NULL. Two
empty results match only if they are equally wide.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from text2sql.types import QueryResult, Row, Value

TOLERANCE = 1e-6  # relative

Cell: TypeAlias = tuple[str, object]  # its kind and a stand-in: equal cells have equal stand-ins
Line: TypeAlias = tuple[Cell, ...]  # the cells of a row, or of a column


def same_result(gold: QueryResult, got: QueryResult, *, ordered: bool = False) -> bool:
    return len(gold.columns) == len(got.columns) and same_rows(gold.rows, got.rows, ordered=ordered)


def same_rows(gold: Sequence[Row], got: Sequence[Row], *, ordered: bool = False) -> bool:
    if len(gold) != len(got):
        return False
    if not gold:
        return True
    if len(gold[0]) != len(got[0]):
        return False
    anchors = _anchors(value for row in (*gold, *got) for value in row)
    wanted, found = _columns(gold, anchors), _columns(got, anchors)
    if ordered:  # the rows stand still, so only whole columns can be exchanged
        return Counter(wanted) == Counter(found)
    return _assign(wanted, found)


def _assign(wanted: list[Line], found: list[Line]) -> bool:
    """Give each wanted column a found one with the same values, so that whole rows agree as multisets.

    Columns with few partners come first, and rows are compared after every step: a wrong pairing is dropped
    as soon as it shows, so permutations are hardly ever tried out.
    """
    values = [frozenset(Counter(column).items()) for column in found]
    partners = []
    for column in wanted:
        own = frozenset(Counter(column).items())
        partners.append([at for at, other in enumerate(values) if other == own])
    order = sorted(range(len(wanted)), key=lambda at: len(partners[at]))
    left = [wanted[at] for at in order]
    return _extend(left, [partners[at] for at in order], found, [])


def _extend(left: list[Line], partners: list[list[int]], found: list[Line], chosen: list[int]) -> bool:
    depth = len(chosen)
    if depth == len(left):
        return True
    rows = Counter(zip(*left[: depth + 1], strict=True))
    tried: set[Line] = set()
    for at in partners[depth]:
        if at in chosen or found[at] in tried:
            continue
        tried.add(found[at])
        pairing = [*chosen, at]
        same = Counter(zip(*(found[one] for one in pairing), strict=True)) == rows
        if same and _extend(left, partners, found, pairing):
            return True
    return False


# -- cells ---------------------------------------------------------------------------------------


def _columns(rows: Sequence[Row], anchors: dict[float, float]) -> list[Line]:
    return list(zip(*(tuple(_cell(value, anchors) for value in row) for row in rows), strict=True))


def _cell(value: Value, anchors: dict[float, float]) -> Cell:
    if value is None:
        return "null", None
    if isinstance(value, int | float):  # a bool is an int: engines without booleans say 0 and 1
        return "number", anchors[value]
    if isinstance(value, str):
        return "text", value
    return "nested", json.dumps(value, sort_keys=True)


def _anchors(values: Iterable[Value]) -> dict[float, float]:
    """Each number to the first of those it is as good as equal to, so that equality can be hashed.

    Two integers are never merged, however large: 1,000,000 people are not 1,000,001.
    """
    numbers = sorted({value for value in values if isinstance(value, int | float)})
    anchors: dict[float, float] = {}
    anchor: float | None = None
    for number in numbers:
        close = anchor is not None and math.isclose(number, anchor, rel_tol=TOLERANCE)
        if anchor is None or not close or (_whole(anchor) and _whole(number)):
            anchor = number
        anchors[number] = anchor
    return anchors


def _whole(number: float) -> bool:
    return isinstance(number, int) or number.is_integer()
