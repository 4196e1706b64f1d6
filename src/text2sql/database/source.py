"""Where data is, taken apart: a file, or a server with an account. `url.py` makes it, an engine opens it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    dialect: str
    path: Path | None = None  # a file, absolute; None for a server
    host: str = ""
    port: int | None = None
    user: str = ""
    password: str = field(default="", repr=False)  # a Source may be printed, its password never is
    database: str = ""
    options: Mapping[str, str] = field(default_factory=dict)  # what stood after `?`, the driver's own

    @property
    def name(self) -> str:
        """What a message may say: the file, or the host and database; never the account's secret."""
        if self.path is not None:
            return str(self.path)
        where = f"{self.host}:{self.port}" if self.port else self.host
        return f"{where}/{self.database}" if self.database else where
