"""Compares questions by meaning: the cosine of their embeddings, which are stored with the questions.

LangGraph's stores can search by meaning only with pgvector or with an extension that many builds of SQLite
cannot load. A database has at most a few thousand verified questions, so comparing all takes 0.2 s at most.
"""

import asyncio
import hashlib
import logging
import math
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from operator import mul
from typing import TYPE_CHECKING, Protocol

from text2sql.errors import ModelError
from text2sql.memory.encoding import label
from text2sql.memory.records import Pair
from text2sql.text_normalization import normalised

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

log = logging.getLogger(__name__)

_SECONDS = 15.0  # for the embeddings of a question and of pairs that have none yet
_UNRELATED = 0.5  # the cosine of questions that have little in common
_BEST = 0.99  # below the score of the same words


class Embedder(Protocol):
    name: str

    async def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


class QuestionVectors:
    """The embeddings of verified questions, in this process and in the store."""

    def __init__(self, store: "BaseStore", embedder: Embedder) -> None:
        self._store, self._embedder = store, embedder
        self._namespace = ("vectors", label(embedder.name))
        self._vectors: dict[str, array[float]] = {}

    async def scores(self, question: str, pairs: Iterable[Pair]) -> dict[str, float]:
        """By question, from 0.0 (unrelated) to almost 1.0; empty if the embedding model fails."""
        texts = list({pair.question: None for pair in pairs})
        if not texts:
            return {}
        try:
            async with asyncio.timeout(_SECONDS):
                await self._load(texts)
                (vector_of_question,) = _unit(await self._embedder.embed([question]))
        except (ModelError, TimeoutError) as error:
            kind = getattr(error, "kind", "timeout")
            log.warning("verified questions are compared by words: %s, %s", self._embedder.name, kind)
            return {}
        vectors = [self._vectors[_key(text)] for text in texts]
        cosines = await asyncio.to_thread(
            lambda: [sum(map(mul, vector_of_question, vector)) for vector in vectors]
        )
        return {
            text: round(min(_BEST, max(0.0, (cosine - _UNRELATED) / (1 - _UNRELATED))), 4)
            for text, cosine in zip(texts, cosines, strict=True)
        }

    async def _load(self, texts: Sequence[str]) -> None:
        unknown = [text for text in texts if _key(text) not in self._vectors]
        for text in unknown:
            item = await self._store.aget(self._namespace, _key(text))
            if item is not None:
                self._vectors[_key(text)] = array("f", b64decode(item.value["vector"]))
        missing = [text for text in unknown if _key(text) not in self._vectors]
        if not missing:
            return
        for text, vector in zip(missing, _unit(await self._embedder.embed(missing)), strict=True):
            self._vectors[_key(text)] = vector
            stored = {"vector": b64encode(vector.tobytes()).decode()}
            await self._store.aput(self._namespace, _key(text), stored)


def _key(text: str) -> str:
    return hashlib.sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _unit(vectors: Iterable[Sequence[float]]) -> list["array[float]"]:
    """Vectors of length 1, whose products are cosines."""
    units = []
    for vector in vectors:
        norm = math.sqrt(sum(number * number for number in vector)) or 1.0
        units.append(array("f", (number / norm for number in vector)))
    return units
