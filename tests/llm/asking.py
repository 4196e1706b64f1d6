"""Helpers for the tests of chat models: settings for the scripted endpoint, a question, an event loop."""

import asyncio
import itertools
import os
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from offline import without_keys
from text2sql.config import Settings
from text2sql.llm import AsyncChatModel, open_model
from text2sql.testing.endpoint import Endpoint
from text2sql.types import Message, ModelRequest

T = TypeVar("T")
KEY = "sk-canary-5f0c1d7e9b"
PROMPT = "Schema: table of the canary prompt, planted"
QUESTION = ModelRequest((Message("system", PROMPT), Message("user", "How many orders are there in all?")))
_numbers = itertools.count(1)


@contextmanager
def isolated() -> Iterator[None]:
    environment = without_keys()
    try:
        yield
    finally:
        without_keys()
        os.environ.update(environment)


def model_name(fault: str) -> str:
    """A unique model name for the fault, because breakers and limits are shared by name."""
    return f"{fault}#{os.getpid()}-{next(_numbers)}"


def settings_for(server: Endpoint, **options: Any) -> Settings:
    quick = {"first_token_timeout": 0.5, "idle_timeout": 0.5, "model_timeout": 5.0, "requests_per_minute": 0}
    return Settings(**{"base_url": server.base_url, "api_key": KEY, **quick, **options})


def hosted(server: Endpoint, name: str, **options: Any) -> AsyncChatModel:
    return open_model(f"openai-compatible:{name}", settings_for(server, **options))


def settled(work: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine in a new event loop and check that it leaves no task behind."""

    async def watched() -> T:
        try:
            return await work
        finally:
            end = time.monotonic() + 2
            while len(asyncio.all_tasks()) > 1 and time.monotonic() < end:
                await asyncio.sleep(0.01)
            assert len(asyncio.all_tasks()) == 1, asyncio.all_tasks()

    return asyncio.run(watched())


def eventually(true: Any, seconds: float = 2.0) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
