"""Rows that stand for things: two people of one name are two."""

import re

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.schema_index import Entry, folded, is_text
from text2sql.sql.scope import Scope, Source

_NAMES = ("name", "title", "fullname")


_BY_NAME = re.compile(  # *per product name*: who asks so wants namesakes in one group
    r"(?:\b(?:each|every|per)|(?<!sorted )(?<!ordered )(?<!order )\bby)\s+(?:(?!and\b)\w+\s+){0,2}names?\b"
    r"|按[^，。]{0,6}名[称字]?(?:统计|分组|汇总|计算)|每[一个种]{1,2}[^，。]{0,4}名[称字]"
)


def namesakes(context: FixContext) -> bool:
    """`GROUP BY visitor.name` over visits: the visitors are counted, so each by its key as well."""
    if context.intent is not None and _BY_NAME.search(context.intent.text):
        return False
    done = False
    for scope in list(context.scopes):
        source = _grouped_by_name(context, scope)
        if source is not None and source.entry is not None and _has_many(scope, source):
            keys = [context.grammar.columns.key(one, True) for one in source.entry.table.primary_key]
            group = scope.select.args["group"]
            group.set("expressions", [*group.expressions, *(context.column(source, key) for key in keys)])
            context.invalidate()
            done = True
    return done


def is_name(entry: Entry, key: str) -> bool:
    """Whether a column says what the row is called: `name`, or `museum_name` of `museum`."""
    table = folded(entry.table.name)
    return folded(key) in (*_NAMES, *(table + name for name in _NAMES))


def title_of(entry: Entry, called: str) -> str | None:
    """The one text column that is called as what stands for it, or as a name."""
    texts = [key for key, column in entry.columns.items() if is_text(column)]
    if called in texts:
        return called
    for ending in ("name", "title", "detail"):
        named = [key for key in texts if folded(key).endswith(ending)]
        if named:
            return named[0] if len(named) == 1 else None
    return None


def _grouped_by_name(context: FixContext, scope: Scope) -> Source | None:
    """The source whose name the SELECT is grouped by, and nothing else."""
    group = scope.select.args.get("group")
    if group is None or scope.open or any(held for key, held in group.args.items() if key != "expressions"):
        return None
    columns = [one for one in group.expressions if isinstance(one, exp.Column)]
    owners = {context.owner(scope, one) for one in columns}
    source = owners.pop() if len(owners) == 1 and len(columns) == len(group.expressions) else None
    if source is None or source.entry is None or not source.entry.table.primary_key:
        return None
    named = all(is_name(source.entry, context.key(one)) for one in columns)
    shown = {context.grammar.columns.key(one, True) for one in source.entry.table.primary_key}
    return source if named and shown <= source.outputs.known else None


def _has_many(scope: Scope, source: Source) -> bool:
    """Whether another source refers to it: one row of it may stand in many of the join."""
    entry = source.entry
    others = [one.entry for one in scope.sources.values() if one is not source]
    return entry is not None and any(not link.forward and link.there in others for link in entry.links)
