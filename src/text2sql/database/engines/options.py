"""What may stand after `?` in an address, for the engines whose driver does not read it itself."""

from collections.abc import Sequence
from typing import NoReturn

from text2sql.database.source import Source
from text2sql.errors import UsageError

_FALSE = ("", "0", "false", "no", "off")


class Options:
    """An option we do not know is refused: it might have asked for safety, or for its opposite."""

    def __init__(self, source: Source, known: Sequence[str]) -> None:
        self._known = known
        self._given: dict[str, str] = {}
        for name, value in source.options.items():
            plain = name.lower().replace("-", "_")
            if plain not in known:
                self.refuse(name)
            self._given[plain] = value

    def __getitem__(self, name: str) -> str:
        return self._given.get(name, "")

    def is_on(self, name: str, *, default: bool = False) -> bool:
        return self._given[name].lower() not in _FALSE if name in self._given else default

    def number(self, name: str, default: float) -> float:
        try:
            return float(self[name]) if self[name] else default
        except ValueError:
            self.refuse(f"{name}={self[name]}")

    def refuse(self, option: str) -> NoReturn:
        raise UsageError("usage.db_option", option=option, options=", ".join(sorted(self._known))) from None
