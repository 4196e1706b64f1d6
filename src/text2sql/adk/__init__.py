"""Agents for Google's Agent Development Kit: a root agent, a SQL task agent and a result interpreter.

    from text2sql.adk import root_agent      # from the environment: TEXT2SQL_DB, TEXT2SQL_MODEL
    root_agent = build("shop.db", tables=["orders"])      # or from arguments

Only an agent's own folder imports this module: ADK takes seconds to import, and is an extra.
"""

from functools import cache
from typing import Any

from text2sql.config import from_environment
from text2sql.errors import MissingDriver, Text2SQLError
from text2sql.i18n import explain, language

__all__ = ["build", "root_agent"]


@cache
def _default_root_agent() -> Any:
    settings = from_environment()
    try:
        return build(settings=settings)
    except Text2SQLError as error:
        # ADK's loader shows a ValueError as one message, other errors with their trace.
        raise ValueError(explain(error, language(settings.lang))) from None


def __getattr__(name: str) -> Any:
    """`root_agent` is built when it is asked for, and `build` needs the extra."""
    if name == "root_agent":
        return _default_root_agent()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


try:
    from text2sql.adk.agents import build
except ModuleNotFoundError as missing:
    if not (missing.name or "").startswith(("google", "openai")):
        raise
    message = explain(MissingDriver("missing_adk", extra="adk"), language()).replace("\n", " ")
    raise ImportError(message) from None
