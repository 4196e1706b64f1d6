"""Analytic queries as SQL: joins without fan-out, half-open ranges, buckets without gaps, per dialect.

`compiler.py` is the entry. `plan.py` finds out what a query needs; `blocks.py` aggregates the rows of one
table; `combine.py` unites several blocks; `layers.py` puts calculations on top; `output.py` sorts and cuts.

What a query means where its form leaves a choice:

- Paths: `paths.py`. A step to one is a LEFT JOIN, so rows that refer to nothing are in a NULL group. A
  group over a step to many has the rows that have related rows, each once per group.
- Filters over the same step to many hold for the same related row, except two values of one column.
- `!=` leaves out NULL, as SQL does. LIKE distinguishes case as the engine's `=` does.
- Measures of several tables by time: each table by the given column if its rows have one, else by its own
  time.
- Buckets without rows are between the known smallest and largest date, within the filter and not after
  today. With other groupings every group has every bucket if that is at most 2,000 rows by the profile,
  else nothing is filled. More than 400 buckets, or an unknown range, are not filled. A bucket with rows is
  always there.
- A share is of the sum over all groups. Thresholds and ranks come after shares and running totals.
- The buckets of a comparison are joined by label; weeks of last year are 52 weeks before. Without a bucket
  there is a row per period, or with groups and two periods a row per group. A period until today is
  compared with the same days of the month, quarter, half or year before; whole months with as many months
  before; else with as many days.
- NULL comes last in every order. Equal values of a rank are sorted by the labels of their groups.
"""

from text2sql.sql.compile.compiler import compile_query

__all__ = ["compile_query"]
