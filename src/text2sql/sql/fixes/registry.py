"""The registry of fixes, in the order in which they are applied, and the selection of fixes by name."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Literal, TypeAlias, get_args

from text2sql.errors import UsageError
from text2sql.sql.fixes.aggregation import (
    aggregate_in_order,
    aggregate_in_where,
    alias_in_clause,
    count_rows,
    group_by,
)
from text2sql.sql.fixes.bridge_tables import bridge
from text2sql.sql.fixes.date_pattern import date_pattern
from text2sql.sql.fixes.dialect_functions import bracketed_arm, foreign_function
from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.fixes.identifier_typos import near_column, near_table, typo
from text2sql.sql.fixes.missing_joins import join_key, missing_join
from text2sql.sql.fixes.qualify_columns import qualify, rebind
from text2sql.sql.fixes.ratio import ratio
from text2sql.sql.fixes.redundant_joins import needless_join
from text2sql.sql.fixes.subquery_keys import subquery_key
from text2sql.sql.fixes.value_place import value_place
from text2sql.sql.fixes.value_spelling import quoted_text, value_case, value_spelling
from text2sql.types import Size

Kind: TypeAlias = Literal["dialect", "names", "joins", "values", "question"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Fix:
    """One fix. `apply` changes the tree of the context in place and returns whether it did."""

    name: str
    kind: Kind
    profile: Literal["all", "small"]  # `small`: never applied to the queries of a large model
    apply: Callable[[FixContext], bool]


def _while_parsing(_: FixContext) -> bool:
    """For fixes of a text that cannot be parsed: `parse_leniently` applies them before there is a tree."""
    return False


# Applied in this order: names first, since the others resolve them; then values, then redundant joins, then
# the engine's dialect.
FIXES: tuple[Fix, ...] = (
    Fix("open_bracket", "dialect", "all", _while_parsing),
    Fix("foreign_syntax", "dialect", "all", _while_parsing),
    Fix("near_table", "names", "all", near_table),
    Fix("quoted_text", "dialect", "all", quoted_text),
    Fix("join_key", "joins", "all", join_key),
    Fix("bridge", "joins", "all", bridge),
    Fix("subquery_key", "joins", "all", subquery_key),
    Fix("rebind", "names", "all", rebind),
    Fix("near_column", "names", "all", near_column),
    Fix("missing_join", "joins", "all", missing_join),
    Fix("typo", "names", "all", typo),
    Fix("count_rows", "names", "all", count_rows),
    Fix("qualify", "names", "all", qualify),
    Fix("value_case", "values", "all", value_case),
    Fix("value_spelling", "values", "small", value_spelling),
    Fix("value_place", "values", "small", value_place),
    Fix("aggregate_in_order", "dialect", "all", aggregate_in_order),
    Fix("needless_join", "joins", "small", needless_join),
    Fix("foreign_function", "dialect", "all", foreign_function),
    Fix("date_pattern", "dialect", "all", date_pattern),
    Fix("ratio", "dialect", "small", ratio),
    Fix("aggregate_in_where", "dialect", "all", aggregate_in_where),
    Fix("alias_in_clause", "dialect", "all", alias_in_clause),
    Fix("group_by", "dialect", "all", group_by),
    Fix("bracketed_arm", "dialect", "all", bracketed_arm),
)
NAMES: tuple[str, ...] = tuple(fix.name for fix in FIXES)


def fixes_for(size: Size, *, runs: bool, choice: str = "all") -> tuple[str, ...]:
    """The names of the fixes for a query of a model of that size.

    A small model's query gets every fix. Of a large model's query, one that runs as it is (`runs`) gets at
    most the spelling of its values, and one that does not gets the fixes that can make it run.
    """
    chosen = chosen_fixes(choice)
    if size == "small":
        return tuple(fix.name for fix in FIXES if fix.name in chosen)
    return tuple(
        fix.name
        for fix in FIXES
        if fix.name in chosen and fix.profile == "all" and (fix.kind == "values" or not runs)
    )


@cache
def chosen_fixes(choice: str) -> Collection[str]:
    """The names that a choice such as `all`, `none`, `dialect,names` or `-needless_join` selects.

    Items are separated by commas or spaces and applied from left to right; a choice that starts with `-`
    starts from all fixes. Raises a UsageError for an unknown name.
    """
    items = choice.replace(",", " ").split()
    chosen = set() if items and not items[0].startswith("-") else set(NAMES)
    for item in items:
        names = _fixes_named(item.removeprefix("-"))
        chosen = chosen - names if item.startswith("-") else chosen | names
    return frozenset(chosen)


def _fixes_named(item: str) -> set[str]:
    """The fixes that one item of a choice means: a group, a kind or a single fix."""
    groups: dict[str, set[str]] = {"all": set(NAMES), "none": set()}
    groups |= {kind: {fix.name for fix in FIXES if fix.kind == kind} for kind in KINDS}
    groups |= {name: {name} for name in NAMES}
    if item not in groups:
        close = get_close_matches(item, groups, n=3) or ["all", "none", *KINDS]
        raise UsageError("usage.fixes", name=item[:100], close=", ".join(close))
    return groups[item]
