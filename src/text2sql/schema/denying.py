"""What a question says no to: *not*, *without*, 没有; and what only looks so."""

import re
from collections.abc import Sequence

from text2sql.schema.knowledge import Knowledge
from text2sql.schema.terms import terms
from text2sql.schema.things import is_its_head
from text2sql.types import Denial, ValueHit

_DENIES = re.compile(
    r"(?i)\b(no|not|never|without|neither|nor|none|except|other than)\b|n[\'’]t\b|[不没未非无除]"
)
_BOUNDS = re.compile(  # these deny nothing: a bound, *different*, *very*
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


def denial(question: str, knowledge: Knowledge, hits: Sequence[ValueHit]) -> Denial | None:
    plain = _plain(question, hits)
    if not _DENIES.search(plain):
        return None
    return Denial(
        values=_denied(question, plain, hits),
        had=_had(question, plain, knowledge),
        lacks=bool(_LACKS.search(plain)),
        fails=bool(_FAILS.search(plain)),
        at_all=bool(_AT_ALL.search(question)),
    )


def _plain(question: str, hits: Sequence[ValueHit]) -> str:
    """Letter by letter without what looks like a denial and is none: a bound, a part of a name (无锡)."""
    text = _BOUNDS.sub(lambda found: " " * len(found[0]), question)
    for hit in hits:
        if _DENIES.search(hit.said) and not _DENIES.fullmatch(hit.said):
            text = text.replace(hit.said, " " * len(hit.said))
    return text


def _denied(question: str, plain: str, hits: Sequence[ValueHit]) -> tuple[ValueHit, ...]:
    """Of each denial the next value after it in its clause: *in the morning but not at night*."""
    held = [(question.find(hit.said), hit) for hit in hits]
    ends = (found.end() for found in _DENIES.finditer(plain))
    after = ((end, min((at for at, _ in held if at >= end), default=-1)) for end in ends)
    places = {at for end, at in after if at >= 0 and not _CLAUSE.search(question[end:at])}
    return tuple(hit for at, hit in held if at in places)


def _had(question: str, plain: str, knowledge: Knowledge) -> tuple[str, ...]:
    """What is named before a *but* that a denial follows, and not after it."""
    but = _BUT.search(plain)
    if but is None or not _DENIES.search(plain, but.end()):
        return ()
    sides: tuple[dict[str, None], dict[str, None]] = ({}, {})
    for term in terms(question):
        tables = knowledge.linker.named_by(term)
        if len(tables) == 1 and is_its_head(term, tables[0]):
            sides[term.start > but.start()][tables[0]] = None
    return tuple(one for one in sides[False] if one not in sides[True])
