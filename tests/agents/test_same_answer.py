"""The same question gets the same answer: prompts do not depend on earlier questions."""

import asyncio
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.asking import EMBEDDED, HOSTED, app, make_shop, scripted
from text2sql.types import ModelProfile, ModelRequest

QUESTIONS = (
    "How many customers are there?",
    "How many orders are there?",
    "Names of the customers in Oslo",
    "Which customers live in Norway?",
    "What is the total of all paid orders?",
    "List the gold customers",
    "Average total by status",
    "Orders of Ann",
    "Which city has the most customers?",
    "Customers without an order",
    "Latest order date",
    "Open orders of silver customers",
    "Number of customers by country",
    "Orders in February 2025",
    "What is the largest order?",
    "上海有多少客户？",
    "每个城市有多少订单？",
    "王芳的订单总额是多少？",
    "列出所有已付款的订单",
    "客户最多的国家是哪个？",
)
TABLES = "planet comet rocket engine pilot fuel launch crater telescope antenna painter violin".split()
COLUMNS = "id INTEGER PRIMARY KEY, title TEXT, weight REAL, founded DATE, remark TEXT"
# Each needs a fix: a wrong name, a missing join, a value in different case.
REPLIES = (
    "SELECT nam FROM customers WHERE level = 'Gold'",
    "SELECT customers.name, country FROM customers WHERE country = 'norway'",
    "SELECT status, AVG(total) FROM orders GROUP BY customer_id",
    "SELECT COUNT(*) FROM customer JOIN city ON city.name = 'oslo'",
)


def reply_to(request: ModelRequest) -> str:
    """A reply that depends only on the prompt."""
    text = "".join(message.content for message in request.messages)
    return REPLIES[sum(text.encode()) % len(REPLIES)]


async def prompts(
    path: Path, questions: list[str], *, at_once: bool = False, can: ModelProfile = EMBEDDED, **settings: Any
) -> dict[str, list[str]]:
    """By question, all prompts and the resulting query."""
    shown: dict[str, list[str]] = {}

    async def ask(db: Any, backend: Any, question: str) -> None:
        before = len(backend.requests)
        answer = await db.ask(question)
        own_requests = [
            request for request in backend.requests[before:] if question in request.messages[-1].content
        ]
        shown[question] = [repr(request.messages) for request in own_requests] + [answer.sql or answer.answer]

    backend = scripted([], last=reply_to, can=can)
    async with app(path, backend, **settings) as db:
        if at_once:
            await asyncio.gather(*(ask(db, backend, question) for question in questions))
        else:
            for question in questions:
                await ask(db, backend, question)
    return shown


def shuffled(seed: int) -> list[str]:
    order = list(QUESTIONS)
    random.Random(seed).shuffle(order)
    return order


@pytest.fixture
def sky(shop: Path) -> Path:
    """More tables than would be linked if the schema did not fit."""
    return make_shop(shop, "".join(f"CREATE TABLE {name} ({COLUMNS});" for name in TABLES))


@pytest.mark.parametrize("can", [EMBEDDED, HOSTED], ids=["embedded", "hosted"])
def test_twenty_questions_in_any_order_and_after_a_restart_are_the_same(
    sky: Path, tmp_path: Path, can: ModelProfile
) -> None:
    memory = str(tmp_path / "memory.db")
    first = asyncio.run(prompts(sky, list(QUESTIONS), can=can, memory=memory))
    assert all(first.values())
    for seed, store in ((1, memory), (2, "none")):
        assert asyncio.run(prompts(sky, shuffled(seed), can=can, memory=store)) == first


def test_concurrent_questions_do_not_influence_each_other(sky: Path) -> None:
    alone = asyncio.run(prompts(sky, list(QUESTIONS)))
    assert asyncio.run(prompts(sky, shuffled(3), at_once=True)) == alone


def test_a_schema_too_large_for_the_prompt_is_linked_by_the_question_alone(sky: Path) -> None:
    first = asyncio.run(prompts(sky, list(QUESTIONS), schema_tokens=120, linked_tables=4))
    assert asyncio.run(prompts(sky, shuffled(4), schema_tokens=120, linked_tables=4)) == first


def test_set_iteration_order_changes_nothing(sky: Path) -> None:
    """Python randomizes it in every process."""
    outcomes = set()
    for seed in ("1", "2"):
        command = [sys.executable, __file__, str(sky)]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])}
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        outcomes.add(ran.stdout)
    assert len(outcomes) == 1


if __name__ == "__main__":
    print(json.dumps(asyncio.run(prompts(Path(sys.argv[1]), list(QUESTIONS))), ensure_ascii=True))
