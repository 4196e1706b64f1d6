"""The SQL guard: turns untrusted text into a `CheckedSql`, a `CheckedWrite` or a `SqlRejected`.

The package also adds limits, pages and counts, extracts SQL from a model's reply, and fixes common mistakes
in it. It is the only package that uses the parser. Its functions are pure, apart from `worker_pool`; an app
calls them through `in_worker`, in a separate process that can be killed.
"""

from text2sql.sql.compile import compile_query
from text2sql.sql.fixes import FixedSql, chosen_fixes, fix_sql, fixes_for
from text2sql.sql.guard import check, check_count, check_page
from text2sql.sql.literals import Literal, literals
from text2sql.sql.masking import mask_literals
from text2sql.sql.parameters import (
    ParameterizedSql,
    ParameterSpellings,
    named_columns,
    parameterize,
    with_values,
)
from text2sql.sql.policy import (
    columns_read,
    policy_for,
    read_policies,
    read_policy,
    readable_by_all_roles,
    readable_by_roles,
)
from text2sql.sql.probe_queries import condition_probes, with_row_limit
from text2sql.sql.reply import ModelReply, parse_reply, read_reply
from text2sql.sql.worker_pool import close_workers, in_worker, in_worker_now, start_worker
from text2sql.sql.writes import check_write

__all__ = [
    "FixedSql",
    "Literal",
    "ModelReply",
    "ParameterSpellings",
    "ParameterizedSql",
    "check",
    "check_count",
    "check_page",
    "check_write",
    "chosen_fixes",
    "close_workers",
    "columns_read",
    "compile_query",
    "condition_probes",
    "fix_sql",
    "fixes_for",
    "in_worker",
    "in_worker_now",
    "literals",
    "mask_literals",
    "named_columns",
    "parameterize",
    "parse_reply",
    "policy_for",
    "read_policies",
    "read_policy",
    "read_reply",
    "readable_by_all_roles",
    "readable_by_roles",
    "start_worker",
    "with_row_limit",
    "with_values",
]
