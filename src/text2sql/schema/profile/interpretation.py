"""The profile of a table from what was observed: kinds, formats, units, flags."""

from dataclasses import replace

from text2sql.naming import column_kind, column_unit, type_class
from text2sql.naming.persons import about_person
from text2sql.schema.profile.formats import Format, epoch_text, integer_format, text_format
from text2sql.schema.profile.observations import Observation, TableObservation
from text2sql.schema.profile.queries import MOST_VALUES
from text2sql.types import Catalog, Column, ColumnProfile, Table, TableProfile, Value

_LONG = 200  # characters of a value that is kept


def table_profile(table: Table, catalog: Catalog, observed: TableObservation) -> TableProfile:
    columns = tuple(
        column_profile(table, column, observed.columns.get(column.name, Observation()), catalog.dialect)
        for column in table.columns
        if not column.hidden
    )
    rows = observed.rows if observed.rows is not None else table.rows
    return TableProfile(observed.table, rows, observed.scanned, columns)


def ordered_times(table: Table, catalog: Catalog, observed: TableObservation) -> list[str]:
    """The columns with times whose smallest and largest values are what MIN and MAX return."""
    times = []
    for column in table.columns:
        seen, kind = observed.columns.get(column.name), type_class(column.type)
        if seen is None:
            continue
        found = _text_format(column.name, kind, catalog.dialect, seen)
        is_time = _is_iso(found) if found else bool(integer_format(column.name, seen.smallest, seen.largest))
        if is_time or (found is None and kind in ("date", "datetime")):
            times.append(column.name)
    return times


def column_profile(table: Table, column: Column, seen: Observation, dialect: str) -> ColumnProfile:
    name, kind = column.name, type_class(column.type)
    is_number = kind in ("integer", "decimal")
    smallest, largest = (
        (_number(seen.smallest), _number(seen.largest)) if is_number else (seen.smallest, seen.largest)
    )
    profile = ColumnProfile(
        name,
        distinct=seen.distinct,
        nulls=round(1 - seen.present / seen.scanned, 4) if seen.scanned else 0.0,
        smallest=smallest,
        largest=largest,
        values=seen.counts if len(seen.counts) <= MOST_VALUES else (),
        is_unique=_is_unique(table, column, seen),
        is_padded=any(isinstance(value, str) and value != value.strip() for value in seen.sample),
        is_personal=about_person(table.name, name),
    )
    found = _text_format(name, kind, dialect, seen)
    if found is not None:
        profile = _with_format(profile, found, seen)
    elif not isinstance(smallest, str):
        profile = _with_integer_format(profile)
    profile = replace(profile, kind=column_kind(table, column, profile))
    if found is None or profile.kind == "date" or not profile.unit:
        profile = replace(profile, unit=column_unit(table, column, profile.kind, profile))
    return _without_private_values(profile)


def _is_unique(table: Table, column: Column, seen: Observation) -> bool:
    keys = [table.primary_key, *(index.columns for index in table.indexes if index.unique)]
    if (column.name,) in keys:
        return True
    return seen.present > 1 and seen.distinct == seen.present == seen.scanned


def _text_format(name: str, kind: str, dialect: str, seen: Observation) -> Format | None:
    """SQLite keeps dates as text too, whatever the type says."""
    is_text = kind in ("text", "") or (dialect == "sqlite" and kind in ("date", "datetime"))
    return text_format(name, seen.sample) if is_text else None


def _with_format(profile: ColumnProfile, found: Format, seen: Observation) -> ColumnProfile:
    """Ends of a range are compared as what they mean. ISO texts have the same order, so a scan counts."""
    if _is_iso(found):
        return replace(profile, format=found.name)
    read = [
        value
        for text in seen.sample
        if isinstance(text, str) and (value := found.read(text.strip())) is not None
    ]
    return replace(
        profile,
        format=found.name,
        unit=found.unit,
        smallest=min(read, default=None),  # type: ignore[type-var]  # one format: all numbers, or all texts
        largest=max(read, default=None),  # type: ignore[type-var]
    )


def _is_iso(found: Format) -> bool:
    return found.name.startswith(("date:%Y-%m", "datetime:%Y-%m-%d"))


def _with_integer_format(profile: ColumnProfile) -> ColumnProfile:
    written = integer_format(profile.name, profile.smallest, profile.largest)
    if not written.startswith("epoch"):
        return replace(profile, format=written)
    unit = written.partition(":")[2]
    ends = [
        epoch_text(float(end), unit)
        for end in (profile.smallest, profile.largest)
        if isinstance(end, int | float)
    ]
    return replace(profile, format=written, smallest=ends[0], largest=ends[1])


def _without_private_values(profile: ColumnProfile) -> ColumnProfile:
    """Texts about persons and long texts are not kept."""
    ends = (profile.smallest, profile.largest)
    if profile.is_personal or any(isinstance(end, str) and len(end) > _LONG for end in ends):
        is_text = any(isinstance(end, str) for end in ends) and profile.kind not in ("date", "time")
        return replace(
            profile, values=(), smallest=None if is_text else ends[0], largest=None if is_text else ends[1]
        )
    if any(isinstance(value, str) and len(value) > _LONG for value, _ in profile.values):
        return replace(profile, values=())
    return profile


def _number(value: Value) -> Value:
    """Exact decimals arrive as text."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
