"""CORS headers and preflight responses for the configured origins. Cookies are never allowed."""

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.responses import Response

from text2sql.errors import UsageError

_MAX_AGE = "600"  # seconds that a browser may cache a preflight response
_METHODS = "GET, POST, DELETE"
_HEADERS = "Authorization, Content-Type, Accept-Language, Last-Event-ID, X-Request-ID"
_EXPOSED = "Retry-After, X-Request-ID, X-Truncated, Content-Disposition"


class CorsOrigins:
    def __init__(self, setting: str) -> None:
        self._allowed = frozenset(
            origin.strip().rstrip("/") for origin in setting.split(",") if origin.strip()
        )
        for origin in self._allowed:
            scheme, separator, host = origin.partition("://")
            if scheme not in ("http", "https") or not separator or not host or "/" in host or "*" in host:
                raise UsageError("usage.origin", name=origin[:200])

    def headers(self, request_headers: Headers) -> Mapping[str, str]:
        """Response headers for a cross-origin request; no permission for an origin that is not configured."""
        if not self._allowed:
            return {}
        origin = request_headers.get("origin", "")
        headers = {"Vary": "Origin"}
        if origin in self._allowed:
            headers |= {
                "Access-Control-Allow-Origin": origin,
                "Access-Control-Expose-Headers": _EXPOSED,
                "Cross-Origin-Resource-Policy": "cross-origin",
            }
        return headers

    def preflight(self, method: str, request_headers: Headers) -> Response | None:
        """The response to a preflight request, or None."""
        is_preflight = method == "OPTIONS" and "access-control-request-method" in request_headers
        if not is_preflight or request_headers.get("origin", "") not in self._allowed:
            return None
        headers = {
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": _HEADERS,
            "Access-Control-Max-Age": _MAX_AGE,
        }
        return Response(status_code=204, headers=headers)
