"""`Text2SQL`: the synchronous client, for code without an event loop. Generated: do not edit.

    with Text2SQL("shop.db") as db:
        print(db.ask("How many orders were there in 2025?").answer)

`scripts/make_sync_client.py` writes this file from the asynchronous classes.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from text2sql.client.async_client import AsyncText2SQL
from text2sql.client.moved import warn_moved
from text2sql.client.results import AsyncResults
from text2sql.client.sync_base import InLoop, SyncClient
from text2sql.client.threads import AsyncThreads
from text2sql.client.verified import AsyncVerified
from text2sql.config import Settings
from text2sql.i18n import Language
from text2sql.llm import AsyncChatModel
from text2sql.memory import Pair, Stats, StoredResult, ThreadInfo
from text2sql.resources import Tables
from text2sql.types import (
    Answer,
    Catalog,
    CheckedSql,
    DatabaseProfile,
    Event,
    Policy,
    QueryResult,
    Row,
    RunKeywords,
    RunOptions,
    SqlRejected,
)


class Threads(InLoop[AsyncThreads]):
    """The threads of a database. One thread answers one question at a time.

    >>> answer = db.ask("How many customers are there?", thread="monday")
    >>> [info.thread_id for info in db.threads.list()][:1]
    ['monday']
    """

    def get(self, thread: str, *, user: str = "") -> ThreadInfo | None:
        """A thread's title, number of turns and time of its last question; None if there is no such thread.

        >>> answer = db.ask("How many customers are there?", thread="get")
        >>> info = db.threads.get("get")
        >>> info.title, info.turns
        ('How many customers are there?', 1)
        """
        return self._loop.do(self._async.get(thread, user=user))

    def history(self, thread: str, *, user: str = "") -> Sequence[Mapping[str, Any]]:
        """The last turns of a thread, oldest first: question, SQL, status, answer.

        >>> answer = db.ask("How many customers are there?", thread="history")
        >>> [turn["question"] for turn in db.threads.history("history")]
        ['How many customers are there?']
        """
        return self._loop.do(self._async.history(thread, user=user))

    def answers(self, thread: str, *, rows: int = 100, user: str = "") -> Sequence[Answer]:
        """All answers of a thread, oldest first, each with its first stored rows, its chart and its sentence.
        An answer whose rows have expired has no `result_id`.

        >>> answer = db.ask("How many customers are there?", thread="answers")
        >>> [answer.rows for answer in db.threads.answers("answers")]
        [((4000,),)]
        """
        return self._loop.do(self._async.answers(thread, rows=rows, user=user))

    def confirm(self, thread: str, *, yes: bool = True, user: str = "") -> Answer:
        """Answer a `confirm`. Saying yes twice runs the statement once.

        >>> answer = db.ask("Delete the returns of order 7", thread="write", allow_writes=True)
        >>> answer.status
        'confirm'
        >>> answer = db.threads.confirm("write", yes=False)
        >>> answer.status
        'refused'
        """
        return self._loop.do(self._async.confirm(thread, yes=yes, user=user))

    def stream_confirm(self, thread: str, *, yes: bool = True, user: str = "") -> Iterator[Event]:
        """Like `confirm`, but yield the events.

        >>> answer = db.ask("Delete the returns of order 7", thread="streamed", allow_writes=True)
        >>> for event in db.threads.stream_confirm("streamed", yes=False):
        ...     if isinstance(event, Finished):
        ...         print(event.answer.status)
        refused
        """
        return self._loop.stream(self._async.stream_confirm(thread, yes=yes, user=user))

    def resume(self, thread: str, *, user: str = "") -> Answer:
        """Continue a thread after a crash or cancellation; the last answer if nothing is left to do.

        >>> answer = db.ask("How many customers are there?", thread="resume")
        >>> answer = db.threads.resume("resume")
        >>> answer.rows
        ((4000,),)
        """
        return self._loop.do(self._async.resume(thread, user=user))

    def stream_resume(self, thread: str, *, user: str = "") -> Iterator[Event]:
        """Like `resume`, but yield the events.

        >>> answer = db.ask("How many customers are there?", thread="again")
        >>> [type(event).__name__ for event in db.threads.stream_resume("again")]
        ['Finished']
        """
        return self._loop.stream(self._async.stream_resume(thread, user=user))

    def roll_back(self, thread: str, *, turns: int = 1, user: str = "") -> int:
        """Remove the last turns from a thread; return how many are left.

        >>> answer = db.ask("How many customers are there?", thread="undo")
        >>> db.threads.roll_back("undo")
        0
        """
        return self._loop.do(self._async.roll_back(thread, turns=turns, user=user))

    def fork(self, thread: str, *, turns: int | None = None, user: str = "") -> str:
        """Copy a thread, or its first turns, to a new one, and return its id. The two continue independently.

        >>> answer = db.ask("How many customers are there?", thread="original")
        >>> copy = db.threads.fork("original")
        >>> [turn["question"] for turn in db.threads.history(copy)]
        ['How many customers are there?']
        """
        return self._loop.do(self._async.fork(thread, turns=turns, user=user))

    def delete(self, thread: str, *, user: str = "") -> None:
        """Delete a thread with its turns and results.

        >>> answer = db.ask("How many customers are there?", thread="private")
        >>> db.threads.delete("private")
        >>> db.threads.history("private")
        []
        """
        return self._loop.do(self._async.delete(thread, user=user))

    def temporary(
        self, options: RunOptions | None = None, **keywords: Unpack[RunKeywords]
    ) -> AbstractContextManager[RunOptions]:
        """Options with a new thread that is deleted afterwards, with its rows.

        >>> with db.threads.temporary(language="en") as options:
        ...     answer = db.ask("How many customers are there?", options)
        >>> db.threads.history(answer.thread_id)
        []
        """
        return self._entered(self._async.temporary(options, **keywords))

    def list(self, *, user: str = "") -> Sequence[ThreadInfo]:
        """The threads of a user, newest first.

        >>> answer = db.ask("How many customers are there?", thread="listed", user="ann")
        >>> [info.title for info in db.threads.list(user="ann")]
        ['How many customers are there?']
        """
        return self._loop.do(self._async.list(user=user))

    if not TYPE_CHECKING:

        def __call__(self, user: str = "") -> Sequence[ThreadInfo]:
            warn_moved("threads()", "threads.list()")
            return self.list(user=user)


class Results(InLoop[AsyncResults]):
    """The results of earlier answers, by `Answer.result_id`, until they expire.

    >>> answer = db.run_sql("SELECT id, name FROM cities ORDER BY id")
    >>> page = db.results.page(answer.result_id, number=2, size=3)
    >>> [row[0] for row in page.rows]
    [4, 5, 6]
    """

    def get(self, result_id: str, *, user: str = "") -> StoredResult:
        """A stored result: its query, its first rows, and how many there were.

        >>> answer = db.run_sql("SELECT name FROM regions ORDER BY id")
        >>> stored = db.results.get(answer.result_id)
        >>> stored.sql
        'SELECT name FROM regions ORDER BY id'
        """
        return self._loop.do(self._async.get(result_id, user=user))

    def page(
        self, result_id: str, *, number: int = 1, size: int = 50, user: str = "", order: int = 0
    ) -> QueryResult:
        """A page of a result, in a stable order; the guard checks its query again.

        `order` is a column number from 1, negative for descending; 0 keeps the query's order.

        >>> answer = db.run_sql("SELECT id FROM cities ORDER BY id")
        >>> page = db.results.page(answer.result_id, number=1, size=2, order=1)
        >>> page.rows
        ((1,), (2,))
        """
        return self._loop.do(self._async.page(result_id, number=number, size=size, user=user, order=order))

    def count(self, result_id: str, *, user: str = "") -> int:
        """The total row count of a result's query.

        >>> answer = db.run_sql("SELECT id FROM orders")
        >>> db.results.count(answer.result_id)
        32000
        """
        return self._loop.do(self._async.count(result_id, user=user))

    def rows(self, result_id: str, *, user: str = "", order: int = 0) -> Iterator[Row]:
        """Yield all rows of a result as they arrive, in the order of its pages, at most
        `TEXT2SQL_EXPORT_ROWS`.

        >>> answer = db.run_sql("SELECT id FROM orders ORDER BY id")
        >>> sum([1 for row in db.results.rows(answer.result_id)])
        32000
        """
        return self._loop.stream(self._async.rows(result_id, user=user, order=order))


class Verified(InLoop[AsyncVerified]):
    """The verified questions of a database. They answer the same question, and help with similar ones.

    >>> db.verified.add("How many shops are there?", "SELECT count(*) FROM stores")
    >>> answer = db.ask("How many shops are there?")
    >>> answer.rows
    ((24,),)
    """

    def add(self, question: str, sql: str, *, user: str = "") -> None:
        """Store a question and its query, which must pass the guard. The same question replaces its query.

        The query is stored as it was written; the row limit that an answer shows is not part of it. With a
        `user`, it counts for that user only.

        >>> db.verified.add("How many regions are there?", "SELECT count(*) FROM regions")
        """
        return self._loop.do(self._async.add(question, sql, user=user))

    def search(self, question: str, *, most: int = 3, user: str = "") -> Sequence[tuple[float, Pair]]:
        """The verified questions nearest to this one, best first, each with a score from 0 to 1.

        >>> db.verified.add("How many suppliers are there?", "SELECT count(*) FROM suppliers")
        >>> [(score, pair)] = db.verified.search("How many suppliers are there?", most=1)
        >>> score, pair.sql
        (1.0, 'SELECT count(*) FROM suppliers')
        """
        return self._loop.do(self._async.search(question, most=most, user=user))

    def delete(self, question: str, *, user: str = "") -> None:
        """Delete a verified question. Those of the folder `TEXT2SQL_PAIRS_DIR` are files: delete the file.

        >>> db.verified.add("How many categories?", "SELECT count(*) FROM categories", user="bo")
        >>> db.verified.delete("How many categories?", user="bo")
        >>> db.verified.list(user="bo")
        []
        """
        return self._loop.do(self._async.delete(question, user=user))

    def rate(
        self, question: str, sql: str, *, good: bool, comment: str = "", thread: str = "", user: str = ""
    ) -> None:
        """Store a rating of an answer. A verified query that is rated wrong is no longer used.

        >>> db.verified.rate("How many?", "SELECT count(*) FROM stores", good=False, user="cy")
        """
        return self._loop.do(
            self._async.rate(question, sql, good=good, comment=comment, thread=thread, user=user)
        )

    def export(self, folder: Path | str) -> int:
        """Write every verified question of the database to a file of its own; return how many.

        >>> db.verified.add("How many payments are there?", "SELECT count(*) FROM payments")
        >>> db.verified.export("verified") > 0
        True
        """
        return self._loop.do(self._async.export(folder))

    def list(self, *, user: str = "") -> Sequence[Pair]:
        """All verified questions of the database, or a user's own and those of the folder.

        >>> db.verified.add("How many shipments?", "SELECT count(*) FROM shipments", user="dee")
        >>> [pair.question for pair in db.verified.list(user="dee")]
        ['How many shipments?']
        """
        return self._loop.do(self._async.list(user=user))


class Text2SQL(SyncClient):
    """The synchronous client of one database.

    `threads` manages conversations, `results` reads stored rows, `verified` manages verified questions.

    >>> with Text2SQL("demo.db", model=model) as db:
    ...     print((db.ask("How many customers are there?")).rows)
    ((4000,),)
    """

    def __init__(
        self,
        source: str = "",
        *,
        settings: Settings | None = None,
        model: str | AsyncChatModel = "",
        policy: Policy | None = None,
        tables: Tables | None = None,
    ) -> None:
        """Open nothing yet: that happens on entering, or with the first question.

        `source` is a URL or the path of a file. `tables` limits what is visible, by names or with columns; a
        `policy` has all options.
        """

        self._connect(AsyncText2SQL(source, settings=settings, model=model, policy=policy, tables=tables))

    def _connect(self, client: AsyncText2SQL, loop: Any = None) -> None:
        super()._connect(client, loop)
        self.threads = Threads(self._loop, client.threads)
        self.results = Results(self._loop, client.results)
        self.verified = Verified(self._loop, client.verified)

    def _sibling(self, client: AsyncText2SQL) -> "Text2SQL":
        sibling = Text2SQL.__new__(Text2SQL)
        sibling._connect(client, self._loop)
        return sibling

    def ask(
        self, question: str, options: RunOptions | None = None, **keywords: Unpack[RunKeywords]
    ) -> Answer:
        """Answer a question. Errors of the database or the model are in the answer; bad usage raises.

        Options are fields of `RunOptions`, as keywords or as a whole.

        >>> answer = db.ask("How many customers are there?", language="en")
        >>> answer.status, answer.rows
        ('answered', ((4000,),))
        """
        return self._loop.do(self._async.ask(question, options, **keywords))

    def stream(
        self, question: str, options: RunOptions | None = None, **keywords: Unpack[RunKeywords]
    ) -> Iterator[Event]:
        """Yield events as they happen; the last is `Finished`. Closing the stream cancels the query.

        >>> for event in db.stream("How many customers are there?"):
        ...     if isinstance(event, Finished):
        ...         print(event.answer.rows)
        ((4000,),)
        """
        return self._loop.stream(self._async.stream(question, options, **keywords))

    def draft(
        self, question: str, options: RunOptions | None = None, **keywords: Unpack[RunKeywords]
    ) -> Answer:
        """Generate a query that passes the guard, as `Answer.sql`, without running it; `run_sql` runs it.

        >>> answer = db.draft("How many customers are there?")
        >>> answer.sql, answer.rows
        ('SELECT count(*) FROM customers', ())
        """
        return self._loop.do(self._async.draft(question, options, **keywords))

    def query(self, sql: str, *, rows: int | None = None) -> QueryResult | SqlRejected:
        """Run your own statement, under the same guard and limits as a generated one.

        >>> result = db.query("SELECT name FROM regions ORDER BY id")
        >>> result.rows[0]
        ('East China',)
        >>> result = db.query("DELETE FROM regions")
        >>> result.rule
        'not_a_query'
        """
        return self._loop.do(self._async.query(sql, rows=rows))

    def run_sql(self, sql: str, options: RunOptions | None = None, **keywords: Unpack[RunKeywords]) -> Answer:
        """Run your own statement like `query`, but return an `Answer`: a refusal is in it, and its rows are
        stored for paging.

        >>> answer = db.run_sql("SELECT name FROM regions ORDER BY id")
        >>> answer.to_dicts()[0]
        {'name': 'East China'}
        """
        return self._loop.do(self._async.run_sql(sql, options, **keywords))

    def check(self, sql: str, *, rows: int | None = None) -> CheckedSql | SqlRejected:
        """Check a statement with the guard, without running it.

        >>> checked = db.check("SELECT name FROM regions", rows=10)
        >>> checked.sql
        'SELECT name FROM regions LIMIT 10'
        """
        return self._loop.do(self._async.check(sql, rows=rows))

    def catalog(self) -> Catalog:
        """The visible part of the database's catalog.

        >>> catalog = db.catalog()
        >>> [column.name for column in catalog.table("regions").columns]
        ['id', 'name', 'name_zh']
        """
        return self._loop.do(self._async.catalog())

    def profile(self) -> DatabaseProfile:
        """The profile of the visible columns: kinds, ranges, formats, units. Waits until it has been read.

        >>> profile = db.profile()
        >>> profile.column("regions", "name").kind
        'label'
        """
        return self._loop.do(self._async.profile())

    def examples(self, language: Language = "en") -> tuple[str, ...]:
        """Up to four questions that this database can answer; each was read, compiled and checked.

        >>> questions = db.examples()
        >>> len(questions)
        4
        """
        return self._loop.do(self._async.examples(language))

    def refresh(self) -> Catalog:
        """Reload the catalog after a change of the schema, and return it.

        >>> catalog = db.refresh()
        >>> catalog.dialect
        'sqlite'
        """
        return self._loop.do(self._async.refresh())

    def stats(self, days: int | None = None) -> Stats:
        """Statistics of the questions that the memory has counted, of the last `days` or of all.

        >>> stats = db.stats(days=7)
        >>> stats.questions > 0
        True
        """
        return self._loop.do(self._async.stats(days))

    def warm(self, *, background: bool = False) -> None:
        """Load the catalog and evaluate the schema's prompt, while the user is still typing.

        In the background it returns at once, and the first question raises any error.

        >>> db.warm()
        """
        return self._loop.do(self._async.warm(background=background))

    def seen_by(self, policy: Policy, *, account: str = "") -> "Text2SQL":
        """The same database under a stricter policy, sharing pool, memory and models. With an `account`, a
        URL of the same database, queries use its own connections. It need not be closed, and works until this
        client is closed.

        >>> view = db.seen_by(Policy({"regions": ("name",)}))
        >>> result = view.query("SELECT id FROM regions")
        >>> result.rule
        'column'
        """
        return self._sibling(self._async.seen_by(policy, account=account))

    def apart(self, settings: Settings) -> "Text2SQL":
        """The same database, policy and models under other settings, with a memory of its own. Close it
        before this client.

        >>> with db.apart(Settings(row_limit=2, memory="none")) as small:
        ...     result = small.query("SELECT name FROM regions")
        >>> result.row_count
        2
        """
        return self._sibling(self._async.apart(settings))
