"""Fixtures: one browser and one fake server for all tests, and a new browser context per test."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext

from e2e import fake
from e2e.browser import DESKTOP, MonitoredPage, chromium, serving


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def scripted() -> FastAPI:
    return fake.application()


@pytest.fixture(scope="session")
def address(scripted: FastAPI) -> Iterator[str]:
    with serving(scripted) as server:
        yield server


OpenWindow = Callable[..., MonitoredPage]


@pytest.fixture
def open_window(browser: Browser, address: str) -> Iterator[OpenWindow]:
    """Open a page, such as `open_window(lang="zh", theme="dark", size=PHONE)`. Faults fail the test."""
    windows: list[tuple[BrowserContext, MonitoredPage]] = []

    def opened(
        lang: str = "en", theme: str = "light", size: tuple[int, int] = DESKTOP, where: str = "", **more: Any
    ) -> MonitoredPage:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if theme == "dark" else "light",
            locale="zh-CN" if lang == "zh" else "en-US",
            reduced_motion="reduce",
            permissions=["clipboard-read", "clipboard-write"],
            **more,
        )
        context.set_default_timeout(10_000)
        window = MonitoredPage(context, where or address)
        windows.append((context, window))
        return window

    yield opened
    for context, window in windows:
        result = (window.foreign_requests, window.console_errors)
        context.close()
        assert result == ([], [])
