"""A write waits for a person: the statement, and how many rows a rolled-back rehearsal touched, are shown;
the run stops here until somebody says yes or no, be it after a restart.
"""

from langgraph.types import interrupt

from text2sql.agents.desk import Desk, Update, ended
from text2sql.agents.state import SQLMessageState, Write
from text2sql.sql import check_write
from text2sql.types import CheckedWrite


async def confirmation(state: SQLMessageState, desk: Desk) -> Update:
    """Everything before `interrupt` happens again when the run goes on; a rehearsal changes nothing."""
    write = state["pending_write"]
    if write is None:
        raise RuntimeError("there is nothing to confirm")
    statement = await checked_write(write, desk)
    rows = await desk.rooms.database.rehearse(statement)
    desk.check("rehearsal", True, str(rows))
    said = interrupt({"sql": write["sql"], "table": write["table"], "kind": write["kind"], "rows": rows})
    update: Update = {"statements": state.get("statements", 0) + 1}
    if said is not True:
        return {**update, **ended("refused", "declined", desk.say("reason.declined.told"))}
    return {**update, "pending_write": {**write, "rows": rows, "confirmed": True}}


async def checked_write(write: Write, desk: Desk) -> CheckedWrite:
    """A checkpoint is only data: what it holds goes through the guard again, and must come out the same."""
    knowledge = await desk.rooms.library.knowledge(values=False)
    catalogue = knowledge.catalogue
    found = check_write(write["sql"], catalogue.dialect, catalogue, knowledge.policy, nonce=write["nonce"])
    if not isinstance(found, CheckedWrite) or found.sql != write["sql"]:
        raise RuntimeError("the statement that waited is not the one that was checked")
    return found
