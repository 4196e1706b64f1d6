"""Text → `CheckedSql`, `CheckedWrite` or `SqlRejected`; limits, pages, counts; reading a model's reply,
and mending what it wrote.

Pure: no I/O. The only room that knows the parser.
"""

from text2sql.sql.conditions import narrowed, without_each_condition
from text2sql.sql.guard import check, check_count, check_page
from text2sql.sql.literals import Literal, literals
from text2sql.sql.parameters import Forms, Named, named_columns, with_names, with_values
from text2sql.sql.policy import everything_read, policy_for, read_policies, read_policy
from text2sql.sql.repairs import Repaired, repair
from text2sql.sql.reply import read_reply
from text2sql.sql.writes import check_write

__all__ = [
    "Forms",
    "Literal",
    "Named",
    "Repaired",
    "check",
    "check_count",
    "check_page",
    "check_write",
    "everything_read",
    "literals",
    "named_columns",
    "narrowed",
    "policy_for",
    "read_policies",
    "read_policy",
    "read_reply",
    "repair",
    "with_names",
    "with_values",
    "without_each_condition",
]
