"""`AsyncText2SQL.verified`: questions with the SQL that a person found right."""

import re
from collections.abc import Sequence
from pathlib import Path

from text2sql.client.checking import check_sql, require_checked
from text2sql.memory import Pair
from text2sql.resources import AppResources
from text2sql.types import CheckedSql

_LAST_LIMIT = re.compile(r"\s+(?:LIMIT \d+|FETCH FIRST \d+ ROWS ONLY)$")


class AsyncVerified:
    """The verified questions of a database. They answer the same question, and help with similar ones.

    >>> await db.verified.add("How many shops are there?", "SELECT count(*) FROM stores")
    >>> answer = await db.ask("How many shops are there?")
    >>> answer.rows
    ((24,),)
    """

    def __init__(self, app: AppResources) -> None:
        self._app = app

    async def add(self, question: str, sql: str, *, user: str = "") -> None:
        """Store a question and its query, which must pass the guard. The same question replaces its query.

        The query is stored as it was written; the row limit that an answer shows is not part of it. With a
        `user`, it counts for that user only.

        >>> await db.verified.add("How many regions are there?", "SELECT count(*) FROM regions")
        """
        resources = await self._app.resources()
        checked = require_checked(await check_sql(self._app, sql))
        written = await self._without_row_limit(sql)
        pair = Pair(question, written, checked.dialect, resources.catalog_cache.key, checked.tables, user)
        await resources.memory.remember(pair)

    async def search(self, question: str, *, most: int = 3, user: str = "") -> Sequence[tuple[float, Pair]]:
        """The verified questions nearest to this one, best first, each with a score from 0 to 1.

        >>> await db.verified.add("How many suppliers are there?", "SELECT count(*) FROM suppliers")
        >>> [(score, pair)] = await db.verified.search("How many suppliers are there?", most=1)
        >>> score, pair.sql
        (1.0, 'SELECT count(*) FROM suppliers')
        """
        resources = await self._app.resources()
        return await resources.memory.recall(resources.catalog_cache.key, question, most, user)

    async def delete(self, question: str, *, user: str = "") -> None:
        """Delete a verified question. Those of the folder `TEXT2SQL_PAIRS_DIR` are files: delete the file.

        >>> await db.verified.add("How many categories?", "SELECT count(*) FROM categories", user="bo")
        >>> await db.verified.delete("How many categories?", user="bo")
        >>> await db.verified.list(user="bo")
        []
        """
        resources = await self._app.resources()
        await resources.memory.forget_pair(resources.catalog_cache.key, question, user)

    async def rate(
        self, question: str, sql: str, *, good: bool, comment: str = "", thread: str = "", user: str = ""
    ) -> None:
        """Store a rating of an answer. A verified query that is rated wrong is no longer used.

        >>> await db.verified.rate("How many?", "SELECT count(*) FROM stores", good=False, user="cy")
        """
        resources = await self._app.resources()
        key = resources.catalog_cache.key
        if not good:
            wrong = await self._as_shown(sql)
            for _, pair in await resources.memory.recall(key, question, user=user):
                if pair.question == question and await self._as_shown(pair.sql) == wrong:
                    await resources.memory.forget_pair(key, question, user)
        facts = {"question": question, "sql": sql, "good": good, "comment": comment, "thread": thread}
        await resources.memory.add_feedback(user, {**facts, "source": key})

    async def export(self, folder: Path | str) -> int:
        """Write every verified question of the database to a file of its own; return how many.

        >>> await db.verified.add("How many payments are there?", "SELECT count(*) FROM payments")
        >>> await db.verified.export("verified") > 0
        True
        """
        resources = await self._app.resources()
        return await resources.memory.export_pairs(resources.catalog_cache.key, folder)

    async def _without_row_limit(self, sql: str) -> str:
        """The query without its limit, if that is the limit that the guard adds."""
        unlimited = _LAST_LIMIT.sub("", sql.strip())
        return unlimited if await self._as_shown(unlimited) == sql.strip() else sql

    async def _as_shown(self, sql: str) -> str:
        checked = await check_sql(self._app, sql)
        return checked.shown if isinstance(checked, CheckedSql) else sql

    async def list(self, *, user: str = "") -> Sequence[Pair]:
        """All verified questions of the database, or a user's own and those of the folder.

        >>> await db.verified.add("How many shipments?", "SELECT count(*) FROM shipments", user="dee")
        >>> [pair.question for pair in await db.verified.list(user="dee")]
        ['How many shipments?']
        """
        resources = await self._app.resources()
        return await resources.memory.pairs(resources.catalog_cache.key, user)
