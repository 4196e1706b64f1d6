"""What a user says about a file in its address: `sales.csv?dates=dmy&encoding=gbk`."""

from collections.abc import Mapping
from dataclasses import dataclass

from text2sql.database.files.delimited import SEPARATOR_NAMES, SEPARATORS
from text2sql.errors import UsageError

NAMES = ("dates", "numbers", "encoding", "separator", "header", "sheet", "totals")


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Each one overrules what would be detected; empty: detect it."""

    dates: str = ""  # dmy, mdy or text
    numbers: str = ""  # point, comma or text
    encoding: str = ""
    separator: str = ""
    header: str = ""  # the row of the header, from 1; or none
    sheet: str = ""  # the only sheet to read
    totals: str = ""  # keep

    @property
    def keep_totals(self) -> bool:
        return self.totals == "keep"


def read_options(options: Mapping[str, str]) -> FileOptions:
    """Raises for an unknown option or value."""
    for name in options:
        if name not in NAMES:
            raise UsageError("usage.db_option", option=name, options=", ".join(NAMES))
    separator = options.get("separator", "")
    result = FileOptions(**{**options, "separator": SEPARATOR_NAMES.get(separator.lower(), separator)})
    allowed = {
        "dates": ("", "dmy", "mdy", "text"),
        "numbers": ("", "point", "comma", "text"),
        "totals": ("", "keep", "drop"),
        "separator": ("", *SEPARATORS, ":", " ", "^", "~"),
    }
    for name, values in allowed.items():
        if getattr(result, name) not in values:
            raise _wrong(name, options[name], values)
    if result.header and result.header != "none" and not result.header.isdigit():
        raise _wrong("header", result.header, ("none", "1", "2", "…"))
    return result


def _wrong(name: str, value: str, values: tuple[str, ...]) -> UsageError:
    listed = ", ".join(f"{name}={each}" for each in values if each.strip())
    return UsageError("usage.db_option", option=f"{name}={value}", options=listed)
