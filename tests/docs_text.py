"""Read the documentation, for tests that compare it with the code."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = (*sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("*.md")))


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def cells(text: str) -> Iterator[list[str]]:
    """The rows of all tables in a document, without their rules."""
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next one of its rank."""
    start = text.index(f"## {heading}\n")
    end = text.find("\n## ", start)
    return text[start : end if end >= 0 else None]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def anchors(text: str) -> set[str]:
    """The fragments that links may name, as the usual renderers make them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
