"""Every number in a sentence is in the result or computed from it, as an independent script finds."""

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from text2sql.answers import describe_result
from text2sql.i18n import Language
from text2sql.types import OutputColumn, QueryFacts, QueryResult, ResultColumn, Value

_TOKEN = re.compile(r"(?<![\w.,])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")

numbers = st.one_of(
    st.integers(-5, 5),
    st.integers(-(10**6), 10**12),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: round(number, 2)),
    st.floats(-1e15, 1e15, allow_nan=False, allow_subnormal=False),
    st.floats(0, 1, allow_subnormal=False),
    st.none(),
)
names = st.sampled_from(["Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", None])
months = st.builds("{0}-{1:02}".format, st.integers(2019, 2026), st.integers(1, 12))
functions: st.SearchStrategy[Any] = st.sampled_from(["sum", "count", "average", "max", ""])


@st.composite
def results(draw: st.DrawFn) -> QueryResult:
    """Results of all shapes: labels, months, two groupings, several numbers, or numbers alone."""
    shape = draw(st.sampled_from(["", "n", "m", "nn", "mn", "t"]))
    width = draw(st.integers(0 if shape and shape != "t" else 1, 3))
    kinds = {"n": names, "m": months, "t": st.sampled_from(["red", "blue"])}
    cells = [kinds[kind] for kind in shape] + [numbers] * width
    rows = draw(st.lists(st.tuples(*cells), max_size=12, unique_by=lambda row: repr(row[: len(shape)])))
    groups = [
        OutputColumn(f"{kind}{at}", "group", bucket="month" if kind == "m" else "")
        for at, kind in enumerate(shape)
    ]
    values = [
        OutputColumn(f"value{'abc'[at]}", "value", f"t.value{'abc'[at]}", draw(functions))
        for at in range(width)
    ]
    columns = (*groups, *values)
    limit = draw(st.one_of(st.none(), st.just(len(rows))))
    order = ((len(groups), draw(st.booleans())),) if width and draw(st.booleans()) else ()
    facts = QueryFacts(columns, order=order, limit=limit or None, is_aggregate=True)
    names_of = tuple(ResultColumn(column.name, "") for column in columns)
    return QueryResult(names_of, tuple(rows), draw(st.sampled_from(["", "rows"])), facts=facts)


@settings(max_examples=400, deadline=None)
@given(results(), st.sampled_from(["en", "zh"]), st.booleans())
def test_every_number_can_be_recomputed(result: QueryResult, lang: Language, incomplete: bool) -> None:
    text = describe_result(result, question="", language=lang, last_period_incomplete=incomplete)
    whole = " ".join((text.sentence, *text.findings))
    assert text.sentence
    assert not {"nan", "inf"} & set(whole.lower().split())
    known = sorted({candidate for candidate in recomputed(result) if math.isfinite(candidate)})
    for token in _TOKEN.findall(whole):
        assert is_known(token, known), (token, whole)


def is_known(token: str, known: Sequence[float]) -> bool:
    number = float(token.replace(",", ""))
    decimals = len(token.partition("e")[0].partition(".")[2])
    for candidate in known:
        slack = 0.51 * 10**-decimals + 1e-9 * abs(candidate)
        slack += 0.01 * abs(candidate) if "e" in token or (number and abs(number) < 1) else 0
        if abs(abs(number) - abs(candidate)) <= slack:
            return True
    return False


def recomputed(result: QueryResult) -> Iterator[float]:
    """Whatever can be computed from the result: cells, counts, sums, differences, shares, means, dates."""
    rows = result.rows
    yield from range(max(20, len(rows) + 1))
    for row in rows:
        for value in row:
            if isinstance(value, str):
                yield from (float(part) for part in re.findall(r"\d+", value))
                yield from _months_between(rows)
    for at in range(len(result.columns)):
        column = [number for row in rows if (number := _number(row[at])) is not None]
        if column:
            yield from _of_column(column)
            yield from _sums_by_group(rows, at)


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _of_column(column: list[float]) -> Iterator[float]:
    total = math.fsum(column)
    yield from column
    yield from (total, total / len(column), round(total / len(column)), median(column))
    yield from (median(column[:at] + column[at + 1 :]) for at in range(len(column)) if len(column) > 1)
    ends = [math.fsum(part) for part in (sorted(column)[-3:], sorted(column)[:3])]
    for part, whole in itertools.chain(
        itertools.product([*column, *ends, total], [total]), itertools.permutations(column, 2)
    ):
        yield part - whole
        if whole:
            yield from (part / whole, part / whole * 100, (part - whole) / whole * 100)


def _sums_by_group(rows: Sequence[tuple[Value, ...]], at: int) -> Iterator[float]:
    for key in range(at):
        sums: dict[Value, float] = {}
        for row in rows:
            name = row[key]
            if isinstance(name, str | None):
                sums[name] = sums.get(name, 0.0) + (_number(row[at]) or 0.0)
        total = math.fsum(sums.values())
        for value in sums.values():
            yield value
            if total:
                yield value / total * 100


def _months_between(rows: Sequence[tuple[Value, ...]]) -> Iterator[float]:
    """How many months have no row, which a sentence may say."""
    found = {value for row in rows for value in row if isinstance(value, str) and "-" in value}
    indexes = sorted(int(text[:4]) * 12 + int(text[5:]) for text in found)
    if indexes:
        missing = indexes[-1] - indexes[0] + 1 - len(indexes)
        yield from range(max(0, missing) + 1)
        yield from (float(year) for year in range(2019, 2027))


@given(results(), st.sampled_from(["en", "zh"]))
@settings(max_examples=100, deadline=None)
def test_a_result_of_unknown_columns_is_described_as_well(result: QueryResult, lang: Language) -> None:
    bare = QueryResult(result.columns, result.rows, result.truncated)
    assert describe_result(bare, language=lang).sentence
