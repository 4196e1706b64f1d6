"""A parsed data source: a file, or a server with an account. `url.py` parses it, an engine opens it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed URL or path."""

    dialect: str
    path: Path | None = None  # a file, absolute; None for a server
    host: str = ""
    port: int | None = None
    user: str = ""
    password: str = field(default="", repr=False)  # not in the repr: a Source may be logged
    database: str = ""
    options: Mapping[str, str] = field(default_factory=dict)  # the URL's query string: options of the driver

    @property
    def name(self) -> str:
        """For messages: the file, or the host and database; never the account or password."""
        if self.path is not None:
            return str(self.path)
        address = f"{self.host}:{self.port}" if self.port else self.host
        return f"{address}/{self.database}" if self.database else address
