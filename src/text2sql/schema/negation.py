"""Detect negation in a question (*not*, *without*, 没有) and tell it from phrases that only look negative."""

import re
from collections.abc import Sequence

from text2sql.schema.entities import is_head_noun
from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.tokenizer import terms
from text2sql.types import Negation, ValueHit

_NEGATION = re.compile(
    r"(?i)\b(no|not|never|without|neither|nor|none|except|other than)\b|n[\'’]t\b|[不没未非无除]"
)
_BOUNDS = re.compile(  # phrases that negate nothing: a bound, *different*, *very*
    r"(?i)\b(no|not) (more|less|fewer|later|earlier|only|exceed\w*)\b|非常|无论|无法|除以|未来"
    r"|\b(no|without|not|don['’]t) (duplicat|repe(at|tit))\w*|有没有|是不是"
    r"|不(同|要?重复|少于|多于|超过|低于|高于|小于|大于|晚于|早于|必|到|足|满|及|止|仅|只)"
)
_CLAUSE = re.compile(r"[,;:.!?，；：。！？]")
_AT_ALL = re.compile(r"(?i)\b(any|at all|never|ever)\b|任何|从未|从没|从来")
_LACKS = re.compile(r"(?i)\b(no|without|never|none|neither)\b|没有|从未|从没|无")
_FAILS = re.compile(  # *who do not grow beans* grow none; *a plant that is not a bean* is one of several
    r"(?i)\b(?:do|does|did)(?: not|n['’]t)\b|没|不(?![是为等在属])"
)
_BUT = re.compile(r"(?i)\b(but|although|though|yet)\b|[但却]")


def negation(question: str, schema_context: SchemaContext, hits: Sequence[ValueHit]) -> Negation | None:
    plain = _without_false_negations(question, hits)
    if not _NEGATION.search(plain):
        return None
    return Negation(
        values=_negated_values(question, plain, hits),
        had=_tables_before_but(question, plain, schema_context),
        lacks=bool(_LACKS.search(plain)),
        fails=bool(_FAILS.search(plain)),
        at_all=bool(_AT_ALL.search(question)),
    )


def _without_false_negations(question: str, hits: Sequence[ValueHit]) -> str:
    """The question with false negations (a bound, a part of a name such as 无锡) replaced by blanks.
    Positions stay the same.
    """
    text = _BOUNDS.sub(lambda match: " " * len(match[0]), question)
    for hit in hits:
        if _NEGATION.search(hit.said) and not _NEGATION.fullmatch(hit.said):
            text = text.replace(hit.said, " " * len(hit.said))
    return text


def _negated_values(question: str, plain: str, hits: Sequence[ValueHit]) -> tuple[ValueHit, ...]:
    """For each negation the next value after it in its clause: *in the morning but not at night*."""
    positions = [(question.find(hit.said), hit) for hit in hits]
    ends = (match.end() for match in _NEGATION.finditer(plain))
    nearest = ((end, min((at for at, _ in positions if at >= end), default=-1)) for end in ends)
    negated = {at for end, at in nearest if at >= 0 and not _CLAUSE.search(question[end:at])}
    return tuple(hit for at, hit in positions if at in negated)


def _tables_before_but(question: str, plain: str, schema_context: SchemaContext) -> tuple[str, ...]:
    """The tables that are named only before a *but* that a negation follows."""
    but = _BUT.search(plain)
    if but is None or not _NEGATION.search(plain, but.end()):
        return ()
    sides: tuple[dict[str, None], dict[str, None]] = ({}, {})
    for term in terms(question):
        tables = schema_context.linker.named_by(term)
        if len(tables) == 1 and is_head_noun(term, tables[0]):
            sides[term.start > but.start()][tables[0]] = None
    return tuple(table for table in sides[False] if table not in sides[True])
