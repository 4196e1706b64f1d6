"""BigQuery's schema from its API, a call a table and several at once: that costs nothing, where every query
of INFORMATION_SCHEMA is billed. Sample values are the first rows, which are free to list as well.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from google.api_core.exceptions import GoogleAPICallError
from google.cloud import bigquery

from text2sql.database.catalogue import make_catalogue
from text2sql.types import Catalogue, Column, ForeignKey, Table

AT_ONCE = 8
SAMPLED_ROWS, SAMPLE_CHARACTERS = 200, 100
_VIEWS = ("VIEW", "MATERIALIZED_VIEW")
_TYPES = {"INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL"}

T = TypeVar("T")
R = TypeVar("R")


def read(client: bigquery.Client, dataset: str, samples: int) -> Catalogue:
    listed = list(client.list_tables(dataset))
    tables = _at_once(lambda one: client.get_table(one.reference), listed)
    found = _at_once(lambda table: _samples(client, table, samples), tables)
    made = [_table(table, values) for table, values in zip(tables, found, strict=True)]
    views = [(str(table.table_id), table.view_query or "") for table in tables if table.table_type in _VIEWS]
    return make_catalogue("bigquery", dataset.rpartition(".")[2], made, views)


def _at_once(work: Callable[[T], R], things: Iterable[T]) -> list[R]:
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="text2sql-bigquery") as threads:
        return list(threads.map(work, things))


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
                one.name, typed(one), one.mode != "REQUIRED", one.description or "", values.get(one.name, ())
            )
            for one in table.schema
        ),
        primary_key=tuple(primary.columns) if primary else (),
        foreign_keys=tuple(_foreign(one) for one in getattr(keys, "foreign_keys", None) or ()),
        rows=None if is_view or table.num_rows is None else int(table.num_rows),
    )


def _foreign(key: Any) -> ForeignKey:
    pairs = [(one.referencing_column, one.referenced_column) for one in key.column_references]
    there = key.referenced_table
    own, referred = zip(*pairs, strict=True)
    return ForeignKey(own, there.table_id, referred, there.dataset_id)


def typed(field: bigquery.SchemaField) -> str:
    """`ARRAY<STRUCT<a INT64>>`, as it would be written."""
    name = _TYPES.get(field.field_type, field.field_type)
    if name in ("RECORD", "STRUCT"):
        name = f"STRUCT<{', '.join(f'{one.name} {typed(one)}' for one in field.fields)}>"
    return f"ARRAY<{name}>" if field.mode == "REPEATED" else name


def _samples(client: bigquery.Client, table: Any, count: int) -> dict[str, tuple[str, ...]]:
    texts = [one for one in table.schema if one.field_type == "STRING" and one.mode != "REPEATED"]
    if not count or not texts or table.table_type != "TABLE":
        return {}
    try:
        rows = list(client.list_rows(table, selected_fields=texts, max_results=SAMPLED_ROWS))
    except GoogleAPICallError:
        return {}  # costs these samples, never the catalogue
    return {
        one.name: tuple(sorted({row[at] for row in rows if row[at] and len(row[at]) <= SAMPLE_CHARACTERS}))[
            :count
        ]
        for at, one in enumerate(texts)
    }
