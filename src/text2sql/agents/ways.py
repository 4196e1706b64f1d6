"""Other ways to put a question, where one query is not enough: as the model nearly wrote it, and as it writes
it when the schema stands there in other words. Samples mostly differ in what does not matter
(benchmarks/ACCURACY.md). What speaks against each decides, not the model's opinion (`confidence.py`).
"""

from collections.abc import Sequence
from dataclasses import replace

from text2sql.agents.context import Alike
from text2sql.agents.desk import Desk
from text2sql.agents.generator import asking
from text2sql.agents.state import SQLMessageState, Way
from text2sql.errors import PromptTooLong
from text2sql.schema import Knowledge
from text2sql.types import ModelRequest, Reply

_PRINTED = -0.5  # what the other rendering is worth less, in nats, as if the model had nearly written it


async def nearly_written(ways: Sequence[Way], request: ModelRequest, desk: Desk) -> list[tuple[float, Reply]]:
    """It goes on from each place where it was torn. Nobody is shown that: it may come to nothing."""
    return [(way["gap"], await desk.model.ask(replace(request, begun=way["begun"]))) for way in ways]


async def read_anew(
    state: SQLMessageState, desk: Desk, knowledge: Knowledge, alike: Alike
) -> list[tuple[float, Reply]]:
    """Where the schema fits in the engine's own words too. It is read once a database, and kept."""
    try:
        request = await asking(state, desk, knowledge, alike, printed=True)
        await desk.model.warm(request.messages[:1])
        return [(_PRINTED, await desk.model.ask(request))]
    except PromptTooLong:
        return []
