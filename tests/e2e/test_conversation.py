"""Clarifications, follow-ups, threads, schema browser and feedback.

Each test also checks that the page sends no request to another origin and that the console stays empty,
without policy violations (see `open_window`).
"""

from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import expect

from e2e import canned, fake
from e2e.browser import serving
from e2e.conftest import OpenWindow
from e2e.languages import BOTH, SENTENCES, say

# -- questions back ------------------------------------------------------------------------------


@BOTH
def test_a_clarification_is_answered_by_a_choice(
    open_window: OpenWindow, scripted: FastAPI, lang: str
) -> None:
    window = open_window(lang)
    window.open()
    page = window.ask("clarify")
    expect(page.locator(".badge")).to_have_text(say(lang, "A question back", "需要确认"))
    page.locator(".choice").first.click()
    expect(page.locator(".sentence").last).to_have_text(SENTENCES[lang])
    body = scripted.state.questions[-1]
    assert (body["question"], body["thread_id"], body["language"]) == ("payments.amount", "t-1", lang)
    expect(page.locator(".choice").first).to_be_disabled()


@BOTH
@pytest.mark.parametrize("yes", [True, False])
def test_a_write_waits_for_confirmation(open_window: OpenWindow, lang: str, yes: bool) -> None:
    window = open_window(lang)
    window.open()
    page = window.ask("delete the cancelled ones")
    expect(page.locator(".card.confirm pre")).to_have_text("DELETE FROM orders WHERE status = 'cancelled'")
    words = say(lang, "Run it", "执行") if yes else say(lang, "Do not run it", "不执行")
    page.get_by_role("button", name=words, exact=True).click()
    result = "Deleted 412 rows." if yes else "Nothing was changed."
    expect(page.locator(".sentence").last).to_have_text(result)


# -- threads -------------------------------------------------------------------------------------


@BOTH
def test_a_follow_up_stays_in_its_thread_and_the_address_leads_back(
    open_window: OpenWindow, scripted: FastAPI, lang: str
) -> None:
    window = open_window(lang)
    page = window.open()
    window.ask("channels")
    assert "thread_id" not in scripted.state.questions[-1]
    expect(page.locator("#question")).to_have_attribute(
        "placeholder", say(lang, "Ask a follow-up…", "继续追问……")
    )
    window.ask("and by status?")
    assert scripted.state.questions[-1]["thread_id"] == "t-1"
    assert page.url.endswith("#thread=t-1")
    page.reload()
    expect(page.locator(".sentence").first).to_have_text("Online leads.")
    page.get_by_role("button", name=say(lang, "New chat", "新会话")).click()
    expect(page.locator(".welcome h1")).to_be_visible()
    assert "#" not in page.url
    page.go_back()
    expect(page.locator(".sentence").first).to_have_text("Online leads.")


@BOTH
def test_a_reload_brings_sentence_chart_and_rows_back(open_window: OpenWindow, lang: str) -> None:
    page = open_window(lang).open("/#thread=t-1")
    expect(page.locator(".turn")).to_have_count(3)
    first, expired, _ = page.locator(".turn").all()
    expect(first.locator(".sentence")).to_have_text("Online leads.")
    expect(first.locator(".certainty")).to_have_text(say(lang, "Sure", "有把握"))
    expect(first.locator(".mark-rect path")).to_have_count(3)
    first.get_by_role("tab", name=say(lang, "Table", "表格")).click()
    expect(first.locator("tbody tr")).to_have_count(3)
    expired_note = say(
        lang, "The rows of this answer are no longer kept.", "这个回答的数据已过期，不再保存。"
    )
    expect(expired.locator(".card .row.note")).to_contain_text(expired_note)
    expired.get_by_role("button", name=say(lang, "Run the query again", "重新执行查询")).click()
    expect(expired.locator("tbody tr")).to_have_count(2)


@BOTH
def test_a_thread_brings_its_source_or_says_which_it_needs(
    open_window: OpenWindow, scripted: FastAPI, lang: str
) -> None:
    window = open_window(lang)
    page = window.open()
    page.locator(".threads .open").nth(1).click()
    expect(page.locator(".sentence").first).to_have_text("Online leads.")
    source = page.get_by_role("combobox", name=say(lang, "Data source", "数据源"))
    expect(source).to_have_value("warehouse")
    window.ask("channels")
    assert (scripted.state.questions[-1]["source"], scripted.state.questions[-1]["thread_id"]) == (
        "warehouse",
        "t-2",
    )
    page.locator(".threads .open").nth(2).click()
    expect(page.locator(".toast")).to_contain_text("another database, MySQL sales")
    window.console_errors.clear()  # the browser itself logs a 404


def test_a_question_is_rolled_back_and_changed(open_window: OpenWindow, scripted: FastAPI) -> None:
    window = open_window()
    page = window.open()
    window.ask("channels")
    page.get_by_role("button", name="Take this question back and change it").click()
    expect(page.locator(".welcome")).to_be_visible()
    expect(page.locator("#question")).to_have_value("channels")
    assert scripted.state.rollbacks == [("t-1", 1)]


@BOTH
def test_a_thread_is_deleted_after_confirmation(open_window: OpenWindow, browser: Any, lang: str) -> None:
    with serving(fake.application()) as own:
        page = open_window(lang, where=own).open()
        threads = page.locator(".threads li")
        expect(threads).to_have_count(3)
        threads.nth(1).locator(".icon-button").click()
        page.get_by_role("button", name=say(lang, "Keep", "保留")).click()
        expect(threads).to_have_count(3)
        threads.nth(1).locator(".icon-button").click()
        page.get_by_role("button", name=say(lang, "Delete", "删除"), exact=True).click()
        expect(threads).to_have_count(2)


# -- the data ------------------------------------------------------------------------------------


@BOTH
def test_the_schema_is_searched_and_a_name_goes_into_the_question(open_window: OpenWindow, lang: str) -> None:
    page = open_window(lang).open()
    page.get_by_role("tab", name=say(lang, "Data", "数据")).click()
    expect(page.locator(".tables details")).to_have_count(6)
    page.get_by_label(say(lang, "Search tables and columns", "搜索表和列")).fill("会员")
    expect(page.locator(".tables details")).to_have_count(1)
    page.locator(".tables").get_by_role("button", name="level").click()
    expect(page.locator("#question")).to_have_value("level ")
    page.get_by_label(say(lang, "Search tables and columns", "搜索表和列")).fill("zzz")
    expect(page.locator(".tables")).to_have_text(say(lang, "Nothing is called that.", "没有匹配的名称。"))


@BOTH
def test_source_and_model_are_switched(open_window: OpenWindow, scripted: FastAPI, lang: str) -> None:
    window = open_window(lang)
    page = window.open()
    window.ask("channels")
    page.get_by_role("combobox", name=say(lang, "Data source", "数据源")).select_option("warehouse")
    expect(page.locator(".welcome .note")).to_contain_text("PostgreSQL")
    page.get_by_role("combobox", name=say(lang, "Model", "模型")).select_option("openai:gpt-5-mini")
    window.ask("channels")
    body = scripted.state.questions[-1]
    assert (body["source"], body["model"], body.get("thread_id")) == (
        "warehouse",
        "openai:gpt-5-mini",
        None,
    )
    page.get_by_role("combobox", name=say(lang, "Data source", "数据源")).select_option("empty")
    expect(page.locator(".welcome .note")).to_have_text(
        say(lang, "This database has no tables that may be seen.", "这个数据库中没有可见的表。")
    )


@BOTH
def test_thumbs_save_a_verified_pair_or_a_complaint(
    open_window: OpenWindow, scripted: FastAPI, lang: str
) -> None:
    window = open_window(lang)
    window.open()
    page = window.ask("channels")
    page.get_by_role("button", name=say(lang, "This is right: remember it", "正确：记住它")).click()
    expect(page.locator(".foot")).to_contain_text(
        say(lang, "Remembered as a verified example", "已记为验证过的示例")
    )
    good = scripted.state.feedback[-1]
    assert (good["question"], good["sql"], good["good"]) == ("channels", canned.SQL, True)
    page.get_by_role("button", name=say(lang, "This is wrong", "不正确")).click()
    page.get_by_label(say(lang, "What is wrong?", "哪里不对？")).fill("status")
    page.keyboard.press("Enter")
    expect(page.locator(".foot")).to_contain_text(say(lang, "Thank you, noted", "谢谢，已记录"))
    assert (scripted.state.feedback[-1]["good"], scripted.state.feedback[-1]["comment"]) == (False, "status")
