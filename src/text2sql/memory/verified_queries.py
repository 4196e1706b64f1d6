"""Verified question-SQL pairs, from the store and from a folder of files that a team maintains.

With a folder, a new pair is written only there, so that a deleted file stays deleted. A pair that one of
several users verified is stored for that user alone: the folder is for reviewed pairs.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from text2sql.errors import UsageError
from text2sql.memory.encoding import dump_pair, label, load_pair
from text2sql.memory.pair_files import PairFolder, pair_key, write_pair
from text2sql.memory.ranking import rank_pairs
from text2sql.memory.records import Pair
from text2sql.memory.semantic import Embedder, QuestionVectors
from text2sql.text_normalization import normalised

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

MOST_PAIRS = 2_000  # the newest of one database: ranking them takes about 10 ms
QUESTION_CHARACTERS, SQL_CHARACTERS = 2_000, 20_000


class Pairs:
    """The verified pairs of all databases."""

    def __init__(self, store: "BaseStore", folder: Path | None, embedder: Embedder | None = None) -> None:
        self._store = store
        self._vectors = QuestionVectors(store, embedder) if embedder else None
        self._folder = PairFolder(folder) if folder else None

    async def remember(self, pair: Pair) -> None:
        has_valid_question = 0 < len(pair.question.strip()) <= QUESTION_CHARACTERS
        if not has_valid_question or not 0 < len(pair.sql.strip()) <= SQL_CHARACTERS:
            raise UsageError("usage.pair", question=QUESTION_CHARACTERS, sql=SQL_CHARACTERS)
        dated = pair if pair.created else replace(pair, created=time.time())
        if self._folder and not pair.user:
            await asyncio.to_thread(write_pair, self._folder.folder, dated)
        else:
            namespace = _namespace(pair.source, pair.user)
            await self._store.aput(namespace, pair_key(pair), {"pair": dump_pair(dated)})

    async def forget(self, source: str, question: str, user: str) -> None:
        """Delete from the store; files are deleted by the folder's maintainers."""
        await self._store.adelete(_namespace(source, user), pair_key(Pair(question, "", source=source)))

    async def recall(self, source: str, question: str, most: int, user: str) -> list[tuple[float, Pair]]:
        pairs = await self.load(source, user)
        meanings = await self._vectors.scores(question, pairs) if self._vectors else {}
        return rank_pairs(question, pairs, most, meanings)

    async def export(self, source: str, folder: Path) -> int:
        """Write every pair of a database to its own file; return how many."""
        pairs = await self.load(source)
        await asyncio.to_thread(lambda: [write_pair(folder, pair) for pair in pairs])
        return len(pairs)

    async def load(self, source: str, user: str = "") -> Sequence[Pair]:
        """A file's query takes precedence over the store's for the same question: the file was reviewed."""
        pairs_by_question: dict[str, Pair] = {}
        for item in await self._store.asearch(_namespace(source, user), limit=MOST_PAIRS):
            pair = load_pair(item.value.get("pair"))
            if pair is not None:
                pairs_by_question[normalised(pair.question)] = pair
        if self._folder:
            for pair in await asyncio.to_thread(self._folder.pairs):
                if pair.source in ("", source):
                    pairs_by_question[normalised(pair.question)] = pair
        return list(pairs_by_question.values())


def _namespace(source: str, user: str) -> tuple[str, ...]:
    """The lengths differ because a search includes nested namespaces: no namespace is below another."""
    return ("user_pairs", label(user), label(source)) if user else ("pairs", label(source))
