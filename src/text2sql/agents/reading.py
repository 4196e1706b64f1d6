"""How much of a schema a slow model is made to read for a question that came before it had read any.

All of it is read while a person types (`warming.py`). Whoever does not wait for that would wait for tables
that the question is not about: so the first question reads those it needs, and each later one only what is
new, behind what was read already, since a model keeps what it has read of a prompt's beginning.
"""

from collections.abc import Sequence

from text2sql.agents.context import system_message
from text2sql.agents.desk import Desk
from text2sql.schema import Knowledge
from text2sql.schema.names import label
from text2sql.types import ValueHit

_SHORT = 300  # tokens of a prefix that is read whole: six seconds at most
_NEEDED = 5  # tables: with so many, 136 of 137 questions on larger schemas of spider-train-600 had all theirs
_MORE = 2  # for a later one: most of what it needs has been read, and what is missing is noticed
_NEARLY_ALL = 0.8


async def tables_to_read(
    question: str, hits: Sequence[ValueHit], knowledge: Knowledge, desk: Desk
) -> list[str]:
    """In the order in which they were first needed; none means the whole schema."""
    whole = await system_message(desk, knowledge)
    if desk.rooms.warming or await desk.model.has_read((whole,)):
        return []
    if await desk.model.count_tokens(whole.content) <= _SHORT:
        return []
    catalogue, memory = knowledge.catalogue, desk.rooms.memory
    key = f"{desk.rooms.library.key} {catalogue.fingerprint} {desk.model.name}"
    read = await memory.tables_read(key)
    most = _MORE if read else _NEEDED
    needed = [label(one, catalogue) for one in knowledge.linker.link(question, hits, most=most)]
    shown = list(dict.fromkeys((*read, *needed)))
    if len(shown) >= _NEARLY_ALL * len(catalogue.tables):
        return []
    if shown != read:
        await memory.keep_tables_read(key, shown)
    return shown
