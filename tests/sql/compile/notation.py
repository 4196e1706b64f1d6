"""A short notation of analytic queries for the cases in `cases/*.toml`."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, cast, get_args

from text2sql.types import (
    Aggregate,
    Aggregation,
    AnalyticQuery,
    AverageFilter,
    Comparison,
    Filter,
    Grouping,
    MeasureUse,
    Order,
    Ranking,
    Ratio,
    RelatedFilter,
    Threshold,
    TimeFilter,
    ValueFilter,
)

Notation = Mapping[str, Any]


def query(given: Notation) -> AnalyticQuery:
    known = {"subject", "measures", "groups", "filters", "compare", "rank", "having", "columns", "order"}
    assert given.keys() <= known | {"limit", "distinct"}, given.keys()
    return AnalyticQuery(
        subject=given.get("subject", ""),
        measures=tuple(map(measure, given.get("measures", ()))),
        groupings=tuple(map(grouping, given.get("groups", ()))),
        filters=filters(given.get("filters", ())),
        comparison=comparison(given["compare"]) if "compare" in given else None,
        ranking=Ranking(**given["rank"]) if "rank" in given else None,
        thresholds=tuple(Threshold(**each) for each in given.get("having", ())),
        columns=tuple(given.get("columns", ())),
        order=tuple(
            Order(each.removesuffix(" desc"), each.endswith(" desc")) for each in given.get("order", ())
        ),
        limit=given.get("limit", 0),
        distinct=given.get("distinct", False),
    )


def measure(given: str | Notation) -> MeasureUse:
    """`sum orders.total`, `p90 orders.total`, or a table with `value` or `top` and `bottom`."""
    if isinstance(given, str):
        return MeasureUse(aggregation(given))
    options = {key: given[key] for key in ("share", "share_within", "running", "moving") if key in given}
    if "top" in given:
        ratio = Ratio(aggregation(given["top"]), aggregation(given["bottom"]), given.get("percent", False))
        return MeasureUse(ratio, **options)
    return MeasureUse(aggregation(given["value"], given.get("filters", ())), **options)


def aggregation(given: str | Notation, own: Sequence[Notation] = ()) -> Aggregation:
    if not isinstance(given, str):
        return aggregation(given["value"], given["filters"])
    function, of = given.split(" ", 1)
    kept = cast("tuple[ValueFilter | TimeFilter, ...]", filters(own))
    if function in get_args(Aggregate):
        return Aggregation(cast("Aggregate", function), of, filters=kept)
    return Aggregation("percentile", of, int(function.removeprefix("p")) / 100, kept)


def grouping(given: str) -> Grouping:
    """`customers.city`, `orders.ordered_at by month`, `orders.ordered_at part weekday`, `each customers`."""
    first, _, rest = given.partition(" ")
    if first == "each":
        return Grouping(entity=rest)
    kind, _, name = rest.partition(" ")
    options: dict[str, Any] = {"bucket": name} if kind == "by" else {"part": name} if kind == "part" else {}
    return Grouping(first, **options)


def filters(given: Sequence[Notation]) -> tuple[Filter, ...]:
    return tuple(map(one_filter, given))


def one_filter(given: Notation) -> Filter:
    if "related" in given:
        inner = cast("tuple[ValueFilter | TimeFilter, ...]", filters(given.get("filters", ())))
        return RelatedFilter(given["related"], given.get("at_least", 0), given.get("at_most"), inner)
    if "average" in given:
        return AverageFilter(given["average"], given.get("op", ">"))
    if "time" in given:
        ranges = tuple(given.get("ranges", ())) or ([[given.get("from", ""), given.get("to", "")]] if
                                                    "from" in given or "to" in given else [])  # fmt: skip
        return TimeFilter(
            given["time"],
            tuple((moment(start), moment(end)) for start, end in ranges),
            given.get("part"),
            tuple(given.get("values", ())),
        )
    values = tuple(None if value == "NULL" else value for value in given.get("values", ()))
    return ValueFilter(given["dim"], given.get("op", "="), values)


def comparison(given: str | Notation) -> Comparison:
    if isinstance(given, str):
        return Comparison(given)  # type: ignore[arg-type]
    ranges = tuple((moment(start), moment(end)) for start, end in given.get("ranges", ()))
    options = {key: given[key] for key in ("dimension", "difference", "percent") if key in given}
    return Comparison(given["kind"], ranges, **options)  # type: ignore[arg-type]


def moment(text: str) -> date | datetime | None:
    if not text:
        return None
    return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
