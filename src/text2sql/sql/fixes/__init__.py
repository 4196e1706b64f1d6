"""Deterministic fixes of a model's SQL, without a model, in milliseconds (docs/fixes.md).

    text → tree → the chosen fixes of `registry.FIXES`, until nothing changes → text

A fix applies only if there is a single way to correct the query. The result is as untrusted as the input and
goes through the guard. A fix adds no name that is not visible in the catalog.
"""

import logging
from collections.abc import Collection
from dataclasses import dataclass

from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.fixes import registry
from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.fixes.registry import NAMES, Fix, chosen_fixes, fixes_for
from text2sql.sql.lenient_parse import parse_leniently, to_sql
from text2sql.sql.schema_index import schema_index_for
from text2sql.types import Catalog, Policy, QuestionIntent, ValueDomains

__all__ = ["NAMES", "Fix", "FixCrashed", "FixedSql", "apply_fixes", "chosen_fixes", "fix_sql", "fixes_for"]

log = logging.getLogger(__name__)

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
    intent: QuestionIntent | None = None,
    fixes: Collection[str] = NAMES,
) -> FixedSql:
    """Fix the unambiguous mistakes in a query. The text stays unchanged if there are none or it cannot be
    parsed.

    `intent` is the analyzed question, `fixes` the names of the fixes that may be applied. A fix that crashes
    is skipped. It may have left the tree in an inconsistent state, so the other fixes start again from the
    text. The log names the fix and the class of the error, no data.
    """
    while True:
        try:
            return apply_fixes(text, dialect, catalog, domains, policy=policy, intent=intent, fixes=fixes)
        except FixCrashed as crash:
            fixes = [name for name in fixes if name != crash.fix]
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
    intent: QuestionIntent | None = None,
    fixes: Collection[str] = NAMES,
) -> FixedSql:
    """`fix_sql` that raises `FixCrashed` if a fix crashes; tests rely on that."""
    is_supported = dialect in GRAMMARS and len(text) <= _MAX_LENGTH
    tree, parse_fix = parse_leniently(text, dialect, fixes) if is_supported else (None, "")
    if tree is None:
        return FixedSql(text)
    has_row_policy = policy is not None and bool(policy.rows)
    context = FixContext(
        tree,
        dialect,
        schema_index_for(catalog, policy, dialect),
        domains,
        text=text,
        intent=intent,
        has_row_policy=has_row_policy,
    )
    chosen = [fix for fix in registry.FIXES if fix.name in fixes]
    applied = dict.fromkeys([parse_fix] if parse_fix else [])
    for _ in range(_MAX_ROUNDS):
        names = [fix.name for fix in chosen if _applied(fix, context)]
        if not names:
            break
        applied.update(dict.fromkeys(names))
    return FixedSql(to_sql(context.tree, dialect), tuple(applied)) if applied else FixedSql(text)


def _applied(fix: Fix, context: FixContext) -> bool:
    try:
        return fix.apply(context)
    except Exception as error:
        raise FixCrashed(fix.name) from error
