"""Translates DuckDB's errors: by exception class, then by message where one class has several meanings."""

import re

import duckdb

from text2sql import errors as ours
from text2sql.errors import DatabaseError

# Within a class the first match wins; the last rule of a class has no pattern.
_RULES: tuple[tuple[type[Exception], str, type[DatabaseError]], ...] = (
    (duckdb.InterruptException, "", ours.QueryCancelled),
    (duckdb.ParserException, "", ours.SqlSyntaxError),
    (duckdb.SyntaxException, "", ours.SqlSyntaxError),
    (duckdb.PermissionException, "", ours.Forbidden),
    (duckdb.ConstraintException, "", ours.ConstraintViolated),
    (duckdb.OutOfMemoryException, "", ours.ResourceExhausted),
    (duckdb.ConversionException, "", ours.TypeMismatch),
    (duckdb.TypeMismatchException, "", ours.TypeMismatch),
    (duckdb.InvalidTypeException, "", ours.TypeMismatch),
    (duckdb.OutOfRangeException, "maximum supported string size", ours.ResourceExhausted),
    (duckdb.OutOfRangeException, "", ours.TypeMismatch),
    (duckdb.CatalogException, r'Table with name "?(?P<name>.+?)"? does not exist', ours.UnknownTable),
    (duckdb.CatalogException, r'[Ss]chema (with name )?"?(?P<name>.+?)"? does not exist', ours.UnknownTable),
    (duckdb.CatalogException, r"Function with name \"?(?P<name>.+?)\"? does not exist", ours.SqlSyntaxError),
    (duckdb.CatalogException, "", ours.SqlSyntaxError),
    (duckdb.BinderException, r'Ambiguous reference to column name "(?P<name>.+?)"', ours.AmbiguousColumn),
    (duckdb.BinderException, r'Referenced column "(?P<name>.+?)" not found', ours.UnknownColumn),
    (duckdb.BinderException, r'does not have a column named "(?P<name>.+?)"', ours.UnknownColumn),
    (duckdb.BinderException, r'Referenced table "(?P<name>.+?)" not found', ours.UnknownTable),
    (duckdb.BinderException, "type cast|best candidate|No function matches", ours.TypeMismatch),
    (duckdb.BinderException, "Cannot compare|Cannot concat|Cannot mix", ours.TypeMismatch),
    (duckdb.BinderException, "", ours.SqlSyntaxError),
    (duckdb.InvalidInputException, "read-only mode|configuration has been locked", ours.Forbidden),
    (duckdb.InvalidInputException, "", ours.TypeMismatch),
    (duckdb.TransactionException, "", ours.LockConflict),
    (duckdb.IOException, "set lock", ours.LockConflict),
    (duckdb.IOException, "No space left|max_temp_directory_size", ours.ResourceExhausted),
    (duckdb.IOException, "", ours.ConnectionFailed),
    (duckdb.ConnectionException, "", ours.ConnectionFailed),
    (duckdb.FatalException, "", ours.ConnectionFailed),
    (duckdb.NotImplementedException, "", ours.SqlSyntaxError),
)
_LINE = re.compile(r"^LINE (\d+): (.*)\n( *)\^", re.MULTILINE)


def translate(error: Exception, sql: str) -> DatabaseError | None:
    if isinstance(error, UnicodeEncodeError):
        return ours.SqlSyntaxError("the query is not valid Unicode", code="unicode")
    if not isinstance(error, duckdb.Error):
        return None
    text = str(error)
    detail, code = (text.splitlines() or [""])[0], type(error).__name__
    for driver_class, pattern, kind in _RULES:
        match = re.search(pattern, text) if isinstance(error, driver_class) else None
        if match:
            name = match.groupdict().get("name")
            names = (name.strip('"'),) if name else ()
            return kind(detail, code=code, identifiers=names, position=_position(text, sql))
    return ours.OtherDatabaseError(detail, code=code)


def connection_error(error: duckdb.Error) -> DatabaseError:
    """Translate an error that was raised while opening a file."""
    detail = (str(error).splitlines() or [""])[0]
    if "set lock" in detail:  # the detail names the process
        holder = re.search(r"held in (?P<program>.+?) \(PID (?P<process>\d+)\)", str(error))
        program = f"{holder['program']} (PID {holder['process']})" if holder else detail
        return ours.LockConflict(
            detail, key="database.file_locked", code=type(error).__name__, program=program
        )
    if "different configuration" in detail:  # this process has it open in another way
        return ours.LockConflict(detail, code=type(error).__name__)
    if re.search("not a valid DuckDB|checksum|[Cc]orrupt|[Ss]erializ|version number", detail):
        return ours.OtherDatabaseError(detail, key="database.damaged", code=type(error).__name__)
    return ours.ConnectionFailed(detail, code=type(error).__name__)


def _position(text: str, sql: str) -> int | None:
    """Return the position of the caret under the quoted line. It counts columns of DuckDB's excerpt, which
    may begin and end with dots, and of a wrapped statement; a line that is not in `sql` has no position.
    """
    match = _LINE.search(text)
    if not match:
        return None
    lines = sql.split("\n")
    line_number, excerpt = int(match[1]), match[2]
    column = len(match[3]) - len(f"LINE {line_number}: ")
    quoted = excerpt.removesuffix("...")
    if quoted.startswith("..."):
        quoted, column = quoted[3:], column - 3
    if line_number > len(lines) or lines[line_number - 1].count(quoted) != 1:
        return None
    before = sum(len(line) + 1 for line in lines[: line_number - 1])
    return before + lines[line_number - 1].index(quoted) + column + 1
