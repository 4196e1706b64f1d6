"""Read expressions of time in a question: deterministic, in both languages, without a database.

`tokens` cuts the text with the words of `en.toml`, `zh.toml` and `holidays.toml`. `grammar` matches rules,
which are in `years`, `dates`, `pieces_*`, `relative_*`, `ranges`, `recurring` and `comparison`. `scan` finds
the expressions from left to right. `reading` and `comparing` put them together.
"""

from text2sql.question.time.describe import describe_range
from text2sql.question.time.reading import read_time

__all__ = ["describe_range", "read_time"]
