"""Execution match: whether two query results are equal.

Rows are compared as multisets, or as sequences if the reference has a top-level ORDER BY. Columns may be in
any order and their names are ignored. Floats may differ by one millionth (relative), integers must be equal,
and NULL equals NULL. Two empty results match only if they have the same number of columns.
"""

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from text2sql.types import QueryResult, Row, Value

TOLERANCE = 1e-6  # relative

Cell: TypeAlias = tuple[str, object]  # (kind, canonical value): equal cells have equal canonical values
Line: TypeAlias = tuple[object, ...]  # the cells of a column


def same_result(gold: QueryResult, got: QueryResult, *, ordered: bool = False) -> bool:
    return len(gold.columns) == len(got.columns) and same_rows(gold.rows, got.rows, ordered=ordered)


def same_rows(gold: Sequence[Row], got: Sequence[Row], *, ordered: bool = False) -> bool:
    if len(gold) != len(got):
        return False
    if not gold:
        return True
    if len(gold[0]) != len(got[0]):
        return False
    return columns_match(list(zip(*gold, strict=True)), list(zip(*got, strict=True)), ordered=ordered)


def columns_match(
    gold: Sequence[Sequence[Value]],
    got: Sequence[Sequence[Value]],
    allowed: Sequence[Collection[int]] | None = None,
    *,
    ordered: bool = False,
) -> bool:
    """Whether each expected column has a counterpart of its own among the columns of `got`, so that the rows
    of these are equal. `allowed`: for each expected column, the positions of possible counterparts.
    """
    anchors = _anchors(value for column in (*gold, *got) for value in column)
    expected = [_line(column, anchors, ordered=ordered) for column in gold]
    actual = [_line(column, anchors, ordered=ordered) for column in got]
    return _assign(expected, actual, allowed or [range(len(actual))] * len(expected))


def _assign(expected: list[Line], actual: list[Line], allowed: Sequence[Collection[int]]) -> bool:
    """Find a permutation of the columns that makes the rows equal as multisets, by backtracking.

    Columns with few candidates come first, and partial rows are compared after every step, so wrong pairings
    are discarded early and few permutations are tried.
    """
    values = [frozenset(Counter(column).items()) for column in actual]
    partners = []
    for column, positions in zip(expected, allowed, strict=True):
        column_counts = frozenset(Counter(column).items())
        partners.append(
            [at for at, counts in enumerate(values) if at in positions and counts == column_counts]
        )
    order = sorted(range(len(expected)), key=lambda at: len(partners[at]))
    columns = [expected[at] for at in order]
    return _extend(columns, [partners[at] for at in order], actual, [])


def _extend(columns: list[Line], partners: list[list[int]], actual: list[Line], chosen: list[int]) -> bool:
    depth = len(chosen)
    if depth == len(columns):
        return True
    rows = Counter(zip(*columns[: depth + 1], strict=True))
    tried: set[Line] = set()
    for at in partners[depth]:
        if at in chosen or actual[at] in tried:
            continue
        tried.add(actual[at])
        pairing = [*chosen, at]
        same = Counter(zip(*(actual[index] for index in pairing), strict=True)) == rows
        if same and _extend(columns, partners, actual, pairing):
            return True
    return False


# -- Cells ---------------------------------------------------------------------------------------


def _line(column: Sequence[Value], anchors: dict[float, float], *, ordered: bool) -> Line:
    """The cells of a column; with their row numbers if the order of the rows matters."""
    cells = (_cell(value, anchors) for value in column)
    return tuple(enumerate(cells)) if ordered else tuple(cells)


def _cell(value: Value, anchors: dict[float, float]) -> Cell:
    if value is None:
        return "null", None
    if isinstance(value, int | float):  # includes bool: engines without booleans return 0 and 1
        return "number", anchors[value]
    if isinstance(value, str):
        return "text", value
    return "nested", json.dumps(value, sort_keys=True)


def _anchors(values: Iterable[Value]) -> dict[float, float]:
    """Map each number to a representative of the numbers within the tolerance, so that cells can be hashed.

    Different integers are never merged, however large: 1,000,000 people are not 1,000,001.
    """
    numbers = sorted({value for value in values if isinstance(value, int | float)})
    anchors: dict[float, float] = {}
    anchor: float | None = None
    for number in numbers:
        close = anchor is not None and math.isclose(number, anchor, rel_tol=TOLERANCE)
        if anchor is None or not close or (_is_integer(anchor) and _is_integer(number)):
            anchor = number
        anchors[number] = anchor
    return anchors


def _is_integer(number: float) -> bool:
    return isinstance(number, int) or number.is_integer()
