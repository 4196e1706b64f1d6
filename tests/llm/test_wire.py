"""The edge: errors in our words, bytes made safe, tokens estimated, the endpoint that plays the faults."""

import http.client
import json
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from llm.asking import eventually
from text2sql.llm.error_mapping import read_retry_after, scrub, translate
from text2sql.llm.langchain_messages import Utf16, estimate_tokens
from text2sql.llm.transport import LONGEST_BODY, LONGEST_LINE, ReplyTooLarge, SanitizedStream
from text2sql.testing.endpoint import Endpoint, endpoint
from text2sql.testing.scenarios import NAMES, SCENARIOS


class Status(Exception):
    """What providers' errors have in common."""

    def __init__(self, status: int, body: object = None) -> None:
        super().__init__(f"Error code: {status} - {body}")
        self.status_code = status
        self.body = body


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Status(401), "not_allowed"),
        (Status(403), "not_allowed"),
        (Status(404), "not_allowed"),
        (Status(302), "not_allowed"),
        (Status(400), "not_allowed"),
        (Status(400, {"message": "maximum context length is 8192"}), "too_long"),
        (Status(400, {"message": "prompt is too long: 9 tokens > 8"}), "too_long"),
        (Status(413), "too_long"),
        (Status(400, {"message": "The response was filtered due to content_filter"}), "refused"),
        (Status(429), "rate_limited"),
        (Status(429, {"message": "insufficient_quota"}), "not_allowed"),
        (Status(408), "unavailable"),
        (Status(500), "unavailable"),
        (Status(529), "unavailable"),
        (ConnectionRefusedError(111, "Connection refused"), "unavailable"),
        (TimeoutError(), "timeout"),
        (json.JSONDecodeError("Expecting value", "{", 1), "bad_reply"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "bad_reply"),
        (KeyError("choices"), "bad_reply"),
        (ReplyTooLarge("more than 1 bytes"), "bad_reply"),
    ],
    ids=repr,
)
def test_errors_are_distinguished_by_status_and_type(error: Exception, kind: str) -> None:
    assert translate(error, "m").kind == kind


def test_the_deepest_cause_is_what_people_read() -> None:
    error = RuntimeError("Connection error.")
    error.__cause__ = ConnectionRefusedError(111, "Connection refused")
    assert translate(error, "m").detail == "ConnectionRefusedError: [Errno 111] Connection refused"


def test_keys_and_lines_of_prompts_are_taken_out_of_foreign_texts() -> None:
    text = "key sk-1234 and sk-1234-long said: The table salaries has\nrows"
    assert (
        scrub(text, ["sk-1234", "sk-1234-long"], ["The table salaries has\nrows"])
        == "key ••• and ••• said: … rows"
    )
    assert len(scrub("x" * 10_000, [])) == 300


@pytest.mark.parametrize(
    ("text", "seconds"), [("2", 2.0), ("1.5", 1.5), ("", None), ("soon", None), ("-3", None)]
)
def test_retry_after_is_read_as_seconds(text: str, seconds: float | None) -> None:
    assert read_retry_after(text) == seconds


@pytest.mark.fault("L07")
def test_retry_after_is_read_as_a_date() -> None:
    ahead = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert read_retry_after(ahead) == pytest.approx(29.5, abs=1.0)
    assert read_retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0


def test_bytes_leave_as_whole_lines_of_utf_8() -> None:
    tidy = SanitizedStream(events=True)
    assert tidy.feed('data: "销'.encode()[:-1]) == b""
    assert tidy.feed('销"\n\n'.encode()[-4:]) == 'data: "销"\n\n'.encode()
    assert tidy.feed(b"data: \xff\n") == "data: �\n".encode()
    assert tidy.finish() == b""


def test_a_body_and_a_line_have_a_bound() -> None:
    with pytest.raises(ReplyTooLarge):
        SanitizedStream(events=True).feed(b"x" * (LONGEST_LINE + 1))
    with pytest.raises(ReplyTooLarge):
        SanitizedStream(events=False).feed(b"x" * (LONGEST_BODY + 1))


def test_a_body_that_is_not_json_is_left_for_its_reader() -> None:
    tidy = SanitizedStream(events=False)
    assert tidy.feed(b'{"usage": ') + tidy.finish() == b'{"usage": '
    tidy = SanitizedStream(events=False)
    assert tidy.feed(b'["usage"]') + tidy.finish() == b'["usage"]'


def test_counts_are_numbers_or_nothing() -> None:
    sent = {
        "usage": {"prompt_tokens": -1, "completion_tokens": 7.0, "x": "many", "details": {"y": None, "z": 3}}
    }
    tidy = SanitizedStream(events=False)
    (tidy.feed(json.dumps(sent).encode()))
    assert json.loads(tidy.finish()) == {"usage": {"completion_tokens": 7, "details": {"z": 3}}}


@pytest.mark.fault("L22")
def test_half_characters_are_joined_or_replaced() -> None:
    letters = Utf16()
    assert [letters.whole(piece) for piece in ("a\ud83d", "\ude00b", "\ud800", "!")] == ["a", "😀b", "", "�!"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("SELECT 1", 3), ("订单", 3), ("订单表里有多少行？", 14), ("😀", 2), ("\ud800", 2)],
)
def test_tokens_are_estimated_without_a_vocabulary(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_every_scenario_is_listed() -> None:
    assert sorted(SCENARIOS) == sorted(NAMES)


def test_the_endpoint_knows_no_other_paths(server: Endpoint) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("POST", "/v1/audio", body="{}")
    assert connection.getresponse().status == 404
    connection.close()


def test_the_endpoint_answers_in_one_piece_too(server: Endpoint) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("POST", "/v1/chat/completions", body=json.dumps({"model": "fault:say=hello"}))
    answer = json.loads(connection.getresponse().read())
    connection.close()
    assert answer["choices"][0]["message"]["content"] == "hello"


def test_the_endpoint_runs_by_hand() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "text2sql.testing.endpoint"], stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stderr is not None
        assert child.stderr.readline().startswith("listening on http://127.0.0.1:")
        child.terminate()


def test_the_endpoint_stops_while_it_plays() -> None:
    with endpoint() as server, socket.create_connection(("127.0.0.1", server.port)) as caller:
        head = b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 22\r\n\r\n"
        caller.sendall(head + b'{"model":"fault:hang"}')
        assert eventually(lambda: server.calls("fault:hang"))
        assert server.open_connections == 1
    assert server.open_connections == 0


@pytest.mark.parametrize("address", [("192.0.2.1", 443), ("api.openai.com", 443)])
def test_no_test_leaves_the_machine(address: tuple[str, int]) -> None:
    with pytest.raises(OSError, match=r"no test leaves the machine|no names are looked up"):
        http.client.HTTPConnection(*address, timeout=0.5).connect()
