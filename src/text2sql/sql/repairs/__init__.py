"""Deterministic repairs of a model's SQL, without a model, in milliseconds (docs/repairs.md).

    text → tree → REPAIRS, until nothing changes → text

Only sure repairs: where two ways lead to a query that runs, none is taken. What comes out is hostile text
like what went in, and goes to the guard; a repair brings in no name that the catalogue does not show.
"""

from collections.abc import Callable
from dataclasses import dataclass

from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.repairs.asked import asked_distinct, asked_each, asked_value, said_number, said_value
from text2sql.sql.repairs.bindings import qualify, rebind
from text2sql.sql.repairs.bridges import bridge, key_of_list, other_table
from text2sql.sql.repairs.connectives import asked_either, asked_not
from text2sql.sql.repairs.contradictions import anti_join, beyond_all, both_at_once, counted_none, for_each
from text2sql.sql.repairs.draft import Draft
from text2sql.sql.repairs.entities import namesakes
from text2sql.sql.repairs.flags import asked_flag
from text2sql.sql.repairs.grouped import counted_rows, group_key, group_shown, most_common, row_in_having
from text2sql.sql.repairs.groups import (
    aggregate_in_order,
    aggregate_in_where,
    alias_in_clause,
    count_of_one,
    count_rows,
    group_by,
    ratio,
)
from text2sql.sql.repairs.known import known
from text2sql.sql.repairs.measures import asked_measure, asked_total, said_measure
from text2sql.sql.repairs.missing import join_key, missing_join
from text2sql.sql.repairs.names import near_column, near_table, typo
from text2sql.sql.repairs.needless import denied_join, needless_join, unasked_join
from text2sql.sql.repairs.orders import asked_age, asked_best, asked_order, unasked_limit
from text2sql.sql.repairs.reading import read, written
from text2sql.sql.repairs.roles import other_end, other_thing, right_end
from text2sql.sql.repairs.sets import asked_both, asked_except, asked_having, but_not, counted_set, have_both
from text2sql.sql.repairs.shown import (
    asked_column,
    asked_list,
    asked_name,
    asked_owner,
    unasked_column,
)
from text2sql.sql.repairs.slips import bracketed_arm, foreign_function
from text2sql.sql.repairs.values import (
    asked_part,
    letter_case,
    quoted_text,
    value_part,
    value_place,
    value_spelling,
)
from text2sql.sql.repairs.without import asked_without
from text2sql.types import Catalogue, Domains, Policy, Said

Repair = Callable[[Draft], bool]  # mends the draft in place; whether it changed something

# In this order: names first, since the others resolve them; then values, then joins that nothing uses any
# more, then the engine's own ways.
REPAIRS: tuple[Repair, ...] = (
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

_LONGEST = 8_000  # characters: looking at more for a slip would cost seconds
_ROUNDS = 4  # one repair may lay open another; a chain of more is not a slip


@dataclass(frozen=True, slots=True)
class Repaired:
    sql: str  # byte for byte what it was, where nothing was mended
    fixes: tuple[str, ...] = ()  # the names of the repairs that changed something, in their order


def repair(
    text: str,
    dialect: str,
    catalogue: Catalogue,
    domains: Domains | None = None,
    *,
    policy: Policy | None = None,
    said: Said | None = None,
) -> Repaired:
    """The text with its sure faults mended; as it is where there are none, or where it cannot be read."""
    try:
        return mended(text, dialect, catalogue, domains, policy=policy, said=said)
    except Exception:  # noqa: BLE001 - a fault of ours must cost a repair, not an answer; tests call `mended`
        return Repaired(text)


def mended(
    text: str,
    dialect: str,
    catalogue: Catalogue,
    domains: Domains | None = None,
    *,
    policy: Policy | None = None,
    said: Said | None = None,
) -> Repaired:
    """`repair`, with its faults told."""
    known_text = dialect in GRAMMARS and len(text) <= _LONGEST
    tree, slip = read(text, dialect) if known_text else (None, "")
    if tree is None:
        return Repaired(text)
    policed = policy is not None and bool(policy.rows)
    draft = Draft(
        tree, dialect, known(catalogue, policy, dialect), domains, text=text, said=said, policed=policed
    )
    fixes = dict.fromkeys([slip] if slip else [])
    for _ in range(_ROUNDS):
        fixed = [one.__name__ for one in REPAIRS if one(draft)]
        if not fixed:
            break
        fixes.update(dict.fromkeys(fixed))
    return Repaired(written(draft.tree, dialect), tuple(fixes)) if fixes else Repaired(text)
