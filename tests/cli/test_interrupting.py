"""Ctrl-C in the real program while the model does not answer."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from terminal import SCRIPT
from text2sql.testing.endpoint import Endpoint, endpoint

MODEL = "fault:hang"
PATIENCE = 60.0

pytestmark = pytest.mark.slow


@pytest.fixture
def silent() -> Iterator[Endpoint]:
    with endpoint() as server:
        yield server


def _environment(silent: Endpoint, folder: Path) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TEXT2SQL_")}
    return {
        **environment,
        "TEXT2SQL_BASE_URL": silent.base_url,
        "TEXT2SQL_MODEL": f"openai-compatible:{MODEL}",
        "TEXT2SQL_DATA_DIR": str(folder),
        "TEXT2SQL_LANG": "en",
        "TERM": "xterm",
        "PROMPT_TOOLKIT_NO_CPR": "1",  # no terminal answers cursor position requests here
        "LC_ALL": "C.UTF-8",
    }


def _until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_ctrl_c_ends_a_question_with_130(silent: Endpoint, shop: str, tmp_path: Path) -> None:
    words = [str(SCRIPT), "ask", "how many orders are there?", "--db", shop, "--mode", "database_direct"]
    with subprocess.Popen(
        words, env=_environment(silent, tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        _until(lambda: bool(silent.calls(MODEL)))
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out) == (130, b"")
    assert "· writing the query\n" in err.decode()
    assert err.decode().endswith("\nInterrupted.\n")
    _until(lambda: silent.open_connections == 0)


class Screen:
    """A program in a pseudo-terminal."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.seen = ""

    def shows(self, text: str) -> bool:
        while select.select([self._terminal], [], [], 0.05)[0]:
            try:
                self.seen += os.read(self._terminal, 65_536).decode(errors="replace")
            except OSError:  # how Linux reports that the program has ended
                break
        return text in self.seen

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())


def test_ctrl_c_in_a_chat_stops_the_question_and_keeps_the_chat(
    silent: Endpoint, shop: str, tmp_path: Path
) -> None:
    environment = _environment(silent, tmp_path)
    child, terminal = pty.fork()
    if child == 0:
        os.execve(SCRIPT, [str(SCRIPT), "chat", "--db", shop, "--mode", "database_direct"], environment)
    screen = Screen(terminal)
    try:
        _until(lambda: screen.shows("text2sql>"))
        screen.type("how many orders?\r")
        _until(lambda: screen.shows("writing the query") and bool(silent.calls(MODEL)))
        screen.type("\x03")
        _until(lambda: screen.shows("Stopped. The chat goes on."))
        _until(lambda: screen.shows("") and silent.open_connections == 0)
        screen.type("/sql SELECT count(*) AS many FROM orders\r")
        _until(lambda: screen.shows("│    2 │"))
        screen.type("/quit\r")
        _until(lambda: screen.shows("goes on from here."))
        _, status = os.waitpid(child, 0)
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
    assert "how many orders?" in (tmp_path / "chat_history").read_text()
