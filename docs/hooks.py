"""Build the site from a copy of docs/ and of some documents in the repository's root.

Links of the repository (`../CHANGELOG.md` in docs/, `docs/guard.md` in the root) become links of the site.
The Chinese site shows a page without a Chinese twin in English; its links lead to the twins of other pages.
"""

import re
import shutil
import tempfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from pymdownx.slugs import slugify

DOCS = Path(__file__).parent
# Names in the site; `SECURITY.md` would be docs/security.md where names are not told apart by case.
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security-policy.md",
}
# The site's first page and quick start say what the READMEs say.
LINKS = {
    **PAGES,
    "README.md": "index.md",
    "README.md#install": "quickstart.md#1-install",
    "README.zh-CN.md": "index.md",
    "README.zh-CN.md#安装": "quickstart.zh.md#1-安装",
}
_PICTURE = re.compile(r"\.(en|zh)\.png\b")
_CODE_BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([a-z-]+)\.md#([^)]+)\)")
# A line that ends in the middle of Chinese text; a browser would show the line break as a blank.
_BROKEN_LINE = re.compile(r"(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])\n *(?=[\u4e00-\u9fff（“])")
_slug = slugify(case="lower")
_staged: list[Path] = []


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    if Path(config.docs_dir) == DOCS:
        folder = Path(tempfile.mkdtemp(prefix="text2sql-docs-"))
        _staged.append(folder)
        _stage(folder)
        config.docs_dir = str(folder)
    return config


def on_shutdown() -> None:
    for folder in _staged:
        shutil.rmtree(folder, ignore_errors=True)


def _stage(folder: Path) -> None:
    shutil.copytree(DOCS, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for source, page in PAGES.items():
        shutil.copyfile(DOCS.parent / source, folder / page)
    # The i18n plugin would keep one of NAME.en.png and NAME.zh.png; a page may show both.
    for picture in folder.rglob("*.??.png"):
        picture.rename(picture.with_name(_PICTURE.sub(r"-\1.png", picture.name)))
    for text in folder.glob("*.md"):
        text.write_text(_of_the_site(text.read_text(encoding="utf-8")), encoding="utf-8")
    for original in list(folder.glob("*.md")):
        if not original.name.endswith(".zh.md") and not _twin(original).is_file():
            _twin(original).write_text(_for_the_chinese_site(original), encoding="utf-8")


def _twin(page: Path) -> Path:
    return page.with_suffix(".zh.md")


def _for_the_chinese_site(page: Path) -> str:
    """Return the English page with its links to sections of other pages changed to those of their twins."""

    def link(match: re.Match[str]) -> str:
        target, anchor = page.with_name(f"{match[1]}.md"), match[2]
        if not target.is_file() or not _twin(target).is_file():
            return match[0]
        translated = dict(zip(_anchors(target), _anchors(_twin(target)), strict=False))
        return f"]({match[1]}.md#{translated.get(anchor, anchor)})"

    return _LINK.sub(link, page.read_text(encoding="utf-8"))


def _anchors(page: Path) -> list[str]:
    """Return the anchors of the headings in order: twins have the same headings."""
    text = _CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))
    return [_slug(heading, "-") for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]


def _of_the_site(text: str) -> str:
    def link(found: re.Match[str]) -> str:
        target = found[1].removeprefix("../").removeprefix("docs/")
        return f"]({LINKS.get(target, target)})"

    text = _joined(_PICTURE.sub(r"-\1.png", text))
    return re.sub(r"\]\(((?:\.\./|docs/)[^)]+|[A-Z]+\.md)\)", link, text)


def _joined(text: str) -> str:
    """Return the text with the broken lines of Chinese paragraphs joined; code blocks stay as they are."""
    parts = re.split(f"({_CODE_BLOCK.pattern})", text, flags=_CODE_BLOCK.flags)
    return "".join(part if part.startswith("```") else _BROKEN_LINE.sub("", part) for part in parts)
