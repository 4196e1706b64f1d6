"""Answer questions about a database, asked in English or Chinese, with checked read-only SQL.

>>> from text2sql import Text2SQL
>>> with Text2SQL("demo.db", model=model) as db:
...     print(db.ask("How many customers are there?").rows)
((4000,),)

The names below are the public API, in the order of use: the two clients, the options of a question, what they
return, the events of a stream, policies, settings and errors. All others may change without notice.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text2sql.client.async_client import AsyncText2SQL
    from text2sql.client.sync_client import Text2SQL
    from text2sql.config import Settings
    from text2sql.errors import DatabaseError, ModelError, StoreError, Text2SQLError, UsageError
    from text2sql.types import (
        Answer,
        AnswerToken,
        Event,
        Finished,
        Policies,
        Policy,
        QueryResult,
        Receipt,
        RowsFound,
        RunOptions,
        SqlRejected,
        SqlToken,
        StageStarted,
        Warned,
    )

__version__ = "0.2.0"

__all__ = [  # noqa: RUF022 -- in the order of use
    "Text2SQL",
    "AsyncText2SQL",
    "RunOptions",
    "Answer",
    "Receipt",
    "QueryResult",
    "SqlRejected",
    "Event",
    "StageStarted",
    "SqlToken",
    "RowsFound",
    "AnswerToken",
    "Warned",
    "Finished",
    "Policy",
    "Policies",
    "Settings",
    "Text2SQLError",
    "UsageError",
    "ModelError",
    "StoreError",
    "DatabaseError",
    "__version__",
]

_MODULES = {
    "AsyncText2SQL": "text2sql.client.async_client",
    "Text2SQL": "text2sql.client.sync_client",
    "Settings": "text2sql.config",
    **dict.fromkeys(
        ("Text2SQLError", "UsageError", "ModelError", "StoreError", "DatabaseError"), "text2sql.errors"
    ),
}


def __getattr__(name: str) -> Any:
    """Import the public names lazily: `text2sql --help` needs neither the SQL parser nor a driver."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 -- needed on this path only

    return getattr(import_module(_MODULES.get(name, "text2sql.types")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
