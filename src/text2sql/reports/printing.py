"""PDF, and Word from a page, by a browser or an office that is installed here.

Only for a person's own templates: a page is loaded from a file of this machine, and could show others.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from text2sql.errors import UsageError

_SECONDS = 120.0
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
_OFFICES = ("soffice", "libreoffice")
# (what there is, what is wanted) → who can do it, the best first
_WAYS: Mapping[tuple[str, str], Sequence[str]] = {
    ("html", "pdf"): (*_BROWSERS, *_OFFICES),
    ("html", "docx"): _OFFICES,
    ("docx", "pdf"): _OFFICES,
    ("docx", "html"): _OFFICES,
}


def printer(source: str, wanted: str) -> str:
    """The program that turns one into the other; a clear word where there is none."""
    if (source, wanted) not in _WAYS:
        raise UsageError("usage.report_kind", source=source, wanted=wanted)
    able = _WAYS[source, wanted]
    found = next(filter(None, map(shutil.which, able)), None)
    if found is None:
        names = "Chromium, LibreOffice" if able[0] in _BROWSERS else "LibreOffice"
        raise UsageError("usage.report_printer", wanted=wanted, programs=names)
    return found


def printed(data: bytes, name: str, wanted: str) -> bytes:
    program = printer(Path(name).suffix.removeprefix("."), wanted)
    with TemporaryDirectory(prefix="text2sql-report-") as folder:
        place = Path(folder)
        source = place / Path(name).name
        source.write_bytes(data)
        made = source.with_suffix(f".{wanted}")
        command = (_office if Path(program).name in _OFFICES else _browser)(program, source, made)
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False, cwd=place)  # noqa: S603 -- a list of our own, no shell
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UsageError("usage.report_printing", program=program, detail=str(error)[:200]) from error
        if not made.is_file():
            detail = done.stderr.decode(errors="replace").strip()[-200:] or f"exit code {done.returncode}"
            raise UsageError("usage.report_printing", program=program, detail=detail)
        return made.read_bytes()


def _browser(program: str, source: Path, made: Path) -> list[str]:
    """Nothing is fetched. Scripts cannot be turned off: the browser prints with one of its own."""
    command = [
        program,
        "--headless=new",
        "--disable-gpu",
        "--disable-extensions",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={source.parent / 'profile'}",
        "--no-pdf-header-footer",
        f"--print-to-pdf={made}",
        source.as_uri(),
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # a browser's own sandbox refuses root
        command.insert(1, "--no-sandbox")
    return command


def _office(program: str, source: Path, made: Path) -> list[str]:
    profile = (source.parent / "profile").as_uri()
    command = [program, f"-env:UserInstallation={profile}", "--headless"]
    if source.suffix == ".html":  # else it is opened as a web page, which cannot become a Word document
        command.append("--infilter=HTML (StarWriter)")
    return [*command, "--convert-to", made.suffix.removeprefix("."), str(source)]
