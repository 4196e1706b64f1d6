"""Which models are small: by their name, by their file, or because the settings say so."""

from pathlib import Path

import pytest

from text2sql.config import Settings
from text2sql.llm import open_model
from text2sql.llm.model_size import parameters_in, size_of

NAMED = {
    "qwen2.5-coder:7b": 7,
    "qwen2.5-coder:1.5b-instruct-q4_K_M": 1.5,
    "llama3.2:3b": 3,
    "llama3.1:8b": 8,
    "llama3.3:70b-instruct-q4_0": 70,
    "smollm2:135m": 0.135,
    "gemma3n:e4b": 4,
    "mixtral:8x7b": 56,
    "qwen3:30b-a3b": 30,
    "Qwen/Qwen2.5-Coder-7B-Instruct-AWQ": 7,
    "Qwen/Qwen2.5-7B-Instruct-1M": 7,
    "meta-llama/Llama-3.3-70B-Instruct": 70,
    "openai/gpt-oss-20b": 20,
    "/models/codellama-13b.Q4_K_M.gguf": 13,
    "phi-4-mini-instruct-4bit": None,
    "phi3:mini-128k": None,
    "gpt-5-mini": None,
    "": None,
}


@pytest.mark.parametrize(("name", "billions"), NAMED.items())
def test_a_name_says_how_many_parameters_a_model_has(name: str, billions: float | None) -> None:
    assert parameters_in(name) == pytest.approx(billions) if billions else parameters_in(name) is None


@pytest.mark.parametrize(
    ("name", "file_bytes", "size"),
    [
        ("qwen2.5-coder:7b", 0, "small"),
        ("llama3.1:8b", 0, "large"),
        ("qwen3:30b-a3b", 0, "large"),
        ("mistral", 0, "large"),
        ("mine.gguf", 1_100_000_000, "small"),
        ("mine.gguf", 4_700_000_000, "large"),
        ("mine-7b-q8_0.gguf", 7_600_000_000, "small"),  # the name says more than the file
    ],
)
def test_below_eight_billion_parameters_a_model_is_small(name: str, file_bytes: int, size: str) -> None:
    assert size_of(name, Settings(), file_bytes=file_bytes) == size


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("local", "small"),
        ("openai:gpt-5-mini", "large"),
        ("siliconflow:Qwen/Qwen2.5-7B-Instruct", "large"),
        ("openai-compatible:Qwen/Qwen2.5-7B-Instruct", "small"),
        ("vllm:Qwen/Qwen2.5-72B-Instruct", "large"),
    ],
)
def test_hosted_models_are_large_and_open_ones_go_by_their_name(model: str, size: str) -> None:
    settings = Settings(base_url="http://127.0.0.1:1/v1", api_key="sk-x")
    assert open_model(model, settings).profile.size == size


@pytest.mark.parametrize("size", ["small", "large"])
def test_the_setting_overrules(size: str, tmp_path: Path) -> None:
    file = tmp_path / "mine-7b.gguf"
    file.write_bytes(b"GGUF")
    settings = Settings(base_url="http://127.0.0.1:1/v1", api_key="sk-x", model_size=size)
    for name in ("local", str(file), "openai:gpt-5-mini", "vllm:x:1b"):
        assert open_model(name, settings).profile.size == size
