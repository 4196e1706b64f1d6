"""The models that the agents support, and the messages when a model fails."""

import json
from pathlib import Path
from typing import Any

import pytest

from adk.scripted_model import KEY, Model, agent, endpoint, talk
from text2sql.adk import build
from text2sql.config import Settings
from text2sql.errors import ModelNotAllowed, UsageError

TOTAL = "SELECT sum(total) AS revenue FROM orders"


def test_azure_is_called_at_its_deployment(shop: Path) -> None:
    with endpoint(Model([TOTAL])) as model:
        azure = {
            "model": "azure_openai:gpt-4o-mini",
            "base_url": model.url.removesuffix("/v1"),
            "deployment": "mine",
        }
        talked = talk(agent(shop, model, api_version="2025-01-01-preview", **azure), "Revenue of all orders?")
    assert '"rows": [[37.75]]' in talked.answers[0]
    path, heads = model.heads[0]
    assert path == "/openai/deployments/mine/chat/completions?api-version=2025-01-01-preview"
    assert heads["api-key"] == KEY
    assert {path for path, _ in model.heads} == {path}


def test_azure_is_configured_by_its_own_variables_too(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "its-own-key")
    monkeypatch.setenv("AZURE_OPENAI_API_VERSION", "2025-01-01-preview")
    monkeypatch.setenv("AZURE_OPENAI_DEPLOYMENT", "theirs")
    with endpoint(Model([TOTAL])) as model:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", model.url.removesuffix("/v1"))
        known = Settings(model="azure_openai:gpt-4o-mini", memory="none", requests_per_minute=0)
        talked = talk(build(str(shop), settings=known), "Revenue of all orders?")
    assert '"rows": [[37.75]]' in talked.answers[0]
    assert {path for path, _ in model.heads} == {
        "/openai/deployments/theirs/chat/completions?api-version=2025-01-01-preview"
    }
    assert {heads["api-key"] for _, heads in model.heads} == {"its-own-key"}


def test_the_key_goes_to_the_address_of_the_settings(shop: Path) -> None:
    with endpoint(Model([TOTAL])) as model:
        talk(agent(shop, model), "Revenue of all orders?")
    assert {heads["authorization"] for _, heads in model.heads} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("name", ["local", "/models/one.gguf", "anthropic:claude", "openai", "nobody:x"])
def test_a_model_that_cannot_call_tools_this_way_is_refused_at_once(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        build("shop.db", settings=Settings(model=name))
    assert caught.value.message_key == "usage.model_openai"
    assert "openai-compatible" in str(caught.value.facts["providers"])


def test_a_missing_key_is_reported_before_the_first_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelNotAllowed, match="OPENAI_API_KEY"):
        build("shop.db", settings=Settings(model="openai:gpt-5-mini"))


def test_the_root_agent_of_the_environment_reports_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXT2SQL_MODEL", "local")
    monkeypatch.setenv("TEXT2SQL_LANG", "zh")
    import text2sql.adk

    with pytest.raises(ValueError, match="智能体无法使用“local”"):
        _ = text2sql.adk.root_agent


@pytest.mark.parametrize(("status", "message"), [(401, "may not be used"), (500, "cannot be reached")])
def test_a_model_failure_is_explained_without_the_key(shop: Path, status: int, message: str) -> None:
    with endpoint(Model(parts={"root": lambda _: status})) as model:
        talked = talk(agent(shop, model), "Revenue of all orders?", "所有订单的总金额？")
    english, chinese = talked.answers
    assert english
    assert message in english
    assert chinese != english
    everything = json.dumps(talked.answers) + repr(talked.events)
    assert KEY not in everything
    assert "You answer a person" not in everything


def test_a_model_failure_inside_the_task_is_explained(shop: Path) -> None:
    def root(since: list[dict[str, Any]]) -> Any:
        return (
            {"name": "sql_task", "arguments": '{"request": "x"}'} if not since else str(since[-1]["result"])
        )

    with endpoint(Model(parts={"root": root, "sql": lambda _: 403})) as model:
        talked = talk(agent(shop, model), "Revenue of all orders?")
    assert "openai-compatible:m" in talked.answers[0]
    assert KEY not in talked.answers[0]
