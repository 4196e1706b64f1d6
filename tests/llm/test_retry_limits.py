"""Waiting, asking again and giving up, on a clock that tests turn by hand."""

import pytest

from llm.asking import model_name
from text2sql.config import Settings
from text2sql.errors import BadReply, ModelError, ModelRefused, ModelTimeout, ModelUnavailable, RateLimited
from text2sql.llm.retry_limits import Breaker, Bucket, Limits, pause_before, retry_policy_for


class Hand:
    """A clock."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("retry", "error", "left", "expected"),
    [
        (1, ModelUnavailable("m", "x"), 60, 0.25),
        (2, ModelUnavailable("m", "x"), 60, 0.5),
        (3, ModelUnavailable("m", "x"), 60, None),
        (1, ModelTimeout("m", "x"), 60, 0.25),
        (2, ModelTimeout("m", "x"), 60, None),
        (2, BadReply("m", "x"), 60, None),
        (1, ModelRefused("m", "x"), 60, None),
        (1, RateLimited("m", "x", retry_after=7.0), 60, 7.0),
        (1, RateLimited("m", "x", retry_after=7.0), 7, None),
        (1, ModelUnavailable("m", "x"), 0.1, None),
    ],
)
def test_the_pause_before_a_retry(retry: int, error: ModelError, left: float, expected: float | None) -> None:
    assert pause_before(retry, error, left, draw=lambda: 1.0) == expected


@pytest.mark.fault("G4", "L07")
def test_the_pause_is_drawn_from_its_whole_range() -> None:
    assert pause_before(2, ModelUnavailable("m", "x"), 60, draw=lambda: 0.0) == 0.0


@pytest.mark.parametrize("per_minute", [1, 2, 5, 6, 60, 600])
def test_no_minute_ever_sees_more_than_its_limit(per_minute: int) -> None:
    clock = Hand()
    bucket = Bucket(per_minute, clock)
    times = []
    for _ in range(3 * per_minute):
        wait = bucket.wait(1)
        bucket.take(1)
        times.append(clock.now + wait)
    for first in times:
        # a thousandth of a second for sums of floating-point numbers
        assert sum(first <= moment < first + 59.999 for moment in times) <= per_minute


def test_capacity_is_reserved_in_the_order_of_requests() -> None:
    limits = Limits(Bucket(6, clock := Hand()), None, clock)
    assert [limits.reserve(0, 100) for _ in range(3)] == pytest.approx([0.0, 12.0, 24.0])


def test_a_place_that_comes_too_late_is_not_taken() -> None:
    limits = Limits(Bucket(6, clock := Hand()), None, clock)
    limits.reserve(0, 100)
    assert limits.reserve(0, 5) == pytest.approx(12.0)
    assert limits.reserve(0, 100) == pytest.approx(12.0)


def test_a_released_slot_is_free_for_the_next_call() -> None:
    limits = Limits(Bucket(6, clock := Hand()), None, clock)
    limits.reserve(0, 100)
    limits.give_back(0)
    assert limits.reserve(0, 100) == 0.0


def test_tokens_are_settled_by_what_was_really_spent() -> None:
    limits = Limits(None, Bucket(600, clock := Hand()), clock)  # 100 at once, then 8⅓ a second
    assert limits.reserve(100, 100) == 0.0
    assert limits.reserve(50, 5) == pytest.approx(6.0)
    limits.settle(100, 50)
    assert limits.reserve(50, 5) == 0.0


def test_a_request_larger_than_the_bucket_waits_for_a_full_one_and_goes() -> None:
    limits = Limits(None, Bucket(600, clock := Hand()), clock)
    assert limits.reserve(5000, 100) == 0.0
    clock.now += 1
    assert limits.reserve(1, 10_000) > 500


def test_retry_after_applies_to_all_callers_for_at_most_a_minute() -> None:
    limits = Limits(None, None, clock := Hand())
    limits.hold(20)
    assert limits.reserve(0, 100) == pytest.approx(20)
    limits.hold(86_400)
    assert limits.reserve(0, 100) == pytest.approx(60)
    clock.now += 61
    assert limits.reserve(0, 100) == 0.0


def fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        breaker.enter("m")
        breaker.leave(ModelUnavailable("m", "x"))


@pytest.mark.fault("L01", "L09")
def test_the_breaker_opens_after_five_failures_in_a_row() -> None:
    breaker = Breaker(Hand())
    fail(breaker, 4)
    breaker.enter("m")
    breaker.leave(None)
    fail(breaker, 4)
    breaker.enter("m")
    breaker.leave(ModelTimeout("m", "x"))
    with pytest.raises(ModelUnavailable, match="5 times in a row; the next try is in 10 s"):
        breaker.enter("m")


@pytest.mark.fault("L01")
def test_an_open_breaker_lets_one_call_try_after_ten_seconds() -> None:
    breaker = Breaker(clock := Hand())
    fail(breaker, 5)
    clock.now += 10.5
    breaker.enter("m")
    with pytest.raises(ModelUnavailable):
        breaker.enter("m")
    breaker.leave(ModelUnavailable("m", "x"))
    with pytest.raises(ModelUnavailable):
        breaker.enter("m")
    clock.now += 10.5
    breaker.enter("m")
    breaker.leave(None)
    assert not breaker.open


def test_a_cancelled_try_neither_opens_nor_blocks_the_breaker() -> None:
    breaker = Breaker(clock := Hand())
    fail(breaker, 5)
    clock.now += 10.5
    breaker.enter("m")
    breaker.leave(KeyboardInterrupt())
    breaker.enter("m")


def test_an_answer_that_is_bad_shows_that_the_model_is_there() -> None:
    breaker = Breaker(Hand())
    fail(breaker, 4)
    breaker.enter("m")
    breaker.leave(BadReply("m", "x"))
    fail(breaker, 4)
    assert not breaker.open


def test_callers_of_a_model_share_its_limits_and_its_breaker_by_address() -> None:
    name, settings = model_name("openai:shared"), Settings()
    policy = retry_policy_for(name, settings)
    assert policy is retry_policy_for(name, Settings())
    assert policy is not retry_policy_for(name, Settings(base_url="http://other/v1"))
    assert policy.limits.requests is not None


def test_a_model_without_a_provider_has_no_rate_limit() -> None:
    for name in ("local", "C:/models/own.gguf"):
        policy = retry_policy_for(name, Settings(tokens_per_minute=1_000))
        assert (policy.limits.requests, policy.limits.tokens) == (None, None)
        assert policy is not retry_policy_for(name, Settings())
