"""Takes the screenshots of docs/page.md and the READMEs from the real page: python tests/e2e/pictures.py

The model is scripted, the server, the shop and the browser are not. Only the stages and the clarifications
come from the scripted server, because there they can be paused.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Browser, Page

from e2e import fake
from e2e.browser import PHONE, MonitoredPage, chromium, serving
from e2e.test_real_server import application
from text2sql.database.demo import build_demo

PICTURES = Path(__file__).parents[2] / "docs" / "page"


@contextmanager
def screenshot_of(
    browser: Browser, address: str, name: str, lang: str, theme: str, phone: bool, height: int = 700
) -> Iterator[MonitoredPage]:
    """A page for a screenshot, taken when it has finished loading."""
    wide, high = PHONE if phone else (1120, height)
    context = browser.new_context(
        viewport={"width": wide, "height": high},
        color_scheme="dark" if theme == "dark" else "light",
        locale="zh-CN" if lang == "zh" else "en-US",
        reduced_motion="reduce",
    )
    window = MonitoredPage(context, address)
    window.open()
    window.page.locator(".try").first.wait_for()
    yield window
    window.page.wait_for_timeout(300)
    window.page.mouse.move(0, 0)
    window.page.screenshot(path=PICTURES / f"{name}.png")
    context.close()


def chart(page: Page) -> None:
    page.locator(".turn").last.locator(".chart-place svg").wait_for()


def real(browser: Browser, address: str) -> None:
    with screenshot_of(browser, address, "welcome", "en", "light", phone=False):
        pass
    with screenshot_of(browser, address, "answer", "en", "light", phone=False, height=880) as window:
        window.ask("How many orders are there in each channel?")
        chart(window.page)
    with screenshot_of(browser, address, "answer-zh", "zh", "light", phone=False, height=880) as window:
        window.ask("每个渠道有多少订单？")
        chart(window.page)
    with screenshot_of(browser, address, "query-dark-zh", "zh", "dark", phone=False) as window:
        window.ask("每个月有多少订单？")
        chart(window.page)
        window.page.locator(".sql summary").click()
        window.page.locator(".sql-body .button").last.click()
        window.page.locator(".receipt summary").click()
        window.page.locator(".sql").scroll_into_view_if_needed()
    with screenshot_of(browser, address, "table-zh", "zh", "light", phone=False) as window:
        window.ask("列出每个客户的邮箱")
        window.page.get_by_role("tab", name="数据").click()
    with screenshot_of(browser, address, "phone", "en", "dark", phone=True) as window:
        window.ask("And by status?")
        chart(window.page)
    with screenshot_of(browser, address, "phone-zh", "zh", "light", phone=True) as window:
        window.page.locator(".top .icon-button").first.click()
        window.page.get_by_role("tab", name="数据").click()
        window.page.locator(".tables summary").first.click()


def scripted(browser: Browser, address: str) -> None:
    with screenshot_of(browser, address, "stages", "en", "light", phone=False) as window:
        window.page.locator("#question").fill("Which channel has the slowest orders?")
        window.page.keyboard.press("Enter")
        window.page.locator(".writing").wait_for()
    with screenshot_of(browser, address, "choices-zh", "zh", "dark", phone=False) as window:
        window.ask("去年的收入是多少？")
        window.ask("删掉已取消的订单")


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        shop = Path(folder) / "shop.db"
        build_demo(shop)
        with serving(application(shop)) as address:
            real(browser, address)
        calm = fake.application()
        del calm.state.threads["t-2"]  # its title is hostile text
        with serving(calm) as address:
            scripted(browser, address)


if __name__ == "__main__":
    main()
