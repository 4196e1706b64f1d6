"""Analytic queries as SQL: joins without fan-out, half-open ranges, buckets without gaps, per dialect.

`compiler.py` is the entry. `plan.py` finds out what a query needs; `blocks.py` aggregates the rows of one
table; `combine.py` unites several blocks; `layers.py` puts calculations on top; `output.py` sorts and cuts.
"""

from text2sql.sql.compile.compiler import compile_query

__all__ = ["compile_query"]
