"""Cell values of a result."""

from typing import TypeAlias

# A cell value: what JSON represents without loss. Dates, exact decimals, large integers, NaN, binary data and
# engine-specific types are converted to text, as documented in docs/databases.md.
Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"
Row: TypeAlias = tuple[Value, ...]
