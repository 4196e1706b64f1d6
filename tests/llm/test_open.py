"""Opening a model by name: backends, keys, fallbacks and missing packages."""

import subprocess
import sys
from pathlib import Path

import pytest

from docs_text import blocks, cells, read, section
from llm.asking import KEY, QUESTION, model_name, settings_for, settled
from text2sql.config import Settings
from text2sql.errors import MissingDriver, ModelNotAllowed, UsageError
from text2sql.i18n import explain
from text2sql.llm import open_chat, open_model
from text2sql.llm.providers import PROVIDERS, refuse_proxy
from text2sql.testing.endpoint import Endpoint

STRUCTURED = {"json_schema": "JSON Schema", "tool": "tool call", "json": "JSON mode"}
ADDRESS = Settings(base_url="http://127.0.0.1:1/v1", api_key=KEY)


@pytest.mark.parametrize("name", [facts.name for facts in PROVIDERS.values() if facts.extra == "openai"])
def test_every_provider_at_hand_can_be_opened(name: str) -> None:
    assert open_model(f"{name}:some/model:7b", ADDRESS).name == f"{name}:some/model:7b"


@pytest.mark.parametrize("name", [facts.name for facts in PROVIDERS.values() if facts.extra != "openai"])
def test_a_missing_package_is_an_error_with_the_install_command(name: str) -> None:
    if PROVIDERS[name].package in sys.modules:
        pytest.skip(f"{PROVIDERS[name].package} is installed here")
    with pytest.raises(MissingDriver) as caught:
        open_model(f"{name}:x", ADDRESS)
    message = explain(caught.value, "en")
    assert message == (
        f"Asking {name} needs a package that is not installed.\n"
        f'Install it: pip install "text2sql-kit[{PROVIDERS[name].extra}]"'
    )
    assert PROVIDERS[name].extra in explain(caught.value, "zh")


def test_every_extra_a_provider_names_exists() -> None:
    declared = Path("pyproject.toml").read_text(encoding="utf-8")
    assert [facts.extra for facts in PROVIDERS.values() if f"\n{facts.extra} = [" not in declared] == []


@pytest.mark.parametrize(
    ("name", "key", "shown"),
    [
        ("nobody:x", "usage.model_provider", "openai, azure_openai, anthropic"),
        ("gpt-4o", "usage.model_name", "provider:model"),
        ("openai:", "usage.model_name", "provider:model"),
        ("vllm:x", "usage.model_base_url", "TEXT2SQL_BASE_URL"),
    ],
)
def test_an_invalid_name_is_an_error_that_lists_valid_ones(name: str, key: str, shown: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_model(name, Settings())
    assert caught.value.message_key == key
    assert shown in explain(caught.value, "en")
    assert explain(caught.value, "zh")


def test_the_settings_name_the_model_and_its_fallbacks() -> None:
    settings = Settings(model="openai:a", fallback="openai:b, siliconflow:c,openai:a", api_key=KEY)
    model = open_model(None, settings)
    assert [backend.name for backend in model.backends] == ["openai:a", "openai:b", "siliconflow:c"]
    assert open_chat("openai:z", settings).name == "openai:z"


def test_a_key_is_shown_to_the_provider_it_belongs_to_and_to_no_other(server: Endpoint) -> None:
    """The fallback has another provider, so it gets neither the key nor the address."""
    first = f"openai:{model_name('fault:status=500')}"
    settings = settings_for(server, model=first, fallback="siliconflow:spare")
    model = open_model(None, settings)

    async def ask() -> str:
        async with model:
            try:
                await model.ask(QUESTION)
            except ModelNotAllowed as error:
                return str(error)
            return ""

    assert "siliconflow:spare, detail=there is no key: set TEXT2SQL_API_KEY / SILICONFLOW_API_KEY" in settled(
        ask()
    )


def test_a_key_for_one_provider_is_not_sent_to_another_asked_for_by_name() -> None:
    settings = Settings(model="openai:a", api_key=KEY)
    (backend,) = open_model("siliconflow:b", settings).backends
    assert KEY not in repr(vars(backend)["_settings"].api_key)


def test_the_reply_of_a_fallback_names_its_model(server: Endpoint) -> None:
    down, spare = model_name("fault:status=503"), model_name("plain")
    settings = settings_for(server, fallback=f"openai-compatible:{spare}")
    model = open_model(f"openai-compatible:{down}", settings)

    async def ask() -> tuple[str, int]:
        async with model:
            reply = await model.ask(QUESTION)
            return reply.model, reply.usage.calls

    assert settled(ask()) == (f"openai-compatible:{spare}", 4)


def test_importing_the_package_imports_no_vendor() -> None:
    code = (
        "import sys, text2sql.llm, text2sql.llm.hosted;"
        "print(sorted({n.partition('.')[0] for n in sys.modules} & "
        "{'langchain', 'langchain_core', 'openai', 'xllamacpp', 'tiktoken', 'httpx', 'pydantic'}))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout == "[]\n"


@pytest.mark.parametrize(
    ("variable", "bypassed"), [("HTTPS_PROXY", False), ("ALL_PROXY", False), ("NO_PROXY", True)]
)
def test_anthropic_is_not_called_through_a_proxy_by_accident(
    monkeypatch: pytest.MonkeyPatch, variable: str, bypassed: bool
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv(variable, "api.anthropic.com" if bypassed else "http://127.0.0.1:9")
    if bypassed:
        refuse_proxy(PROVIDERS["anthropic"], "anthropic:x", "")
    else:
        with pytest.raises(ModelNotAllowed, match="proxy variable is set"):
            refuse_proxy(PROVIDERS["anthropic"], "anthropic:x", "")


def test_every_provider_is_documented_with_its_facts() -> None:
    rows = {row[0].strip("`"): row for row in cells(section(read("docs/models.md"), "Hosted models"))}
    for facts in PROVIDERS.values():
        _, extra, keys, address, structured, candidates, logprobs = rows[facts.name]
        assert extra == f"`text2sql-kit[{facts.extra}]`"
        assert [key for key in facts.keys if f"`{key}`" not in keys] == []
        assert not facts.url or facts.api != "openai" or facts.url in address
        assert structured == ", ".join(STRUCTURED[mode] for mode in facts.structured)
        supported = (facts.candidates, facts.logprobs)
        assert [candidates, logprobs] == ["yes" if can else "no" for can in supported]


def test_the_examples_in_the_document_are_python() -> None:
    shown = blocks(read("docs/models.md"), "python")
    assert len(shown) >= 2
    for code in shown:
        compile(code, "docs/models.md", "exec")
