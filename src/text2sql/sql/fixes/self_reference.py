"""Tables whose rows tie two rows of one other table together: `mentor(employee_id, mentor_id)`. Both columns
name employees, so both queries run: which one was meant is seen from the names and from the question.
"""

import re
from dataclasses import dataclass

from sqlglot import exp

from text2sql.sql.fixes.contradictions import is_plain_list
from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.group_by_key import title_of
from text2sql.sql.fixes.joins import add_joins, is_given, referring, tied
from text2sql.sql.schema_index import Entry, Link
from text2sql.text_normalization import words

_LETTERS = 4  # that two words have in common at their beginning, if the one is a form of the other
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_CHINESE_HAS = re.compile(r"有(?!哪|谁|什么|多少|几)|每.*有|无|最[多少]")  # 有哪些: *which are there*
_CHINESE_IS = re.compile(r"被|受到?|是(?!什么|多少|哪|谁|几|否)")


@dataclass(frozen=True, slots=True)
class Ends:
    """Of a row that ties two together: whose it is, and what of theirs it names: an employee, a mentor."""

    owner: Link
    other: Link
    stem: str  # how the word begins that the table and the other end are called by


def ends_of(entry: Entry) -> Ends | None:
    """If it has two keys to one table, and one of them is called as it is itself."""
    links = [one for one in entry.links if one.forward and len(one.columns) == 1]
    if len(links) != 2 or links[0].there is not links[1].there:
        return None
    owned = _stems(entry.table.name) - _stems(links[0].there.table.name)
    shared = [owned & _stems(entry.columns[one.columns[0]].name) for one in links]
    if bool(shared[0]) == bool(shared[1]):
        return None
    owner, other = links[::-1] if shared[0] else links
    return Ends(owner, other, min(shared[0] or shared[1]))


def _stems(name: str) -> set[str]:
    """How its words begin: `likes` and `liked_id`, `prerequisite` and `prereq_code` begin alike."""
    return {word[:_LETTERS] for word in words(name) if len(word) >= _LETTERS and word.isalpha()}


def right_end(context: FixContext) -> bool:
    """*Employees who have no mentor*, and `NOT IN (SELECT mentor_id FROM mentor)`: the wrong end. Those who
    have one are at its owner's, those who are one at the other.
    """
    said = context.intent
    if said is None or any(context.faulty_columns(*ERRORS)):
        return False
    done = False
    for scope in list(context.scopes):
        for source in list(scope.sources.values()):
            ends = ends_of(source.entry) if source.entry is not None else None
            meant = _meant(said.text, ends) if ends is not None else None
            if ends is None or meant is None:
                continue
            columns = [one for scope, one in context.columns() if context.owner(scope, one) is source]
            (right,) = meant.columns
            (wrong,) = (ends.other if meant is ends.owner else ends.owner).columns
            keys = [context.key(one) for one in columns]
            if wrong in keys and right not in keys:
                for column in columns:
                    if context.key(column) == wrong:
                        column.set("this", context.column(source, right).this)
                context.invalidate()
                done = True
    return done


def _meant(text: str, ends: Ends) -> Link | None:
    """The owner's end of *who have no mentor*, *how many mentors does he have*; the other one of *who is a
    mentor*; None where the question says neither, or both.
    """
    word = rf"{ends.stem}\w*"
    if _CHINESE.search(text):
        has, is_one = _CHINESE_HAS.search(text), _CHINESE_IS.search(text)
    else:
        has = re.search(
            rf"\b(?:ha(?:s|ve|d|ving)|with(?:out)?|lack\w*)(?:\W+(?!been\b)\w+){{0,4}}?\W+{word}"
            rf"|\b{word}\W+(?:do|does|did)\b.*\bhave\b",
            text,
        )
        is_one = re.search(
            rf"\b(?:is|are|was|were|be|been|being)(?:\W+(?:not|never|an?|the))*\W+{word}|\b{word}\W+by\b",
            text,
        )
    if bool(has) == bool(is_one):
        return None
    return ends.owner if has else ends.other


def other_end(context: FixContext) -> bool:
    """*Anna's mentors*, and a query for the name of those called Anna: the names at the other end. *What does
    Anna grow?*, and Anna's name again, joined to what she grows: that of the plants. *What belongs to Cola?*,
    and Cola's name, joined to its own table: the other row's.
    """
    scope, said = context.outermost, context.intent
    if said is None or scope is None or len(scope.sources) != 2 or not is_plain_list(scope):
        return False
    shown = context.only_source_shown(scope)
    sides = tied(context, scope, scope.joins[0]) if shown is not None else None
    items = [context.key(one.unalias()) for one in scope.select.expressions]
    if shown is None or sides is None or any(context.faulty_columns(*ERRORS)):
        return False
    given = [is_given(context, scope, shown, one) for one in items]
    (rows, key), (_, other) = sides if sides[0][0] is not shown else sides[::-1]
    if rows.entry is shown.entry and all(given):
        for column in list(scope.select.expressions):
            context.bind(column.unalias(), rows)
        return True
    ends = _both_ends(rows.entry, key, said.text) if rows.entry is not None and any(given) else None
    if ends is None or shown.entry is not ends[0].there or (other,) != ends[0].referred:
        return False
    here, there = ends
    if (not all(given) and there.there is not shown.entry) or not set(items) <= set(there.there.columns):
        return False
    for column in scope.joins[0].args["on"].find_all(exp.Column):
        if context.owner(scope, column) is rows:
            context.bind(column, rows, here.columns[0])
    scope = context.outermost or scope
    name = add_joins(context, scope, scope.sources[rows.key], [there])
    columns = [there.there.columns[one].name for one in items]
    scope.select.set(
        "expressions", [exp.Column(this=context.identifier(one), table=name.copy()) for one in columns]
    )
    context.invalidate()
    return True


def other_thing(context: FixContext) -> bool:
    """*Which enzymes does it act on, and how?*, and its own name beside the how: that of the enzymes."""
    scope, said = context.outermost, context.intent
    if said is None or scope is None or not is_plain_list(scope) or any(context.faulty_columns(*ERRORS)):
        return False
    items = [one.unalias() for one in scope.select.expressions]
    owners = [context.owner(scope, one) for one in items]
    given = [
        (item, owner)
        for item, owner in zip(items, owners, strict=True)
        if owner is not None and is_given(context, scope, owner, context.key(item))
    ]
    here = {one.entry.name for one in scope.sources.values() if one.entry is not None}
    ways = [way for name in sorted(said.things - here) for way in referring(scope, name)]
    if len(given) != 1 or len(items) < 2 or len(ways) != 1:
        return False
    (item, owner), (source, link) = given[0], ways[0]
    title = title_of(link.there, context.key(item))
    if title is None or owner is source or set(owners) != {owner, source} or owners.count(owner) > 1:
        return False
    name = add_joins(context, scope, source, [link])
    context.replace(
        item, exp.Column(this=context.identifier(link.there.columns[title].name), table=name.copy())
    )
    return True


def _both_ends(entry: Entry, key: str, text: str) -> tuple[Link, Link] | None:
    """Of a table with two keys: where what is given stands, as far as that is said, and the other end."""
    links = [one for one in entry.links if one.forward and len(one.columns) == 1]
    ends = ends_of(entry)
    if ends is not None and _is_theirs(text, ends.stem):
        return ends.owner, ends.other
    if len(links) != 2 or (ends is None and links[0].there is links[1].there):
        return None
    return (links[0], links[1]) if links[0].columns == (key,) else (links[1], links[0])


def _is_theirs(text: str, stem: str) -> bool:
    """*Anna's mentors*, *the mentors of Anna*, Anna 的导师."""
    word = rf"{stem}\w*"
    return bool(re.search(rf"['’]s?\s+(?:\w+\s+)?{word}|\b{word}\s+of\b|的", text))
