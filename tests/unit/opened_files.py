"""Ask, change, list and export in one process, and print each database file that Python itself opens.

`python opened_files.py SHOP MEMORY`; a file that this process has just created (O_EXCL) is not printed.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from text2sql import AsyncText2SQL
from text2sql.cli import main
from text2sql.config import Settings
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.types import ModelProfile


def watch(paths: set[str]) -> list[str]:
    opened: list[str] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.realpath(os.fsdecode(arguments[0]))
            if path in paths and not arguments[2] & os.O_EXCL:
                opened.append(path)

    sys.addaudithook(hook)
    return opened


async def use(shop: str) -> str:
    profile = ModelProfile(context=32_768, grammar=True, candidates=True, logprobs=True)
    replies = ["SELECT count(*) AS n FROM t", "INSERT INTO t VALUES (1)"]
    settings = Settings(memory=os.environ["TEXT2SQL_MEMORY"], allow_writes=True, requests_per_minute=0)
    model = AsyncChatModel([ScriptedBackend(replies, profile=profile)], settings)
    async with AsyncText2SQL(shop, settings=settings, model=model) as db:
        answer = await db.ask("How many t are there?", thread="a")
        await db.verified.add("How many t?", answer.sql)
        change = await db.ask("Insert 1 into t", thread="a")
        if change.status == "confirm":
            await db.threads.confirm("a")
        async with AsyncText2SQL(shop, settings=settings, model=model) as second:
            await second.catalog()
    return answer.status


if __name__ == "__main__":
    shop, memory = sys.argv[1:]
    opened = watch({str(Path(shop).resolve()), str(Path(memory).resolve())})
    status = asyncio.run(use(shop))
    for words in (["stats", "--json"], ["schema", "--db", shop, "--json"]):
        descriptor, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        main(words)
        os.dup2(descriptor, 1)
    print(*opened, status, sep="\n")
