"""Render a schema as standard CREATE TABLE statements: for the second attempt of an uncertain answer, and for
the baseline model in comparisons.

The text is built from the catalog on every engine. SQLite's own text is not available, because the guard
refuses queries that read `sqlite_master`.
"""

from text2sql.schema.render import quoted
from text2sql.types import Catalog, ForeignKey, Table


def ddl(catalog: Catalog) -> str:
    """CREATE TABLE statements without sample values, which are in the shorter rendering."""
    return "\n\n".join(_create_table(table, catalog) for table in catalog.tables if table.kind == "table")


def _create_table(table: Table, catalog: Catalog) -> str:
    lines = []
    for column in table.columns:
        required = "" if column.nullable else " NOT NULL"
        lines.append(f"{quoted(column.name)} {column.type}".rstrip() + required)
    if table.primary_key:
        lines.append(f"PRIMARY KEY ({_column_list(table.primary_key)})")
    lines += [_foreign_key(key, catalog) for key in table.foreign_keys]
    name = _qualified_name(table.schema, table.name, catalog)
    return f"CREATE TABLE {name} (\n  " + ",\n  ".join(lines) + "\n);"


def _foreign_key(key: ForeignKey, catalog: Catalog) -> str:
    referred = f"({_column_list(key.referred)})" if key.referred else ""
    target = _qualified_name(key.schema, key.table, catalog)
    return f"FOREIGN KEY ({_column_list(key.columns)}) REFERENCES {target}{referred}"


def _qualified_name(schema: str, name: str, catalog: Catalog) -> str:
    return quoted(name) if schema in ("", catalog.default_schema) else f"{quoted(schema)}.{quoted(name)}"


def _column_list(names: tuple[str, ...]) -> str:
    return ", ".join(map(quoted, names))
