"""What the columns of a result are, and how their names, numbers and times are written for people.

Charts, sentences and headers share it.
"""

from text2sql.result_columns.columns import ColumnView, column_views
from text2sql.result_columns.headers import headers, noun, readable, unit_of

__all__ = ["ColumnView", "column_views", "headers", "noun", "readable", "unit_of"]
