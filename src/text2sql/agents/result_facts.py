"""What a query says about its result, for sentences, headers and charts. A worker process parses it."""

from dataclasses import replace

from text2sql.sql import in_worker
from text2sql.sql.query_facts import query_facts
from text2sql.types import QueryFacts, QueryResult


async def with_facts(result: QueryResult, sql: str, dialect: str) -> QueryResult:
    """The result with the facts of its query; unchanged if the query cannot be parsed."""
    facts = await in_worker(query_facts, sql, dialect)
    return replace(result, facts=facts) if isinstance(facts, QueryFacts) else result
