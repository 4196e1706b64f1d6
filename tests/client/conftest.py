"""The demo shop and a scripted model that knows the questions of the docstrings."""

from pathlib import Path

import pytest

from text2sql.config import Settings
from text2sql.database.demo import build_demo
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.types import ModelProfile, ModelRequest

REPLIES = {
    "returns of order 7": "DELETE FROM returns WHERE order_id = 7",
    "": "SELECT count(*) FROM customers",
}
SMALL = ModelProfile(
    context=16_384, location="local", size="small", grammar=True, candidates=True, logprobs=True
)
SETTINGS = Settings(memory="none", requests_per_minute=0, lang="en")


def scripted_model() -> AsyncChatModel:
    def reply(request: ModelRequest) -> str:
        question = request.messages[-1].content
        return next(sql for words, sql in REPLIES.items() if words in question)

    return AsyncChatModel([ScriptedBackend(last=reply, profile=SMALL)], SETTINGS)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("shop") / "demo.db")
