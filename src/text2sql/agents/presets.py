"""Presets: five rows of settings over one graph."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from text2sql.errors import UsageError


@dataclass(frozen=True, slots=True)
class Preset:
    retries: int  # queries that recovery may request from the model
    explain: bool  # EXPLAIN a query before running it
    execute: bool = True  # if False, a query that passed the guard is the answer
    probes: int = 0  # queries of at most ten rows that recovery may run to look at the data
    rows: int | None = None  # a lower row limit than the settings'
    tables: int | None = None  # maximum number of tables in the prompt
    refresh: bool = True  # reload the catalog when the database reports an unknown table or column
    ask_back: bool = True  # ask the user (`clarify`) instead of returning an empty result
    summary: Literal["template", "model", ""] = ""  # "" follows the settings


PRESETS: Mapping[str, Preset] = {
    "default": Preset(retries=2, explain=True),
    # one table, a low row limit, one retry
    "light": Preset(retries=1, explain=False, rows=200, tables=1, ask_back=False),
    # EXPLAIN, then at most one repair
    "repair_once": Preset(retries=1, explain=True),
    # no EXPLAIN; one retry, which may look at the data once
    "hybrid": Preset(retries=1, explain=False, probes=1),
    # a checked query only: no connection, no retry
    "static": Preset(retries=0, explain=False, execute=False, refresh=False),
}


def preset(name: str) -> Preset:
    if name not in PRESETS:
        raise UsageError("usage.preset", name=name, presets=", ".join(PRESETS))
    return PRESETS[name]
