"""docs/python.md, in both languages, names the public API, and its examples print what they show."""

import contextlib
import io
import re
import warnings
from dataclasses import fields
from functools import partial
from pathlib import Path

import pytest

import text2sql
from client.conftest import scripted_model
from docs_text import blocks, cells, read
from text2sql import Answer, AsyncText2SQL, RunOptions, Settings, Text2SQL
from text2sql.client.moved import MOVED
from text2sql.database.demo import build_demo

PAGES = ("docs/python.md", "docs/python.zh.md")
ENGLISH = read(PAGES[0])
SETTINGS = Settings(memory="none", requests_per_minute=0)

both = pytest.mark.parametrize("page", PAGES)


def table(page: str, number: int) -> list[list[str]]:
    """The names in the cells of the rows of a page's table."""
    tables: list[list[list[str]]] = []
    for block in re.findall(r"(?:^\|.*\n)+", read(page), re.MULTILINE):
        _, *rows = cells(block)
        tables.append([re.findall(r"`([\w.]+)(?:\(.*?\))?`", " ".join(row)) for row in rows])
    return tables[number]


def first_names(page: str, number: int) -> set[str]:
    rows = re.findall(r"(?:^\|.*\n)+", read(page), re.MULTILINE)[number]
    _, *lines = cells(rows)
    return {name.strip("`") for row in lines for name in row[0].split(", ")}


def public(owner: object) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_") and callable(getattr(owner, name))}


@both
def test_every_method_and_option_is_documented(page: str) -> None:
    db = Text2SQL("shop.db", settings=SETTINGS)
    assert first_names(page, 1) == public(db) - {"threads", "warm_in_background"}
    assert first_names(page, 2) == {field.name for field in fields(RunOptions)}
    assert first_names(page, 3) == public(Answer("answered", "", ""))
    for number, accessor in enumerate((db.threads, db.results, db.verified), 4):
        assert first_names(page, number) == public(accessor)


@both
def test_the_public_names_and_the_former_ones_are_listed(page: str) -> None:
    assert {name for row in table(page, 7) for name in row} == set(text2sql.__all__)
    former = {
        name: new
        for row in table(page, 8)
        for name, new in zip(row[: len(row) // 2], row[len(row) // 2 :], strict=True)
    }
    assert former == {**MOVED, "threads": "threads.list", "warm_in_background": "warm"}


def test_both_pages_have_the_same_examples() -> None:
    def code(page: str) -> list[str]:
        return [re.sub(r'"[^"]*"|#.*', "", block) for block in blocks(read(page), "python")]

    assert code(PAGES[0]) == code(PAGES[1])


@both
def test_the_examples_print_what_their_comments_say(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_demo(tmp_path / "shop.db")
    monkeypatch.chdir(tmp_path)
    for client in (Text2SQL, AsyncText2SQL):
        scripted = partial(client, model=scripted_model(), settings=SETTINGS)
        monkeypatch.setattr(text2sql, client.__name__, scripted, raising=False)
    for code in blocks(read(page), "python"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            exec(compile(code, page, "exec"), {"__name__": "example"})
        assert printed.getvalue().splitlines() == re.findall(r"print\(.*\)  # (.*)$", code, re.MULTILINE)
