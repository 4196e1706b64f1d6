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
from e2e.browser import PHONE, Seen, chromium, serving
from e2e.test_real_server import application
from text2sql.database.demo import build_demo

PICTURES = Path(__file__).parents[2] / "docs" / "page"


@contextmanager
def window(browser: Browser, address: str, name: str, lang: str, theme: str, phone: bool) -> Iterator[Seen]:
    """A page for a screenshot, taken when it has finished loading."""
    wide, high = PHONE if phone else (1120, 700)
    context = browser.new_context(
        viewport={"width": wide, "height": high},
        color_scheme="dark" if theme == "dark" else "light",
        locale="zh-CN" if lang == "zh" else "en-US",
        reduced_motion="reduce",
    )
    seen = Seen(context, address)
    seen.open()
    seen.page.locator(".try").first.wait_for()
    yield seen
    seen.page.wait_for_timeout(300)
    seen.page.mouse.move(0, 0)
    seen.page.screenshot(path=PICTURES / f"{name}.png")
    context.close()


def chart(page: Page) -> None:
    page.locator(".turn").last.locator(".chart-place svg").wait_for()


def real(browser: Browser, address: str) -> None:
    with window(browser, address, "welcome", "en", "light", phone=False):
        pass
    with window(browser, address, "answer", "en", "light", phone=False) as seen:
        seen.ask("How many orders are there in each channel?")
        chart(seen.page)
    with window(browser, address, "answer-zh", "zh", "light", phone=False) as seen:
        seen.ask("每个渠道有多少订单？")
        chart(seen.page)
    with window(browser, address, "query-dark-zh", "zh", "dark", phone=False) as seen:
        seen.ask("每个月有多少订单？")
        chart(seen.page)
        seen.page.locator(".sql summary").click()
        seen.page.locator(".sql-body .button").last.click()
        seen.page.locator(".receipt summary").click()
        seen.page.locator(".sql").scroll_into_view_if_needed()
    with window(browser, address, "table-zh", "zh", "light", phone=False) as seen:
        seen.ask("列出每个客户的邮箱")
        seen.page.get_by_role("tab", name="数据").click()
    with window(browser, address, "phone", "en", "dark", phone=True) as seen:
        seen.ask("And by status?")
        chart(seen.page)
    with window(browser, address, "phone-zh", "zh", "light", phone=True) as seen:
        seen.page.locator(".top .icon-button").first.click()
        seen.page.get_by_role("tab", name="数据").click()
        seen.page.locator(".tables summary").first.click()


def scripted(browser: Browser, address: str) -> None:
    with window(browser, address, "stages", "en", "light", phone=False) as seen:
        seen.page.locator("#question").fill("Which channel has the slowest orders?")
        seen.page.keyboard.press("Enter")
        seen.page.locator(".writing").wait_for()
    with window(browser, address, "choices-zh", "zh", "dark", phone=False) as seen:
        seen.ask("去年的收入是多少？")
        seen.ask("删掉已取消的订单")


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        shop = Path(folder) / "shop.db"
        build_demo(shop)
        with serving(application(shop)) as address:
            real(browser, address)
        calm = fake.application()
        del calm.state.threads["t-2"]  # whose title means harm
        with serving(calm) as address:
            scripted(browser, address)


if __name__ == "__main__":
    main()
