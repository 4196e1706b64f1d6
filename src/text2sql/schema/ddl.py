"""A schema as an engine would print it: what a model is shown that is asked once more, in doubt, and the bare
model of a comparison.

Written from the catalogue on every engine alike. The text that SQLite keeps is closed to us: the wall that
stops a query from reading `sqlite_master` has no door for measurements.
"""

from text2sql.schema.render import quoted
from text2sql.types import Catalogue, ForeignKey, Table


def ddl(catalogue: Catalogue) -> str:
    """Without values: these are in the shorter rendering."""
    return "\n\n".join(_table(one, catalogue) for one in catalogue.tables if one.kind == "table")


def _table(table: Table, catalogue: Catalogue) -> str:
    lines = []
    for column in table.columns:
        required = "" if column.nullable else " NOT NULL"
        lines.append(f"{quoted(column.name)} {column.type}".rstrip() + required)
    if table.primary_key:
        lines.append(f"PRIMARY KEY ({_names(table.primary_key)})")
    lines += [_foreign(one, catalogue) for one in table.foreign_keys]
    name = _named(table.schema, table.name, catalogue)
    return f"CREATE TABLE {name} (\n  " + ",\n  ".join(lines) + "\n);"


def _foreign(key: ForeignKey, catalogue: Catalogue) -> str:
    referred = f"({_names(key.referred)})" if key.referred else ""
    target = _named(key.schema, key.table, catalogue)
    return f"FOREIGN KEY ({_names(key.columns)}) REFERENCES {target}{referred}"


def _named(schema: str, name: str, catalogue: Catalogue) -> str:
    return quoted(name) if schema in ("", catalogue.default_schema) else f"{quoted(schema)}.{quoted(name)}"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(map(quoted, names))
