"""Query-string options of a source's URL, for engines whose driver does not parse them itself."""

from collections.abc import Sequence
from typing import NoReturn

from text2sql.database.source import Source
from text2sql.errors import UsageError

_FALSE = ("", "0", "false", "no", "off")


class Options:
    """An unknown option is rejected: it might have asked for security, or for its opposite."""

    def __init__(self, source: Source, known: Sequence[str]) -> None:
        self._known = known
        self._values: dict[str, str] = {}
        for name, value in source.options.items():
            normalized = name.lower().replace("-", "_")
            if normalized not in known:
                self.refuse(name)
            self._values[normalized] = value

    def __getitem__(self, name: str) -> str:
        return self._values.get(name, "")

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def is_on(self, name: str, *, default: bool = False) -> bool:
        return self._values[name].lower() not in _FALSE if name in self._values else default

    def number(self, name: str, default: float) -> float:
        try:
            return float(self[name]) if self[name] else default
        except ValueError:
            self.refuse(f"{name}={self[name]}")

    def refuse(self, option: str) -> NoReturn:
        raise UsageError("usage.db_option", option=option, options=", ".join(sorted(self._known))) from None
