"""A question as a form: what to compute, by what, for which rows, compared with what.

`sql/compile` writes its SQL. Names are those of a `SemanticModel`. Where two tables are related in several
ways, the role of a relation, or a table on the way, precedes a dimension or table: `manager>employees.name`.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeAlias

from text2sql.types.semantics import Aggregate
from text2sql.types.values import Value

Bucket: TypeAlias = Literal["", "hour", "day", "week", "month", "quarter", "half", "year"]
# Parts of a date that repeat: *in March*, *on Mondays* (1 to 7, Monday first), *by hour of the day*.
DatePart: TypeAlias = Literal["month", "weekday", "quarter", "day", "hour"]
Operator: TypeAlias = Literal[
    "=", "!=", "<", "<=", ">", ">=", "contains", "starts_with", "ends_with", "is_null", "not_null"
]
ComparisonKind: TypeAlias = Literal["previous_period", "same_period_last_year", "periods", "members"]


@dataclass(frozen=True, slots=True)
class ValueFilter:
    """Rows whose column has a value. Several values: any of them; with `!=`, none of them."""

    dimension: str
    operator: Operator = "="
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeFilter:
    """Rows in any of the half-open ranges, and in the parts that repeat. None: open at that side."""

    dimension: str
    ranges: tuple[tuple[date | datetime | None, date | datetime | None], ...] = ()
    part: DatePart | None = None
    part_values: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RelatedFilter:
    """Rows of the subject with at least and at most so many related rows: *at least two orders*, *never
    ordered* (`at_most=0`).
    """

    table: str  # the table of the related rows
    at_least: int = 0
    at_most: int | None = None
    filters: "tuple[ValueFilter | TimeFilter, ...]" = ()  # on the related rows, or what they refer to


@dataclass(frozen=True, slots=True)
class AverageFilter:
    """Rows whose number is above or below the average over all rows: *longer than the average film*."""

    measure: str
    operator: Literal[">", "<", ">=", "<="] = ">"


Filter: TypeAlias = ValueFilter | TimeFilter | RelatedFilter | AverageFilter


@dataclass(frozen=True, slots=True)
class Aggregation:
    """One computed number."""

    function: Aggregate
    of: str  # `count`: a table; `count_distinct`: a dimension or a table; else a measure or a dimension
    percentile: float | None = None  # 0 to 1
    filters: tuple[ValueFilter | TimeFilter, ...] = ()  # only these rows count: *how many of them cancelled*


@dataclass(frozen=True, slots=True)
class Ratio:
    """One number divided by another, as a fraction or in percent: *orders per customer*, *cancellation rate*.
    Ratios of sums, never averages of ratios.
    """

    numerator: Aggregation
    denominator: Aggregation
    percent: bool = False


@dataclass(frozen=True, slots=True)
class MeasureUse:
    """A number of the query, and what is calculated from it over the groups."""

    value: Aggregation | Ratio
    # Add its share of the total over all groups, in percent; within `share_within` if that is given. Without
    # groups, an aggregation with own filters is compared with the same without them.
    share: bool = False
    share_within: str = ""  # a dimension of the query: the share of its own group's total
    running: bool = False  # replace it by its running total over the time buckets
    moving: int = 0  # replace it by its average over so many buckets, this one included


@dataclass(frozen=True, slots=True)
class Grouping:
    """A dimension to group by. A time dimension has a bucket (2025-03) or a part (each March).

    The label of an entity is several dimensions, and its key, so that equal names stay apart: `entity`.
    """

    dimension: str = ""
    bucket: Bucket = ""
    part: DatePart | None = None
    entity: str = ""  # instead of a dimension: a table, whose rows are the groups


@dataclass(frozen=True, slots=True)
class Comparison:
    """The value beside that of another period, or of another group.

    `previous_period`, `same_period_last_year`: with a time bucket, each bucket with an earlier one; without,
    the period of the time filter with the one before. `periods`: two or more given ranges as rows.
    `members`: the values of the first grouping, as rows; the last one is compared with the first.
    """

    kind: ComparisonKind
    ranges: tuple[tuple[date | datetime, date | datetime], ...] = ()  # of `periods`, in order of time
    dimension: str = ""  # the time dimension of `ranges`
    difference: bool = True
    percent: bool = True


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first so many groups by a measure; within each group of `per`, if that is given."""

    most: int = 0  # 0: all, in this order
    descending: bool = True
    measure: int = 0  # index in `measures`
    per: str = ""  # name of a dimension of the query, or a table: *the best track of each genre*
    ties: bool = False  # whether equal values at the end are all kept


@dataclass(frozen=True, slots=True)
class Threshold:
    """Only groups whose number is large or small enough: *cities with at least 10 orders*."""

    operator: Literal["<", "<=", ">", ">=", "=", "!="]
    value: float
    measure: int = 0
    of_average: bool = False  # compare with the average over all groups; `value` is a factor


@dataclass(frozen=True, slots=True)
class Order:
    """The order of the rows by a grouping (`dimension`) or by a shown column."""

    dimension: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class AnalyticQuery:
    """Without measures it lists rows of `subject`; else it aggregates."""

    subject: str = ""  # the table that is listed or counted
    measures: tuple[MeasureUse, ...] = ()
    groupings: tuple[Grouping, ...] = ()
    filters: tuple[Filter, ...] = ()
    comparison: Comparison | None = None
    ranking: Ranking | None = None
    thresholds: tuple[Threshold, ...] = ()
    columns: tuple[str, ...] = ()  # of a list: dimensions to show; empty: the labels of the subject
    order: tuple[Order, ...] = ()
    limit: int = 0
    distinct: bool = False  # of a list


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """What a column of the compiled query is, for sentences, headers and charts."""

    name: str  # its alias in the SQL
    role: Literal[
        "group", "label", "key", "value", "previous", "difference", "percent_change", "share", "rank", "shown"
    ]
    source: str = ""  # the name of the dimension or measure
    function: Aggregate | Literal["", "ratio"] = ""
    bucket: Bucket = ""
    part: DatePart | None = None
    unit: str = ""  # `%` for percentages from 0 to 100
    running: bool = False
    moving: int = 0
    percentile: float | None = None  # 0 to 1, of the function `percentile`


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """SQL in the dialect of the semantic model. It is checked by the guard like any other text."""

    sql: str
    columns: tuple[OutputColumn, ...]
