"""Which feature an endpoint has rejected, by the words of its message."""

import pytest

from text2sql.llm.error_mapping import NotSupported, translate


class Rejected(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status_code = status
        self.body = {"message": message}


@pytest.mark.parametrize(
    ("status", "message", "feature"),
    [
        (404, "This model is only supported in v1/responses and not in v1/chat/completions.", "chat"),
        (400, "The chatCompletion operation does not work with the specified model, gpt-x-codex.", "chat"),
        (400, "'response_format' of type 'json_schema' is not supported with this model.", "schema"),
        (400, "This response_format type is unavailable now", "schema"),
        (400, "output_config.format: this model does not support structured outputs", "schema"),
        (400, "Json mode is not supported for this model.", "schema"),
        (400, "JSON mode is not enabled for models/gemma-x", "schema"),
        (400, "Function calling is not enabled for models/gemma-x", "tools"),
        (400, "registry.example/model does not support tools", "tools"),
        (400, "tool_choice: type 'any' is not supported for this model", "tool_choice"),
        (400, "`temperature` is deprecated for this model.", "temperature"),
        (422, "Extra inputs are not permitted: logprobs", "logprobs"),
    ],
)
def test_a_rejected_feature_is_recognized(status: int, message: str, feature: str) -> None:
    error = translate(Rejected(status, message), "provider:model")
    assert isinstance(error, NotSupported)
    assert error.feature == feature


@pytest.mark.parametrize("message", ["The model `x` does not exist", "Page not found"])
def test_another_not_found_is_no_rejected_feature(message: str) -> None:
    assert not isinstance(translate(Rejected(404, message), "provider:model"), NotSupported)
