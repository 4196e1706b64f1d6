"""No reply of the embedded model holds a broken character, however its tokens cut them."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as some

from llm.embedded.llama_server import events
from text2sql.llm.embedded import wire
from text2sql.types import Alternative, Candidate, ModelRequest

TEXTS = (
    "SELECT 姓名, 籍贯 FROM 学生 ORDER BY 鼷鼠数 DESC",
    'SELECT "城市" FROM "城市" WHERE 省 = \'𠮷林省\'',
    "SELECT COUNT(*) FROM 选课 WHERE 成绩 >= 60",
)


def read(tokens: list[bytes], request: ModelRequest, limit: int = 10_000) -> tuple[Candidate, str]:
    """The candidate, and the pieces that were streamed."""
    grown = wire.PartialCandidate.after(request)
    pieces = grown.text
    for event in events(tokens, request.stop, limit, others=[(7, "籍".encode()[:2]), (8, b" x")]):
        pieces += grown.add(event)
    return grown.done("local"), pieces


def cut(data: bytes, offsets: tuple[int, ...]) -> list[bytes]:
    ends = [*offsets, len(data)]
    return [data[start:end] for start, end in zip([0, *offsets], ends, strict=True) if start < end]


def test_every_cut_of_a_character_in_every_place_is_read_whole() -> None:
    data = "a鼷𠮷b".encode()
    for count in range(len(data)):
        for offsets in combinations(range(1, len(data)), count):
            candidate, pieces = read(cut(data, offsets), ModelRequest(()))
            assert (candidate.text, pieces, candidate.finish) == ("a鼷𠮷b", "a鼷𠮷b", "stop")
            assert "".join(token.text for token in candidate.tokens) == "a鼷𠮷b"


@given(some.data())
def test_a_reply_continued_from_a_token_is_complete(draw: some.DataObject) -> None:
    text = draw.draw(some.sampled_from(TEXTS))
    data = text.encode()
    at = draw.draw(some.integers(0, len(text)))
    begun = text[:at]
    rest = data[len(begun.encode()) :]
    size = draw.draw(some.integers(1, 6))
    offsets = tuple(sorted(draw.draw(some.sets(some.integers(1, max(1, len(rest) - size - 1)), max_size=12))))
    request = ModelRequest((), begun=begun, forced=Alternative(7, rest[:size]), stop=(";",))
    candidate, pieces = read(cut(rest[size:] + b"; SELECT 1", offsets), request)
    assert candidate.text == pieces == text
    assert candidate.finish == "stop"


@given(some.data())
def test_stop_strings_and_limits_break_no_character(draw: some.DataObject) -> None:
    text = draw.draw(some.sampled_from(TEXTS))
    data = f"{text}；；结束".encode()
    offsets = tuple(sorted(draw.draw(some.sets(some.integers(1, len(data) - 1), max_size=30))))
    limit = draw.draw(some.integers(1, 60))
    candidate, pieces = read(cut(data, offsets), ModelRequest((), stop=("；；",)), limit)
    assert candidate.text == pieces
    assert text.startswith(candidate.text.removesuffix("；"))
    assert candidate.finish == "length" or candidate.text == text


@given(some.lists(some.binary(min_size=1, max_size=5), max_size=20), some.binary(min_size=1, max_size=3))
def test_no_bytes_lead_to_a_broken_character_in_the_text(tokens: list[bytes], first: bytes) -> None:
    for request in (ModelRequest(()), ModelRequest((), forced=Alternative(7, first))):
        candidate, pieces = read(tokens, request)
        assert candidate.text == pieces
        assert "\ufffd" not in candidate.text
        decoded = b"".join([first if request.forced else b"", *tokens]).decode(errors="replace")
        # The server does not report final tokens that leave a character incomplete.
        assert candidate.finish == "length" or decoded.startswith(candidate.text)


def test_alternatives_are_reported_if_the_text_before_them_is_known() -> None:
    candidate, _ = read([b"SELECT", " 姓".encode()[:2], " 姓".encode()[2:], "名".encode()], ModelRequest(()))
    assert [(token.text, [other.id for other in token.others]) for token in candidate.tokens] == [
        ("SELECT", [7, 8]),
        (" 姓", []),  # it would continue inside a character whose first bytes were not reported
        ("名", [7, 8]),
    ]


def test_a_forced_token_is_sent_by_its_id() -> None:
    request = ModelRequest((), begun="SELECT", forced=Alternative(4891, b" \xe5"))
    sent = wire.payload(request, "prompt ")
    assert (sent["prompt"], sent["n_probs"] > 0) == (["prompt SELECT", 4891], True)
