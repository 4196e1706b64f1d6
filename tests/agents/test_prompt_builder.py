"""No prompt ever exceeds its model's budget, whatever the schema, the question and the conversation."""

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
from gallery import gallery
from text2sql.agents.prompt_builder import question_text
from text2sql.llm.langchain_messages import estimate_tokens
from text2sql.schema import ValueSharing, build
from text2sql.sql import mask_literals
from text2sql.types import Answer, ModelProfile, ModelRequest

COUNT = '{"sql": "SELECT count(*) FROM orders", "problem": "none", "explanation": ""}'
LETTERS = "ab 订单客户上海?，'\""


def make_wide(path: Path, tables: int, columns: int) -> Path:
    with closing(sqlite3.connect(path)) as wide, wide:
        for table in range(tables):
            names = ", ".join(f"订单字段_{table}_{column} TEXT" for column in range(columns))
            wide.execute(f"CREATE TABLE table_{table} (id INTEGER PRIMARY KEY, {names})")
    return path


def _profile(context: int, large: bool) -> ModelProfile:
    if large:
        return ModelProfile(context, structured_output=True)
    return ModelProfile(context, location="local", size="small", grammar=True)


async def ask_all(
    context: int, tables: int, columns: int, questions: list[str], can_schema: bool
) -> tuple[list[ModelRequest], list[Answer]]:
    wrong = [f"SELECT wrong_{number} FROM table_0" for number in range(40)]
    backend = scripted(wrong, can=_profile(context, can_schema))
    with TemporaryDirectory() as folder:
        path = make_wide(Path(folder) / "wide.db", tables, columns)
        async with app(path, backend, max_tokens=128, summary="model", values_wait=0) as db:
            answers = [await db.ask(question, thread="t", preset="hybrid") for question in questions]
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
    requests, answers = asyncio.run(ask_all(context, tables, columns, questions, can_schema))
    for request in requests:
        taken = sum(estimate_tokens(message.content) for message in request.messages)
        assert taken + min(128, request.max_tokens) <= context
    assert all(answer.answer for answer in answers), "a prompt that does not fit is reported"


def test_a_model_with_a_tiny_window_is_a_clear_failure() -> None:
    _, (answer,) = asyncio.run(ask_all(600, 3, 3, ["订单" * 900], False))
    assert answer.status in ("failed", "no_data")
    assert answer.error is not None
    assert answer.error.message


def test_old_questions_stay_in_the_prompt_as_one_line_each(shop: Path) -> None:
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
    prompt = follow_up.messages[-1].content
    assert "How many orders have id 0?" in prompt
    assert "How many orders have id 13?" not in prompt, "it is shown in full, with its query"


def test_a_value_in_two_columns_gives_no_hint() -> None:
    hit = {"said": "Caribbean", "value": "Caribbean", "table": "country", "column": "region"}
    second_hit = {**hit, "table": "language", "column": "name"}
    unique_hit = {"said": "north", "value": "North", "table": "country", "column": "part"}
    info: Any = {"values": [hit, second_hit, unique_hit], "hints": []}
    assert (
        question_text("How large?", info, ValueSharing("samples", build(gallery()), mask_literals))
        == "How large?\ncountry.part = 'North'"
    )
