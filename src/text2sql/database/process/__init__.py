"""Runs embedded engines in separate processes, whose memory the operating system limits."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, cast

from text2sql.config import Settings
from text2sql.database.dialects import BY_NAME
from text2sql.database.engine import Engine
from text2sql.database.source import Source

_Prepare: TypeAlias = Callable[[Callable[[str], Path]], tuple[Path, str]]


def isolate_in_processes(engine: Engine, source: Source, settings: Settings) -> Engine:
    """Wrap a file engine. Clients of a server, and systems without fork (Windows), keep the engine itself."""
    if not BY_NAME[engine.dialect].is_file or sys.platform == "win32":
        return engine
    from text2sql.database.process.child import SessionSpec  # noqa: PLC0415 Windows has no `resource`
    from text2sql.database.process.owner import ProcessEngine, convert_apart  # noqa: PLC0415

    prepare = cast("_Prepare | None", getattr(engine, "prepare", None))

    def make_spec() -> SessionSpec:
        if prepare is None:
            return SessionSpec(source, settings, "")
        path, scratch = prepare(lambda scratch: convert_apart(SessionSpec(source, settings, scratch)))
        return SessionSpec(replace(source, path=path), settings, scratch)

    return ProcessEngine(engine, make_spec)
