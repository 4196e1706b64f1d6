"""Ask a database a question in plain words, Chinese or English."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text2sql.app import AsyncText2SQL
    from text2sql.synchronous import Text2SQL

__version__ = "0.1.0"

__all__ = ["AsyncText2SQL", "Text2SQL", "__version__"]

_PLACES = {"AsyncText2SQL": "text2sql.app", "Text2SQL": "text2sql.synchronous"}


def __getattr__(name: str) -> Any:
    """Imported when it is wanted: `text2sql --help` needs neither a parser nor a driver."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 -- only for those who get here

    return getattr(import_module(_PLACES[name]), name)
