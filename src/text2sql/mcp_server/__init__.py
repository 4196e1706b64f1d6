"""Model Context Protocol server: the database as four read-only tools."""

from text2sql.mcp_server.server import PATH, build, serve_http, serve_stdio
from text2sql.mcp_server.tools import definitions

__all__ = ["PATH", "build", "definitions", "serve_http", "serve_stdio"]
