"""Runs embedded engines in separate processes, whose memory the operating system limits."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

from text2sql.config import Settings
from text2sql.database.dialects import BY_NAME
from text2sql.database.engine import Engine
from text2sql.database.source import Source


def isolate_in_processes(engine: Engine, source: Source, settings: Settings) -> Engine:
    """Wrap a file engine. Clients of a server, and systems without fork (Windows), keep the engine itself."""
    if not BY_NAME[engine.dialect].is_file or sys.platform == "win32":
        return engine
    from text2sql.database.process.child import SessionSpec  # noqa: PLC0415 Windows has no `resource`
    from text2sql.database.process.owner import ProcessEngine  # noqa: PLC0415

    prepare = cast("Callable[[], tuple[Path, str]] | None", getattr(engine, "prepare", None))

    def make_spec() -> SessionSpec:
        if prepare is None:
            return SessionSpec(source, settings, "")
        path, scratch = prepare()
        return SessionSpec(replace(source, path=path), settings, scratch)

    return ProcessEngine(engine, make_spec)
