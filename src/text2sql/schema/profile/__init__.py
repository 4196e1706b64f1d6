"""Profile of a database: which queries to run, and what their rows say about columns and joins.

Pure functions: the caller runs the queries through the guard, within a budget of time.
"""

from text2sql.schema.profile.interpretation import ordered_times, table_profile
from text2sql.schema.profile.joins import (
    candidates,
    counted,
    has_whole_key,
    included_in_sample,
    values_of,
    without_repeats,
)
from text2sql.schema.profile.observations import (
    TableObservation,
    TableSample,
    observed,
    table_sample,
    with_counts,
    with_ranges,
    with_statistics,
)
from text2sql.schema.profile.queries import (
    LARGE,
    MOST_VALUES,
    TableQuery,
    count_query,
    inclusion_query,
    range_query,
    sample_query,
    smallest_first,
    statistics_queries,
)

__all__ = [
    "LARGE",
    "MOST_VALUES",
    "TableObservation",
    "TableQuery",
    "TableSample",
    "candidates",
    "count_query",
    "counted",
    "has_whole_key",
    "included_in_sample",
    "inclusion_query",
    "observed",
    "ordered_times",
    "range_query",
    "sample_query",
    "smallest_first",
    "statistics_queries",
    "table_profile",
    "table_sample",
    "values_of",
    "with_counts",
    "with_ranges",
    "with_statistics",
    "without_repeats",
]
