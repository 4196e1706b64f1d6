"""The guard, called in a worker process."""

from text2sql.schema import SchemaContext
from text2sql.sql import check, in_worker
from text2sql.types import CheckedSql, SqlRejected


async def check_query(sql: str, schema_context: SchemaContext, rows: int) -> CheckedSql | SqlRejected:
    """Run the guard on a query, under the catalog and the policy of `schema_context`."""
    catalog = schema_context.catalog
    return await in_worker(check, sql, catalog.dialect, catalog, schema_context.policy, rows=rows)
