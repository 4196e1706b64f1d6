"""Answer questions about a database, asked in English or Chinese, with checked read-only SQL."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text2sql.client.async_client import AsyncText2SQL
    from text2sql.client.sync_client import Text2SQL

__version__ = "0.2.0"

__all__ = ["AsyncText2SQL", "Text2SQL", "__version__"]

_MODULES = {"AsyncText2SQL": "text2sql.client.async_client", "Text2SQL": "text2sql.client.sync_client"}


def __getattr__(name: str) -> Any:
    """Import the public classes lazily: `text2sql --help` needs neither the SQL parser nor a driver."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 -- needed on this path only

    return getattr(import_module(_MODULES[name]), name)
