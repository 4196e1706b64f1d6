"""Where a model was torn between two ways to go on, the other one may be right. To see it is cheap: the model
tells what it nearly wrote, and goes on from there. Samples mostly differ in what does not matter.

It is worth a call where enough speaks against the query that there is, or where none came through.
"""

from collections.abc import Sequence
from dataclasses import replace

from text2sql.agents.confidence import LESS_LIKELY
from text2sql.agents.desk import Desk
from text2sql.agents.state import Way
from text2sql.types import Candidate, ModelRequest, Reply

_MOST = 2  # a third was never worth its call
_CLEARLY = 1.75  # worse than the other way, if nothing speaks against that one
_ALIKE = frozenset(("join", "inner", "left", "as"))  # which of them it writes decides nothing


def ways(candidate: Candidate) -> list[Way]:
    """The likeliest first."""
    found: list[Way] = []
    written = ""
    for token in candidate.tokens:
        found += [
            Way(begun=written + text, gap=round(logprob - token.logprob, 4))
            for text, logprob in token.others
            if _matters(token.text, text)
        ]
        written += token.text
    return sorted(found, key=lambda way: -way["gap"])[:_MOST]


def _matters(taken: str, other: str) -> bool:
    """Not another spelling, nor the same word in other pieces."""
    one, two = (text.strip().strip("\"'`[").casefold() for text in (taken, other))
    if not two or one.startswith(two) or two.startswith(one) or {one, two} <= _ALIKE:
        return False
    return any(map(str.isalnum, one + two)) or bool(set(one + two) & set("<>="))


def worth_a_call(untried: Sequence[Way], evidence: float) -> list[Way]:
    """Those that would clearly beat a query of which `evidence` is known."""
    return [way for way in untried if evidence < LESS_LIKELY * way["gap"] - _CLEARLY]


async def taken(untried: Sequence[Way], request: ModelRequest, desk: Desk) -> list[tuple[Way, Reply]]:
    """What becomes of each. Nobody is shown them while they are written: they may come to nothing."""
    return [(way, await desk.model.ask(replace(request, begun=way["begun"]))) for way in untried]
