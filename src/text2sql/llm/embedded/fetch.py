"""The model's file over the network, from its publisher or a mirror: only when somebody asks for it.

What has arrived stays beside the target, so a broken download goes on where it ended; the digest is checked
before the file takes its name, so it does not matter who served it.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from text2sql.errors import ModelFileError, UsageError
from text2sql.llm.embedded import file
from text2sql.llm.embedded.locking import locked
from text2sql.llm.embedded.places import private
from text2sql.llm.embedded.release import QWEN, Release

_PATIENCE = httpx.Timeout(30.0)  # seconds without a byte


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
        arrived = target.with_name(f"{target.name}.download")
        _download(url, arrived, release, progress, transport)
        _accept(arrived, target, release)
    return target


def _download(
    url: str, arrived: Path, release: Release, progress: file.Progress, transport: httpx.BaseTransport | None
) -> None:
    have = arrived.stat().st_size if arrived.exists() else 0
    if have >= release.size:
        return
    headers = {"Range": f"bytes={have}-"} if have else {}
    try:
        file.room_for(release.size - have, arrived.parent)
        with (
            httpx.Client(transport=transport, timeout=_PATIENCE, follow_redirects=True) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            response.raise_for_status()
            have = have if response.status_code == httpx.codes.PARTIAL_CONTENT else 0
            _write(response, arrived, have, release, progress)
    except httpx.HTTPError as error:
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelFileError("local", detail, key="model.file_fetch", host=urlsplit(url).netloc) from error
    except OSError as error:
        raise file.disk_trouble(arrived.parent, error, release.size) from error


def _write(
    response: httpx.Response, arrived: Path, have: int, release: Release, progress: file.Progress
) -> None:
    with arrived.open("ab" if have else "wb") as out:
        for piece in response.iter_bytes(1 << 20):
            out.write(piece)
            have += len(piece)
            progress(have, release.size)
            if have > release.size:  # not our file, however long it goes on
                break
        out.flush()
        os.fsync(out.fileno())


def _accept(arrived: Path, target: Path, release: Release) -> None:
    """A wrong file is thrown away: going on from wrong bytes would never end well."""
    if arrived.stat().st_size < release.size:
        raise ModelFileError("local", "cut off", key="model.file_fetch", host="")
    try:
        file.verify(arrived, release)
    except ModelFileError:
        file.remove(arrived)
        raise
    arrived.with_name(f"{arrived.name}.ok").unlink(missing_ok=True)
    file.install(arrived, target, release)
