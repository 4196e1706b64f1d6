"""One of several programs that use a memory at the same time: `python worker.py PLACE NAME COUNT`.

It opens the memory (which may not exist yet), claims the keys that all of them claim, stores its own entries,
and prints the claims that it won.
"""

import asyncio
import json
import sys

from text2sql.config import Settings
from text2sql.memory import Memory, Pair, QuestionMetrics, StoredResult, open_memory


async def main(location: str, name: str, count: int) -> None:
    async with open_memory(Settings(memory=location)) as memory:
        print("open", flush=True)
        sys.stdin.readline()
        won = [key for key in range(count) if await memory.claim(f"key {key}")]
        await asyncio.gather(*(leave(memory, name, number) for number in range(count)))
        print(json.dumps(won))


async def leave(memory: Memory, name: str, number: int) -> None:
    await memory.turn(name, f"thread {number}", "hello")
    await memory.remember(Pair(f"question {number} of {name}", "SELECT 1", source="shop"))
    await memory.keep_result(name, f"thread {number}", StoredResult("s", "d", (), ((number,),), 1))
    await memory.count(QuestionMetrics("answered"))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
