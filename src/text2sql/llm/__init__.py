"""Open a chat model by name: embedded, hosted, recorded or scripted.

Importing this imports no vendor's package.
"""

from dataclasses import replace
from pathlib import Path

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.llm.backend import Backend
from text2sql.llm.chat import AsyncChatModel
from text2sql.llm.providers import provider_of
from text2sql.llm.recorded import RecordedBackend
from text2sql.llm.scripted import ScriptedBackend
from text2sql.llm.synchronous import ChatModel

__all__ = ["AsyncChatModel", "Backend", "ChatModel", "ScriptedBackend", "open_chat", "open_model"]


def open_model(name: str | None, settings: Settings) -> AsyncChatModel:
    """The model of that name (default: `settings.model`), followed by the models of `settings.fallback`.

    Nothing is loaded or connected yet: that happens with the first request, or with `warm`.
    """
    fallbacks = (fallback.strip() for fallback in settings.fallback.split(","))
    names = [name or settings.model, *filter(None, fallbacks)]
    # The key and the address belong to one provider and are passed to no other.
    owner = provider_of(settings.model) or next(filter(None, map(provider_of, names)), "")
    backends = [_backend(unique, settings, owner) for unique in dict.fromkeys(names)]
    if settings.recording:
        folder = Path(settings.recording).expanduser()
        backends = [RecordedBackend(folder, backend) for backend in backends]
    return AsyncChatModel(backends, settings)


def open_chat(name: str | None, settings: Settings) -> ChatModel:
    """Like `open_model`, for code without an event loop."""
    return ChatModel(open_model(name, settings))


def _backend(name: str, settings: Settings, owner: str) -> Backend:
    if name == "local" or name.endswith(".gguf"):
        from text2sql.llm.embedded import EmbeddedBackend  # noqa: PLC0415 -- an extra, and llama.cpp behind it

        embedded: Backend = EmbeddedBackend(None if name == "local" else name, settings)
        return embedded
    provider, _, model = name.partition(":")
    if not model:
        raise UsageError("usage.model_name", name=name)
    if provider == "recorded":
        return RecordedBackend(Path(model).expanduser())
    from text2sql.llm.hosted import HostedBackend  # noqa: PLC0415 -- not needed for the embedded model

    if provider != owner:
        settings = replace(settings, api_key="", base_url="", api_version="", deployment="")
    return HostedBackend(name, settings)
