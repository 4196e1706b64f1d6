"""Prompts: Markdown files with `$variables`. One that is missing, or that nobody reads, is named in an error.

`name.md` is the prompt; `name.zh.md` is used for Chinese readers where it exists, which is where people read
the answer. A file of the same name in `settings.prompts_dir` replaces ours. `$$` is a dollar sign; braces are
only braces. What a prompt puts between `<marks>` and `</marks>` is other people's text, and cannot end there.
"""

import re
import string
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.messages import Language

_OURS = Path(__file__).parent / "prompts"
_MARK = re.compile(r"</(\w+)>")


class PromptError(UsageError):
    """The prompt and the variable are in its facts."""


def render(name: str, settings: Settings, lang: Language = "en", /, **variables: str) -> str:
    path = _find(name, settings, lang)
    template = string.Template(_read(path))
    if not template.is_valid():
        raise PromptError("usage.prompt_file", path=str(path), detail="a $ without a name")
    wanted = set(template.get_identifiers())
    for one in sorted(wanted - variables.keys()):
        raise PromptError("usage.prompt_variable", prompt=path.name, variable=one)
    for one in sorted(variables.keys() - wanted):
        raise PromptError("usage.prompt_unknown", prompt=path.name, variable=one)
    marks = set(_MARK.findall(template.template))
    return template.substitute({key: _held(value, marks) for key, value in variables.items()})


def between(mark: str, text: str) -> str:
    """Other people's text as data, where no prompt has a place for it."""
    return f"<{mark}>\n{_held(text, [mark])}\n</{mark}>"


def _held(text: str, marks: Collection[str]) -> str:
    """A comment of a table, a value or a question that says `</schema>` would go on as one of our rules."""
    end = rf"<(?=\s*/\s*(?:{'|'.join(marks)})\b)"
    return re.sub(end, "[", text, flags=re.IGNORECASE) if marks else text


def names() -> list[str]:
    """All prompts there are, without language and ending."""
    return sorted({path.name.partition(".")[0] for path in _OURS.glob("*.md")})


def _find(name: str, settings: Settings, lang: Language) -> Path:
    for path in _places(name, settings, lang):
        if path.is_file():
            return path
    raise PromptError("usage.prompt", prompt=name, prompts=", ".join(names()))


def _places(name: str, settings: Settings, lang: Language) -> Iterator[Path]:
    """The user's files before ours, the reader's language before the other."""
    if not name.isidentifier():  # a name is a name: no folder can be left with it
        return
    folders = [Path(settings.prompts_dir).expanduser()] if settings.prompts_dir else []
    for folder in (*folders, _OURS):
        if lang == "zh":
            yield folder / f"{name}.zh.md"
        yield folder / f"{name}.md"


def _read(path: Path) -> str:
    if path.parent == _OURS:
        return _read_once(path)
    try:
        return _text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError("usage.prompt_file", path=str(path), detail=str(error)) from error


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip() + "\n"


_read_once = cache(_text)
