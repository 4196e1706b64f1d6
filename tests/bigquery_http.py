"""A BigQuery emulator for tests: local-bigquery's server, offline, with an administrative interface.

    python tests/bigquery_http.py DIRECTORY PORT

It runs in its own environment, created by `servers.py`, because it needs Python 3.13 and 577 MB.
DuckDB's extensions come from packages instead of the network.
"""

import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

WORDS = (  # DuckDB's, and what BigQuery says
    (r'does not have a column named "(?P<name>[^"]+)"', "Name {name} not found inside it"),
    (r'Ambiguous reference to column name "(?P<name>[^"]+)"', "Column name {name} is ambiguous"),
    (r"Could not convert string '(?P<name>[^']+)'", "Bad int64 value: {name}"),
)
EXTENSIONS = ("icu", "ducklake", "spatial")


def _offline(directory: Path) -> None:
    """Its extensions are installed into a home of their own, and the time zone is set once they are there."""
    os.environ["HOME"] = str(directory)
    duckdb: Any = import_module("duckdb")
    importing: Any = import_module("duckdb_extensions").import_extension
    for name in EXTENSIONS:
        importing(name)
    connect = duckdb.connect

    def connected(*arguments: Any, **options: Any) -> Any:
        zone = options.get("config", {}).pop("TimeZone", "")
        connection = connect(*arguments, **options)
        for name in EXTENSIONS:
            connection.load_extension(name)
        if zone:
            connection.execute(f"SET GLOBAL TimeZone = '{zone}'")
        return connection

    duckdb.connect = connected


def main(directory: Path, port: int) -> None:
    _offline(directory)
    import uvicorn
    from starlette.requests import Request
    from starlette.responses import JSONResponse

    settings: Any = import_module("local_bigquery.settings").settings
    settings.data_dir = directory / "data"
    emulator: Any = import_module("local_bigquery.app").app
    errors: Any = import_module("local_bigquery.errors")
    errors.DUCKDB_ERRORS += [(re.compile(words), "invalidQuery", message) for words, message in WORDS]
    store: Any = import_module("local_bigquery.jobs.store")
    server = uvicorn.Server(uvicorn.Config(emulator, host="127.0.0.1", port=port, log_level="warning"))

    def running(request: Request) -> JSONResponse:
        project, piece = request.query_params["project"], request.query_params["piece"]
        jobs = store.list_(project, ["RUNNING"], None, None, None)
        return JSONResponse(sum(piece in (job.configuration.query.query or "") for job in jobs))

    async def drop(request: Request) -> JSONResponse:
        """As a firewall would: every other connection is cut."""
        for connection in list[Any](server.server_state.connections):
            if connection.client != request.scope["client"]:
                connection.transport.close()
        return JSONResponse({})

    emulator.add_route("/running", running)
    emulator.add_route("/drop", drop, methods=["POST"])
    server.run()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
