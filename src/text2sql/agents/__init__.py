"""The order of things, and nothing else: which agent does what, and who is next. See `graph.py` first."""

from text2sql.agents.desk import Asked, Rooms
from text2sql.agents.graph import AGENTS, Graph, build
from text2sql.agents.library import Library
from text2sql.agents.own import run_own
from text2sql.agents.presets import PRESETS, preset
from text2sql.agents.runs import Runs
from text2sql.agents.state import SQLMessageState
from text2sql.agents.warming import warm_up

__all__ = [
    "AGENTS",
    "PRESETS",
    "Asked",
    "Graph",
    "Library",
    "Rooms",
    "Runs",
    "SQLMessageState",
    "build",
    "preset",
    "run_own",
    "warm_up",
]
