"""A process that kills itself during a question; a child process imports this module."""

import asyncio
import os
import signal
from pathlib import Path

from agents.asking import app, scripted
from text2sql.types import StageStarted


async def _die(shop: Path, memory: str, stage: str, question: str, lines: list[str], confirm: bool) -> None:
    async with app(shop, scripted(lines), memory=memory) as db:
        if confirm:
            await db.ask(question, thread="t", allow_writes=True)
            events = db.threads.stream_confirm("t")
        else:
            events = db.stream(question, thread="t")
        async for event in events:
            if isinstance(event, StageStarted) and event.stage == stage:
                os.kill(os.getpid(), signal.SIGKILL)


def die(*facts: object) -> None:
    asyncio.run(_die(*facts))  # type: ignore[arg-type]
