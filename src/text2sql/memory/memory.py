"""Memory: the graph's threads, and data about databases, users, answers and writes."""

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
from text2sql.memory.encoding import dump_catalog, dump_profile, label, load_catalog, load_profile, scoped
from text2sql.memory.jobs import JobTable
from text2sql.memory.keys import Keys
from text2sql.memory.pair_files import one_line
from text2sql.memory.rate_limit import RateLimitTable
from text2sql.memory.records import Claim, Pair, QuestionMetrics, Stats, StoredResult, ThreadInfo
from text2sql.memory.results import Results
from text2sql.memory.semantic import Embedder
from text2sql.memory.statistics import aggregate, metrics_from_row, metrics_to_row
from text2sql.memory.thread_lock import ThreadLocks
from text2sql.memory.verified_queries import Pairs
from text2sql.types import Catalog, DatabaseProfile

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

log = logging.getLogger(__name__)

PREFERENCES = ("language", "mode", "preset", "model")
MOST_THREADS = 1_000  # the newest that are listed
_TITLE, _PREFERENCE = 80, 200  # characters
_DAY = 86_400.0


class Memory:
    """Belongs to the event loop that opened it. A graph is compiled with `checkpointer` and `store`; a
    thread's id there is `scoped(user, thread)`.
    """

    def __init__(
        self,
        checkpointer: "BaseCheckpointSaver[str]",
        store: "BaseStore",
        storage: tables.Tables,
        settings: Settings,
        embedder: Embedder | None = None,
    ) -> None:
        self.checkpointer = checkpointer
        self.store = store
        self._tables = storage
        folder = Path(settings.pairs_dir).expanduser() if settings.pairs_dir else None
        self._pairs = Pairs(store, folder, embedder)
        self._results = Results(storage, settings.result_lifetime, settings.result_keep_rows)
        self._lifetime = settings.result_lifetime
        self.thread_locks = ThreadLocks(storage)
        self.jobs = JobTable(storage)
        self.rate_limits = RateLimitTable(storage)
        self.keys = Keys(storage)
        self.audit = Audit(storage)

    # -- threads ---------------------------------------------------------------------------------

    async def turn(self, user: str, thread: str, title: str = "", *, first: bool = False) -> ThreadInfo:
        """Count one more question in a thread; the first question gives the title. `first` saves the lookup
        if the caller knows that the thread is new.
        """
        known = None if first else await self.thread(user, thread)
        name = known.title if known and known.title else one_line(title)[:_TITLE]
        info = ThreadInfo(thread, name, (known.turns if known else 0) + 1, time.time())
        entry = json.dumps([info.thread_id, info.title, info.turns, info.updated])
        await self.store.aput(("threads", label(user)), label(thread), {"thread": entry})
        return info

    async def thread(self, user: str, thread: str) -> ThreadInfo | None:
        item = await self.store.aget(("threads", label(user)), label(thread))
        return ThreadInfo(*json.loads(item.value["thread"])) if item else None

    async def threads(self, user: str) -> list[ThreadInfo]:
        """Newest first."""
        items = await self.store.asearch(("threads", label(user)), limit=MOST_THREADS)
        threads = [ThreadInfo(*json.loads(item.value["thread"])) for item in items]
        return sorted(threads, key=lambda thread: thread.updated, reverse=True)

    async def forget(self, user: str, thread: str) -> None:
        """Delete its checkpoints, results and entry. The entry goes last: until then the deletion can be
        repeated.
        """
        await self.checkpointer.adelete_thread(scoped(user, thread))
        await self._results.forget(user, thread)
        await self.store.adelete(("threads", label(user)), label(thread))

    # -- data about a database -------------------------------------------------------------------

    async def catalog(self, source_key: str) -> Catalog | None:
        item = await self.store.aget(("catalogs",), _digest(source_key))
        return load_catalog(item.value.get("catalog")) if item else None

    async def save_catalog(self, source_key: str, catalog: Catalog) -> str:
        """Store a catalog and return its edition: a client with another edition knows that it must reload."""
        edition = uuid4().hex
        await self.store.aput(("catalogs",), _digest(source_key), {"catalog": dump_catalog(catalog)})
        await self.store.aput(("editions",), _digest(source_key), {"edition": edition})
        return edition

    async def edition(self, source_key: str) -> str:
        """The stored catalog's edition, without reading the catalog, which can have megabytes."""
        item = await self.store.aget(("editions",), _digest(source_key))
        return str(item.value["edition"]) if item else ""

    async def profile(self, key: str, fingerprint: str) -> DatabaseProfile | None:
        """The stored profile of a database under one policy, if the fingerprint is that of its catalog."""
        item = await self.store.aget(("profiles",), _digest(key))
        profile = load_profile(item.value.get("profile")) if item else None
        return profile if profile is not None and profile.fingerprint == fingerprint else None

    async def save_profile(self, key: str, profile: DatabaseProfile) -> None:
        await self.store.aput(("profiles",), _digest(key), {"profile": dump_profile(profile)})

    async def remember(self, pair: Pair) -> None:
        """Save to the store, or as a file if `pairs_dir` is set. The same question replaces its query."""
        await self._pairs.remember(pair)

    async def recall(
        self, source: str, question: str, most: int = 3, user: str = ""
    ) -> list[tuple[float, Pair]]:
        """Return the verified questions nearest to this one, best first, each with a score from 0 to 1. Only
        the user's own and the folder's: another user's questions may contain data that this user must not
        see.
        """
        return await self._pairs.recall(source, question, most, user)

    async def pairs(self, source: str, user: str = "") -> Sequence[Pair]:
        """Return all verified questions of a database that `recall` chooses from."""
        return await self._pairs.load(source, user)

    async def forget_pair(self, source: str, question: str, user: str = "") -> None:
        await self._pairs.forget(source, question, user)

    async def export_pairs(self, source: str, folder: Path | str) -> int:
        return await self._pairs.export(source, Path(folder))

    async def add_feedback(self, user: str, entry: Mapping[str, object]) -> None:
        """Save a user's feedback on an answer, for the maintainers of the verified questions."""
        text = json.dumps({**entry, "at": time.time()})
        await self.store.aput(("feedback", label(user)), uuid4().hex, {"feedback": text})

    async def feedback(self, user: str, most: int = 1_000) -> list[Mapping[str, object]]:
        items = await self.store.asearch(("feedback", label(user)), limit=most)
        return [json.loads(item.value["feedback"]) for item in items]

    # -- user preferences ------------------------------------------------------------------------

    async def preferences(self, user: str) -> Mapping[str, str]:
        item = await self.store.aget(("preferences", label(user)), "all")
        return dict(json.loads(item.value["preferences"])) if item else {}

    async def set_preferences(self, user: str, **settings: str) -> Mapping[str, str]:
        """Return all preferences after the change; an empty value removes one."""
        for name, value in settings.items():
            if name not in PREFERENCES or len(value) > _PREFERENCE:
                shown = one_line(value)[:_PREFERENCE]
                names = ", ".join(PREFERENCES)
                raise UsageError("usage.preference", name=name, value=shown, names=names, most=_PREFERENCE)
        preferences = {
            name: value for name, value in {**await self.preferences(user), **settings}.items() if value
        }
        await self.store.aput(("preferences", label(user)), "all", {"preferences": json.dumps(preferences)})
        return preferences

    # -- results by reference --------------------------------------------------------------------

    async def keep_result(self, user: str, thread: str, result: StoredResult) -> str:
        return await self._results.keep(user, thread, result)

    async def result(self, user: str, result_id: str) -> StoredResult | None:
        """None for an expired, unknown or another user's result: a caller cannot tell which."""
        return await self._results.find(user, result_id)

    async def has_result(self, user: str, result_id: str) -> bool:
        return await self._results.holds(user, result_id)

    async def close(self) -> None:
        """Cancel the background task of LangGraph's store: it does not end with the store, and an event loop
        that closes at once would warn about a pending task.
        """
        task = getattr(self.store, "_task", None)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def sweep(self) -> int:
        """Delete expired results; return how many. Called on opening and every ten minutes of use."""
        await self.jobs.sweep(time.time() - self._lifetime)
        await self.rate_limits.sweep()
        return await self._results.sweep()

    # -- writes run once -------------------------------------------------------------------------

    async def claim(self, key: str) -> bool:
        """True for exactly one caller, in all processes, ever."""
        return await self._tables.change(tables.CLAIM, label(key), time.time(), durable=True) == 1

    async def settle(self, key: str, rows: int) -> None:
        await self._tables.change(tables.SETTLE, rows, label(key), durable=True)

    async def claimed(self, key: str) -> Claim | None:
        rows = await self._tables.rows(tables.CLAIMED, label(key))
        return Claim(key, *rows[0]) if rows else None

    # -- metrics ---------------------------------------------------------------------------------

    async def count(self, metrics: QuestionMetrics) -> None:
        """Save a question's metrics durably, and with them everything written before: a commit that waits for
        the disk syncs the whole log. So an answer survives a power failure at the price of one such wait per
        question.
        """
        try:
            await self._tables.change(tables.ADD_METRICS, time.time(), *metrics_to_row(metrics), durable=True)
        except Exception as error:  # noqa: BLE001  the question was answered; a failed count must not fail it
            log.warning("a question was not counted: %s", error)

    async def stats(self, days: int | None = None) -> Stats:
        since = time.time() - days * _DAY if days is not None else 0.0
        return aggregate(metrics_from_row(row) for row in await self._tables.rows(tables.METRICS, since))


def _digest(source_key: str) -> str:
    """Hash the key: a source may be a URL that contains a password."""
    return hashlib.sha256(source_key.encode("utf-8", "surrogatepass")).hexdigest()
