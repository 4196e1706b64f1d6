"""Embeddings of an OpenAI-compatible endpoint, to compare questions by meaning."""

import json
from collections.abc import Sequence
from dataclasses import replace

from text2sql.config import Settings
from text2sql.errors import BadReply, ModelUnavailable, UsageError
from text2sql.llm.providers import PROVIDERS, Key, find_url, provider_of
from text2sql.llm.transport import LONGEST_BODY

_BATCH = 64  # texts per request
_SECONDS = 10.0  # per request


class Embedder:
    """Sends nothing but the texts. No proxy is used and no redirect followed."""

    def __init__(self, name: str, url: str, key: str, connect_timeout: float) -> None:
        self.name = name
        self._url = f"{url.rstrip('/')}/embeddings"
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._connect_timeout = connect_timeout

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text, in order; any failure is a ModelError without secrets."""
        import httpx  # noqa: PLC0415 -- only where an embedding model is configured

        timeout = httpx.Timeout(_SECONDS, connect=self._connect_timeout)
        vectors: list[list[float]] = []
        try:
            async with httpx.AsyncClient(trust_env=False, timeout=timeout, headers=self._headers) as client:
                for start in range(0, len(texts), _BATCH):
                    vectors += await self._request(client, texts[start : start + _BATCH])
        except httpx.HTTPError as error:
            raise ModelUnavailable(self.name, type(error).__name__) from None  # its text may have the key
        return vectors

    async def _request(self, client: "httpx.AsyncClient", texts: Sequence[str]) -> list[list[float]]:  # type: ignore[name-defined]  # noqa: F821
        model = self.name.partition(":")[2]
        body = {"model": model, "input": list(texts), "encoding_format": "float"}
        async with client.stream("POST", self._url, json=body) as response:
            if response.status_code != 200:
                raise ModelUnavailable(self.name, f"HTTP {response.status_code}")
            data = bytearray()
            async for chunk in response.aiter_bytes():
                data += chunk
                if len(data) > LONGEST_BODY:
                    raise BadReply(self.name, "the reply is too large")
        try:
            items = sorted(json.loads(data)["data"], key=lambda item: int(item["index"]))
            vectors = [[float(number) for number in item["embedding"]] for item in items]
        except (ValueError, KeyError, TypeError):
            raise BadReply(self.name, "no embeddings in the reply") from None
        if len(vectors) != len(texts):
            raise BadReply(self.name, "another number of embeddings than of texts")
        return vectors


def open_embedder(settings: Settings) -> Embedder | None:
    """The embedder of `settings.embedding_model`; None if there is none. Nothing is connected yet."""
    name = settings.embedding_model
    if not name:
        return None
    provider, _, model = name.partition(":")
    compatible = [facts.name for facts in PROVIDERS.values() if facts.api == "openai"]
    if provider not in compatible or not model:
        raise UsageError("usage.embedding_model", name=name, providers=", ".join(compatible))
    if provider_of(settings.model) not in ("", provider):
        settings = replace(settings, api_key="", base_url="")  # they belong to the chat model's provider
    facts = PROVIDERS[provider]
    key = Key(facts, settings).demand(name)
    return Embedder(name, find_url(facts, settings), key, settings.connect_timeout)
