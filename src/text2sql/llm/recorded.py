"""Records a model's replies in a folder, and replays them without the model.

    TEXT2SQL_RECORDING=DIR     records each prompt with its reply, for any model
    recorded:DIR               replays them; a prompt without a recording is an error

A reply is one file, named after a hash of its request without the deadline, so that a stopped run can be
resumed, and a run with other fixes calls the model only for new prompts.
"""

import hashlib
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from text2sql.errors import ModelFileError, UsageError
from text2sql.llm.backend import Backend, Preparing
from text2sql.types import (
    Alternative,
    Candidate,
    Message,
    ModelProfile,
    ModelRequest,
    Queued,
    Reply,
    Token,
    Usage,
)

_PROFILE = "model.json"
T = TypeVar("T")


class RecordedBackend:
    """Replies from a folder; with a `model`, missing replies are requested from it and recorded."""

    def __init__(self, folder: Path, model: Backend | None = None) -> None:
        self._folder = folder
        self._model = model
        if model is not None:
            self.name, self.profile = model.name, model.profile
            folder.mkdir(parents=True, exist_ok=True)
            _write(folder / _PROFILE, {"name": model.name, "profile": asdict(model.profile)})
        else:
            self.name, self.profile = _described(folder)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Queued | Preparing | Reply]:
        path = self._path("reply", _facts(request))
        reply = _read(path, _reply)
        if reply is not None:
            yield reply.text
            yield reply
            return
        if self._model is None:
            raise ModelFileError(self.name, str(self._folder), key="model.not_recorded")
        async for piece in self._model.stream(request):
            if isinstance(piece, Reply):
                _write(path, {"request": _facts(request), "reply": _plain(asdict(piece))})
            yield piece

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:
        """Nothing: the model is called only for missing replies."""

    async def count_tokens(self, text: str) -> int:
        path = self._path("tokens", text)
        tokens = _read(path, lambda record: int(record["tokens"]))
        if tokens is None:
            if self._model is None:
                raise ModelFileError(self.name, str(self._folder), key="model.not_recorded")
            tokens = await self._model.count_tokens(text)
            _write(path, {"tokens": tokens})
        return tokens

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()

    def _path(self, kind: str, facts: object) -> Path:
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
        return self._folder / kind / f"{digest[:32]}.json"


def _facts(request: ModelRequest) -> dict[str, Any]:
    """What the reply depends on."""
    facts: dict[str, Any] = _plain(asdict(request))
    del facts["seconds"]
    return facts


def _plain(value: Any) -> Any:
    """JSON of a request or a reply; bytes, which may end inside a character, become hexadecimal digits."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _reply(record: Mapping[str, Any]) -> Reply:
    reply = record["reply"]
    candidates = (
        Candidate(**(candidate | {"tokens": tuple(map(_token, candidate["tokens"]))}))
        for candidate in reply["candidates"]
    )
    return Reply(reply["model"], tuple(candidates), Usage(**reply["usage"]))


def _token(record: dict[str, Any]) -> Token:
    others = (Alternative(**(other | {"data": bytes.fromhex(other["data"])})) for other in record["others"])
    return Token(record["text"], record["logprob"], tuple(others))


def _described(folder: Path) -> tuple[str, ModelProfile]:
    described = _read(folder / _PROFILE, lambda record: (record["name"], ModelProfile(**record["profile"])))
    if described is None:
        raise UsageError("usage.recording", path=str(folder))
    return described


def _read(path: Path, convert: Callable[[Mapping[str, Any]], T]) -> T | None:
    """The content of a file; None if there is none."""
    try:
        return convert(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageError("usage.recording", path=str(path)) from error


def _write(path: Path, facts: Mapping[str, Any]) -> None:
    """Write the file whole or not at all: several programs may record into one folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        json.dump(facts, file, ensure_ascii=False)
    Path(file.name).replace(path)
