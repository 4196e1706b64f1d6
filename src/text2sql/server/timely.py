"""A connection on which no request arrives is closed after a while, or when its head is too large: uvicorn
has a clock for the time after a response, and neither clock nor bound for what comes before a request.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_SECONDS = 10.0  # that the head of a request may take to arrive
_MOST = 262_144  # bytes of a head that is not whole yet; one that is has its own bound in `gate.py`


class Timely(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # whichever of two it is
    _late: asyncio.TimerHandle | None = None
    _waiting = 0  # bytes that are no request yet

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()  # its head is here; a body has its own clock
            return
        self._wait()
        self._waiting += len(data)
        if self._waiting > _MOST:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
        self._waiting = 0
