"""Former names of methods, which work for one version with a warning."""

import asyncio
import warnings
from typing import TYPE_CHECKING, Any

# former name → the attribute that replaces it
MOVED = {
    "answers": "threads.answers",
    "confirm": "threads.confirm",
    "count": "results.count",
    "forget": "threads.delete",
    "history": "threads.history",
    "page": "results.page",
    "remember": "verified.add",
    "resume": "threads.resume",
    "roll_back": "threads.roll_back",
    "run_own": "run_sql",
    "stream_confirm": "threads.stream_confirm",
    "stream_resume": "threads.stream_resume",
}


class MovedNames:
    """Finds a former name under its new one. Type checkers do not see the former names."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name not in MOVED:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            warn_moved(name, MOVED[name])
            value: Any = self
            for part in MOVED[name].split("."):
                value = getattr(value, part)
            return value

        def warm_in_background(self) -> None:
            warn_moved("warm_in_background()", "warm(background=True)")
            warming = self.warm(background=True)
            if warming is not None:  # of the asynchronous client
                self._former_warming = asyncio.ensure_future(warming)


def warn_moved(name: str, new_name: str) -> None:
    warnings.warn(
        f"`{name}` is now `{new_name}`; the former name works until version 0.3",
        DeprecationWarning,
        stacklevel=3,
    )
