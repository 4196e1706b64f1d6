"""Layout: only the conversation scrolls, whatever is asked and answered."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from e2e.browser import MonitoredPage
from e2e.conftest import OpenWindow

SIZES = {"phone": (360, 740), "laptop": (1440, 900), "desktop": (1920, 1080)}
# Charts, wide tables, long words and SQL, refusals, errors, questions back, a write that waits.
QUESTIONS = (
    "channels", "wide", "drop", "numbers", "clarify", "hostile warn",
    "fail", "big", "delete the cancelled ones", "wide " + "w" * 400, "hello", "channels again",
)  # fmt: skip

POSITIONS_SCRIPT = """
() => {
  const root = document.querySelector("text2sql-chat").shadowRoot;
  const find = (name) => root.querySelector(name);
  const at = (element) => {
    const box = element.getBoundingClientRect();
    return { top: box.top, bottom: box.bottom, left: box.left, right: box.right };
  };
  const last = [...root.querySelectorAll(".turn")].at(-1);
  const around = [document.documentElement, document.body, find(".app"), find(".main"), find(".top")];
  return {
    top: at(find(".top")), scroll: at(find(".scroll")), composer: at(find(".composer")),
    bubble: at(last.querySelector(".bubble")), card: at(last.querySelector(".card")),
    scrolled: around.map((element) => [element.scrollTop, element.scrollLeft]),
    wide: find(".scroll").scrollWidth - find(".scroll").clientWidth,
    focused: root.activeElement?.id,
  };
}
"""


def positions(page: Page) -> Any:
    return page.evaluate(POSITIONS_SCRIPT)


def check(page: Page, size: tuple[int, int], question: str) -> None:
    """The header is at the top, the question box at the bottom, the start of the last answer in between."""
    boxes = positions(page)
    width, height = size
    assert boxes["scrolled"] == [[0, 0]] * 5, question
    assert (boxes["top"]["top"], boxes["top"]["right"]) == (0, width), question
    assert boxes["composer"]["bottom"] == pytest.approx(height, abs=1), question
    assert boxes["scroll"]["top"] == pytest.approx(boxes["top"]["bottom"], abs=1), question
    assert boxes["scroll"]["bottom"] == pytest.approx(boxes["composer"]["top"], abs=1), question
    assert boxes["scroll"]["bottom"] - boxes["scroll"]["top"] > height / 2, question
    assert boxes["wide"] == 0, question
    assert boxes["card"]["right"] <= width, question
    # The card's head can be read: it begins in the upper part, or all of the turn is there.
    is_complete = boxes["card"]["bottom"] <= boxes["scroll"]["bottom"] + 1
    assert is_complete or boxes["bubble"]["top"] < boxes["scroll"]["top"] + 40, question
    assert boxes["bubble"]["bottom"] > boxes["scroll"]["top"], question


def ask(window: MonitoredPage, question: str) -> None:
    window.ask(question)
    last = window.page.locator(".turn").last
    if last.locator(".chart-frame").count():
        last.locator(".chart-place svg").wait_for()


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_twelve_questions_leave_everything_in_its_place(
    open_window: OpenWindow, size: tuple[int, int]
) -> None:
    window = open_window("zh" if size[0] == 1440 else "en", "dark" if size[0] == 1920 else "light", size=size)
    page = window.open()
    for question in QUESTIONS:
        ask(window, question)
        check(page, size, question)
        assert positions(page)["focused"] == "question"
    for fold in page.locator(".turn").nth(1).locator(".fold > summary").all():
        fold.click()
    assert positions(page)["wide"] == 0
    # Nothing can scroll what is around the conversation: not focus, not a script, not an anchor.
    page.evaluate(
        """() => {
          const root = document.querySelector("text2sql-chat").shadowRoot;
          const around = [document.documentElement, document.body, ...root.querySelectorAll(".app, .main")];
          for (const element of around) element.scrollTop = element.scrollLeft = 500;
          const parts = root.querySelectorAll(".turn, .turn button, .unseen, .threads .open");
          for (const element of parts) element.scrollIntoView();
          [...root.querySelectorAll(".turn button")].at(-1).focus();
        }"""
    )
    assert positions(page)["scrolled"] == [[0, 0]] * 5
    assert positions(page)["top"]["top"] == 0


def test_a_low_window_still_scrolls_the_conversation_alone(open_window: OpenWindow) -> None:
    """A phone in landscape, or with the keyboard open."""
    size = (740, 330)
    window = open_window(size=size)
    page = window.open()
    for question in QUESTIONS[:3]:
        ask(window, question)
    seen_positions = positions(page)
    assert seen_positions["scrolled"] == [[0, 0]] * 5
    assert seen_positions["composer"]["bottom"] == pytest.approx(size[1], abs=1)


def test_the_cursor_stays_in_the_question_box_unless_it_was_moved(open_window: OpenWindow) -> None:
    page = open_window().open()
    page.locator(".try").first.click()
    page.locator(".card:not(.live)").wait_for()
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type("calm channels")
    page.keyboard.press("Enter")
    page.keyboard.type("and next")  # while it runs
    page.locator(".turn").nth(1).locator(".card:not(.live)").wait_for()
    page.keyboard.type(" week")
    expect(page.locator("#question")).to_have_value("and next week")
    page.locator("#question").fill("calm channels")
    page.keyboard.press("Enter")
    page.locator(".turn").first.get_by_role("tab", name="Table").focus()
    page.locator(".turn").nth(2).locator(".card:not(.live)").wait_for()
    expect(page.locator(".turn").first.get_by_role("tab", name="Table")).to_be_focused()


def test_the_scroll_position_is_kept_while_an_answer_streams(open_window: OpenWindow) -> None:
    window = open_window(size=SIZES["laptop"])
    page = window.open()
    for question in QUESTIONS[:4]:
        ask(window, question)
    page.locator("#question").fill("calm channels")
    page.keyboard.press("Enter")
    page.locator(".card.live").wait_for()
    page.locator(".scroll").hover()
    page.mouse.wheel(0, -5_000)
    page.locator(".turn").nth(4).locator(".card:not(.live)").wait_for()
    assert page.locator(".scroll").evaluate("(element) => element.scrollTop") == 0
