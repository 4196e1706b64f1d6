"""Deterministic fixes of a model's SQL, without a model, in milliseconds (docs/fixes.md).

    text → tree → FIXES, until nothing changes → text

A fix applies only if there is a single way to correct the query. The result is as untrusted as the input and
goes through the guard. A fix adds no name that is not visible in the catalog.
"""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass

from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.fixes.aggregates import asked_measure, asked_total, said_measure
from text2sql.sql.fixes.aggregation import (
    aggregate_in_order,
    aggregate_in_where,
    alias_in_clause,
    count_of_one,
    count_rows,
    group_by,
    ratio,
)
from text2sql.sql.fixes.boolean_columns import asked_flag
from text2sql.sql.fixes.bridge_tables import bridge, key_of_list, other_table
from text2sql.sql.fixes.connectives import asked_either, asked_not
from text2sql.sql.fixes.contradictions import anti_join, beyond_all, both_at_once, counted_none, for_each
from text2sql.sql.fixes.dialect_functions import bracketed_arm, foreign_function
from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.fixes.group_by_key import namesakes
from text2sql.sql.fixes.group_columns import counted_rows, group_key, group_shown, most_common, row_in_having
from text2sql.sql.fixes.identifier_typos import near_column, near_table, typo
from text2sql.sql.fixes.lenient_parse import read, written
from text2sql.sql.fixes.missing_joins import join_key, missing_join
from text2sql.sql.fixes.not_exists import asked_without
from text2sql.sql.fixes.ordering import asked_age, asked_best, asked_order, unasked_limit
from text2sql.sql.fixes.projection import (
    asked_column,
    asked_list,
    asked_name,
    asked_owner,
    unasked_column,
)
from text2sql.sql.fixes.qualify_columns import qualify, rebind
from text2sql.sql.fixes.question_terms import asked_distinct, asked_each, asked_value, said_number, said_value
from text2sql.sql.fixes.redundant_joins import denied_join, needless_join, unasked_join
from text2sql.sql.fixes.schema_index import schema_index_for
from text2sql.sql.fixes.self_reference import other_end, other_thing, right_end
from text2sql.sql.fixes.set_operations import (
    asked_both,
    asked_except,
    asked_having,
    but_not,
    counted_set,
    have_both,
)
from text2sql.sql.fixes.value_spelling import (
    asked_part,
    letter_case,
    quoted_text,
    value_part,
    value_place,
    value_spelling,
)
from text2sql.types import Catalog, Policy, QuestionIntent, ValueDomains

log = logging.getLogger(__name__)

Fix = Callable[[FixContext], bool]  # changes the tree of the context in place, and returns whether it did

# Applied in this order: names first, since the others resolve them; then values, then redundant joins, then
# the engine's dialect.
FIXES: tuple[Fix, ...] = (
    near_table,
    quoted_text,
    join_key,
    other_table,
    bridge,
    key_of_list,
    rebind,
    near_column,
    missing_join,
    typo,
    count_rows,
    qualify,
    value_spelling,
    value_place,
    value_part,
    said_value,
    said_number,
    asked_column,
    asked_owner,
    asked_name,
    asked_list,
    unasked_column,
    asked_value,
    other_end,
    other_thing,
    right_end,
    asked_each,
    asked_measure,
    asked_total,
    said_measure,
    aggregate_in_order,
    asked_age,
    asked_best,
    asked_order,
    unasked_limit,
    needless_join,
    unasked_join,
    denied_join,
    asked_part,
    letter_case,
    asked_either,
    both_at_once,
    beyond_all,
    for_each,
    anti_join,
    counted_none,
    but_not,
    counted_set,
    count_of_one,
    counted_rows,
    group_shown,
    group_key,
    most_common,
    namesakes,
    asked_distinct,
    asked_both,
    asked_except,
    asked_without,
    asked_not,
    asked_having,
    asked_flag,
    have_both,
    foreign_function,
    ratio,
    aggregate_in_where,
    row_in_having,
    alias_in_clause,
    group_by,
    bracketed_arm,
)

_MAX_LENGTH = 8_000  # characters: fixing a longer text would take seconds
_MAX_ROUNDS = 4  # one fix may make another one applicable


class FixCrashed(Exception):
    """A fix raised something; the cause is the original error."""

    def __init__(self, fix: str) -> None:
        super().__init__(fix)
        self.fix = fix


@dataclass(frozen=True, slots=True)
class FixedSql:
    """The result of the fixes."""

    sql: str  # identical to the input if no fix applied
    fixes: tuple[str, ...] = ()  # the names of the applied fixes, in order


def fix_sql(
    text: str,
    dialect: str,
    catalog: Catalog,
    domains: ValueDomains | None = None,
    *,
    policy: Policy | None = None,
    said: QuestionIntent | None = None,
) -> FixedSql:
    """Fix the unambiguous mistakes in a query. The text stays unchanged if there are none or it cannot be
    parsed.

    `said` is the analyzed question. A fix that crashes is skipped. It may have left the tree in an
    inconsistent state, so the other fixes start again from the text. The log names the fix and the class of
    the error, no data.
    """
    skipped: list[str] = []
    while True:
        try:
            return apply_fixes(text, dialect, catalog, domains, policy=policy, said=said, skipped=skipped)
        except FixCrashed as crash:
            skipped.append(crash.fix)
            log.warning("the fix %s crashed and is skipped: %s", crash.fix, type(crash.__cause__).__name__)
        except Exception as error:  # noqa: BLE001 - a bug here may cost the fixes, but not the answer
            log.warning("no fix was tried: %s", type(error).__name__)
            return FixedSql(text)


def apply_fixes(
    text: str,
    dialect: str,
    catalog: Catalog,
    domains: ValueDomains | None = None,
    *,
    policy: Policy | None = None,
    said: QuestionIntent | None = None,
    skipped: Collection[str] = (),
) -> FixedSql:
    """Apply all fixes except those in `skipped`. Raises `FixCrashed` if one crashes; tests rely on that."""
    is_supported = dialect in GRAMMARS and len(text) <= _MAX_LENGTH
    tree, slip = read(text, dialect) if is_supported else (None, "")
    if tree is None:
        return FixedSql(text)
    has_row_policy = policy is not None and bool(policy.rows)
    context = FixContext(
        tree,
        dialect,
        schema_index_for(catalog, policy, dialect),
        domains,
        text=text,
        intent=said,
        has_row_policy=has_row_policy,
    )
    fixes = dict.fromkeys([slip] if slip else [])
    for _ in range(_MAX_ROUNDS):
        fixed = [fix.__name__ for fix in FIXES if fix.__name__ not in skipped and _applied(fix, context)]
        if not fixed:
            break
        fixes.update(dict.fromkeys(fixed))
    return FixedSql(written(context.tree, dialect), tuple(fixes)) if fixes else FixedSql(text)


def _applied(fix: Fix, context: FixContext) -> bool:
    try:
        return fix(context)
    except Exception as error:
        raise FixCrashed(fix.__name__) from error
