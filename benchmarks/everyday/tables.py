"""What a module of this package makes: a schema and the rows of its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Row: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """Statements that create the tables, and the rows of each table in the order of its columns."""

    schema: str
    rows: Mapping[str, Sequence[Row]]
