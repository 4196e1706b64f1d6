"""The Dockerfile's steps are run as a script, as far as that goes without Docker; linters read the rest.

The paths of the image lie in a temporary folder here, and steps that would change the machine (an account for
the user) are skipped. Not proved without Docker: that the base image has all that the steps need.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from docs_text import ROOT, read
from pythons import find, uv

TOOLS = Path(sys.executable).parent
FOLDERS = ("/build", "/opt/text2sql", "/data")
EXTRAS = "server,charts"  # as with `docker build --build-arg EXTRAS=…`; the default brings the embedded model
NOT_RUN = ("useradd ",)


class Step(NamedTuple):
    word: str
    text: str


def steps() -> list[Step]:
    """The instructions, with continued lines joined."""
    lines = [line for line in read("Dockerfile").splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [Step(*line.split(" ", 1)) for line in joined.splitlines() if line.strip()]


def the_last(word: str) -> str:
    return [step.text for step in steps() if step.word == word][-1]


class Container:
    """The state of a build: where `/` is, the working folder, the environment."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root
        self.variables: dict[str, str] = {}
        self.skipped: list[str] = []
        python = find("3.12") or Path(sys.executable)
        command = [str(uv()), "venv", "--quiet", "--seed", "--python", str(python), str(root / "usr")]
        subprocess.run(command, check=True)

    def placed(self, text: str) -> str:
        for folder in FOLDERS:
            text = re.sub(rf"(?<![\w.-]){folder}\b", str(self.root) + folder, text)
        return text

    def environment(self) -> dict[str, str]:
        outer = {name: value for name, value in os.environ.items() if not name.startswith("TEXT2SQL_")}
        path = f"{self.root / 'usr' / 'bin'}{os.pathsep}{outer['PATH']}"
        environment = {**outer, "PATH": path, "LANG": "C.UTF-8"}
        for name, value in self.variables.items():
            environment[name] = value.replace("$PATH", path)
        environment.pop("UV_NO_CACHE", None)  # only keeps the image small
        return environment

    def do(self, step: Step) -> None:
        match step.word:
            case "ARG":
                name, _, default = step.text.partition("=")
                self.variables[name] = {"EXTRAS": EXTRAS}.get(name, default)
            case "ENV":
                pairs = re.findall(r'(\w+)=(?:"([^"]*)"|(\S+))', step.text)
                self.variables |= {name: self.placed(quoted or bare) for name, quoted, bare in pairs}
            case "WORKDIR":
                self.folder = Path(self.placed(step.text))
                self.folder.mkdir(parents=True, exist_ok=True)
            case "COPY" if "--from=" not in step.text:
                self.copy(step.text.split())
            case "RUN" if step.text.startswith(NOT_RUN):
                self.skipped.append(step.text)
            case "RUN":
                command = ["bash", "-euc", self.placed(step.text)]
                subprocess.run(command, cwd=self.folder, env=self.environment(), check=True, timeout=300)

    def copy(self, words: list[str]) -> None:
        *sources, target = words
        for source in sources:
            into = self.folder / target
            if (ROOT / source).is_dir():
                leave = shutil.ignore_patterns("__pycache__", "*.egg-info")
                shutil.copytree(ROOT / source, into, dirs_exist_ok=True, ignore=leave)
            else:
                shutil.copy(ROOT / source, into)


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Container:
    container = Container(tmp_path_factory.mktemp("container"))
    for step in steps():
        container.do(step)
    return container


def test_the_linter_finds_nothing_in_the_dockerfile() -> None:
    command = [str(TOOLS / "hadolint"), "--no-color", str(ROOT / "Dockerfile")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_files_that_the_dockerfile_copies_are_not_ignored() -> None:
    copied = {
        word
        for step in steps()
        if step.word == "COPY" and "--from=" not in step.text
        for word in step.text.split()[:-1]
    }
    sent = {line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")}
    assert copied == sent


def test_the_steps_install_a_program_that_serves_and_is_healthy(container: Container, tmp_path: Path) -> None:
    assert container.skipped == [
        "useradd --create-home --uid 10001 text2sql && mkdir /data && chown text2sql /data"
    ]
    (tmp_path / "sales.csv").write_text("city,total\n上海,10\n北京,20\n", encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment = {
        **container.environment(),
        "TEXT2SQL_DB": str(tmp_path / "sales.csv"),
        "TEXT2SQL_AUTH": "keys",
        "TEXT2SQL_LANG": "en",
    }
    command = [*json.loads(the_last("ENTRYPOINT")), *json.loads(the_last("CMD")), "--port", port]
    health = json.loads(the_last("HEALTHCHECK").partition("CMD ")[2])
    assert "127.0.0.1:8000" in health[-1]
    probe = [health[0], *(word.replace(":8000", f":{port}") for word in health[1:])]
    program = shutil.which(command[0], path=environment["PATH"])
    assert program == container.placed("/opt/text2sql/bin/text2sql")
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            [program, *command[1:]], cwd=container.folder, env=environment, stderr=log, stdout=log
        )
        try:
            assert wait_for(probe, environment, server), (tmp_path / "log").read_text()
        finally:
            server.terminate()
            assert server.wait(30) == 0


def test_without_sign_in_the_container_does_not_serve(container: Container, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("city,total\n上海,10\n", encoding="utf-8")
    environment = {
        **container.environment(),
        "TEXT2SQL_DB": str(tmp_path / "sales.csv"),
        "TEXT2SQL_LANG": "en",
    }
    command = [container.placed("/opt/text2sql/bin/text2sql"), *json.loads(the_last("CMD")), "--port", "0"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "TEXT2SQL_AUTH" in done.stderr


def test_the_container_has_a_font_with_chinese_letters(container: Container) -> None:
    python = container.placed("/opt/text2sql/bin/python")
    ask = "from text2sql.charts.rendering import _packaged_fonts as f; import os; print(os.listdir(f()))"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True)
    assert "NotoSansSC-Regular.ttf" in done.stdout


def wait_for(probe: list[str], environment: dict[str, str], server: "subprocess.Popen[bytes]") -> bool:
    until = time.monotonic() + 40
    while time.monotonic() < until and server.poll() is None:
        if subprocess.run(probe, env=environment, capture_output=True, check=False).returncode == 0:
            return True
        time.sleep(0.3)
    return False
