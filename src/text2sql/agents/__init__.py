"""The LangGraph pipeline from question to answer: nodes, routes and runner. Start with `graph.py`."""

from text2sql.agents.answer_builder import attach_rows, stored_rows
from text2sql.agents.catalog_cache import CatalogCache
from text2sql.agents.graph import NODE_FUNCTIONS, Graph, build
from text2sql.agents.graph_runner import GraphRunner
from text2sql.agents.node_context import Resources
from text2sql.agents.prefill import warm_up
from text2sql.agents.presets import PRESETS, check_options, effective_preset
from text2sql.agents.result_pages import check_result_count, check_result_page
from text2sql.agents.state import SQLMessageState
from text2sql.agents.user_sql import run_user_sql
from text2sql.types import RunOptions

__all__ = [
    "NODE_FUNCTIONS",
    "PRESETS",
    "CatalogCache",
    "Graph",
    "GraphRunner",
    "Resources",
    "RunOptions",
    "SQLMessageState",
    "attach_rows",
    "build",
    "check_options",
    "check_result_count",
    "check_result_page",
    "effective_preset",
    "run_user_sql",
    "stored_rows",
    "warm_up",
]
