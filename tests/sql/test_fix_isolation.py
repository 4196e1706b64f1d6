"""A fix that crashes costs itself: the other fixes still run, and the log names it without any data."""

import logging
from collections.abc import Callable

import pytest

from gallery import GalleryValues, gallery
from text2sql.sql import fix_sql, fixes
from text2sql.sql.fixes import NAMES, FixCrashed, FixedSql, apply_fixes, registry
from text2sql.sql.fixes.fix_context import FixContext

TYPO = "SELECT a.Nmae FROM artists AS a WHERE a.country = 'France'"  # three faults of three fixes


def crash_halfway(context: FixContext) -> bool:
    """Changes the tree and then crashes, with data in the message."""
    for node in list(context.tree.walk()):
        node.set("this", None)
    raise ValueError("canary 4111-1111")


def crash_always(context: FixContext) -> bool:
    raise RecursionError(context.text)


def crashing(name: str, apply: Callable[[FixContext], bool]) -> registry.Fix:
    return registry.Fix(name, "names", "all", apply)


def test_a_crash_skips_that_fix_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    without_crash = fix_sql(TYPO, "sqlite", gallery(), GalleryValues())
    assert len(without_crash.fixes) > 1
    middle = len(registry.FIXES) // 2
    first, second = crashing("first", crash_always), crashing("second", crash_halfway)
    with_crashes = (first, *registry.FIXES[:middle], second, *registry.FIXES[middle:])
    monkeypatch.setattr(registry, "FIXES", with_crashes)
    with caplog.at_level(logging.WARNING):
        names = [fix.name for fix in with_crashes]
        assert fix_sql(TYPO, "sqlite", gallery(), GalleryValues(), fixes=names) == without_crash
    assert [record.getMessage() for record in caplog.records] == [
        "the fix first crashed and is skipped: RecursionError",
        "the fix second crashed and is skipped: ValueError",
    ]
    assert all(record.exc_info is None for record in caplog.records), "a traceback would quote the query"


@pytest.mark.parametrize("name", NAMES)
def test_any_fix_may_crash_and_the_rest_do_their_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(context: FixContext) -> bool:
        raise KeyError(context.text)

    rest = [other for other in NAMES if other != name]
    expected = apply_fixes(TYPO, "sqlite", gallery(), GalleryValues(), fixes=rest)
    with_crash = tuple(crashing(name, crash) if fix.name == name else fix for fix in registry.FIXES)
    monkeypatch.setattr(registry, "FIXES", with_crash)
    assert fix_sql(TYPO, "sqlite", gallery(), GalleryValues()) == expected
    with pytest.raises(FixCrashed, match=name):
        apply_fixes(TYPO, "sqlite", gallery(), GalleryValues())


def test_a_crash_outside_of_the_fixes_costs_all_of_them_and_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def unreadable(*_: object) -> None:
        raise OSError("canary 4111-1111")

    monkeypatch.setattr(fixes, "parse_leniently", unreadable)
    assert fix_sql(TYPO, "sqlite", gallery(), GalleryValues()) == FixedSql(TYPO)
    assert caplog.messages == ["no fix was tried: OSError"]
