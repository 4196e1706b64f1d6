"""A client of OpenAI's package, for a framework that asks a model by itself: our key, our address, our wire.

What is ours by settings is the same as for our own calls: providers by name, no proxy, no redirect, bounded
bodies. Retries are those of OpenAI's package; the limits a minute and the fallbacks are not kept.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from text2sql.config import Settings
from text2sql.errors import ModelError, UsageError
from text2sql.llm.providers import PROVIDERS, Key, azure, find_url, provider, secrets
from text2sql.llm.translation import translate
from text2sql.llm.transport import clients


@dataclass(frozen=True, slots=True)
class OpenAIClient:
    name: str  # `provider:model`
    model: str
    client: Any = field(repr=False)  # `openai.AsyncOpenAI`, of Azure or of anybody
    secrets: tuple[str, ...] = field(repr=False)

    def error(self, error: BaseException, prompts: Iterable[str] = ()) -> ModelError:
        """Whatever the package raised, in our words and without secrets."""
        return translate(error, self.name, self.secrets, prompts)


def openai_client(name: str, settings: Settings) -> OpenAIClient:
    """For a model whose provider speaks OpenAI's chat completions. Nothing is connected yet."""
    kind, _, model = name.partition(":")
    speaking = [one.name for one in PROVIDERS.values() if one.dialect in ("openai", "azure")]
    if kind not in speaking or not model:
        raise UsageError("usage.model_openai", name=name, providers=", ".join(speaking))
    one = provider(kind)
    url = find_url(one, settings)
    key = Key(one, settings).demand(name)
    from openai import AsyncAzureOpenAI, AsyncOpenAI  # noqa: PLC0415 -- a second of imports, and an extra

    # A framework may ask from one event loop after the other, and a connection is of one: so none is kept,
    # which costs a handshake a call.
    _, wire = clients(settings.connect_timeout, settings.model_timeout, kept_alive=0)
    given: dict[str, Any] = {"api_key": key or "none", "http_client": wire}
    client: Any = (
        AsyncAzureOpenAI(**given, **azure(url, settings))
        if one.dialect == "azure"
        else AsyncOpenAI(**given, base_url=url)
    )
    return OpenAIClient(name, model, client, secrets(key, url))
