"""Text → `CheckedSql` or `SqlRejected`; limits, pages, counts; reading a model's reply. Pure: no I/O.

The only room that knows the parser.
"""

from text2sql.sql.guard import check, check_count, check_page
from text2sql.sql.policy import read_policy
from text2sql.sql.reply import read_reply

__all__ = ["check", "check_count", "check_page", "read_policy", "read_reply"]
