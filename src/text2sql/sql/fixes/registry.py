"""The registry of fixes: what each is for, in the order in which they are applied, and how to choose some."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Literal, TypeAlias, get_args

from text2sql.errors import UsageError
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
from text2sql.sql.fixes.missing_joins import join_key, missing_join
from text2sql.sql.fixes.not_exists import asked_without
from text2sql.sql.fixes.ordering import asked_age, asked_best, asked_order, unasked_limit
from text2sql.sql.fixes.projection import asked_column, asked_list, asked_name, asked_owner, unasked_column
from text2sql.sql.fixes.qualify_columns import qualify, rebind
from text2sql.sql.fixes.question_terms import asked_distinct, asked_each, asked_value, said_number, said_value
from text2sql.sql.fixes.redundant_joins import denied_join, needless_join, unasked_join
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
    value_case,
    value_part,
    value_place,
    value_spelling,
)
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
    """For fixes of a text that cannot be parsed: `lenient_parse.read` applies them before there is a tree."""
    return False


# Applied in this order: names first, since the others resolve them; then values, then redundant joins, then
# the engine's dialect.
FIXES: tuple[Fix, ...] = (
    Fix("open_bracket", "dialect", "all", _while_parsing),
    Fix("foreign_syntax", "dialect", "all", _while_parsing),
    Fix("near_table", "names", "all", near_table),
    Fix("quoted_text", "dialect", "all", quoted_text),
    Fix("join_key", "joins", "all", join_key),
    Fix("other_table", "joins", "all", other_table),
    Fix("bridge", "joins", "all", bridge),
    Fix("key_of_list", "joins", "all", key_of_list),
    Fix("rebind", "names", "all", rebind),
    Fix("near_column", "names", "all", near_column),
    Fix("missing_join", "joins", "all", missing_join),
    Fix("typo", "names", "all", typo),
    Fix("count_rows", "names", "all", count_rows),
    Fix("qualify", "names", "all", qualify),
    Fix("value_case", "values", "all", value_case),
    Fix("value_spelling", "values", "small", value_spelling),
    Fix("value_place", "values", "small", value_place),
    Fix("value_part", "values", "small", value_part),
    Fix("said_value", "question", "small", said_value),
    Fix("said_number", "question", "small", said_number),
    Fix("asked_column", "question", "small", asked_column),
    Fix("asked_owner", "question", "small", asked_owner),
    Fix("asked_name", "question", "small", asked_name),
    Fix("asked_list", "question", "small", asked_list),
    Fix("unasked_column", "question", "small", unasked_column),
    Fix("asked_value", "question", "small", asked_value),
    Fix("other_end", "question", "small", other_end),
    Fix("other_thing", "question", "small", other_thing),
    Fix("right_end", "question", "small", right_end),
    Fix("asked_each", "question", "small", asked_each),
    Fix("asked_measure", "question", "small", asked_measure),
    Fix("asked_total", "question", "small", asked_total),
    Fix("said_measure", "question", "small", said_measure),
    Fix("aggregate_in_order", "dialect", "all", aggregate_in_order),
    Fix("asked_age", "question", "small", asked_age),
    Fix("asked_best", "question", "small", asked_best),
    Fix("asked_order", "question", "small", asked_order),
    Fix("unasked_limit", "question", "small", unasked_limit),
    Fix("needless_join", "joins", "small", needless_join),
    Fix("unasked_join", "question", "small", unasked_join),
    Fix("denied_join", "question", "small", denied_join),
    Fix("asked_part", "question", "small", asked_part),
    Fix("letter_case", "dialect", "small", letter_case),
    Fix("asked_either", "question", "small", asked_either),
    Fix("both_at_once", "question", "small", both_at_once),
    Fix("beyond_all", "question", "small", beyond_all),
    Fix("for_each", "question", "small", for_each),
    Fix("anti_join", "question", "small", anti_join),
    Fix("counted_none", "question", "small", counted_none),
    Fix("but_not", "question", "small", but_not),
    Fix("counted_set", "question", "small", counted_set),
    Fix("count_of_one", "question", "small", count_of_one),
    Fix("counted_rows", "question", "small", counted_rows),
    Fix("group_shown", "question", "small", group_shown),
    Fix("group_key", "question", "small", group_key),
    Fix("most_common", "question", "small", most_common),
    Fix("namesakes", "question", "small", namesakes),
    Fix("asked_distinct", "question", "small", asked_distinct),
    Fix("asked_both", "question", "small", asked_both),
    Fix("asked_except", "question", "small", asked_except),
    Fix("asked_without", "question", "small", asked_without),
    Fix("asked_not", "question", "small", asked_not),
    Fix("asked_having", "question", "small", asked_having),
    Fix("asked_flag", "question", "small", asked_flag),
    Fix("have_both", "question", "small", have_both),
    Fix("foreign_function", "dialect", "all", foreign_function),
    Fix("ratio", "dialect", "small", ratio),
    Fix("aggregate_in_where", "dialect", "all", aggregate_in_where),
    Fix("row_in_having", "dialect", "all", row_in_having),
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
        names = _named(item.removeprefix("-"))
        chosen = chosen - names if item.startswith("-") else chosen | names
    return frozenset(chosen)


def _named(item: str) -> set[str]:
    """The fixes that one item of a choice means: a group, a kind or a single fix."""
    groups: dict[str, set[str]] = {"all": set(NAMES), "none": set()}
    groups |= {kind: {fix.name for fix in FIXES if fix.kind == kind} for kind in KINDS}
    groups |= {name: {name} for name in NAMES}
    if item not in groups:
        close = get_close_matches(item, groups, n=3) or ["all", "none", *KINDS]
        raise UsageError("usage.fixes", name=item[:100], close=", ".join(close))
    return groups[item]
