"""Catalog refresh jobs, on request or on a schedule. All servers use the new catalog from their next question
on.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any

from text2sql.errors import Text2SQLError
from text2sql.i18n import Language
from text2sql.memory import ClaimedJob, Memory, StoredJob
from text2sql.reports.cron import Cron, read_cron
from text2sql.server.identity import Identity
from text2sql.server.jobs import JobRunner, JobType
from text2sql.server.logs import log_fields
from text2sql.server.metrics import Metrics
from text2sql.server.sources import Sources

log = logging.getLogger(__name__)


class Refreshes(JobType):
    name, concurrency = "refresh", 2

    def __init__(self, jobs: JobRunner, sources: Sources, cron: str, metrics: Metrics) -> None:
        super().__init__(jobs)
        self._sources = sources
        self._cron = read_cron(cron) if cron.strip() else None
        self._metrics = metrics

    async def submit(self, identity: Identity, language: Language, source: str) -> dict[str, Any]:
        name = self._sources.seen_by(identity).named(source).name
        return await self.start(identity, language, {"source": name})

    def schedule(self) -> list[tuple[str, Cron, dict[str, Any]]]:
        if self._cron is None:
            return []
        payloads = {source.name: {"request": {"source": source.name}} for source in self._sources}
        return [
            (f"/refresh|{name}|{self._cron.text}", self._cron, payload) for name, payload in payloads.items()
        ]

    def state_of(self, work: StoredJob) -> dict[str, Any]:
        return {**super().state_of(work), "source": json.loads(work.payload)["request"]["source"]}

    async def run(self, payload: Mapping[str, Any], job: ClaimedJob, memory: Memory) -> None:  # noqa: ARG002 -- the base class has these parameters
        """Refresh the catalog for all users. The result says nothing about it, because policies differ."""
        name = payload["request"]["source"]
        if "who" in payload:
            self._sources.seen_by(await self.jobs.authorize(payload)).named(name)
        try:
            resources = await self._sources.named(name).app.resources()
            changed = await resources.catalog_cache.publish()
        except Text2SQLError:
            self._metrics.count("refreshes", "failed")
            raise
        await job.end("done", "{}")
        self._metrics.count("refreshes", "changed" if changed else "same")
        log_fields(log, "refresh", source=name, changed=changed)
