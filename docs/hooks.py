"""Build the site from a copy of docs/ that also holds documents of the repository's root.

Links of the repository (`../CHANGELOG.md` in docs/, `docs/guard.md` in the root) become links of the site.
"""

import re
import shutil
import tempfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

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


def _of_the_site(text: str) -> str:
    def link(found: re.Match[str]) -> str:
        target = found[1].removeprefix("../").removeprefix("docs/")
        return f"]({LINKS.get(target, target)})"

    text = _PICTURE.sub(r"-\1.png", text)
    return re.sub(r"\]\(((?:\.\./|docs/)[^)]+|[A-Z]+\.md)\)", link, text)
