"""The stable part of the prompt is evaluated before the first question needs it."""

from text2sql.agents.context import schema_fits, system_message
from text2sql.agents.desk import Asked, Desk, Rooms


async def warm_up(rooms: Rooms) -> None:
    desk = Desk(rooms, Asked(), lambda _: None)
    knowledge = await rooms.library.knowledge(values=False)
    if knowledge.catalogue.tables and await schema_fits(knowledge.catalogue, desk):
        rooms.warming = True
        try:
            await desk.model.warm([await system_message(desk, knowledge)])
        finally:
            rooms.warming = False
