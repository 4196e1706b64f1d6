"""Helpers for page tests: texts in either language, and table contents."""

import pytest
from playwright.sync_api import Page

from e2e import canned

BOTH = pytest.mark.parametrize("lang", ["en", "zh"])
SENTENCES = canned.SENTENCES


def say(lang: str, english: str, chinese: str) -> str:
    return chinese if lang == "zh" else english


def column(page: Page, at: int) -> list[str]:
    return page.locator(f"tbody td:nth-child({at})").all_inner_texts()
