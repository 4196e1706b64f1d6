"""One turn of an ADK session: its user, language and state, and how many queries have failed.

The session's owner may store the state and show it, so everything in it is bounded, and nothing in it is a
secret.
"""

import re
from collections.abc import Mapping
from typing import Any

from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools.tool_context import ToolContext

from text2sql.agents.presets import effective_preset
from text2sql.config import Settings
from text2sql.i18n import Language, language
from text2sql.serialization import NAME, short
from text2sql.types import RunOptions

KEYS = ("selected_table", "table_columns", "generated_sql", "sql_result", "row_count", "last_error")
TRIES = 2  # queries: one and one retry, unless the settings allow none
EMPTY = "empty_result"  # the kind of an error: a condition left no rows
SQL = 8_000  # characters of a query
ERROR_LENGTH = 1_000  # of an error
# ADK drops keys that start with `temp:` at the end of the turn
_FAILED, _DRAFT = "temp:text2sql_failed", "temp:text2sql_draft"
_CJK = re.compile(r"[\u3400-\u9fff]")


def user_language(context: ReadonlyContext, settings: Settings) -> Language:
    """The language of the settings, else of the user's message."""
    if settings.lang:
        return language(settings.lang)
    return "zh" if _CJK.search(user_text(context)) else "en"


def user_text(context: ReadonlyContext) -> str:
    content = context.user_content
    return " ".join(part.text or "" for part in (content.parts or ())) if content else ""


class Turn:
    """Reads and writes the session's state during one turn."""

    def __init__(self, context: ToolContext, settings: Settings) -> None:
        self.lang = user_language(context, settings)
        self.user = f"adk:{context.user_id}"  # separate from the threads and results of other interfaces
        self.text = user_text(context)
        self._state = context.state
        self._tries = min(TRIES, effective_preset(RunOptions(preset="hybrid"), settings).max_attempts)

    def keep(self, **values: Any) -> None:
        for name, value in values.items():
            self._state[name] = value

    def begin_query(self) -> None:
        """Clear the result of an earlier query."""
        self.keep(generated_sql="", sql_result=None, row_count=0)

    def succeeded(self, **values: Any) -> None:
        """Clear the error: a further query of the turn starts fresh. Failures stay counted."""
        self.keep(last_error=None, **values)
        if self._failures:
            self.keep(**{_FAILED: {"count": self._failures, "previous": None}})

    def keep_draft(self, sql: str, written: str) -> None:
        self.succeeded(generated_sql=short(sql, SQL))
        self.keep(**{_DRAFT: {"sql": sql, "written": written}})

    def draft_of(self, sql: str) -> str:
        """A drafted query as it was written, without the added LIMIT, which would hide whether there are more
        rows.
        """
        draft = self._state.get(_DRAFT)
        return str(draft["written"]) if draft and draft["sql"] == sql else sql

    @property
    def no_tries_left(self) -> bool:
        return self._failures >= self._tries

    @property
    def previous(self) -> Mapping[str, str] | None:
        """The query that has failed in this turn, for the model that writes the next one."""
        failed = self._state.get(_FAILED)
        return failed["previous"] if failed else None

    def failed(
        self, kind: str, message: str, *, sql: str = "", shown: str = "", detail: str = "", retryable: bool
    ) -> dict[str, Any]:
        """Note an error, in words and as facts; `retryable` says whether another query could help, and
        `shown` is the query as the agents' model may see it.
        """
        failures = self._failures + 1 if retryable else self._tries
        previous = {"sql": short(sql, SQL), "kind": kind, "detail": short(detail or message, ERROR_LENGTH)}
        self.keep(**{_FAILED: {"count": failures, "previous": previous}})
        error = {"kind": short(kind, NAME), "message": short(message, ERROR_LENGTH), "sql": short(shown, SQL)}
        self.keep(last_error=error)
        return {"kind": error["kind"], "message": error["message"], "retry": not self.no_tries_left}

    def emptied(self, message: str, sql: str, *, shown: str) -> dict[str, Any] | None:
        """Note a query that a condition left without rows, for the interpreter, and for one more query if
        none has failed; None if there is no retry.
        """
        if self._failures + 1 < self._tries:
            return self.failed(EMPTY, message, sql=sql, shown=shown, retryable=True)
        last_error = {"kind": EMPTY, "message": short(message, ERROR_LENGTH), "sql": short(shown, SQL)}
        self.keep(last_error=last_error)
        return None

    @property
    def _failures(self) -> int:
        failed = self._state.get(_FAILED)
        return int(failed["count"]) if failed else 0
