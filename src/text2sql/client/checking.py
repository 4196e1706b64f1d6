"""Checks statements of callers with the guard."""

from text2sql.errors import UsageError
from text2sql.resources import AppResources
from text2sql.sql import check, in_worker
from text2sql.types import CheckedSql, SqlRejected


async def check_sql(app: AppResources, sql: str, rows: int | None = None) -> CheckedSql | SqlRejected:
    """Check a statement under the app's policy, limited to at most `rows` and the settings' row limit."""
    schema_context = await (await app.resources()).catalog_cache.schema_context(values=False)
    limit = min(rows or app.settings.row_limit, app.settings.row_limit)
    catalog = schema_context.catalog
    return await in_worker(check, sql, catalog.dialect, catalog, schema_context.policy, rows=limit)


def require_checked(checked: CheckedSql | SqlRejected) -> CheckedSql:
    if isinstance(checked, SqlRejected):
        raise UsageError("usage.query_refused", rule=checked.rule, piece=checked.piece)
    return checked
