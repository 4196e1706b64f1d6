"""Reads BigQuery's schema from its API, several tables at a time: that is free, while queries of
INFORMATION_SCHEMA are billed. Sample values are the first rows, which are free to list as well.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from google.api_core.exceptions import GoogleAPICallError
from google.cloud import bigquery

from text2sql.database.catalog import SAMPLE_CHARACTERS, make_catalog
from text2sql.types import Catalog, Column, ForeignKey, Table

MAX_THREADS = 8
_SAMPLED_ROWS = 200  # one page
_VIEWS = ("VIEW", "MATERIALIZED_VIEW")
_TYPES = {"INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL"}

T = TypeVar("T")
R = TypeVar("R")


def read(client: bigquery.Client, dataset: str, samples: int) -> Catalog:
    listed = list(client.list_tables(dataset))
    tables = _map_in_threads(lambda item: client.get_table(item.reference), listed)
    samples_by_table = _map_in_threads(lambda table: _samples(client, table, samples), tables)
    built = [_table(table, values) for table, values in zip(tables, samples_by_table, strict=True)]
    views = [(str(table.table_id), table.view_query or "") for table in tables if table.table_type in _VIEWS]
    return make_catalog("bigquery", dataset.rpartition(".")[2], built, views)


def _map_in_threads(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    with ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="text2sql-bigquery") as threads:
        return list(threads.map(work, items))


def _table(table: Any, values: dict[str, tuple[str, ...]]) -> Table:
    is_view = table.table_type in _VIEWS
    keys = getattr(table, "table_constraints", None)
    primary = getattr(keys, "primary_key", None)
    return Table(
        name=table.table_id,
        schema=table.dataset_id,
        kind="view" if is_view else "table",
        comment=table.description or "",
        columns=tuple(
            Column(
                field.name,
                type_name(field),
                field.mode != "REQUIRED",
                field.description or "",
                values.get(field.name, ()),
            )
            for field in table.schema
        ),
        primary_key=tuple(primary.columns) if primary else (),
        foreign_keys=tuple(_foreign(key) for key in getattr(keys, "foreign_keys", None) or ()),
        rows=None if is_view or table.num_rows is None else int(table.num_rows),
    )


def _foreign(key: Any) -> ForeignKey:
    pairs = [(pair.referencing_column, pair.referenced_column) for pair in key.column_references]
    referenced_table = key.referenced_table
    columns, referenced_columns = zip(*pairs, strict=True)
    return ForeignKey(columns, referenced_table.table_id, referenced_columns, referenced_table.dataset_id)


def type_name(field: bigquery.SchemaField) -> str:
    """Format the type as SQL: `ARRAY<STRUCT<a INT64>>`."""
    name = _TYPES.get(field.field_type, field.field_type)
    if name in ("RECORD", "STRUCT"):
        name = f"STRUCT<{', '.join(f'{child.name} {type_name(child)}' for child in field.fields)}>"
    return f"ARRAY<{name}>" if field.mode == "REPEATED" else name


def _samples(client: bigquery.Client, table: Any, limit: int) -> dict[str, tuple[str, ...]]:
    text_fields = [
        field for field in table.schema if field.field_type == "STRING" and field.mode != "REPEATED"
    ]
    if not limit or not text_fields or table.table_type != "TABLE":
        return {}
    try:
        rows = list(client.list_rows(table, selected_fields=text_fields, max_results=_SAMPLED_ROWS))
    except GoogleAPICallError:
        return {}  # an error loses these samples, never the catalog
    return {
        field.name: tuple(
            sorted({row[index] for row in rows if row[index] and len(row[index]) <= SAMPLE_CHARACTERS})
        )[:limit]
        for index, field in enumerate(text_fields)
    }
