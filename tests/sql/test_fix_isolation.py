"""A fix that crashes costs itself: the other fixes still run, and the log names it without any data."""

import logging

import pytest

from gallery import GalleryValues, gallery
from text2sql.sql import fix_sql, fixes
from text2sql.sql.fixes import FixCrashed, FixedSql, apply_fixes
from text2sql.sql.fixes.fix_context import FixContext

TYPO = "SELECT a.Nmae FROM artists AS a WHERE a.country = 'France'"  # three faults of three fixes


def crash_halfway(context: FixContext) -> bool:
    """Changes the tree and then crashes, with data in the message."""
    for node in list(context.tree.walk()):
        node.set("this", None)
    raise ValueError("canary 4111-1111")


def crash_always(context: FixContext) -> bool:
    raise RecursionError(context.text)


def test_a_crash_skips_that_fix_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    without_crash = fix_sql(TYPO, "sqlite", gallery(), GalleryValues())
    assert len(without_crash.fixes) > 1
    middle = len(fixes.FIXES) // 2
    with_crashes = (crash_always, *fixes.FIXES[:middle], crash_halfway, *fixes.FIXES[middle:])
    monkeypatch.setattr(fixes, "FIXES", with_crashes)
    with caplog.at_level(logging.WARNING):
        assert fix_sql(TYPO, "sqlite", gallery(), GalleryValues()) == without_crash
    assert [record.getMessage() for record in caplog.records] == [
        "the fix crash_always crashed and is skipped: RecursionError",
        "the fix crash_halfway crashed and is skipped: ValueError",
    ]
    assert all(record.exc_info is None for record in caplog.records), "a traceback would quote the query"


@pytest.mark.parametrize("fix", [fix.__name__ for fix in fixes.FIXES])
def test_any_fix_may_crash_and_the_rest_do_their_work(fix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(context: FixContext) -> bool:
        raise KeyError(context.text)

    crash.__name__ = fix
    with_crash = tuple(crash if one.__name__ == fix else one for one in fixes.FIXES)
    rest = tuple(one for one in fixes.FIXES if one.__name__ != fix)
    monkeypatch.setattr(fixes, "FIXES", rest)
    expected = apply_fixes(TYPO, "sqlite", gallery(), GalleryValues())
    monkeypatch.setattr(fixes, "FIXES", with_crash)
    assert fix_sql(TYPO, "sqlite", gallery(), GalleryValues()) == expected
    with pytest.raises(FixCrashed, match=fix):
        apply_fixes(TYPO, "sqlite", gallery(), GalleryValues())


def test_a_crash_outside_of_the_fixes_costs_all_of_them_and_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def unreadable(*_: object) -> None:
        raise OSError("canary 4111-1111")

    monkeypatch.setattr(fixes, "read", unreadable)
    assert fix_sql(TYPO, "sqlite", gallery(), GalleryValues()) == FixedSql(TYPO)
    assert caplog.messages == ["no fix was tried: OSError"]
