"""Create an OpenAI client for frameworks that call a model themselves, with our key, address and transport.

As in our own calls there are no proxies, no redirects, and response bodies are bounded. Retries are those of
the OpenAI package; rate limits and fallbacks do not apply.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from text2sql.config import Settings
from text2sql.errors import ModelError, UsageError
from text2sql.llm.error_mapping import translate
from text2sql.llm.providers import PROVIDERS, Key, azure, find_url, provider, secrets
from text2sql.llm.transport import clients


@dataclass(frozen=True, slots=True)
class OpenAIClient:
    name: str  # `provider:model`
    model: str
    client: Any = field(repr=False)  # `openai.AsyncOpenAI` or `openai.AsyncAzureOpenAI`
    secrets: tuple[str, ...] = field(repr=False)

    def error(self, error: BaseException, prompts: Iterable[str] = ()) -> ModelError:
        """Translate an exception of the package into a `ModelError` without secrets."""
        return translate(error, self.name, self.secrets, prompts)


def openai_client(name: str, settings: Settings) -> OpenAIClient:
    """For a model whose provider supports OpenAI's chat completions API. Nothing is connected yet."""
    provider_name, _, model = name.partition(":")
    compatible = [facts.name for facts in PROVIDERS.values() if facts.openai_package]
    if provider_name not in compatible or not model:
        raise UsageError("usage.model_openai", name=name, providers=", ".join(compatible))
    facts = provider(provider_name)
    url = find_url(facts, settings)
    key = Key(facts, settings).demand(name)
    from openai import AsyncAzureOpenAI, AsyncOpenAI  # noqa: PLC0415 -- a second of imports, and an extra

    # A framework may use several event loops, and a connection belongs to one loop: so none is kept alive,
    # which costs one handshake per call.
    _, http_client = clients(settings.connect_timeout, settings.model_timeout, keep_alive=0)
    options: dict[str, Any] = {"api_key": key or "none", "http_client": http_client}
    client: Any = (
        AsyncAzureOpenAI(**options, **azure(url, settings))
        if facts.api == "azure"
        else AsyncOpenAI(**options, base_url=url)
    )
    return OpenAIClient(name, model, client, secrets(key, url))
