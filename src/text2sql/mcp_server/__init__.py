"""The door for other programs' models: the database as four read-only tools of the Model Context Protocol."""

from text2sql.mcp_server.server import PATH, build, serve_http, serve_stdio
from text2sql.mcp_server.tools import definitions

__all__ = ["PATH", "build", "definitions", "serve_http", "serve_stdio"]
