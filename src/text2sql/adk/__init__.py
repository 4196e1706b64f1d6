"""The door for Google's Agent Development Kit: a root agent, a SQL task agent and a result interpreter.

    from text2sql.adk import root_agent      # as the environment says: TEXT2SQL_DB, TEXT2SQL_MODEL
    root_agent = build("shop.db", tables=["orders"])      # or as you say

Nobody imports this but an agent's own folder: ADK takes seconds to import, and is an extra.
"""

from functools import cache
from typing import Any

from text2sql.config import from_environment
from text2sql.errors import MissingDriver, Text2SQLError
from text2sql.messages import explain, language

__all__ = ["build", "root_agent"]


@cache
def _root() -> Any:
    settings = from_environment()
    try:
        return build(settings=settings)
    except Text2SQLError as error:
        # ADK's loader shows a ValueError as one message; of others it shows the trace.
        raise ValueError(explain(error, language(settings.lang))) from None


def __getattr__(name: str) -> Any:
    """`root_agent` is built when it is asked for, and `build` needs the extra."""
    if name == "root_agent":
        return _root()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


try:
    from text2sql.adk.agents import build
except ModuleNotFoundError as missing:
    if not (missing.name or "").startswith(("google", "openai")):
        raise
    told = explain(MissingDriver("missing_adk", extra="adk"), language()).replace("\n", " ")
    raise ImportError(told) from None
