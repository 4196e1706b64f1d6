"""The hosted providers: one table of facts, and how to build their LangChain models.

LangChain is imported only where a model is built, because that takes seconds and the embedded model does not
need it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from text2sql.config import Settings, environment, variable
from text2sql.errors import MissingDriver, ModelNotAllowed, UsageError
from text2sql.types import Location

Api: TypeAlias = Literal["openai", "azure", "anthropic", "google", "ollama"]
# How structured output is requested: with the schema as a parameter, as the arguments of a tool that the
# model calls, or as JSON whose schema is in the prompt.
Structured: TypeAlias = Literal["json_schema", "tool", "json"]


@dataclass(frozen=True, slots=True)
class Provider:
    name: str
    extra: str
    api: Api
    langchain: str = ""  # its name in `init_chat_model`, if it is another one
    keys: tuple[str, ...] = ()  # the provider's environment variables for the key, in order
    urls: tuple[str, ...] = ()  # and for the address
    url: str = ""  # the default address
    needs_url: bool = False
    limit: str = "max_tokens"  # the parameter that limits the tokens of an answer
    open_models: bool = False  # it serves the user's choice of open models, perhaps on this machine
    structured: tuple[Structured, ...] = ()  # the first that the endpoint does not reject is used
    tools: bool = True
    candidates: bool = False  # several candidates in one call
    logprobs: bool = False

    @property
    def package(self) -> str:
        return "langchain_google_genai" if self.api == "google" else f"langchain_{self.extra}"

    @property
    def openai_package(self) -> bool:
        """Whether it is called through OpenAI's package."""
        return self.api in ("openai", "azure")


PROVIDERS: Mapping[str, Provider] = {
    facts.name: facts
    for facts in (
        Provider(
            "openai",
            "openai",
            "openai",
            keys=("OPENAI_API_KEY",),
            urls=("OPENAI_BASE_URL", "OPENAI_API_BASE"),
            url="https://api.openai.com/v1",
            limit="max_completion_tokens",
            open_models=True,
            structured=("json_schema", "json"),
            candidates=True,
            logprobs=True,
        ),
        Provider(
            "azure_openai",
            "openai",
            "azure",
            keys=("AZURE_OPENAI_API_KEY",),
            urls=("AZURE_OPENAI_ENDPOINT",),
            needs_url=True,
            limit="max_completion_tokens",
            structured=("json_schema", "json"),
            candidates=True,
            logprobs=True,
        ),
        Provider(
            "anthropic",
            "anthropic",
            "anthropic",
            keys=("ANTHROPIC_API_KEY",),
            urls=("ANTHROPIC_BASE_URL",),
            structured=("json_schema", "tool"),
        ),
        Provider(
            "google_genai",
            "google",
            "google",
            keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            limit="max_output_tokens",
            structured=("json_schema", "tool"),
        ),
        Provider(
            "deepseek",
            "deepseek",
            "openai",
            keys=("DEEPSEEK_API_KEY",),
            urls=("DEEPSEEK_API_BASE",),
            url="https://api.deepseek.com/v1",
            structured=("json", "tool"),
        ),
        Provider(
            "siliconflow",
            "openai",
            "openai",
            langchain="openai",
            keys=("SILICONFLOW_API_KEY",),
            url="https://api.siliconflow.cn/v1",
            structured=("json", "tool"),
        ),
        Provider(
            "ollama",
            "ollama",
            "ollama",
            urls=("OLLAMA_HOST",),
            limit="num_predict",
            open_models=True,
            structured=("json_schema",),
        ),
        Provider(
            "vllm",
            "openai",
            "openai",
            langchain="openai",
            keys=("VLLM_API_KEY",),
            needs_url=True,
            open_models=True,
            structured=("json_schema", "json"),
            candidates=True,
            logprobs=True,
        ),
        Provider(
            "openai-compatible",
            "openai",
            "openai",
            langchain="openai",
            needs_url=True,
            open_models=True,
            structured=("json_schema", "json"),
            candidates=True,
            logprobs=True,
        ),
    )
}


def provider(name: str) -> Provider:
    """The provider of that name; raises if its package is not installed."""
    facts = PROVIDERS.get(name)
    if facts is None:
        raise UsageError("usage.model_provider", provider=name, providers=", ".join(PROVIDERS))
    if find_spec("langchain") is None or find_spec(facts.package) is None:
        raise MissingDriver("missing_model_package", provider=name, extra=facts.extra)
    return facts


def provider_of(model: str) -> str:
    """The provider in a model's name: `openai` of `openai:gpt-x`; empty for the embedded model and for a
    model file.
    """
    name, colon, _ = model.partition(":")
    return name if colon and not model.endswith(".gguf") else ""


def find_url(facts: Provider, settings: Settings) -> str:
    variables = environment()
    url = settings.base_url or next(
        (variables[name] for name in facts.urls if variables.get(name)), facts.url
    )
    if facts.needs_url and not url:
        raise UsageError("usage.model_base_url", provider=facts.name)
    return url


def location_of(facts: Provider, url: str) -> Location:
    """`local` for a server that runs models itself and listens on a loopback address, which is Ollama's
    default. A provider that only has hosted models is always hosted: a loopback address is then a proxy. Host
    names are not resolved, so any name of this machine other than `localhost` counts as hosted.
    """
    if not facts.open_models:
        return "hosted"
    host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    if not host:
        return "local" if facts.api == "ollama" and not url else "hosted"
    try:
        return "local" if host == "localhost" or ip_address(host).is_loopback else "hosted"
    except ValueError:
        return "hosted"


class Key:
    """A provider's API key; it is read again when the provider says that it has expired.

    The value is in no `repr`, and `error_mapping.scrub` removes it from messages.
    """

    def __init__(self, facts: Provider, settings: Settings) -> None:
        self._provider = facts
        self._configured = settings.api_key
        self.value = settings.api_key or self._from_environment()

    def demand(self, model: str) -> str:
        """The key; raises before anything is sent if a required key is missing."""
        if not self.value and self._provider.keys and not self._provider.needs_url:
            names = " / ".join([variable("api_key"), *self._provider.keys])
            raise ModelNotAllowed(model, f"there is no key: set {names}", key="model.no_key", names=names)
        return self.value

    def renewed(self, used: str) -> bool:
        """Read the key again unless another caller already did. True if it now differs from `used`."""
        if self.value == used:
            self.value = (
                environment().get(variable("api_key")) or self._from_environment() or self._configured
            )
        return self.value != used

    def _from_environment(self) -> str:
        variables = environment()
        return next((variables[name] for name in self._provider.keys if variables.get(name)), "")


def secrets(key: str, url: str) -> tuple[str, ...]:
    """Texts that must never be shown: the key, and a password inside the address."""
    return tuple(filter(None, (key, urlsplit(url).password)))


def build(
    facts: Provider,
    model: str,
    settings: Settings,
    *,
    url: str,
    key: str,
    clients: tuple[Any, Any],
    responses: bool,
) -> Any:
    """The LangChain model. Its retries and caches are off: `retry_limits.py` decides about retries.
    `responses`: through OpenAI's Responses API instead of chat completions.
    """
    from langchain.chat_models import init_chat_model  # noqa: PLC0415 -- seconds of imports, and an extra

    seconds = max(settings.first_token_timeout, settings.idle_timeout)
    options: dict[str, Any] = {"cache": False, "max_retries": 0, "timeout": seconds}
    if facts.openai_package:
        sync, asynchronous = clients
        # Set explicitly; otherwise LangChain reads OPENAI_PROXY and LangSmith's gateway settings.
        options |= {"http_client": sync, "http_async_client": asynchronous, "openai_proxy": None}
        options |= {"api_key": key or "none", "use_responses_api": responses}
        options |= {} if responses else {"stream_usage": True}
        options |= _disabled_options()
        options |= azure(url, settings) if facts.api == "azure" else {"base_url": url}
    elif facts.api == "ollama":
        options = {"cache": False, "client_kwargs": {"trust_env": False, "timeout": seconds}}
        options |= {"base_url": url} if url else {}
    else:
        options |= {"api_key": key} | ({"base_url": url} if url else {})
        options |= {"client_args": {"trust_env": False}} if facts.api == "google" else {}
    return init_chat_model(model, model_provider=facts.langchain or facts.name, **options)


def _disabled_options() -> dict[str, Any]:
    """Turn off the chunk time-out and the socket options that newer releases of LangChain have."""
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    options: dict[str, Any] = {"stream_chunk_timeout": None, "http_socket_options": ()}
    return {name: value for name, value in options.items() if name in ChatOpenAI.model_fields}


def refuse_proxy(facts: Provider, model: str, url: str) -> None:
    """Raise if Anthropic's package, which always follows proxy variables, would use a proxy."""
    host = urlsplit(url or "https://api.anthropic.com")
    if facts.api != "anthropic" or proxy_bypass(host.hostname or ""):
        return
    proxies = getproxies()
    if proxies.get(host.scheme) or proxies.get("all"):
        detail = (
            "a proxy variable is set, and questions would go through that proxy; name the host in NO_PROXY"
        )
        raise ModelNotAllowed(model, detail)


def azure(url: str, settings: Settings) -> dict[str, Any]:
    variables = environment()
    version = variables.get("AZURE_OPENAI_API_VERSION") or variables.get("OPENAI_API_VERSION") or "2024-10-21"
    return {
        "azure_endpoint": url,
        "api_version": settings.api_version or version,
        "azure_deployment": settings.deployment or variables.get("AZURE_OPENAI_DEPLOYMENT") or None,
    }
