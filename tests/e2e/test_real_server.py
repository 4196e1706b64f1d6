"""The page with the real server, the demo shop and a scripted model."""

import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from playwright.sync_api import expect

from agents.asking import EMBEDDED
from e2e.browser import serving
from e2e.conftest import OpenWindow
from e2e.languages import BOTH, column, say
from text2sql.config import Settings
from text2sql.database.demo import build_demo
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.server.app_factory import build
from text2sql.types import ModelRequest

# What the model writes, by a word of the question.
QUERIES = {
    "channel": "SELECT channel, COUNT(*) AS order_count FROM orders GROUP BY channel ORDER BY 2 DESC",
    "渠道": "SELECT channel, COUNT(*) AS order_count FROM orders GROUP BY channel ORDER BY 2 DESC",
    "status": "SELECT status, COUNT(*) AS order_count FROM orders GROUP BY status ORDER BY 2 DESC",
    "状态": "SELECT status, COUNT(*) AS order_count FROM orders GROUP BY status ORDER BY 2 DESC",
    "个月": "SELECT strftime('%Y-%m', ordered_on) AS month, COUNT(*) AS order_count FROM orders GROUP BY 1",
    "邮箱": "SELECT id, name, email, level, joined_on FROM customers",
    "title": "SELECT title, COUNT(*) AS n FROM employees GROUP BY title",  # horizontal bars
    "paid": "SELECT name_zh AS region, id + 12345678.25 AS total FROM regions",  # long numbers
    "every": "SELECT id, name, email FROM customers",
    "endless": "SELECT COUNT(*) AS n FROM orders a, orders b, orders c WHERE a.id + b.id + c.id < 0",
    "to closed": "UPDATE orders SET status = 'closed' WHERE id = 1",
}


def written(request: ModelRequest) -> str:
    result = request.messages[-1].content
    return max((result.rfind(word), sql) for word, sql in QUERIES.items())[1]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    build_demo(path)
    return path


def application(shop: Path) -> FastAPI:
    settings = Settings(
        memory="none", requests_per_minute=0, row_limit=200, allow_writes=True, values_wait=0.0
    )
    backend = ScriptedBackend(last=written, name="demo model", profile=EMBEDDED)
    return build({"shop": str(shop)}, settings, model=AsyncChatModel([backend], settings))


@pytest.fixture(scope="module")
def real(shop: Path) -> Iterator[str]:
    with serving(application(shop)) as address:
        yield address


@BOTH
def test_the_main_story_from_question_to_file(
    open_window: OpenWindow, real: str, lang: str, tmp_path: Path
) -> None:
    window = open_window(lang, where=real)
    page = window.open()
    expect(page.locator(".try")).to_have_count(4)
    window.ask(say(lang, "How many orders are there in each channel?", "每个渠道有多少订单？"))
    expect(page.locator(".chart-place svg")).to_be_visible()
    page.get_by_role("button", name=say(lang, "Pie", "饼图")).click()
    expect(page.locator(".mark-arc path").first).to_be_visible()
    page.get_by_role("tab", name=say(lang, "Table", "表格")).click()
    before = column(page, 1)
    page.locator("th button").nth(1).click()
    values = column(page, 1)
    assert values == before[::-1]  # and the file has the order that is seen
    page.locator(".menu summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    download.value.save_as(tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row[0] for row in csv.reader(file)] == ["channel", *values]
    page.locator(".receipt summary").click()
    expect(page.locator(".receipt .chip").first).to_be_visible()
    page.get_by_role("button", name=say(lang, "This is right: remember it", "正确：记住它")).click()
    expect(page.locator(".foot")).to_contain_text(say(lang, "Remembered", "已记为"))


OVERLAPPING = """() => {
  const texts = [...document.querySelector("text2sql-chat").shadowRoot.querySelectorAll(".chart-place text")];
  const boxes = texts.filter((text) => text.textContent).map((text) => text.getBoundingClientRect());
  return boxes.filter((a, at) => boxes.slice(at + 1).some((b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length;
}"""


@pytest.mark.parametrize("size", [(360, 740), (1440, 900)], ids=["phone", "laptop"])
@pytest.mark.parametrize("question", ["How many employees have each title?", "What was paid in each region?"])
def test_the_texts_of_a_chart_do_not_overlap(
    open_window: OpenWindow, real: str, size: tuple[int, int], question: str
) -> None:
    window = open_window(where=real, size=size)
    window.open()
    page = window.ask(question)
    page.locator(".chart-place svg").wait_for()
    assert page.evaluate(OVERLAPPING) == 0


@BOTH
def test_a_follow_up_a_changed_query_and_the_thread_afterwards(
    open_window: OpenWindow, real: str, lang: str
) -> None:
    window = open_window(lang, where=real)
    page = window.open()
    window.ask(say(lang, "How many orders are there in each channel?", "每个渠道有多少订单？"))
    window.ask(say(lang, "And by status?", "那按状态呢？"))
    expect(page.locator(".turn")).to_have_count(2)
    page.locator(".turn").last.locator(".sql summary").click()
    page.get_by_role("button", name=say(lang, "Edit", "编辑")).click()
    page.get_by_label(say(lang, "Your statement", "您的语句")).fill(
        "SELECT name FROM regions ORDER BY id LIMIT 2"
    )
    page.keyboard.press("Control+Enter")
    expect(page.locator(".turn.sql tbody tr")).to_have_count(2)
    page.reload()
    expect(page.locator(".turn .bubble").first).to_contain_text(say(lang, "in each channel", "每个渠道"))
    for turn in page.locator(".turn").all():
        expect(turn.locator(".chart-place svg")).to_be_visible()
        turn.get_by_role("tab", name=say(lang, "Table", "表格")).click()
        expect(turn.locator("tbody tr").first).to_be_visible()
    title = page.locator(".threads .open[aria-current] .name").inner_text()
    row = page.locator(".threads li", has=page.locator("[aria-current]"))
    row.locator(".icon-button").click()
    page.get_by_role("button", name=say(lang, "Delete", "删除"), exact=True).click()
    expect(page.locator(".welcome")).to_be_visible()
    assert title in say(lang, "How many orders are there in each channel?", "每个渠道有多少订单？")


def test_rows_beyond_the_limit_are_paged(open_window: OpenWindow, real: str) -> None:
    window = open_window(where=real)
    page = window.open()
    window.ask("List every customer with email")
    expect(page.locator(".count")).to_have_text("the first 200 rows, there are more")
    page.get_by_role("button", name="Next page").click()
    expect(page.locator(".count")).to_have_text("4,000 rows")
    page.locator("th button").first.click()
    page.locator("th button").first.click()
    expect(page.locator("tbody td").first).to_have_text("4000")


def test_escape_stops_the_query_on_the_database_at_once(open_window: OpenWindow, real: str) -> None:
    def busy() -> str:
        lines = httpx.get(f"{real}/metrics").text.splitlines()
        return next(line for line in lines if line.startswith("text2sql_pool") and "busy" in line)[-3:]

    page = open_window(where=real).open()
    page.locator("#question").fill("How many endless orders are there?")
    page.keyboard.press("Enter")
    expect(page.locator(".stage-now")).to_have_text("Running the query")
    assert busy() == "1.0"
    page.keyboard.press("Escape")
    expect(page.locator(".badge")).to_have_text("Stopped")
    until = time.monotonic() + 10  # of the 20 that a reader who lost the line is waited for
    while busy() != "0.0":
        assert time.monotonic() < until
        time.sleep(0.1)


def test_a_write_is_rehearsed_refused_and_then_not_done(open_window: OpenWindow, real: str) -> None:
    window = open_window(where=real)
    page = window.open()
    window.ask("Set the status of the order with id 1 to closed")
    expect(page.locator(".card.confirm pre")).to_contain_text("UPDATE")
    page.get_by_role("button", name="Do not run it").click()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").last.locator(".card:not(.live)")).to_be_visible()


@BOTH
def test_a_hostile_statement_is_refused_in_the_users_language(
    open_window: OpenWindow, real: str, lang: str
) -> None:
    window = open_window(lang, where=real)
    page = window.open()
    window.ask(say(lang, "How many orders are there in each channel?", "每个渠道有多少订单？"))
    page.locator(".sql summary").click()
    page.get_by_role("button", name=say(lang, "Edit", "编辑")).click()
    page.get_by_label(say(lang, "Your statement", "您的语句")).fill("DROP TABLE orders")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".card.refused .badge")).to_have_text(say(lang, "Refused", "已拒绝"))
    result: Any = page.locator(".card.refused .sentence").inner_text()
    assert any("\u4e00" <= letter <= "\u9fff" for letter in result) == (lang == "zh")
