"""Renders an image in a subprocess, so that an event loop is not blocked. Costs about a second.

vl-convert holds the GIL while it renders (0.3 s per image), so a thread would block the loop, too.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any

from text2sql.charts.picture import Format, has_glyphs_for, picture
from text2sql.errors import ChartError

_TIMEOUT = 30.0
_CHILD = "from text2sql.charts.subprocess_render import main; main()"


async def picture_in_subprocess(
    spec: Mapping[str, Any], form: Format = "png", scale: float = 2.0, font_dir: str = ""
) -> bytes:
    has_glyphs_for("", font_dir)  # raises here if a package is missing
    request = json.dumps({"spec": spec, "form": form, "scale": scale, "font_dir": font_dir}).encode()
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _CHILD, stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        image, errors = await asyncio.wait_for(process.communicate(request), _TIMEOUT)
    except TimeoutError as error:
        raise ChartError(detail=f"it took longer than {_TIMEOUT:g} s") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise ChartError(detail=errors.decode(errors="replace").strip()[-300:] or "the renderer died")
    return image


def main() -> None:
    try:
        image = picture(**json.load(sys.stdin.buffer))
    except ChartError as error:
        sys.exit(str(error.facts["detail"]))
    sys.stdout.buffer.write(image)
