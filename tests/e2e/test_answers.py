"""Answer cards in a real browser, in both languages.

Each test also checks that the page sends no request to another origin and that the console stays empty,
without policy violations (see `open_window`).
"""

from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import expect

from e2e import canned
from e2e.conftest import OpenWindow
from e2e.languages import BOTH, SENTENCES, column, say

# -- an answer -----------------------------------------------------------------------------------


@BOTH
def test_the_next_questions_are_under_the_last_answer_and_are_asked_with_a_click(
    open_window: OpenWindow, lang: str
) -> None:
    page = open_window(lang).open()
    page.locator(".try").first.click()
    expect(page.locator(".next button")).to_have_text(canned.NEXT[lang])
    page.locator(".next button").first.click()
    expect(page.locator(".sentence")).to_have_count(2)
    expect(page.locator(".next")).to_have_count(1)
    expect(page.locator(".asked").last).to_contain_text(canned.NEXT[lang][0])


@BOTH
def test_a_question_shows_sentence_chart_table_query_and_receipt(open_window: OpenWindow, lang: str) -> None:
    page = open_window(lang).open()
    expect(page.locator("h1")).to_have_text(say(lang, "What would you like to know?", "您想了解什么？"))
    page.locator(".try").first.click()
    expect(page.locator(".sentence")).to_have_text(SENTENCES[lang])
    expect(page.locator(".chart-place svg")).to_be_visible()
    page.get_by_role("tab", name=say(lang, "Table", "表格")).click()
    assert column(page, 1) == ["online", "store", "phone"]
    expect(page.locator(".count")).to_have_text(say(lang, "3 rows", "3 行"))
    page.locator(".sql summary").click()
    expect(page.locator(".sql code")).to_have_text(canned.SQL)
    expect(page.locator(".sql-keyword").first).to_have_text("SELECT")
    page.locator(".receipt summary").click()
    expect(page.locator(".receipt")).to_contain_text(say(lang, "Allowed by the guard", "安全检查已放行"))
    expect(page.locator(".path li")).to_have_count(7)
    expect(page.get_by_role("status").first).to_have_text(
        say(lang, f"Answer: {SENTENCES[lang]}", f"回答：{SENTENCES[lang]}")
    )


@BOTH
def test_the_stages_are_shown_while_they_run(open_window: OpenWindow, lang: str) -> None:
    window = open_window(lang)
    page = window.open()
    page.locator("#question").fill("calm mend warn")
    page.locator("#question").press("Enter")
    expect(page.locator(".stage-now")).to_have_text(say(lang, "Writing the query", "编写查询"))
    expect(page.locator(".live .clock")).to_contain_text(say(lang, " s", " 秒"))
    expect(page.locator(".stages li").first).to_contain_text(say(lang, "Understanding", "理解问题"))
    expect(page.locator(".writing")).to_contain_text("SELECT")
    expect(page.locator(".live .warning").first).to_contain_text("no column chanel")
    expect(page.locator(".live .hint").last).to_contain_text(say(lang, "3 rows found", "找到 3 行"))
    expect(page.locator(".sentence")).to_have_text(SENTENCES[lang])
    expect(page.locator(".card .warning")).to_have_text(canned.HOSTILE[0])


def test_an_interrupted_stream_is_resumed(open_window: OpenWindow, scripted: FastAPI) -> None:
    open_window().open()
    window = open_window()
    page = window.open()
    window.ask("cut")
    expect(page.locator(".sentence")).to_have_text(SENTENCES["en"])
    assert scripted.state.streams.resumed[-1].endswith("-5")


@BOTH
@pytest.mark.parametrize(
    ("question", "badge"),
    [
        ("drop", ("Refused", "已拒绝")),
        ("weather", ("Not in this database", "数据库中没有")),
        ("fail", ("Did not work", "未成功")),
    ],
)
def test_outcomes_other_than_answers_have_their_own_cards(
    open_window: OpenWindow, lang: str, question: str, badge: tuple[str, str]
) -> None:
    window = open_window(lang)
    window.open()
    page = window.ask(question)
    expect(page.locator(".badge")).to_have_text(say(lang, *badge))
    expect(page.locator(".foot .icon-up")).to_have_count(0)


def test_a_busy_server_is_shown_with_a_retry_action(open_window: OpenWindow) -> None:
    window = open_window()
    window.open()
    page = window.ask("busy")
    expect(page.locator(".sentence")).to_have_text("Too many questions.")
    expect(page.locator(".card .hint")).to_have_text("Wait a little.")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    window.console_errors.clear()  # the browser itself logs a 429


# -- the table and the chart ---------------------------------------------------------------------


def test_complete_results_are_sorted_in_the_page(open_window: OpenWindow) -> None:
    window = open_window()
    window.open()
    page = window.ask("channels")
    page.get_by_role("tab", name="Table").click()
    head = page.get_by_role("columnheader", name="orders")
    head.get_by_role("button").click()
    assert column(page, 2) == ["4,775", "11,204", "16,021"]
    expect(page.locator("th").nth(1)).to_have_attribute("aria-sort", "ascending")
    page.keyboard.press("Enter")  # the focus stayed on the head
    assert column(page, 2) == ["16,021", "11,204", "4,775"]


def test_rows_beyond_those_sent_are_paged_and_sorted_by_the_server(open_window: OpenWindow) -> None:
    window = open_window()
    window.open()
    page = window.ask("big")
    expect(page.locator(".where")).to_have_text("Page 1 of 4")
    expect(page.locator(".count")).to_have_text("the first 100 rows, there are more")
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("tbody td").first).to_have_text("26")
    expect(page.locator(".where")).to_have_text("Page 2 of 10")
    page.locator("th button").nth(2).click()
    expect(page.locator("tbody td").first).to_have_text(
        str(min(canned.big_rows(), key=lambda row: row[2])[0])
    )
    page.get_by_label("Rows a page").select_option("100")
    expect(page.locator("tbody tr")).to_have_count(100)


@BOTH
def test_numbers_are_formatted_for_people(open_window: OpenWindow, lang: str) -> None:
    window = open_window(lang)
    window.open()
    page = window.ask("numbers")
    page.get_by_role("tab", name=say(lang, "Table", "表格")).click()
    first = page.locator("tbody tr").first.locator("td")
    assert first.all_inner_texts() == [
        "12345", "2025", "37.62", "16,021", "1,234.50", "0.3333", "2025-01-31", "39.6"
    ]  # fmt: skip
    assert column(page, 3)[1] == "39.60"  # under each other
    assert column(page, 8)[1] == "NULL"
    expect(first.nth(2)).to_have_attribute("title", "37.620000000000005")
    expect(page.locator("tbody tr")).to_have_count(12)  # a year is one page
    expect(page.locator(".pager")).to_have_count(0)
    assert page.evaluate(
        "[...document.querySelector('text2sql-chat').shadowRoot.querySelectorAll('.grid-scroll')]"
        ".every((element) => element.scrollHeight === element.clientHeight)"
    )


@BOTH
@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("certain", ("Sure", "有把握")),
        ("probably certain", ("Probably", "大概")),
        ("not certain", ("Not sure", "不确定")),
    ],
)
def test_every_answer_says_how_certain_it_is(
    open_window: OpenWindow, lang: str, question: str, words: tuple[str, str]
) -> None:
    window = open_window(lang)
    window.open()
    page = window.ask(question)
    expect(page.locator(".certainty")).to_have_text(say(lang, *words))
    expect(page.locator(".receipt .short")).to_contain_text(say(lang, "allowed, ran", "已放行、已执行"))
    window.ask("channels")  # its receipt has no certainty: none is shown
    expect(page.locator(".certainty")).to_have_count(1)


@BOTH
def test_a_table_is_exported_and_copied(open_window: OpenWindow, lang: str, tmp_path: Path) -> None:
    window = open_window(lang)
    window.open()
    page = window.ask("hostile")
    page.get_by_role("tab", name=say(lang, "Table", "表格")).click()
    page.get_by_role("button", name=say(lang, "Copy", "复制")).first.click()
    expect(page.locator(".toast")).to_have_text(say(lang, "Copied", "已复制"))
    copied = page.evaluate("navigator.clipboard.readText()").split("\n")
    assert copied[5] == '\'=HYPERLINK("http://evil.example")\t4'
    assert copied[7] == "\t9007199254740993"
    page.locator(".menu summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Excel").click()
    assert download.value.suggested_filename == "orders.xlsx"
    download.value.save_as(tmp_path / "x")
    assert (tmp_path / "x").read_text() == "channel,orders\nonline,16021\n"


@BOTH
def test_a_chart_changes_its_kind_and_is_saved(open_window: OpenWindow, lang: str) -> None:
    window = open_window(lang)
    window.open()
    page = window.ask("channels")
    expect(page.locator(".mark-rect path")).to_have_count(3)
    page.get_by_role("button", name=say(lang, "Pie", "饼图")).click()
    expect(page.locator(".mark-arc path")).to_have_count(3)
    result = say(lang, "Pie chart. {} The same numbers are in the table.", "饼图。{}相同的数据见表格。")
    expect(page.get_by_role("img")).to_have_attribute("aria-label", result.format(SENTENCES[lang]))
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename == "chart.svg"


# -- the query -----------------------------------------------------------------------------------


@BOTH
def test_a_query_is_changed_and_run_again_through_the_guard(open_window: OpenWindow, lang: str) -> None:
    window = open_window(lang)
    window.open()
    page = window.ask("channels")
    page.locator(".sql summary").click()
    page.get_by_role("button", name=say(lang, "Edit", "编辑")).click()
    field = page.get_by_label(say(lang, "Your statement", "您的语句"))
    field.fill("SELECT channel -- mine\nFROM orders")
    expect(page.locator(".overlay .sql-comment")).to_have_text("-- mine")
    field.press("Control+Enter")
    expect(page.locator(".turn.sql .bubble")).to_contain_text("FROM orders")
    assert column(page, 1)[-2:] == ["online", "store"]
    page.locator(".turn.sql .fold summary").click()
    page.locator(".turn.sql").get_by_role("button", name=say(lang, "Edit", "编辑")).click()
    page.get_by_label(say(lang, "Your statement", "您的语句")).fill("DROP TABLE orders")
    page.get_by_role("button", name=say(lang, "Run", "运行"), exact=True).click()
    expect(page.locator(".card.refused .badge")).to_have_text(say(lang, "Refused", "已拒绝"))
