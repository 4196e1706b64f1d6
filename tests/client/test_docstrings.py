"""The examples in the docstrings of the public API do what they show."""

import ast
import asyncio
import contextlib
import inspect
import io
from collections.abc import Iterator
from doctest import ELLIPSIS, DocTestParser, OutputChecker
from pathlib import Path
from typing import Any

import pytest

import text2sql
from client.conftest import SETTINGS, scripted_model
from text2sql import Answer, AsyncText2SQL, Text2SQL


def documented(owner: type) -> Iterator[tuple[str, str]]:
    """A class and its public methods, with their docstrings."""
    yield owner.__name__, inspect.getdoc(owner) or ""
    for name, member in inspect.getmembers(owner, inspect.isroutine):
        if not name.startswith("_"):
            yield f"{owner.__name__}.{name}", inspect.getdoc(member) or ""


def docstrings(client: object) -> list[tuple[str, str]]:
    accessors = (vars(client)[name] for name in ("threads", "results", "verified"))
    owners = (type(client), *map(type, accessors))
    return [item for owner in owners for item in documented(owner)]


# a former name, and what is for the front ends of this package
INTERNAL = ("warm_in_background", "resources", "source", "first_answer", "copy_first", "open_stream")
ASYNCHRONOUS, SYNCHRONOUS = (
    [
        item
        for item in docstrings(client("demo.db", settings=SETTINGS))
        if item[0].split(".")[-1] not in INTERNAL
    ]
    for client in (AsyncText2SQL, Text2SQL)
)
OTHERS = [("text2sql", inspect.getdoc(text2sql) or ""), *documented(Answer)]
PUBLIC = [*ASYNCHRONOUS, *SYNCHRONOUS, *OTHERS]


async def run(text: str, names: dict[str, Any]) -> list[str]:
    """Run the examples of a docstring, which may use `await`; return what is not as shown."""
    wrong = []
    for example in DocTestParser().get_examples(text):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            result = eval(compile(example.source, "docstring", "single", flags), names)
            if inspect.isawaitable(result):
                await result
        if not OutputChecker().check_output(example.want, printed.getvalue(), ELLIPSIS):
            wrong.append(f"{example.source}wanted {example.want}printed {printed.getvalue()}")
    return wrong


@pytest.mark.parametrize(("name", "text"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_every_public_function_has_an_example(name: str, text: str) -> None:
    assert DocTestParser().get_examples(text)


def test_the_examples_print_what_they_show(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo.parent)
    names = {**{name: getattr(text2sql, name) for name in text2sql.__all__}, "model": scripted_model()}

    async def run_all(client: Any, texts: list[tuple[str, str]]) -> None:
        wrong = [line for _, text in texts for line in await run(text, {**names, "db": client})]
        assert not wrong, "\n".join(wrong)

    async def with_async_client() -> None:
        async with AsyncText2SQL("demo.db", settings=SETTINGS, model=scripted_model()) as db:
            await run_all(db, ASYNCHRONOUS)

    asyncio.run(run_all(None, OTHERS))
    asyncio.run(with_async_client())
    with Text2SQL("demo.db", settings=SETTINGS, model=scripted_model()) as db:
        asyncio.run(run_all(db, SYNCHRONOUS))
