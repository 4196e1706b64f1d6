"""Memory: threads for the graph, and what is known about databases, users, answers and writes."""

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.memory import tables
from text2sql.memory.audit import Audit
from text2sql.memory.encoding import dump_catalogue, label, load_catalogue, scoped
from text2sql.memory.kept import Claim, Numbers, Pair, Stats, StoredResult, ThreadInfo
from text2sql.memory.keys import Keys
from text2sql.memory.pace import Paces
from text2sql.memory.pair_files import one_line
from text2sql.memory.pairs import Pairs
from text2sql.memory.results import Results
from text2sql.memory.statistics import as_row, from_row, summed
from text2sql.memory.turns import Turns
from text2sql.memory.works import Works
from text2sql.types import Catalogue

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

log = logging.getLogger(__name__)

PREFERENCES = ("language", "mode", "preset", "model")
MOST_THREADS = 1_000  # that are listed, the newest
_TITLE, _PREFERENCE = 80, 200  # characters
_DAY = 86_400.0


class Memory:
    """Belongs to the event loop it was opened in. `checkpointer` and `store` are what a graph is compiled
    with; a thread's id there is `scoped(user, thread)`.
    """

    def __init__(
        self,
        checkpointer: "BaseCheckpointSaver[str]",
        store: "BaseStore",
        own: tables.Tables,
        settings: Settings,
    ) -> None:
        self.checkpointer = checkpointer
        self.store = store
        self._tables = own
        folder = Path(settings.pairs_dir).expanduser() if settings.pairs_dir else None
        self._pairs = Pairs(store, folder)
        self._results = Results(own, settings.result_lifetime, settings.result_keep_rows)
        self._lifetime = settings.result_lifetime
        self.turns = Turns(own)
        self.works = Works(own)
        self.paces = Paces(own)
        self.keys = Keys(own)
        self.audit = Audit(own)

    # -- threads ---------------------------------------------------------------------------------

    async def turn(self, user: str, thread: str, title: str = "", *, first: bool = False) -> ThreadInfo:
        """One question more in a thread; the first one's title stays. Who knows that it is the first one need
        not have it looked up.
        """
        known = None if first else await self.thread(user, thread)
        name = known.title if known and known.title else one_line(title)[:_TITLE]
        info = ThreadInfo(thread, name, (known.turns if known else 0) + 1, time.time())
        told = json.dumps([info.thread_id, info.title, info.turns, info.updated])
        await self.store.aput(("threads", label(user)), label(thread), {"thread": told})
        return info

    async def thread(self, user: str, thread: str) -> ThreadInfo | None:
        item = await self.store.aget(("threads", label(user)), label(thread))
        return ThreadInfo(*json.loads(item.value["thread"])) if item else None

    async def threads(self, user: str) -> list[ThreadInfo]:
        """Newest first."""
        items = await self.store.asearch(("threads", label(user)), limit=MOST_THREADS)
        found = [ThreadInfo(*json.loads(item.value["thread"])) for item in items]
        return sorted(found, key=lambda one: one.updated, reverse=True)

    async def forget(self, user: str, thread: str) -> None:
        """Its steps, its results and its entry, which goes last: until then it can be forgotten again."""
        await self.checkpointer.adelete_thread(scoped(user, thread))
        await self._results.forget(user, thread)
        await self.store.adelete(("threads", label(user)), label(thread))

    # -- what is known of a database -------------------------------------------------------------

    async def catalogue(self, source_key: str) -> Catalogue | None:
        item = await self.store.aget(("catalogues",), _digest(source_key))
        return load_catalogue(item.value.get("catalogue")) if item else None

    async def keep_catalogue(self, source_key: str, catalogue: Catalogue) -> str:
        """Its edition: whoever knows another one finds out that there is something new to be known."""
        edition = uuid4().hex
        await self.store.aput(("catalogues",), _digest(source_key), {"catalogue": dump_catalogue(catalogue)})
        await self.store.aput(("editions",), _digest(source_key), {"edition": edition})
        return edition

    async def edition(self, source_key: str) -> str:
        """Of the catalogue that is kept, without reading it: a large one has megabytes."""
        item = await self.store.aget(("editions",), _digest(source_key))
        return str(item.value["edition"]) if item else ""

    async def tables_read(self, key: str) -> list[str]:
        """Those that stand in prompts so far, in that order, where a model has not read all of a schema."""
        item = await self.store.aget(("read",), _digest(key))
        return list(json.loads(item.value["tables"])) if item else []

    async def keep_tables_read(self, key: str, tables: Sequence[str]) -> None:
        await self.store.aput(("read",), _digest(key), {"tables": json.dumps(tables)})

    async def remember(self, pair: Pair) -> None:
        """In the store, or as a file where `pairs_dir` is set. The same question again replaces its query."""
        await self._pairs.remember(pair)

    async def recall(
        self, source: str, question: str, most: int = 3, user: str = ""
    ) -> list[tuple[float, Pair]]:
        """The verified questions nearest to this one, best first, each with a score from 0 to 1. A user's own
        and those of the folder: what another said may hold what this one must not see.
        """
        return await self._pairs.recall(source, question, most, user)

    async def forget_pair(self, source: str, question: str, user: str = "") -> None:
        await self._pairs.forget(source, question, user)

    async def export_pairs(self, source: str, folder: Path | str) -> int:
        return await self._pairs.export(source, Path(folder))

    async def note(self, user: str, said: Mapping[str, object]) -> None:
        """What a person said of an answer, for whoever looks after the verified questions."""
        told = json.dumps({**said, "at": time.time()})
        await self.store.aput(("feedback", label(user)), uuid4().hex, {"feedback": told})

    async def noted(self, user: str, most: int = 1_000) -> list[Mapping[str, object]]:
        items = await self.store.asearch(("feedback", label(user)), limit=most)
        return [json.loads(item.value["feedback"]) for item in items]

    # -- what a user likes -----------------------------------------------------------------------

    async def preferences(self, user: str) -> Mapping[str, str]:
        item = await self.store.aget(("preferences", label(user)), "all")
        return dict(json.loads(item.value["preferences"])) if item else {}

    async def prefer(self, user: str, **settings: str) -> Mapping[str, str]:
        """All preferences as they are now; an empty value takes one back."""
        for name, value in settings.items():
            if name not in PREFERENCES or len(value) > _PREFERENCE:
                shown = one_line(value)[:_PREFERENCE]
                names = ", ".join(PREFERENCES)
                raise UsageError("usage.preference", name=name, value=shown, names=names, most=_PREFERENCE)
        now = {name: value for name, value in {**await self.preferences(user), **settings}.items() if value}
        await self.store.aput(("preferences", label(user)), "all", {"preferences": json.dumps(now)})
        return now

    # -- results by reference --------------------------------------------------------------------

    async def keep_result(self, user: str, thread: str, result: StoredResult) -> str:
        return await self._results.keep(user, thread, result)

    async def result(self, user: str, result_id: str) -> StoredResult | None:
        """None for what is over, what never was, and what is another user's: nobody can tell which."""
        return await self._results.find(user, result_id)

    async def holds_result(self, user: str, result_id: str) -> bool:
        return await self._results.holds(user, result_id)

    async def rest(self) -> None:
        """End the task that LangGraph's store works in: it does not end with the store, and a loop that
        closes at once would say that it was destroyed.
        """
        task = getattr(self.store, "_task", None)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def sweep(self) -> int:
        """Delete results whose time is over; how many. Done on opening and every ten minutes of use."""
        await self.works.sweep(time.time() - self._lifetime)
        await self.paces.sweep()
        return await self._results.sweep()

    # -- writes run once -------------------------------------------------------------------------

    async def claim(self, key: str) -> bool:
        """True for exactly one caller, of all processes, ever."""
        return await self._tables.change(tables.CLAIM, label(key), time.time(), durable=True) == 1

    async def settle(self, key: str, rows: int) -> None:
        await self._tables.change(tables.SETTLE, rows, label(key), durable=True)

    async def claimed(self, key: str) -> Claim | None:
        found = await self._tables.rows(tables.CLAIMED, label(key))
        return Claim(key, *found[0]) if found else None

    # -- numbers ---------------------------------------------------------------------------------

    async def count(self, numbers: Numbers) -> None:
        try:
            await self._tables.change(tables.COUNT, time.time(), *as_row(numbers))
        except Exception as error:  # noqa: BLE001  the question was answered: counting it must not undo that
            log.warning("a question was not counted: %s", error)

    async def stats(self, days: int | None = None) -> Stats:
        since = time.time() - days * _DAY if days is not None else 0.0
        return summed(from_row(row) for row in await self._tables.rows(tables.COUNTED, since))


def _digest(source_key: str) -> str:
    """A source may be named by its address, and an address may hold a password."""
    return hashlib.sha256(source_key.encode("utf-8", "surrogatepass")).hexdigest()
