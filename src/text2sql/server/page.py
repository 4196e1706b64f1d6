"""The page at `/`: its files as they stand in static/, and the chart library that vl-convert carries.

Nothing here is built, vendored or fetched from elsewhere. The policy in the header keeps a cell value that
looks like HTML harmless even if the page had a fault: no script, style or connection but our own, no eval.
"""

import gzip
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response

router = APIRouter(include_in_schema=False)

_STATIC = Path(__file__).parent / "static"
_TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
# The page is one file for everybody; vega.js changes with the installed release only.
_ALWAYS_ASK, _FOR_A_DAY = "no-cache", "public, max-age=86400"
_WORTH_ZIPPING = 1_000  # bytes
_NOT_FOUND = Response(status_code=404, headers={"Cache-Control": "no-store"})
_bundling = Lock()

Text = Annotated[str, Header()]


def policy(frame_ancestors: str = "'none'") -> str:
    """The page's Content-Security-Policy; who may frame it is the one thing that an installation decides."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {frame_ancestors}",
        )
    )


@router.get("/")
def page(request: Request, if_none_match: Text = "", accept_encoding: Text = "") -> Response:
    """`app.state.frame_ancestors` holds CSP sources, such as `'self' https://intranet.example`."""
    ancestors = str(getattr(request.app.state, "frame_ancestors", "") or "'none'")
    headers = {
        "Content-Security-Policy": policy(ancestors),
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    content = (_STATIC / "index.html").read_bytes()
    return _served(content, ".html", if_none_match, accept_encoding, headers)


@router.get("/static/{name}")
def static(name: str, if_none_match: Text = "", accept_encoding: Text = "") -> Response:
    """The names are those of the folder: nothing that a path could spell leads out of it."""
    file = next((one for one in _STATIC.iterdir() if one.name == name and one.suffix in _TYPES), None)
    if file is None or not file.is_file():
        return _NOT_FOUND
    return _served(file.read_bytes(), file.suffix, if_none_match, accept_encoding, _ANYWHERE)


@router.get("/vega.js")
def vega(if_none_match: Text = "", accept_encoding: Text = "") -> Response:
    """Vega, Vega-Lite and Vega-Embed as one module; without text2sql[charts] there is none."""
    if find_spec("vl_convert") is None:
        return _NOT_FOUND
    headers = {**_ANYWHERE, "Cache-Control": _FOR_A_DAY}
    return _served(_bundle(), ".js", if_none_match, accept_encoding, headers)


# A page of another origin may embed the element: its files hold no secret, and the API has its own rule.
_ANYWHERE: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


def _bundle() -> bytes:
    with _bundling:  # three seconds of one core: whoever comes meanwhile waits for the same bytes
        return _bundled()


@lru_cache(maxsize=1)
def _bundled() -> bytes:
    import vl_convert  # noqa: PLC0415 -- an extra, and a large library

    return str(vl_convert.javascript_bundle("export const embed = vegaEmbed;")).encode()


def _served(
    content: bytes, suffix: str, if_none_match: str, accept_encoding: str, headers: Mapping[str, str]
) -> Response:
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    told = {
        "ETag": etag,
        "Cache-Control": _ALWAYS_ASK,
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
        **headers,
    }
    if etag in (one.strip().removeprefix("W/") for one in if_none_match.split(",")):
        return Response(status_code=304, headers=told)
    if "gzip" in accept_encoding and len(content) > _WORTH_ZIPPING:
        content, told["Content-Encoding"] = _zipped(content), "gzip"
    return Response(content, media_type=_TYPES[suffix], headers=told)


@lru_cache(maxsize=64)
def _zipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)
