"""Download the model file from its publisher or a mirror, on explicit request only.

A partial download is kept next to the target and resumed. The digest is checked before the file gets its
name, so the mirror need not be trusted.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from text2sql.errors import ModelFileError, UsageError
from text2sql.llm.embedded import file
from text2sql.llm.embedded.locking import locked
from text2sql.llm.embedded.manifest import QWEN, Release
from text2sql.llm.embedded.paths import private

_TIMEOUT = httpx.Timeout(30.0)  # seconds without a byte


def fetch(
    url: str,
    directory: Path,
    release: Release = QWEN,
    progress: file.Progress = file.silent,
    transport: httpx.BaseTransport | None = None,
) -> Path:
    if urlsplit(url).scheme != "https":
        raise UsageError("usage.model_url", url=url)
    target = private(directory) / release.file
    with locked(directory / ".lock"):
        if file.is_checked(target, release):
            return target
        download = target.with_name(f"{target.name}.download")
        _download(url, download, release, progress, transport)
        _install_verified(download, target, release)
    return target


def _download(
    url: str, download: Path, release: Release, progress: file.Progress, transport: httpx.BaseTransport | None
) -> None:
    done = download.stat().st_size if download.exists() else 0
    if done >= release.size:
        return
    headers = {"Range": f"bytes={done}-"} if done else {}
    try:
        file.require_space(release.size - done, download.parent)
        with (
            httpx.Client(transport=transport, timeout=_TIMEOUT, follow_redirects=True) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            response.raise_for_status()
            done = done if response.status_code == httpx.codes.PARTIAL_CONTENT else 0
            _write(response, download, done, release, progress)
    except httpx.HTTPError as error:
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelFileError("local", detail, key="model.file_fetch", host=urlsplit(url).netloc) from error
    except OSError as error:
        raise file.disk_error(download.parent, error, release.size) from error


def _write(
    response: httpx.Response, download: Path, done: int, release: Release, progress: file.Progress
) -> None:
    with download.open("ab" if done else "wb") as out:
        for piece in response.iter_bytes(1 << 20):
            out.write(piece)
            done += len(piece)
            progress(done, release.size)
            if done > release.size:  # a wrong file; its length may be unbounded
                break
        out.flush()
        os.fsync(out.fileno())


def _install_verified(download: Path, target: Path, release: Release) -> None:
    """Verify and install the download. A wrong file is removed, because it cannot be resumed."""
    if download.stat().st_size < release.size:
        raise ModelFileError("local", "cut off", key="model.file_fetch", host="")
    try:
        file.verify(download, release)
    except ModelFileError:
        file.remove(download)
        raise
    download.with_name(f"{download.name}.ok").unlink(missing_ok=True)
    file.install(download, target, release)
