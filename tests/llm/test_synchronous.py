"""The synchronous twin: the same answers, and Ctrl-C or an early end stops the work."""

import signal
import subprocess
import sys
import threading

import pytest

from llm.asking import QUESTION, eventually
from llm.test_chat import Slow
from text2sql.config import Settings
from text2sql.errors import ModelRefused, ModelUnavailable
from text2sql.llm import AsyncChatModel, ChatModel, ScriptedBackend
from text2sql.types import Message, Reply


def twin(backend: ScriptedBackend) -> ChatModel:
    return ChatModel(AsyncChatModel([backend], Settings()))


def test_it_answers_streams_warms_counts_and_closes() -> None:
    backend = ScriptedBackend(["SELECT 1", "SELECT count(*)"])
    with twin(backend) as model:
        assert (model.name, model.profile) == ("scripted", backend.profile)
        assert model.ask(QUESTION).text == "SELECT 1"
        *pieces, reply = model.stream(QUESTION)
        assert pieces == ["SELECT c", "ount(*)"]
        assert isinstance(reply, Reply)
        model.warm((Message("system", "rules"),))
        assert model.count_tokens("abc") == 1
    assert backend.closed
    assert backend.warmed == [(Message("system", "rules"),)]


def test_closing_ends_its_thread_and_may_be_repeated() -> None:
    model = twin(ScriptedBackend(["SELECT 1"]))
    model.ask(QUESTION)
    model.close()
    model.close()
    assert eventually(lambda: "text2sql-model" not in [thread.name for thread in threading.enumerate()])


def test_errors_arrive_as_themselves() -> None:
    with twin(ScriptedBackend([ModelRefused("scripted", "no")])) as model:
        with pytest.raises(ModelRefused):
            model.ask(QUESTION)
        with pytest.raises(ModelUnavailable):
            list(model.stream(QUESTION))


def test_leaving_a_stream_early_stops_the_work() -> None:
    backend = Slow()
    with twin(backend) as model:
        for piece in model.stream(QUESTION):
            assert piece == "SELECT"
            break
        assert eventually(lambda: backend.stopped)


def test_many_threads_may_ask_one_model() -> None:
    answers: list[str] = []
    with twin(ScriptedBackend(last="SELECT 1")) as model:
        threads = [
            threading.Thread(target=lambda: answers.append(model.ask(QUESTION).text)) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)
    assert answers == ["SELECT 1"] * 8


INTERRUPTED = """
from llm.asking import QUESTION
from llm.test_chat import Slow
from llm.test_synchronous import twin
backend = Slow()
with twin(backend) as model:
    try:
        print("asking", flush=True)
        {verb}
    except KeyboardInterrupt:
        print("stopped" if backend.stopped else "running", flush=True)
"""


@pytest.mark.parametrize("verb", ["model.ask(QUESTION)", "list(model.stream(QUESTION))"])
def test_ctrl_c_stops_the_work_before_it_is_passed_on(verb: str) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(verb=verb)], stdout=subprocess.PIPE, text=True, cwd="tests"
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "asking\n"
    threading.Event().wait(0.3)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=5)[0] == "stopped\n"
