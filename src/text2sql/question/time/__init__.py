"""Read expressions of time in a question: deterministic, in both languages, without a database.

- `tokens` cuts the text with the words of `en.toml`, `zh.toml` and `holidays.toml`
- `grammar` matches rules; `references` says what they result in, `periods` computes dates
- rules: `years`, `dates`, `quarters`, `pieces_*` (parts of periods), `relative_*`, `anchored_en`, `ranges`,
  `recurring`, `comparison`
- `scan` finds the expressions from left to right; `comparing`, `growth` and `reading` put them together
"""

from text2sql.question.time.describe import describe_range
from text2sql.question.time.reading import read_time

__all__ = ["describe_range", "read_time"]
