"""Convert reports to PDF, or HTML to Word, with an installed browser or office suite.

For trusted templates only: the page is loaded as a local file and could read other local files.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from text2sql.errors import UsageError

_TIMEOUT = 120.0
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
_OFFICES = ("soffice", "libreoffice")
# (source format, target format) → programs, best first
_PROGRAMS: Mapping[tuple[str, str], Sequence[str]] = {
    ("html", "pdf"): (*_BROWSERS, *_OFFICES),
    ("html", "docx"): _OFFICES,
    ("docx", "pdf"): _OFFICES,
    ("docx", "html"): _OFFICES,
}


def converter(source: str, target: str) -> str:
    """The program that converts between two formats; raises UsageError if none is installed."""
    if (source, target) not in _PROGRAMS:
        raise UsageError("usage.report_kind", source=source, wanted=target)
    programs = _PROGRAMS[source, target]
    path = next(filter(None, map(shutil.which, programs)), None)
    if path is None:
        names = "Chromium, LibreOffice" if programs[0] in _BROWSERS else "LibreOffice"
        raise UsageError("usage.report_printer", wanted=target, programs=names)
    return path


def convert(data: bytes, name: str, target: str) -> bytes:
    """Convert a document. The extension of `name` is its format."""
    program = converter(Path(name).suffix.removeprefix("."), target)
    with TemporaryDirectory(prefix="text2sql-report-") as folder:
        directory = Path(folder)
        source = directory / Path(name).name
        source.write_bytes(data)
        output = source.with_suffix(f".{target}")
        command = (_office if Path(program).name in _OFFICES else _browser)(program, source, output)
        try:
            process = subprocess.run(  # noqa: S603 -- our own list of arguments, no shell
                command, capture_output=True, timeout=_TIMEOUT, check=False, cwd=directory
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UsageError("usage.report_printing", program=program, detail=str(error)[:200]) from error
        if not output.is_file():
            detail = process.stderr.decode(errors="replace").strip()[-200:]
            detail = detail or f"exit code {process.returncode}"
            raise UsageError("usage.report_printing", program=program, detail=detail)
        return output.read_bytes()


def _browser(program: str, source: Path, output: Path) -> list[str]:
    """The command for a browser, with the network disabled. Printing itself needs JavaScript."""
    command = [
        program,
        "--headless=new",
        "--disable-gpu",
        "--disable-extensions",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={source.parent / 'profile'}",
        "--no-pdf-header-footer",
        f"--print-to-pdf={output}",
        source.as_uri(),
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # the browser's sandbox does not work as root
        command.insert(1, "--no-sandbox")
    return command


def _office(program: str, source: Path, output: Path) -> list[str]:
    profile = (source.parent / "profile").as_uri()
    command = [program, f"-env:UserInstallation={profile}", "--headless"]
    if source.suffix == ".html":  # the default web filter cannot export to Word
        command.append("--infilter=HTML (StarWriter)")
    return [*command, "--convert-to", output.suffix.removeprefix("."), str(source)]
