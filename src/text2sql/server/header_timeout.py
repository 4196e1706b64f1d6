"""Closes connections whose request head does not arrive in time or is too large.

uvicorn has a timeout after a response, but none (and no size limit) before the head of a request.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_SECONDS = 10.0  # within which the head of a request must arrive
_MAX_HEAD_BYTES = 262_144  # of an incomplete head; `middleware.py` limits complete ones


class HeaderTimeout(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # the base class depends on what is installed
    _timeout: asyncio.TimerHandle | None = None
    _pending_bytes = 0  # received, but not yet a request

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._start_timeout()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_timeout()  # the head is complete; the middleware limits the time of the body
            return
        self._start_timeout()
        self._pending_bytes += len(data)
        if self._pending_bytes > _MAX_HEAD_BYTES:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timeout()
        super().connection_lost(exc)

    def _start_timeout(self) -> None:
        if self._timeout is None:
            self._timeout = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_timeout(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
            self._timeout = None
        self._pending_bytes = 0
