"""The hosted providers, one row of facts each, and how LangChain is asked for a model of theirs.

LangChain is imported where a model is built and nowhere else: it takes seconds, and the embedded model needs
none of it.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from text2sql.config import Settings, read_env_file, variable
from text2sql.errors import MissingDriver, ModelNotAllowed, UsageError

Dialect = Literal["openai", "azure", "anthropic", "google", "ollama"]


@dataclass(frozen=True, slots=True)
class Provider:
    name: str
    langchain: str  # what `init_chat_model` calls it
    package: str
    extra: str
    dialect: Dialect
    keys: tuple[str, ...] = ()  # the provider's own variables, in order
    urls: tuple[str, ...] = ()
    url: str = ""  # where it is unless told
    needs_url: bool = False
    schema: bool = False
    many: bool = False  # several candidates in one call, and log-probabilities


PROVIDERS: Mapping[str, Provider] = {
    one.name: one
    for one in (
        Provider(
            "openai",
            "openai",
            "langchain_openai",
            "openai",
            "openai",
            keys=("OPENAI_API_KEY",),
            urls=("OPENAI_BASE_URL", "OPENAI_API_BASE"),
            url="https://api.openai.com/v1",
            schema=True,
            many=True,
        ),
        Provider(
            "azure_openai",
            "azure_openai",
            "langchain_openai",
            "openai",
            "azure",
            keys=("AZURE_OPENAI_API_KEY",),
            urls=("AZURE_OPENAI_ENDPOINT",),
            needs_url=True,
            schema=True,
            many=True,
        ),
        Provider(
            "anthropic",
            "anthropic",
            "langchain_anthropic",
            "anthropic",
            "anthropic",
            keys=("ANTHROPIC_API_KEY",),
            urls=("ANTHROPIC_BASE_URL",),
        ),
        Provider(
            "google_genai",
            "google_genai",
            "langchain_google_genai",
            "google",
            "google",
            keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        ),
        Provider(
            "deepseek",
            "deepseek",
            "langchain_deepseek",
            "deepseek",
            "openai",
            keys=("DEEPSEEK_API_KEY",),
            urls=("DEEPSEEK_API_BASE",),
            url="https://api.deepseek.com/v1",
        ),
        Provider(
            "siliconflow",
            "openai",
            "langchain_openai",
            "openai",
            "openai",
            keys=("SILICONFLOW_API_KEY",),
            url="https://api.siliconflow.cn/v1",
        ),
        Provider(
            "ollama", "ollama", "langchain_ollama", "ollama", "ollama", urls=("OLLAMA_HOST",), schema=True
        ),
        Provider(
            "vllm",
            "openai",
            "langchain_openai",
            "openai",
            "openai",
            keys=("VLLM_API_KEY",),
            needs_url=True,
            schema=True,
            many=True,
        ),
        Provider(
            "openai-compatible",
            "openai",
            "langchain_openai",
            "openai",
            "openai",
            needs_url=True,
            schema=True,
            many=True,
        ),
    )
}


def provider(name: str) -> Provider:
    """The provider of that name, with its package in place."""
    found = PROVIDERS.get(name)
    if found is None:
        raise UsageError("usage.model_provider", provider=name, providers=", ".join(PROVIDERS))
    if find_spec("langchain") is None or find_spec(found.package) is None:
        raise MissingDriver("missing_model_package", provider=name, extra=found.extra)
    return found


def environment() -> dict[str, str]:
    return {**read_env_file(Path(".env")), **os.environ}


def find_url(one: Provider, settings: Settings) -> str:
    known = environment()
    url = settings.base_url or next((known[name] for name in one.urls if known.get(name)), one.url)
    if one.needs_url and not url:
        raise UsageError("usage.model_base_url", provider=one.name)
    return url


class Key:
    """A provider's key: found once, and once more when the other side says that it has expired.

    Its value is in no `repr`; whoever talks to people passes it to `translation.scrub`.
    """

    def __init__(self, one: Provider, settings: Settings) -> None:
        self._provider = one
        self._given = settings.api_key
        self.value = settings.api_key or self._own()

    def demand(self, model: str) -> str:
        """The key, or a clear error before anything is sent; a server of one's own may need none."""
        if not self.value and self._provider.keys and not self._provider.needs_url:
            named = " or ".join([variable("api_key"), *self._provider.keys])
            raise ModelNotAllowed(model, f"there is no key: set {named}")
        return self.value

    def renewed(self, used: str) -> bool:
        """Read it anew. True if it is another one than `used`; so of many callers only one has to read."""
        if self.value == used:
            self.value = environment().get(variable("api_key")) or self._own() or self._given
        return self.value != used

    def _own(self) -> str:
        known = environment()
        return next((known[name] for name in self._provider.keys if known.get(name)), "")


def secrets(key: str, url: str) -> tuple[str, ...]:
    """What may never be shown: the key, and a password inside the address."""
    return tuple(one for one in (key, urlsplit(url).password or "") if one)


def build(
    one: Provider, model: str, settings: Settings, *, url: str, key: str, clients: tuple[Any, Any]
) -> Any:
    """LangChain's model. Its retries and caches are off: `patience.py` decides; answers are not shared."""
    from langchain.chat_models import init_chat_model  # noqa: PLC0415 -- seconds of imports, and an extra

    seconds = max(settings.first_token_timeout, settings.idle_timeout)
    given: dict[str, Any] = {"cache": False, "max_retries": 0, "timeout": seconds}
    if one.dialect in ("openai", "azure"):
        sync, asynchronous = clients
        # Told explicitly, because LangChain would else look into OPENAI_PROXY and into LangSmith's gateway.
        given |= {"http_client": sync, "http_async_client": asynchronous, "openai_proxy": None}
        given |= {"api_key": key or "none", "use_responses_api": False, "stream_usage": True}
        given |= _quiet()
        given |= azure(url, settings) if one.dialect == "azure" else {"base_url": url}
    elif one.dialect == "ollama":
        given = {"cache": False, "client_kwargs": {"trust_env": False, "timeout": seconds}}
        given |= {"base_url": url} if url else {}
    else:
        given |= {"api_key": key} | ({"base_url": url} if url else {})
        given |= {"client_args": {"trust_env": False}} if one.dialect == "google" else {}
    return init_chat_model(model, model_provider=one.langchain, **given)


def _quiet() -> dict[str, Any]:
    """Newer releases have a clock and socket options of their own, and say so; older ones have neither."""
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    wanted: dict[str, Any] = {"stream_chunk_timeout": None, "http_socket_options": ()}
    return {name: value for name, value in wanted.items() if name in ChatOpenAI.model_fields}


def refuse_proxy(one: Provider, model: str, url: str) -> None:
    """Anthropic's package alone cannot be told to leave the machine's proxy variables aside."""
    host = urlsplit(url or "https://api.anthropic.com")
    if one.dialect != "anthropic" or proxy_bypass(host.hostname or ""):
        return
    proxies = getproxies()
    if proxies.get(host.scheme) or proxies.get("all"):
        told = "a proxy variable is set, and questions would go through that proxy; name the host in NO_PROXY"
        raise ModelNotAllowed(model, told)


def azure(url: str, settings: Settings) -> dict[str, Any]:
    known = environment()
    version = known.get("AZURE_OPENAI_API_VERSION") or known.get("OPENAI_API_VERSION") or "2024-10-21"
    return {
        "azure_endpoint": url,
        "api_version": settings.api_version or version,
        "azure_deployment": settings.deployment or known.get("AZURE_OPENAI_DEPLOYMENT") or None,
    }
