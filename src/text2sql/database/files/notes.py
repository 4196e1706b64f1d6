"""What was decided while a file was read. The notes are stored next to the copy of the data and become part
of the catalog.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from text2sql.database.files.options import FileOptions
from text2sql.errors import Text2SQLError
from text2sql.types import SourceNote

_FILE = "notes.json"
_SHOWN = 60  # characters of a quoted text


@dataclass(slots=True)
class Notes:
    """Collects the notes of a source, and the columns that hold original texts."""

    items: list[SourceNote] = field(default_factory=list)
    hidden: list[tuple[str, str]] = field(default_factory=list)  # (table, column)

    def add(self, key: str, table: str = "", column: str = "", **facts: object) -> None:
        texts = {name: _shown(value) for name, value in facts.items()}
        self.items.append(SourceNote(f"file.{key}", table, column, texts))

    def add_skipped(self, file: str, error: Text2SQLError) -> None:
        """A file of a folder was not read."""
        reason = {name: _shown(value) for name, value in error.facts.items()}
        self.items.append(
            SourceNote(
                "file.skipped", facts={"file": _shown(file)}, reason=error.message_key, reason_facts=reason
            )
        )

    def rename(self, old: str, new: str, file: str) -> None:
        """A table of this file has got another name."""
        self.items = [
            replace(note, table=new) if note.table == old and note.facts.get("file") == file else note
            for note in self.items
        ]

    def hide(self, table: str, column: str) -> None:
        self.hidden.append((table, column))

    def save(self, directory: Path) -> None:
        content = {"notes": [asdict(note) for note in self.items], "hidden": self.hidden}
        (directory / _FILE).write_text(json.dumps(content), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class TableContext:
    """The table that is being read."""

    name: str
    file: str  # for messages: the user's file, and the sheet
    options: FileOptions
    notes: Notes

    def note(self, key: str, column: str = "", **facts: object) -> None:
        self.notes.add(key, self.name, column, file=self.file, **facts)


def load_notes(directory: Path) -> Notes:
    """The saved notes; none for a database that is no copy of a file."""
    path = directory / _FILE
    if not path.exists():
        return Notes()
    content: Mapping[str, Sequence[Mapping[str, object]]] = json.loads(path.read_text(encoding="utf-8"))
    notes = [SourceNote(**note) for note in content["notes"]]  # type: ignore[arg-type]
    return Notes(notes, [(str(table), str(column)) for table, column in content["hidden"]])


def _shown(value: object) -> str:
    """A value as a short text on one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
