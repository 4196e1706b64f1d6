"""Other ways to put a question, where one query is not enough: as the model nearly wrote it; and as it writes
it without what it has learned here, from the schema in other words, which makes other mistakes. Samples
mostly differ in what does not matter (benchmarks/ACCURACY.md). What speaks against each decides
(`confidence.py`).
"""

from collections.abc import Sequence
from dataclasses import replace

from text2sql.agents.desk import Desk
from text2sql.agents.state import Way
from text2sql.types import Candidate, ModelRequest, Reply

PRINTED = -1.5  # what the other one is worth, in nats: it goes without what the first was taught
_MOST = 2  # ways: a third was never worth its call
_ALIKE = frozenset(("join", "inner", "left", "as"))  # which of them it writes decides nothing


def ways(candidate: Candidate) -> list[Way]:
    """How it nearly went on, the likeliest first."""
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


async def nearly_written(
    untried: Sequence[Way], request: ModelRequest, desk: Desk
) -> list[tuple[float, Reply]]:
    """It goes on from each place where it was torn. Nobody is shown that: it may come to nothing."""
    return [(way["gap"], await desk.model.ask(replace(request, begun=way["begun"]))) for way in untried]


async def read_anew(request: ModelRequest, desk: Desk) -> list[tuple[float, Reply]]:
    """The schema in the engine's own words, to the model as its makers ship it: it is read once a database,
    and kept.
    """
    await desk.model.warm(request.messages[:1], plain=True)
    return [(PRINTED, await desk.model.ask(replace(request, plain=True)))]
