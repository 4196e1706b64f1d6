"""Measure the overhead of a question besides the model and the database, with a model that answers at once.

    python benchmarks/overhead.py [--rounds 30]

In the same run: a bare LangGraph with as many nodes and the same checkpointer; the same on a
catalog of 1,000 tables; `import text2sql` and `text2sql --help` beside `python -c pass`.
"""

import argparse
import asyncio
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

from text2sql import AsyncText2SQL
from text2sql.config import Settings
from text2sql.database.demo import build_demo
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.types import ModelProfile

SQL = "SELECT count(*) AS orders FROM orders"
STAGES = 6


async def median(work: Callable[[], Awaitable[object]], rounds: int) -> float:
    durations = []
    for _ in range(rounds):
        start = time.perf_counter()
        await work()
        durations.append(time.perf_counter() - start)
    return statistics.median(durations) * 1000


async def ours(source: Path, memory: Path, rounds: int) -> float:
    settings = Settings(memory=str(memory), requests_per_minute=0, values_time=60.0)
    backend = ScriptedBackend(
        [], last=SQL, profile=ModelProfile(16_384, location="local", size="small", grammar=True)
    )
    async with AsyncText2SQL(str(source), settings=settings, model=AsyncChatModel([backend], settings)) as db:
        await db.ask("How many orders are there?")
        await asyncio.sleep(1.0)  # values are read in the background
        return await median(lambda: db.ask("How many orders are there?"), rounds)


async def bare(memory: Path, rounds: int) -> float:
    """As many nodes that do nothing, with the same saver and the same durability."""

    async def node(state: MessagesState) -> dict[str, object]:  # noqa: ARG001
        return {}

    graph = StateGraph(MessagesState)
    names = [f"n{number}" for number in range(STAGES)]
    for name, before in zip(names, [START, *names], strict=False):
        graph.add_node(name, node)
        graph.add_edge(before, name)
    async with AsyncSqliteSaver.from_conn_string(str(memory)) as saver:
        compiled = graph.compile(checkpointer=saver)
        number = 0

        async def once() -> None:
            nonlocal number
            number += 1
            question = {"messages": [{"role": "user", "content": "How many orders are there?"}]}
            config = {"configurable": {"thread_id": str(number)}}
            async for _ in compiled.astream(
                question, config, stream_mode=["custom", "updates"], durability="sync"
            ):  # type: ignore[call-overload]
                pass

        await once()
        return await median(once, rounds)


def make_wide(path: Path, tables: int = 1_000) -> None:
    columns = ", ".join(f"field_{n} TEXT" for n in range(18))
    with closing(sqlite3.connect(path)) as wide, wide:
        for number in range(tables):
            wide.execute(f"CREATE TABLE thing_{number} (id INTEGER PRIMARY KEY, {columns}, total REAL)")
        wide.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL)")


def command(*words: str, rounds: int = 7) -> float:
    durations = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True)
        durations.append(time.perf_counter() - start)
    return statistics.median(durations) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        build_demo(folder / "shop.db")
        make_wide(folder / "wide.db")
        before = asyncio.run(bare(folder / "bare.db", rounds))
        demo = asyncio.run(ours(folder / "shop.db", folder / "memory.db", rounds))
        after = asyncio.run(bare(folder / "bare.db", rounds))
        wide = asyncio.run(ours(folder / "wide.db", folder / "wide-memory.db", rounds))
    graph = (before + after) / 2
    print(f"a bare LangGraph of {STAGES} nodes            {graph:7.1f} ms")
    print(f"a question on the demo database       {demo:7.1f} ms   {demo / graph:.2f} x the bare graph")
    print(f"a question with 1,000 tables          {wide:7.1f} ms   {wide / graph:.2f} x the bare graph")
    nothing = command(sys.executable, "-c", "pass")
    for label, words in (
        ("import text2sql", (sys.executable, "-c", "import text2sql")),
        ("from text2sql import Text2SQL", (sys.executable, "-c", "from text2sql import Text2SQL")),
        ("text2sql --help", (str(Path(sys.executable).with_name("text2sql")), "--help")),
    ):
        seconds = command(*words)
        print(f"{label:<37} {seconds:7.1f} ms   {seconds / nothing:.2f} x python -c pass ({nothing:.1f} ms)")


if __name__ == "__main__":
    main()
