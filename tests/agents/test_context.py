"""No prompt ever exceeds its model's budget, whatever the schema, the question and the conversation are."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.asking import HOSTED, app, scripted
from text2sql.agents.context import question_text
from text2sql.llm.chunks import estimate_tokens
from text2sql.types import Answer, Capabilities, ModelRequest

COUNT = '{"sql": "SELECT count(*) FROM orders", "problem": "none", "explanation": ""}'
LETTERS = "ab 订单客户上海?，'\""


def make_wide(path: Path, tables: int, columns: int) -> Path:
    with closing(sqlite3.connect(path)) as wide, wide:
        for table in range(tables):
            names = ", ".join(f"订单字段_{table}_{column} TEXT" for column in range(columns))
            wide.execute(f"CREATE TABLE table_{table} (id INTEGER PRIMARY KEY, {names})")
    return path


async def asked(
    context: int, tables: int, columns: int, questions: list[str], can_schema: bool
) -> tuple[list[ModelRequest], list[Answer]]:
    wrong = [f"SELECT wrong_{number} FROM table_0" for number in range(40)]
    backend = scripted(wrong, can=Capabilities(context, grammar=not can_schema, schema=can_schema))
    with TemporaryDirectory() as held:
        path = make_wide(Path(held) / "wide.db", tables, columns)
        async with app(path, backend, max_tokens=128, summary="model", values_wait=0) as db:
            answers = [await db.ask(one, thread="t", preset="hybrid") for one in questions]
    return backend.requests, answers


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from([600, 1_024, 2_048, 8_192]),
    st.integers(1, 60),
    st.integers(1, 25),
    st.lists(st.text(LETTERS, min_size=1, max_size=2_500), min_size=1, max_size=3),
    st.booleans(),
)
@pytest.mark.fault("L11", "D35")
def test_no_prompt_is_longer_than_its_model_can_read(
    context: int, tables: int, columns: int, questions: list[str], can_schema: bool
) -> None:
    requests, answers = asyncio.run(asked(context, tables, columns, questions, can_schema))
    for request in requests:
        taken = sum(estimate_tokens(message.content) for message in request.messages)
        assert taken + min(128, request.max_tokens) <= context
    assert all(answer.answer for answer in answers), "what does not fit is told, not lost"


def test_a_model_with_a_tiny_window_is_a_clear_failure() -> None:
    _, (answer,) = asyncio.run(asked(600, 3, 3, ["订单" * 900], False))
    assert answer.status in ("failed", "no_data")
    assert answer.error is not None
    assert answer.error.message


def test_what_was_asked_long_ago_stays_known_in_a_line(shop: Path) -> None:
    async def run() -> list[ModelRequest]:
        backend = scripted([], last=COUNT, can=HOSTED)
        async with app(shop, backend) as db:
            for number in range(14):
                await db.ask(f"How many orders have id {number}?", thread="t")
            await db.ask("and for customers?", thread="t")
            await db.ask("What was my first question?", thread="t", mode="chat_direct")
        return backend.requests

    *_, follow_up, talk = asyncio.run(run())
    assert "How many orders have id 0?" in talk.messages[0].content
    asked = follow_up.messages[-1].content
    assert "How many orders have id 0?" in asked
    assert "How many orders have id 13?" not in asked, "it is shown whole, with its query"


def test_a_value_that_stands_in_two_columns_is_no_hint() -> None:
    hit = {"said": "Caribbean", "value": "Caribbean", "table": "country", "column": "region"}
    other = {**hit, "table": "language", "column": "name"}
    sure = {"said": "north", "value": "North", "table": "country", "column": "part"}
    info: Any = {"values": [hit, other, sure], "hints": []}
    assert question_text("How large?", info) == "How large?\ncountry.part = 'North'"
