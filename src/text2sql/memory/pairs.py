"""Verified pairs: from the store, and from a folder where a team keeps them in files.

With a folder, a new pair is written there and nowhere else: what a review deletes is gone. What one of
several users finds right is kept for that user alone: a folder is for what somebody has read.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from text2sql.errors import UsageError
from text2sql.memory.encoding import dump_pair, label, load_pair
from text2sql.memory.kept import Pair
from text2sql.memory.pair_files import PairFolder, pair_key, write_pair
from text2sql.memory.ranking import ranked
from text2sql.wording import normalised

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

MOST_PAIRS = 2_000  # of one database, the newest: ranking them takes about 10 ms
QUESTION_CHARACTERS, SQL_CHARACTERS = 2_000, 20_000


class Pairs:
    def __init__(self, store: "BaseStore", folder: Path | None) -> None:
        self._store = store
        self._folder = PairFolder(folder) if folder else None

    async def remember(self, pair: Pair) -> None:
        short = 0 < len(pair.question.strip()) <= QUESTION_CHARACTERS
        if not short or not 0 < len(pair.sql.strip()) <= SQL_CHARACTERS:
            raise UsageError("usage.pair", question=QUESTION_CHARACTERS, sql=SQL_CHARACTERS)
        dated = pair if pair.created else replace(pair, created=time.time())
        if self._folder and not pair.user:
            await asyncio.to_thread(write_pair, self._folder.folder, dated)
        else:
            place = _namespace(pair.source, pair.user)
            await self._store.aput(place, pair_key(pair), {"pair": dump_pair(dated)})

    async def forget(self, source: str, question: str, user: str) -> None:
        """From the store; a file is deleted by whoever keeps the folder."""
        await self._store.adelete(_namespace(source, user), pair_key(Pair(question, "", source=source)))

    async def recall(self, source: str, question: str, most: int, user: str) -> list[tuple[float, Pair]]:
        return ranked(question, await self._known(source, user), most)

    async def export(self, source: str, folder: Path) -> int:
        """Every pair of a database as a file each; how many."""
        known = await self._known(source)
        await asyncio.to_thread(lambda: [write_pair(folder, pair) for pair in known])
        return len(known)

    async def _known(self, source: str, user: str = "") -> Sequence[Pair]:
        """A file's query wins over the store's for the same question: somebody has read the file."""
        found: dict[str, Pair] = {}
        for item in await self._store.asearch(_namespace(source, user), limit=MOST_PAIRS):
            pair = load_pair(item.value.get("pair"))
            if pair is not None:
                found[normalised(pair.question)] = pair
        if self._folder:
            for pair in await asyncio.to_thread(self._folder.pairs):
                if pair.source in ("", source):
                    found[normalised(pair.question)] = pair
        return list(found.values())


def _namespace(source: str, user: str) -> tuple[str, ...]:
    """Of different lengths, and a search finds what lies below: nobody's pairs lie below another's."""
    return ("user_pairs", label(user), label(source)) if user else ("pairs", label(source))
