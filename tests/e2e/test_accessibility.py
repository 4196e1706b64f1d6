"""Keyboard, phones, accessibility, dark mode, embedding, and hostile text.

Each test also checks that the page sends no request to another origin and that the console stays empty,
without policy violations (see `open_window`).
"""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from playwright.sync_api import Page, expect

from e2e import canned, fake
from e2e.browser import DESKTOP, PHONE, MonitoredPage, serving
from e2e.conftest import OpenWindow
from e2e.languages import BOTH, column, say

# -- how it looks and how it is worked -----------------------------------------------------------


def test_language_and_theme_are_switched_and_kept(open_window: OpenWindow) -> None:
    window = open_window("en")
    page = window.open()
    window.ask("channels")
    page.get_by_role("button", name="切换到中文").click()
    expect(page.locator(".sql summary")).to_be_visible()
    expect(page.locator(".receipt summary")).to_contain_text("回执")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    page.locator(".icon-button.theme").click()
    page.locator(".icon-button.theme").click()
    dark = "rgb(15, 21, 20)"
    expect(page.locator(".app")).to_have_css("background-color", dark)
    page.reload()
    expect(page.locator(".app")).to_have_css("background-color", dark)
    expect(page.locator(".button.new")).to_have_text("新会话")


def test_the_theme_follows_the_system(open_window: OpenWindow) -> None:
    page = open_window(theme="dark").open()
    expect(page.locator(".app")).to_have_css("background-color", "rgb(15, 21, 20)")


def test_the_page_can_be_used_with_the_keyboard(open_window: OpenWindow, scripted: FastAPI) -> None:
    page = open_window().open()
    page.keyboard.press("/")
    page.keyboard.type("slow")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("line")
    expect(page.locator("#question")).to_have_value("slow\nline")
    page.keyboard.press("Enter")
    expect(page.locator(".stage-now")).to_be_visible()
    expect(page.get_by_role("button", name="Stop (Esc)")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".badge")).to_have_text("Stopped")
    streams = scripted.state.streams
    for _ in range(100):
        if streams.cancelled and streams.stopped:
            break
        page.wait_for_timeout(50)
    assert streams.cancelled == streams.stopped == [list(streams.events)[-1]]


def test_arrows_move_in_the_table(open_window: OpenWindow) -> None:
    window = open_window()
    window.open()
    page = window.ask("big")
    page.locator("tbody td").first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
    focused = "document.querySelector('text2sql-chat').shadowRoot.activeElement.textContent"
    assert page.evaluate(focused) == "customer 2"
    page.keyboard.press("Home")
    assert page.evaluate(focused) == "2"


@BOTH
def test_a_phone_has_a_drawer(open_window: OpenWindow, lang: str) -> None:
    window = open_window(lang, size=PHONE)
    page = window.open()
    side = page.locator(".side")
    expect(side).to_be_hidden()
    page.get_by_role("button", name=say(lang, "Open the sidebar", "打开侧栏")).click()
    expect(side).to_be_visible()
    page.keyboard.press("Escape")
    expect(side).to_be_hidden()
    page.get_by_role("button", name=say(lang, "Open the sidebar", "打开侧栏")).click()
    page.locator(".threads .open").first.click()
    expect(page.locator(".sentence").first).to_have_text("Online leads.")
    expect(side).to_be_hidden()
    window.ask("hostile")
    wide = "[...document.querySelector('text2sql-chat').shadowRoot.querySelectorAll('.main, .top, .scroll')]"
    assert page.evaluate(f"{wide}.map((element) => element.scrollWidth)") == [PHONE[0]] * 3


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@BOTH
def test_axe_finds_nothing_serious(
    open_window: OpenWindow, lang: str, theme: str, size: tuple[int, int]
) -> None:
    window = open_window(lang, theme, size)
    page = window.open()
    assert serious(page) == []
    for question in ("channels", "clarify", "drop", "delete", "big"):
        window.ask(question)
    page.locator(".chart-place svg").first.wait_for()
    for fold in page.locator(".fold > summary").all():
        fold.click()
    assert serious(page) == []
    if size == PHONE:
        page.locator(".top .icon-button").first.click()
    page.get_by_role("tab", name=say(lang, "Data", "数据")).click()
    page.locator(".tables summary").first.click()
    assert serious(page) == []


def serious(page: Page) -> list[str]:
    violations = Axe().run(page).response["violations"]
    return [
        f"{item['id']}: {[(node['html'], node['failureSummary']) for node in item['nodes']][:3]}"
        for item in violations
        if item["impact"] in ("serious", "critical")
    ]


# -- security -----------------------------------------------------------------------


@BOTH
def test_hostile_text_stays_text(open_window: OpenWindow, lang: str) -> None:
    window = open_window(lang)
    page = window.open()
    window.ask("hostile warn")
    page.locator(".chart-place svg").wait_for()
    page.get_by_role("tab", name=say(lang, "Table", "表格")).click()
    assert column(page, 1) == [*canned.HOSTILE, "NULL"]
    assert column(page, 2)[-1] == "9,007,199,254,740,993"
    for fold in page.locator(".fold > summary").all():
        fold.click()
    page.get_by_role("tab", name=say(lang, "Data", "数据")).click()
    page.locator(".tables summary").last.click()
    page.wait_for_timeout(100)
    element_count = page.evaluate(
        "[...document.querySelector('text2sql-chat').shadowRoot.querySelectorAll('img,script,style,a,iframe')].length"
    )
    assert (element_count, page.title()) == (0, "text2sql")
    expect(page.locator(".card .sentence")).to_contain_text("**bold** [click](javascript:")


def test_a_chart_does_what_the_page_says_and_not_what_its_specification_says(open_window: OpenWindow) -> None:
    window = open_window()
    window.open()
    page = window.ask("channels")
    page.locator(".mark-rect path").first.hover()
    expect(page.locator(".tip")).to_contain_text("online")
    expect(page.locator(".vega-actions")).to_have_count(0)


# -- elsewhere -----------------------------------------------------------------------------------


def test_the_element_works_in_another_page(open_window: OpenWindow, browser: Any) -> None:
    app = fake.application()

    @app.get("/elsewhere")
    def elsewhere() -> Any:
        return HTMLResponse(
            "<!doctype html><title>intranet</title><link rel=icon href=data:,>"
            "<script type=module src=/static/element.js></script>"
            "<div style='width:480px;height:700px'>"
            "<text2sql-chat api=/ source=warehouse lang=zh theme=dark></text2sql-chat></div>"
        )

    with serving(app) as own:
        window = open_window("en", where=own)
        page = window.open("/elsewhere")
        expect(page.locator(".welcome .note")).to_contain_text("warehouse · PostgreSQL")
        expect(page.locator("h1")).to_have_text("您想了解什么？")
        expect(page.locator(".app")).to_have_css("background-color", "rgb(15, 21, 20)")
        expect(page.locator(".side")).to_be_hidden()  # its own width decides
        window.ask("channels")
        assert page.url.endswith("/elsewhere")  # the address is the host's
        page.evaluate("document.querySelector('text2sql-chat').setAttribute('lang', 'en')")
        expect(page.locator(".receipt summary")).to_contain_text("Receipt")


def test_the_page_asks_for_a_key_if_the_server_requires_one(open_window: OpenWindow, browser: Any) -> None:
    with serving(fake.application(key="sesame")) as own:
        window: MonitoredPage = open_window(where=own)
        page = window.page
        page.goto(own)
        page.get_by_label("Your key or token").fill("sesame")
        page.keyboard.press("Enter")
        expect(page.locator(".welcome .note")).to_contain_text("shop · SQLite")
        window.console_errors.clear()  # the browser itself logs the 401
