"""Keys, the audit log and thread locks, on each kind of storage."""

import pytest

from memory.helpers import within
from text2sql.config import Settings
from text2sql.errors import StoreError, UsageError
from text2sql.memory import Memory, Record, new_key, thread_lock


def test_a_key_opens_by_its_text_alone_and_is_listed_without_it(settings: Settings) -> None:
    text, key = new_key("王芳 o'Neil", roles=("a", "b"), claims={"region": ("north", "x'y"), "level": "gold"})
    other, second = new_key("bob", days=1)

    async def work(memory: Memory) -> None:
        await memory.keys.add(key)
        await memory.keys.add(second)
        assert await memory.keys.all() == [key, second]
        assert await memory.keys.find_valid_key(text) == key
        for wrong in ("", "t2s_", text[:-1], text + "x", text.replace(key.id, second.id), other.upper()):
            assert await memory.keys.find_valid_key(wrong) is None
        assert await memory.keys.is_key_valid(second.id)
        assert [await memory.keys.revoke(name) for name in ("nobody", second.id, second.id, key.name)] == [
            0,
            1,
            0,
            1,
        ]
        assert await memory.keys.find_valid_key(text) is None
        assert not await memory.keys.is_key_valid(second.id)

    within(settings, work)


@pytest.mark.parametrize("name", ["", " ann", "a\nb", "x" * 101, "\x1b[31m"])
def test_a_key_is_named_in_one_clean_line(name: str) -> None:
    with pytest.raises(UsageError):
        new_key(name)


def test_records_are_read_as_they_were_written_and_cannot_be_changed(settings: Settings) -> None:
    record = Record("1", "ended", "r", "ann", "shop", "t", "多少? \0 \ud800", "SELECT 1", 3, "answered")

    async def work(memory: Memory) -> None:
        await memory.audit.write(record)
        await memory.audit.write(Record("2", "begun", "r", "bob", "shop"))
        newest, oldest = await memory.audit.read()
        assert (newest.user, oldest.user, oldest.rows, oldest.sql) == ("bob", "ann", 3, "SELECT 1")
        assert oldest.asked == "多少? \\x00 \\ud800"
        assert [record.id for record in await memory.audit.read(user="ann")] == ["1"]
        assert [record.id for record in await memory.audit.read(most=1)] == ["2"]
        assert await memory.audit.read(since=newest.at + 1) == []
        for statement in ("UPDATE text2sql_audit SET person = ''", "DELETE FROM text2sql_audit"):
            with pytest.raises(StoreError, match="append-only"):
                await memory._tables.change(statement)
        assert len(await memory.audit.read()) == 2

    within(settings, work)


def test_a_thread_lock_belongs_to_one_holder_until_it_is_released_or_expires(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(memory: Memory) -> None:
        async with memory.thread_locks.lock("u/t", "t"), memory.thread_locks.lock("u/other", "other"):
            with pytest.raises(UsageError) as busy:
                async with memory.thread_locks.lock("u/t", "t"):
                    pass
            assert busy.value.facts == {"thread": "t"}
        async with memory.thread_locks.lock("u/t", "t"):
            pass
        monkeypatch.setattr(thread_lock, "LOCK_SECONDS", -1.0)  # it fell silent the moment it began
        silent = memory.thread_locks.lock("u/t", "t")
        await silent.__aenter__()
        async with memory.thread_locks.lock("u/t", "t"):
            await silent.__aexit__(None, None, None)  # which must not end the other's turn
            monkeypatch.undo()
            async with memory.thread_locks.lock("u/t", "t"):
                pass

    within(settings, work)
