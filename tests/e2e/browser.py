"""Headless Chromium from Debian, installed if that is allowed, and local servers for page tests."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

import servers

DESKTOP, PHONE = (1280, 860), (390, 844)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; if there is none, its tests are skipped, or fail with CI=true."""
    try:
        program = servers.installed("chromium", "chromium", "bin")
        servers.chinese_font()
    except servers.Unavailable as error:
        servers._say(f"*** NO BROWSER: {error}")
        if os.environ.get("CI") == "true":
            pytest.fail(f"no browser: {error}")
        pytest.skip(f"no browser: {error}")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=str(program), args=[*flags, "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve the application on a loopback port in a thread; yields its URL."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


class MonitoredPage:
    """A page that records faults: requests to other origins, errors, CSP violations."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.page: Page = context.new_page()
        self.address = address
        self.foreign_requests: list[str] = []
        self.console_errors: list[str] = []
        self.page.on("request", self._requested)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.console_errors.append(str(error)))

    def _requested(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.foreign_requests.append(request.url)

    def _on_console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.console_errors.append(message.text)

    def open(self, path: str = "/") -> Page:
        self.page.goto(self.address + path)
        self.page.locator(".welcome h1, .turn").first.wait_for()
        return self.page

    def ask(self, question: str) -> Page:
        """Ask a question and wait for the answer."""
        before = self.page.locator(".turn").count()
        self.page.locator("#question").fill(question)
        self.page.locator("#question").press("Enter")
        self.page.locator(".turn").nth(before).locator(".card:not(.live)").wait_for()
        return self.page
