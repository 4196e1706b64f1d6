"""The cache of evaluated prefixes: only valid files are used, and the oldest are removed first."""

import os
import struct
from pathlib import Path

from text2sql.llm.embedded.prefixes import Prefix, Prefixes

ONE, OTHER = Prefix((1, 2, 3)), Prefix((1, 2, 4))


def saved(
    prefixes: Prefixes, prefix: Prefix, tokens: tuple[int, ...] | None = None, size: int = 1000
) -> bool:
    """As the server saves a slot: a header, the tokens after their number, then the state."""
    tokens = prefix.tokens if tokens is None else tokens
    state = b"ggsq\4\0\0\0" + struct.pack(f"<I{len(tokens)}i", len(tokens), *tokens) + b"s" * size
    name = prefixes.temporary(prefix)
    (prefixes.directory / name).write_bytes(state)
    return prefixes.keep(prefix, name)


def test_a_saved_prefix_is_found(tmp_path: Path) -> None:
    prefixes = Prefixes(tmp_path, 10_000)
    assert prefixes.find(ONE) is None
    assert saved(prefixes, ONE)
    assert prefixes.find(ONE) == f"{ONE.key}.bin"
    assert prefixes.find(OTHER) is None


def test_a_slot_that_another_program_used_meanwhile_is_not_saved(tmp_path: Path) -> None:
    prefixes = Prefixes(tmp_path, 10_000)
    assert not saved(prefixes, ONE, tokens=OTHER.tokens)
    assert not saved(prefixes, ONE, tokens=(1, 2, 3, 9))
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_removed_and_never_offered(tmp_path: Path) -> None:
    """llama.cpp would abort on a truncated file."""
    prefixes = Prefixes(tmp_path, 10_000)
    for damage in (lambda file: os.truncate(file, 500), lambda file: file.write_bytes(b"x" * 1023)):
        saved(prefixes, ONE)
        damage(tmp_path / f"{ONE.key}.bin")
        assert prefixes.find(ONE) is None
        assert list(tmp_path.iterdir()) == []


def test_a_file_without_its_facts_is_foreign(tmp_path: Path) -> None:
    (tmp_path / f"{ONE.key}.bin").write_bytes(b"who knows")
    assert Prefixes(tmp_path, 10_000).find(ONE) is None
    assert list(tmp_path.iterdir()) == []


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    prefixes = Prefixes(tmp_path, 2_500)
    third = Prefix((7,))
    saved(prefixes, ONE)
    saved(prefixes, OTHER)
    os.utime(tmp_path / f"{ONE.key}.bin", (1, 1))
    os.utime(tmp_path / f"{OTHER.key}.bin", (2, 2))
    assert prefixes.find(ONE)  # just used now
    saved(prefixes, third)
    assert prefixes.find(OTHER) is None
    assert prefixes.find(ONE)
    assert prefixes.find(third)


def test_the_newest_is_kept_even_if_it_is_too_large_alone(tmp_path: Path) -> None:
    prefixes = Prefixes(tmp_path, 10)
    assert saved(prefixes, ONE)
    assert prefixes.find(ONE)
