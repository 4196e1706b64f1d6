"""The public names, the synchronous twin, the options of a question, and former names."""

import asyncio
import inspect
import runpy
import subprocess
import sys
import warnings
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

import text2sql
from client.conftest import SETTINGS, scripted_model
from text2sql import AsyncText2SQL, RunOptions, Settings, Text2SQL, UsageError
from text2sql.client import sync_client
from text2sql.client.moved import MOVED
from text2sql.types import RunKeywords

ROOT = Path(__file__).parents[2]
PUBLIC = """
Text2SQL AsyncText2SQL RunOptions Answer Receipt QueryResult SqlRejected
Event StageStarted SqlToken RowsFound AnswerToken Warned Finished
Policy Policies Settings Text2SQLError UsageError ModelError StoreError DatabaseError __version__
"""


def client(demo: Path, **settings: object) -> Text2SQL:
    return Text2SQL(str(demo), settings=SETTINGS, model=scripted_model())


def test_these_are_the_public_names() -> None:
    assert text2sql.__all__ == PUBLIC.split()
    for name in text2sql.__all__:
        assert getattr(text2sql, name) is not None
    with pytest.raises(AttributeError):
        text2sql.Guard  # noqa: B018


def test_importing_the_package_imports_no_other() -> None:
    """Modules of the standard library apart; the public types come without drivers, parser or LangGraph."""
    program = (
        "import sys; before = set(sys.modules); import text2sql; "
        "print(*(name for name in set(sys.modules) - before if name != 'text2sql')); "
        "from text2sql import Answer, RunOptions, Settings, UsageError; "
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}"
        " - set(sys.stdlib_module_names)))"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    first, second = printed.stdout.split("\n")[:2]
    assert [name for name in first.split() if name.partition(".")[0] not in sys.stdlib_module_names] == []
    assert second == "text2sql"


def test_the_synchronous_client_is_up_to_date() -> None:
    """Otherwise run `python scripts/make_sync_client.py`."""
    script = runpy.run_path(str(ROOT / "scripts" / "make_sync_client.py"))
    assert script["generated"]() == Path(sync_client.__file__).read_text(encoding="utf-8")


def test_the_synchronous_twin_has_every_public_method_with_the_same_arguments() -> None:
    left_out = runpy.run_path(str(ROOT / "scripts" / "make_sync_client.py"))["LEFT_OUT"] - {"close"}
    async_client, sync_twin = AsyncText2SQL("x.db", settings=SETTINGS), Text2SQL("x.db", settings=SETTINGS)
    pairs = [
        (async_client, sync_twin),
        *((vars(async_client)[name], vars(sync_twin)[name]) for name in ("threads", "results", "verified")),
    ]
    for asynchronous, synchronous in pairs:
        methods = inspect.getmembers(asynchronous, inspect.ismethod)
        for name, method in methods:
            if name.startswith("_") or name in left_out:
                continue
            signature = inspect.signature(getattr(synchronous, name))
            assert list(signature.parameters) == list(inspect.signature(method).parameters), name


def test_the_keywords_of_a_question_are_the_fields_of_run_options() -> None:
    assert get_type_hints(RunKeywords) == get_type_hints(RunOptions)
    assert all(field.default in ("", None, 0, 0.0) for field in fields(RunOptions))


def test_an_unknown_option_is_named_with_the_nearest(demo: Path) -> None:
    with client(demo) as db, pytest.raises(UsageError) as caught:
        db.ask("How many?", lang="en")  # type: ignore[call-arg]
    assert caught.value.facts == {"name": "lang", "close": "language"}


def test_keywords_win_over_options(demo: Path) -> None:
    with client(demo) as db:
        answer = db.ask("How many customers?", RunOptions(thread="a", language="zh"), thread="b")
        assert answer.thread_id == "b"
        assert answer.answer != db.ask("How many customers?", language="en").answer


@pytest.mark.parametrize("name", MOVED)
def test_a_former_name_works_with_a_warning(name: str) -> None:
    for db in (AsyncText2SQL("x.db", settings=SETTINGS), Text2SQL("x.db", settings=SETTINGS)):
        with pytest.warns(DeprecationWarning, match=MOVED[name]):
            method = getattr(db, name)
        assert method.__name__ == MOVED[name].rpartition(".")[2]


def test_threads_can_still_be_called(demo: Path) -> None:
    with client(demo) as db, pytest.warns(DeprecationWarning, match="threads.list"):
        assert db.threads() == []  # type: ignore[operator]


def test_warming_in_the_background_works_under_its_former_name(demo: Path) -> None:
    async def run() -> None:
        async with AsyncText2SQL(str(demo), settings=SETTINGS, model=scripted_model()) as db:
            with pytest.warns(DeprecationWarning, match="background=True"):
                db.warm_in_background()  # type: ignore[attr-defined]
            assert (await db.ask("How many customers?")).rows == ((4000,),)

    asyncio.run(run())
    with client(demo) as db, pytest.warns(DeprecationWarning, match="background=True"):
        db.warm_in_background()  # type: ignore[attr-defined]


def test_what_was_never_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Text2SQL"):
        Text2SQL("x.db", settings=SETTINGS).nothing  # type: ignore[attr-defined]  # noqa: B018


def test_a_fork_has_the_turns_so_far_and_goes_its_own_way(demo: Path) -> None:
    with client(demo) as db:
        for question in ("How many customers?", "And how many in all?", "How many people?"):
            db.ask(question, thread="t")
        fork = db.threads.fork("t", turns=2)
        db.ask("How many buyers?", thread=fork)
        questions = [answer.question for answer in db.threads.answers(fork)]
        assert questions == ["How many customers?", "And how many in all?", "How many buyers?"]
        assert [answer.rows for answer in db.threads.answers(fork)] == [((4000,),)] * 3
        assert len(db.threads.answers("t")) == 3
        with pytest.raises(UsageError):
            db.threads.fork("unknown")


def test_a_temporary_thread_is_deleted_after_an_error_too(demo: Path) -> None:
    with client(demo) as db:
        temporary = db.threads.temporary()
        answer = db.ask("How many customers?", temporary.__enter__())
        assert db.threads.get(answer.thread_id) is not None
        assert not temporary.__exit__(ValueError, ValueError(), None)
        assert db.threads.get(answer.thread_id) is None


def test_a_view_closes_without_its_owner(demo: Path) -> None:
    with client(demo) as db:
        with db.apart(Settings(memory="none", row_limit=3)) as small:
            result = small.query("SELECT id FROM orders")
        assert result.row_count == 3  # type: ignore[union-attr]
        assert db.ask("How many customers?").rows == ((4000,),)


def test_a_closed_client_opens_again(demo: Path) -> None:
    db = client(demo)
    for _ in range(2):
        assert db.ask("How many customers?").rows == ((4000,),)
        db.close()


def test_nothing_in_the_package_uses_a_former_name(demo: Path) -> None:
    async def run() -> None:
        async with AsyncText2SQL(str(demo), settings=SETTINGS, model=scripted_model()) as db:
            await db.ask("How many customers?")
            await db.warm(background=True)

    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        asyncio.run(run())
