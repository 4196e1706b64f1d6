"""A picture from a process of its own, for whoever must not wait: vl-convert holds Python's lock while it
draws, 0.3 s a picture, and a thread would stop a server's loop all the same. It costs about a second.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any

from text2sql.charts.picture import Format, can_write, picture
from text2sql.errors import ChartError

_SECONDS = 30.0
_CHILD = "from text2sql.charts.apart import child; child()"


async def picture_soon(
    spec: Mapping[str, Any], form: Format = "png", scale: float = 2.0, font_dir: str = ""
) -> bytes:
    can_write("", font_dir)  # a package that is missing is told here
    asked = json.dumps({"spec": spec, "form": form, "scale": scale, "font_dir": font_dir}).encode()
    pipe = asyncio.subprocess.PIPE
    drawing = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _CHILD, stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        drawn, told = await asyncio.wait_for(drawing.communicate(asked), _SECONDS)
    except TimeoutError as error:
        raise ChartError(detail=f"it took longer than {_SECONDS:g} s") from error
    finally:
        if drawing.returncode is None:
            drawing.kill()
            await drawing.wait()
    if drawing.returncode != 0:
        raise ChartError(detail=told.decode(errors="replace").strip()[-300:] or "the renderer died")
    return drawn


def child() -> None:
    try:
        drawn = picture(**json.load(sys.stdin.buffer))
    except ChartError as error:
        sys.exit(str(error.facts["detail"]))
    sys.stdout.buffer.write(drawn)
