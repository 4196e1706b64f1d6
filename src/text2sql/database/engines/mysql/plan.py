"""Parses EXPLAIN FORMAT=JSON into one estimate. The two servers use the same names but nest
them differently.
"""

import json
from collections.abc import Callable
from math import prod
from typing import Any

from text2sql.types import Plan


def read_plan(text: str) -> Plan:
    block = json.loads(text).get("query_block", {})
    cost = block.get("cost_info", {}).get("query_cost", block.get("cost"))
    return Plan(text, rows=_rows(block), cost=None if cost is None else float(cost))


def _rows(node: Any) -> float | None:
    """Estimate the rows of a plan node: tables of a join multiply, arms of a union add up."""
    if isinstance(node, list):
        return _combine(prod, node)
    if not isinstance(node, dict):
        return None
    if "query_specifications" in node:
        return _combine(sum, node["query_specifications"])
    if "table_name" in node or "message" in node:
        return _table_rows(node)
    inner = (_rows(child) for name, child in node.items() if name not in _IGNORED_KEYS)
    return next((rows for rows in inner if rows is not None), None)


def _combine(combine: Callable[[list[float]], float], nodes: list[Any]) -> float | None:
    known = [rows for rows in map(_rows, nodes) if rows is not None]
    return combine(known) if known else None


def _table_rows(table: dict[str, Any]) -> float | None:
    rows = table.get("rows", table.get("rows_examined_per_scan"))
    if rows is None:
        return 1.0 if "message" in table else None
    return float(rows) * float(table.get("filtered", 100)) / 100


_IGNORED_KEYS = frozenset(
    {"subqueries", "cost_info", "materialized", "attached_subqueries", "optimized_away_subqueries"}
)
