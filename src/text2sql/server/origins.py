"""Pages of other origins: none may ask but those that the installation names. No cookies, no credentials."""

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.responses import Response

from text2sql.errors import UsageError

_FOR_A_WHILE = "600"  # seconds that a browser need not ask again
_METHODS = "GET, POST, DELETE"
_HEADERS = "Authorization, Content-Type, Accept-Language, Last-Event-ID, X-Request-ID"
_SHOWN = "Retry-After, X-Request-ID, X-Truncated, Content-Disposition"


class Origins:
    def __init__(self, named: str) -> None:
        self._known = frozenset(one.strip().rstrip("/") for one in named.split(",") if one.strip())
        for one in self._known:
            scheme, found, host = one.partition("://")
            if scheme not in ("http", "https") or not found or not host or "/" in host or "*" in host:
                raise UsageError("usage.origin", name=one[:200])

    def headers(self, given: Headers) -> Mapping[str, str]:
        """What a response says to a page of another origin: nothing, unless it is a known one."""
        if not self._known:
            return {}
        origin = given.get("origin", "")
        told = {"Vary": "Origin"}
        if origin in self._known:
            told |= {
                "Access-Control-Allow-Origin": origin,
                "Access-Control-Expose-Headers": _SHOWN,
                "Cross-Origin-Resource-Policy": "cross-origin",
            }
        return told

    def preflight(self, method: str, given: Headers) -> Response | None:
        """The answer to a browser that asks whether it may ask."""
        asks = method == "OPTIONS" and "access-control-request-method" in given
        if not asks or given.get("origin", "") not in self._known:
            return None
        told = {
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": _HEADERS,
            "Access-Control-Max-Age": _FOR_A_WHILE,
        }
        return Response(status_code=204, headers=told)
