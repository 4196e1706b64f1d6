"""What one turn of an ADK session knows: who asks, in which language, what is in the session's state and how
many queries have failed.

The state is what `run_sql` found and what agents tell each other. Whoever runs the session may keep it in a
database of their own and show it, so everything in it is bounded, and nothing in it is a secret.
"""

import re
from collections.abc import Mapping
from typing import Any

from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools.tool_context import ToolContext

from text2sql.config import Settings
from text2sql.messages import Language, language
from text2sql.shapes import NAME, short

KEYS = ("selected_table", "table_columns", "generated_sql", "sql_result", "row_count", "last_error")
TRIES = 2  # queries: one, and one after it has failed
SQL = 8_000  # characters of a query
TOLD = 1_000  # of an error
# ADK forgets what is called temp: at the end of the turn
_FAILED, _DRAFT = "temp:text2sql_failed", "temp:text2sql_draft"
_CJK = re.compile(r"[\u3400-\u9fff]")


def spoken(context: ReadonlyContext, settings: Settings) -> Language:
    """As the settings say, else the language of what the person has said."""
    if settings.lang:
        return language(settings.lang)
    return "zh" if _CJK.search(said(context)) else "en"


def said(context: ReadonlyContext) -> str:
    content = context.user_content
    return " ".join(part.text or "" for part in (content.parts or ())) if content else ""


class Turn:
    def __init__(self, context: ToolContext, settings: Settings) -> None:
        self.lang = spoken(context, settings)
        self.user = f"adk:{context.user_id}"  # threads and results of other doors are none of theirs
        self._state = context.state

    def keep(self, **values: Any) -> None:
        for name, value in values.items():
            self._state[name] = value

    def begin_query(self) -> None:
        """What was found for an earlier query does not answer this one."""
        self.keep(generated_sql="", sql_result=None, row_count=0)

    def succeeded(self, **values: Any) -> None:
        """The error is mended: a further query of the turn is another one. Its tries stay counted."""
        self.keep(last_error=None, **values)
        if self._failures:
            self.keep(**{_FAILED: {"count": self._failures, "previous": None}})

    def keep_draft(self, sql: str, written: str) -> None:
        self.succeeded(generated_sql=short(sql, SQL))
        self.keep(**{_DRAFT: {"sql": sql, "written": written}})

    def draft_of(self, sql: str) -> str:
        """A query that was given out, as it was written: with a LIMIT that is ours nobody could tell whether
        there are more rows.
        """
        draft = self._state.get(_DRAFT)
        return str(draft["written"]) if draft and draft["sql"] == sql else sql

    @property
    def over(self) -> bool:
        return self._failures >= TRIES

    @property
    def previous(self) -> Mapping[str, str] | None:
        """The query that has failed in this turn, as it is told to the model that writes the next one."""
        failed = self._state.get(_FAILED)
        return failed["previous"] if failed else None

    def failed(
        self, kind: str, message: str, *, sql: str = "", detail: str = "", again: bool
    ) -> dict[str, Any]:
        """Note an error, in words and as facts; `again` says whether another query could help."""
        failures = self._failures + 1 if again else TRIES
        previous = {"sql": short(sql, SQL), "kind": kind, "detail": short(detail or message, TOLD)}
        self.keep(**{_FAILED: {"count": failures, "previous": previous}})
        error = {"kind": short(kind, NAME), "message": short(message, TOLD), "sql": short(sql, SQL)}
        self.keep(last_error=error)
        return {"kind": error["kind"], "message": error["message"], "retry": not self.over}

    @property
    def _failures(self) -> int:
        failed = self._state.get(_FAILED)
        return int(failed["count"]) if failed else 0
