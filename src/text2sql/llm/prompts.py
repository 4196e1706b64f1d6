"""Render prompts from Markdown files with `$variables`. A missing or unused variable raises an error.

`name.md` is the prompt; `name.zh.md`, if it exists, is used for Chinese users. A file of the same name in
`settings.prompts_dir` replaces ours. `$$` is a dollar sign; braces are literal. The text between `<marks>`
and `</marks>` is untrusted data and cannot contain the closing mark.
"""

import re
import string
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.i18n import Language

_OURS = Path(__file__).parent / "prompts"
_MARK = re.compile(r"</(\w+)>")


class PromptError(UsageError):
    """A prompt is missing or invalid; the facts name the prompt and the variable."""


def render(name: str, settings: Settings, lang: Language = "en", /, **variables: str) -> str:
    path = _find(name, settings, lang)
    template = string.Template(_read(path))
    if not template.is_valid():
        raise PromptError("usage.prompt_file", path=str(path), detail="a $ without a name")
    needed = set(template.get_identifiers())
    for variable in sorted(needed - variables.keys()):
        raise PromptError("usage.prompt_variable", prompt=path.name, variable=variable)
    for variable in sorted(variables.keys() - needed):
        raise PromptError("usage.prompt_unknown", prompt=path.name, variable=variable)
    marks = set(_MARK.findall(template.template))
    return template.substitute({key: _escape_marks(value, marks) for key, value in variables.items()})


def between(mark: str, text: str) -> str:
    """Untrusted text between marks, for text that is not a variable of a prompt."""
    return f"<{mark}>\n{_escape_marks(text, [mark])}\n</{mark}>"


def _escape_marks(text: str, marks: Collection[str]) -> str:
    """Defuse closing marks: a table comment or a question with `</schema>` could inject instructions."""
    end = rf"<(?=\s*/\s*(?:{'|'.join(marks)})\b)"
    return re.sub(end, "[", text, flags=re.IGNORECASE) if marks else text


def names() -> list[str]:
    """The names of all prompts, without language and extension."""
    return sorted({path.name.partition(".")[0] for path in _OURS.glob("*.md")})


def _find(name: str, settings: Settings, lang: Language) -> Path:
    for path in _candidate_paths(name, settings, lang):
        if path.is_file():
            return path
    raise PromptError("usage.prompt", prompt=name, prompts=", ".join(names()))


def _candidate_paths(name: str, settings: Settings, lang: Language) -> Iterator[Path]:
    """The user's files before ours, the requested language before the default."""
    if not name.isidentifier():  # prevents path traversal
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
