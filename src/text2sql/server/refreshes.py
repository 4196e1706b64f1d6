"""Catalogues that are read anew, because somebody asks for it or because it is due; all servers take them
over with their next question.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any

from text2sql.errors import Text2SQLError
from text2sql.memory import Held, Memory, Work
from text2sql.messages import Language
from text2sql.reports.cron import Cron, read_cron
from text2sql.server.identity import Identity
from text2sql.server.logs import fact
from text2sql.server.metrics import Metrics
from text2sql.server.sources import Sources
from text2sql.server.works import Kind, Works

log = logging.getLogger(__name__)


class Refreshes(Kind):
    name, at_once = "refresh", 2

    def __init__(self, works: Works, sources: Sources, every: str, metrics: Metrics) -> None:
        super().__init__(works)
        self._sources = sources
        self._every = read_cron(every) if every.strip() else None
        self._metrics = metrics

    async def ask(self, who: Identity, language: Language, source: str) -> Work:
        name = self._sources.seen_by(who).named(source).name
        return await self.start(who, language, {"source": name})

    def schedule(self) -> list[tuple[str, Cron, dict[str, Any]]]:
        if self._every is None:
            return []
        told = {one.name: {"request": {"source": one.name}} for one in self._sources}
        return [(f"/refresh|{name}|{self._every.text}", self._every, asked) for name, asked in told.items()]

    async def do(self, asked: Mapping[str, Any], held: Held, memory: Memory) -> None:  # noqa: ARG002 one shape for all of them
        """For everybody, whatever each may see of it; so nobody is told what was found."""
        name = asked["request"]["source"]
        if "who" in asked:
            self._sources.seen_by(await self.works.welcome(asked)).named(name)
        try:
            changed = await self._sources.named(name).app.publish()
        except Text2SQLError:
            self._metrics.refreshed("failed")
            raise
        await held.end("done", "{}")
        self._metrics.refreshed("changed" if changed else "same")
        fact(log, "refresh", source=name, changed=changed)


def state_of(work: Work) -> dict[str, Any]:
    return {
        "refresh_id": work.id,
        "source": json.loads(work.asked)["request"]["source"],
        "status": work.state,
        "problem": json.loads(work.told or "{}").get("problem"),
    }
