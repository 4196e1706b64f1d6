"""The first question on a database never seen, and the second, beside the bare model.

    python benchmarks/first_question.py

Bare: the DDL as the database keeps it, and the question, in one call to the embedded model; first with
nothing cached, then again. Ours: `ask` on the same schema with an empty memory; once as a person meets it who
types for ten seconds (`chat` warms meanwhile), once at once (`ask`). Every run uses names that no run has
used, so nothing of it can be in a cache; what all databases share may be.
"""

import asyncio
import secrets
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from text2sql import AsyncText2SQL
from text2sql.config import Settings
from text2sql.database.demo import SCHEMA
from text2sql.llm import AsyncChatModel, open_model
from text2sql.types import Message, ModelRequest

TYPING = 10.0  # seconds
QUESTIONS = ("How many customers are there?", "How many orders are there in each status?")


@dataclass(frozen=True)
class Taken:
    first: float
    second: float
    tokens: int


def never_seen(path: Path) -> str:
    """The shop's schema, with comments as people write them, under names made up now; its DDL."""
    salt = secrets.token_hex(2)
    ddl = SCHEMA
    for name in ("regions", "cities", "stores", "employees", "suppliers", "shipments", "returns", "reviews"):
        ddl = ddl.replace(name, f"{name}_{salt}")
    ddl = ddl.replace(" NOT NULL", " NOT NULL ON CONFLICT ABORT")  # about 1,500 tokens in all
    with closing(sqlite3.connect(path)) as made:
        made.executescript(ddl)
        return "\n\n".join(
            sql for (sql,) in made.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        )


async def bare(model: AsyncChatModel, ddl: str) -> Taken:
    system = Message(
        "system", f"You write SQLite queries. Answer with one SQL query and nothing else.\n\n{ddl}"
    )
    taken = []
    for question in QUESTIONS:
        began = time.perf_counter()
        await model.warm([system])
        await model.ask(ModelRequest((system, Message("user", question)), max_tokens=200, stop=(";",)))
        taken.append(time.perf_counter() - began)
    return Taken(taken[0], taken[1], await model.count_tokens(system.content))


async def ours(path: Path, settings: Settings, typing: float) -> Taken:
    async with AsyncText2SQL(str(path), settings=settings) as db:
        if typing:
            await db.warm(background=True)
            await asyncio.sleep(typing)
        taken = []
        for question in QUESTIONS:
            began = time.perf_counter()
            answer = await db.ask(question)
            taken.append(time.perf_counter() - began)
            if answer.status != "answered":
                raise SystemExit(f"{question}: {answer.status}, {answer.answer}")
        return Taken(taken[0], taken[1], answer.receipt.usage.prompt_tokens)


async def measure() -> None:
    with tempfile.TemporaryDirectory() as held:
        place = Path(held)
        settings = Settings(memory="none")
        async with open_model("local", settings) as model:
            await model.ask(ModelRequest((Message("user", "Say yes."),), max_tokens=2))  # the process is up
            alone = await bare(model, never_seen(place / "bare.db"))
        never_seen(place / "base.db")
        await ours(
            place / "base.db", settings, 0.0
        )  # the part that all databases share is evaluated once ever
        never_seen(place / "cold.db")
        cold = await ours(place / "cold.db", settings, 0.0)
        never_seen(place / "typing.db")
        warmed = await ours(place / "typing.db", settings, TYPING)
    print(f"bare, {alone.tokens} tokens of prompt:  first {alone.first:5.1f} s, second {alone.second:5.2f} s")
    for label, taken in (("ours, at once", cold), (f"ours, {TYPING:.0f} s of typing", warmed)):
        first, second = taken.first / alone.first, taken.second / alone.second
        print(
            f"{label}, {taken.tokens} tokens: first {taken.first:5.1f} s ({first:.2f} x), "
            f"second {taken.second:5.2f} s ({second:.2f} x)"
        )


if __name__ == "__main__":
    asyncio.run(measure())
