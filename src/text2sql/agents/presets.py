"""How far a question may go: five rows of settings over one graph, never a fork of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from text2sql.errors import UsageError


@dataclass(frozen=True, slots=True)
class Preset:
    retries: int  # queries that recovery may ask a model for
    explain: bool  # ask the engine what it thinks of a query before running it
    execute: bool = True  # without it a query that passed the guard is the answer
    probes: int = 0  # executions, of at most ten rows, that recovery may look with
    rows: int | None = None  # a smaller row limit than the settings'
    tables: int | None = None  # at most so many tables in the prompt
    refresh: bool = True  # read the catalogue anew when the database knows better
    ask_back: bool = True  # `clarify` rather than an empty result
    summary: Literal["template", "model", ""] = ""  # "" follows the settings


PRESETS: Mapping[str, Preset] = {
    "default": Preset(retries=2, explain=True),
    # one table, a forced limit, one retry: the light bot
    "light": Preset(retries=1, explain=False, rows=200, tables=1, ask_back=False),
    # EXPLAIN, then at most one repair; what fails again is told
    "repair_once": Preset(retries=1, explain=True),
    # static first: nothing is sent until it runs; one retry that may look at the data once
    "hybrid": Preset(retries=1, explain=False, probes=1),
    # the first half of that: a checked query, no connection, no second try
    "static": Preset(retries=0, explain=False, execute=False, refresh=False),
}


def preset(name: str) -> Preset:
    if name not in PRESETS:
        raise UsageError("usage.preset", name=name, presets=", ".join(PRESETS))
    return PRESETS[name]
