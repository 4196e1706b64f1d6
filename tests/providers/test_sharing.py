"""What reaches each provider: canaries stand in every place of a database, questions of all kinds are asked,
and the bytes that arrive are searched.
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from providers.fake import Fake
from text2sql import AsyncText2SQL
from text2sql.config import Settings
from text2sql.llm.providers import PROVIDERS, location_of
from text2sql.types import Answer

# What stands where. No canary is a part of a question, but for letters that differ from the database's.
PERSONS = (
    "Zyxönfrid Qa",
    "Wvutgard Pe",
    "canary@mail.example",
    "+86 139 0013 8000",
    "allergic to canaryweed",
)
CELLS = ("REFCANARY-07", "REFCANARY-19", "Hexenprodukt 3")
CATEGORIES = ("paidcat", "opencat", "regcat-north", "regcat-west", "goldcat")
COMMENT = "commentcanary in CNY"
SETUP = """
CREATE TABLE customers (
  id INTEGER PRIMARY KEY, name VARCHAR, email VARCHAR, phone VARCHAR, level VARCHAR, note VARCHAR);
INSERT INTO customers VALUES
  (1, 'Zyxönfrid Qa', 'canary@mail.example', '+86 139 0013 8000', 'goldcat', 'allergic to canaryweed'),
  (2, 'Wvutgard Pe', 'canary@mail.example', '+86 139 0013 8000', 'silvercat', 'allergic to canaryweed');
CREATE TABLE products (id INTEGER PRIMARY KEY, title VARCHAR);
INSERT INTO products SELECT i, 'Hexenprodukt ' || i FROM range(40) AS t(i);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), status VARCHAR, region VARCHAR,
  reference VARCHAR, total DOUBLE);
INSERT INTO orders SELECT i, 1 + i % 2, CASE i % 2 WHEN 0 THEN 'paidcat' ELSE 'opencat' END,
  'regcat-' || ['north', 'south', 'east', 'west'][1 + i % 4],
  'REFCANARY-' || lpad(CAST(i AS VARCHAR), 2, '0'), i FROM range(40) AS t(i);
COMMENT ON COLUMN orders.total IS 'commentcanary in CNY';
"""
COUNT = "SELECT count(*) AS n FROM orders"
NAMED = (
    "SELECT count(*) AS n FROM customers WHERE name = 'zyxonfrid qa'"  # a fix spells it as the column does
)
FAILS = "SELECT sum(CAST(reference AS INTEGER)) AS n FROM orders"  # DuckDB quotes the cell in its error
EMPTY = "SELECT id FROM customers WHERE name = 'Wvutgard' AND level = 'goldcat'"
VERIFIED = "SELECT count(*) AS n FROM customers /* Wvutgard Pe */ WHERE name = 'Zyxönfrid Qa'"
LISTED = "SELECT c.name, c.email, o.reference FROM customers AS c JOIN orders AS o ON o.customer_id = c.id"


def replies(*queries: str) -> Any:
    """A model that writes these queries in turn, then always the last one; text where text is expected."""
    left: Iterator[str] = iter(queries)
    last = queries[-1] if queries else COUNT

    def script(body: str) -> str:
        if "Decide what the user wants" in body:
            return json.dumps({"kind": "data", "confidence": 0.9, "reason": "canary free"})
        if "one to three sentences" in body or "assistant that answers questions" in body:
            return "So it is."
        return json.dumps({"sql": next(left, last), "problem": "none", "explanation": ""})

    return script


async def ask_everything(db: AsyncText2SQL, provider: Fake) -> list[Answer]:
    """Ask questions of all kinds; follow-up questions use the same thread."""
    answers = []

    async def ask(question: str, *queries: str, **how: Any) -> None:
        provider.script = replies(*queries)
        answers.append(await db.ask(question, **how))

    data: dict[str, Any] = {"mode": "database_direct"}
    await ask("How many orders are OpenCat?", COUNT, **data)
    await ask("How many orders are in RegCat-North?", COUNT, thread="t", **data)
    await ask("How many customers are called zyxonfrid qa?", NAMED, thread="t", **data)
    await ask("and by level?", COUNT, thread="t", **data)
    await ask("What is the sum of the references of orders?", FAILS, COUNT, **data)
    await ask("What is the sum of the references of orders?", FAILS, COUNT, preset="hybrid", **data)
    await ask("Which customers have name nobody?", "SELECT nam FROM customer", NAMED, preset="hybrid", **data)
    await ask("Which customers called Wvutgar are on gold level?", EMPTY, COUNT, thread="e", **data)
    await ask("List the orders of all customers", LISTED, thread="s", **data)
    await ask("and as a pie chart?", LISTED, thread="s", **data)
    await ask("Thank you! What did I ask first?", thread="s", mode="chat_direct")
    await ask("Is there anything odd about the totals?", COUNT)
    await db.verified.add("How many customers are called Zyx?", VERIFIED)
    await ask("How many customers are called Wvu?", COUNT, **data)
    previous = {"sql": FAILS, "kind": "type", "detail": "Could not convert 'REFCANARY-19' to INT32"}
    await ask("What is the sum of the references?", COUNT, previous=previous, **data)
    return answers


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SETUP)
    return path


def ask_through(shop: Path, provider: Fake, name: str, setting: str) -> list[Answer]:
    settings = Settings(
        model=f"{name}:some-model",
        base_url=provider.url if name in ("anthropic", "google_genai", "ollama") else f"{provider.url}/v1",
        api_key="sk-test",
        share_values=setting,
        summary="model",
        memory="none",
        requests_per_minute=0,
        values_wait=20.0,
    )

    async def run() -> list[Answer]:
        async with AsyncText2SQL(str(shop), settings=settings) as db:
            return await ask_everything(db, provider)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("openai", "categories"),
        *((name, setting) for name in PROVIDERS for setting in ("", "none", "samples")),
    ],
)
def test_only_what_the_setting_permits_reaches_a_provider(
    name: str, setting: str, shop: Path, provider: Fake
) -> None:
    answers = ask_through(shop, provider, name, setting)
    received = provider.text
    assert [answer.status for answer in answers if answer.status == "failed"] == []
    assert len(provider.received) > len(answers), "questions, repairs and talk"
    arrived = {canary for canary in (*PERSONS, *CELLS, *CATEGORIES) if canary in received}
    shared = [answer.receipt.shared for answer in answers if answer.receipt.usage.calls]
    assert {receipt.location for receipt in shared} == {"hosted"}
    assert COMMENT in received, "comments are the schema"
    if setting == "none":
        assert arrived == set()
        assert {(receipt.values, receipt.columns, receipt.rows) for receipt in shared} == {("none", (), 0)}
    elif setting == "samples":
        assert {"Zyxönfrid Qa", "canary@mail.example", "paidcat", "REFCANARY-07"} <= arrived
        assert max(receipt.rows for receipt in shared) >= 10
    else:
        assert arrived == set(CATEGORIES)
        assert {receipt.values for receipt in shared} == {"categories"}
        assert {receipt.rows for receipt in shared} == {0}
        columns = {column for receipt in shared for column in receipt.columns}
        assert columns == {"customers.level", "orders.status", "orders.region"}


@pytest.mark.parametrize(
    ("name", "url", "location"),
    [
        ("ollama", "", "local"),
        ("ollama", "127.0.0.1:11434", "local"),
        ("ollama", "gpu.example:11434", "hosted"),
        ("ollama", "0.0.0.0:11434", "hosted"),
        ("vllm", "http://[::1]:8000/v1", "local"),
        ("vllm", "http://10.0.0.7:8000/v1", "hosted"),
        ("openai", "https://api.openai.com/v1", "hosted"),
        ("openai", "http://localhost:1234/v1", "local"),
        ("openai-compatible", "http://localhost.example/v1", "hosted"),
        ("anthropic", "http://127.0.0.1:4000", "hosted"),
        ("deepseek", "http://127.0.0.1:4000/v1", "hosted"),
    ],
)
def test_a_model_is_on_this_machine_where_a_server_of_models_listens_on_loopback(
    name: str, url: str, location: str
) -> None:
    assert location_of(PROVIDERS[name], url) == location
