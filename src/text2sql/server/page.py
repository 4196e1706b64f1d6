"""Serves the web page at `/`: the files in static/, and the chart library that vl-convert bundles.

There is no build step and no other host. The Content-Security-Policy allows only scripts, styles and
connections of this server and no eval, so HTML in a cell value stays harmless even if the page has a bug.
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
# The page may change with every release of text2sql; vega.js changes with vl-convert only.
_REVALIDATE, _CACHE_FOR_A_DAY = "no-cache", "public, max-age=86400"
_MIN_GZIP_BYTES = 1_000  # bytes
_NOT_FOUND = Response(status_code=404, headers={"Cache-Control": "no-store"})
_bundle_lock = Lock()

Text = Annotated[str, Header()]


def policy(frame_ancestors: str = "'none'") -> str:
    """The Content-Security-Policy of the page; `frame_ancestors` is configurable."""
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
    return _file_response(content, ".html", if_none_match, accept_encoding, headers)


@router.get("/static/{name}")
def static(name: str, if_none_match: Text = "", accept_encoding: Text = "") -> Response:
    """Serve a file by comparing names in the folder, so that no path can leave it."""
    files = {file.name: file for file in _STATIC.iterdir() if file.suffix in _TYPES and file.is_file()}
    if name not in files:
        return _NOT_FOUND
    file = files[name]
    return _file_response(
        file.read_bytes(), file.suffix, if_none_match, accept_encoding, _CROSS_ORIGIN_HEADERS
    )


@router.get("/vega.js")
def vega(if_none_match: Text = "", accept_encoding: Text = "") -> Response:
    """Vega, Vega-Lite and Vega-Embed as one module; 404 without text2sql-kit[charts]."""
    if find_spec("vl_convert") is None:
        return _NOT_FOUND
    headers = {**_CROSS_ORIGIN_HEADERS, "Cache-Control": _CACHE_FOR_A_DAY}
    return _file_response(_bundle(), ".js", if_none_match, accept_encoding, headers)


# Other origins may embed the element: the files contain no secrets, and the API has its own CORS rule.
_CROSS_ORIGIN_HEADERS: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


def _bundle() -> bytes:
    with _bundle_lock:  # takes three seconds of CPU: concurrent requests wait for the same result
        return _build_bundle()


@lru_cache(maxsize=1)
def _build_bundle() -> bytes:
    import vl_convert  # noqa: PLC0415 -- an extra, and a large library

    return str(vl_convert.javascript_bundle("export const embed = vegaEmbed;")).encode()


def _file_response(
    content: bytes, suffix: str, if_none_match: str, accept_encoding: str, headers: Mapping[str, str]
) -> Response:
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    response_headers = {
        "ETag": etag,
        "Cache-Control": _REVALIDATE,
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
        **headers,
    }
    if etag in (tag.strip().removeprefix("W/") for tag in if_none_match.split(",")):
        return Response(status_code=304, headers=response_headers)
    if "gzip" in accept_encoding and len(content) > _MIN_GZIP_BYTES:
        content, response_headers["Content-Encoding"] = _gzipped(content), "gzip"
    return Response(content, media_type=_TYPES[suffix], headers=response_headers)


@lru_cache(maxsize=64)
def _gzipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)
