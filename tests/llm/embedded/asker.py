"""Asks the embedded model once and prints what happened: `python asker.py CACHE MODEL TIMEOUT`."""

import asyncio
import json
import sys
import time
from typing import Any

from text2sql.config import Settings
from text2sql.errors import ModelError
from text2sql.llm import AsyncChatModel
from text2sql.llm.embedded import EmbeddedBackend
from text2sql.types import Message, ModelRequest


async def ask(cache: str, model: str, seconds: float) -> dict[str, Any]:
    settings = Settings(cache_dir=cache, model_timeout=seconds)
    positions: list[int] = []
    began = time.monotonic()
    outcome: dict[str, Any] = {"error": "", "text": ""}
    async with AsyncChatModel([EmbeddedBackend(model, settings)], settings) as chat:
        messages = (Message("system", "rules " * 30), Message("user", "How many?"))
        try:
            reply = await chat.ask(ModelRequest(messages), queued=positions.append)
            outcome["text"] = reply.text
        except ModelError as error:
            outcome["error"] = error.kind
    return {**outcome, "positions": positions, "seconds": time.monotonic() - began}


if __name__ == "__main__":
    cache, model, seconds = sys.argv[1:]
    print(json.dumps(asyncio.run(ask(cache, model, float(seconds)))))
