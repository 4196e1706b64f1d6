"""A Snowflake emulator for tests: fakesnow's server, extended for the current connector.

    python tests/snowflake_http.py PORT PASSWORD

It runs in its own environment, created by `servers.py`, because fakesnow needs an older connector. This
module adds what fakesnow lacks: asynchronous queries with status and abort by id, one statement per request,
password checks, plans, views in the table list, foreign keys, Snowflake's error messages, and sessions that
an
administrator can end.
"""

import asyncio
import gzip
import json
import re
import sys
import uuid
from dataclasses import dataclass
from importlib import import_module
from string import Template
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

fake: Any = import_module("fakesnow.server")  # a function of fakesnow has the same name
schemas: Any = import_module("fakesnow.info_schema")
_VIEWS = """
UNION ALL BY NAME SELECT database_name AS "TABLE_CATALOG", schema_name AS "TABLE_SCHEMA",
view_name AS "TABLE_NAME", 'VIEW' AS "TABLE_TYPE" FROM duckdb_views()
WHERE database_name = '${catalog}' AND NOT internal AND schema_name != '_fs_information_schema'
"""
_FOREIGN_KEYS = """
CREATE VIEW _fs_global.main.foreign_keys AS
SELECT database_name AS pk_database_name, schema_name AS pk_schema_name, referenced_table AS pk_table_name,
unnest(referenced_column_names) AS pk_column_name, table_name AS fk_table_name, constraint_index AS fk_name,
unnest(constraint_column_names) AS fk_column_name, unnest(range(len(constraint_column_names))) AS key_sequence
FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY'
"""
_STARTED = "333334"  # the code of "begun, ask later"
_QUOTED = re.compile(r"'(?:[^'\\]|\\.|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_PLAN = re.compile(r"EXPLAIN\s+USING\s+TEXT\s+", re.IGNORECASE)
_WHERE = "SQL compilation error: error line {line} at position {position}\ninvalid identifier '{name}'"
_WORDS = (  # DuckDB's; then the number, the state and the words that Snowflake has for it
    (
        r"Table with name (\S+) does not exist",
        ("002003", "42S02", "SQL compilation error:\nObject '{name}' does not exist or not authorized."),
    ),
    (r'Referenced column "([^"]+)" not found', ("000904", "42000", _WHERE)),
    (r'does not have a column named "([^"]+)"', ("000904", "42000", _WHERE)),
    (
        r'Ambiguous reference to column name "([^"]+)"',
        ("002028", "42601", "SQL compilation error:\nambiguous column name '{name}'"),
    ),
    (
        r"Could not convert string '([^']+)'",
        ("100038", "22018", "Numeric value '{name}' is not recognized"),
    ),
)
_IGNORED = ["^ALTER SESSION SET STATEMENT_TIMEOUT"]


@dataclass
class Begun:
    sql: str
    session: str
    answer: asyncio.Task[JSONResponse]
    aborted: bool = False

    def as_reply(self) -> dict[str, Any]:
        if self.aborted:
            return _read(_failed("000604", "57014", "SQL execution canceled"))
        return _read(self.answer.result(), self.sql)


_BEGUN: dict[str, Begun] = {}
_READERS: set[str] = set()  # sessions in a database; the administrator's begins outside of any
_PASSWORD = ""


def _read(answer: JSONResponse, sql: str = "") -> dict[str, Any]:
    """What fakesnow answers, an error of DuckDB's in Snowflake's words."""
    reply: dict[str, Any] = json.loads(bytes(answer.body))
    for pattern, (code, state, words) in _WORDS:
        if not reply["success"] and (match := re.search(pattern, reply["message"])):
            name = match[1].strip('"')
            before = sql[: max(0, sql.upper().find(name.upper()))].split("\n")
            reply["message"] = words.format(name=name, line=len(before), position=len(before[-1]))
            reply |= {"code": code, "data": {"errorCode": code, "sqlState": state}}
            break
    return reply


async def _body(request: Request) -> dict[str, Any]:
    body = await request.body()
    reply: dict[str, Any] = json.loads(gzip.decompress(body) if _is_packed(request) else body)
    return reply


def _is_packed(request: Request) -> bool:
    return request.headers.get("Content-Encoding") == "gzip"


async def login(request: Request) -> JSONResponse:
    if (await _body(request))["data"].get("PASSWORD") != _PASSWORD:
        refused = {"code": "390100", "message": "Incorrect username or password was specified."}
        return JSONResponse({"data": None, "success": False, **refused})
    reply = _read(await fake.login_request(request))
    reply["data"] |= {"masterToken": reply["data"]["token"], "sessionId": 1}
    token = reply["data"]["token"]
    fake.sessions[token].nop_regexes = _IGNORED
    if request.query_params.get("databaseName"):
        _READERS.add(token)
    return JSONResponse(reply)


async def query(request: Request) -> JSONResponse:
    body = await _body(request)
    if re.search(r";\s*[^\s;]", _QUOTED.sub(" ", body["sqlText"])):
        return _failed(
            "000008", "0A000", "Actual statement count 2 did not match the desired statement count 1."
        )
    if not body.get("asyncExec"):
        return await _at_once(request, body)
    number = str(uuid.uuid4())
    answer = asyncio.create_task(fake.query_request(request))
    _BEGUN[number] = Begun(body["sqlText"], fake.to_token(request), answer)
    data = {"queryId": number, "getResultUrl": f"/queries/{number}/result"}
    return JSONResponse({"data": data, "code": _STARTED, "message": None, "success": True})


async def _at_once(request: Request, body: dict[str, Any]) -> JSONResponse:
    sql: str = body["sqlText"]
    if plan := _PLAN.match(sql):
        body["sqlText"] = f"SELECT 'a plan of ' || $${sql[plan.end() :]}$$ AS step"
    elif sql.startswith("SHOW IMPORTED KEYS"):
        here = fake.to_conn(fake.to_token(request)).database
        body["sqlText"] = f"SELECT * FROM _fs_global.main.foreign_keys WHERE pk_database_name = '{here}'"
    encoded = json.dumps(body).encode()
    request._body = gzip.compress(encoded) if _is_packed(request) else encoded
    return JSONResponse(_read(await fake.query_request(request), sql))


def _failed(code: str, state: str, message: str) -> JSONResponse:
    ended = {"errorCode": code, "sqlState": state}
    return JSONResponse({"data": ended, "code": code, "message": message, "success": False})


async def status(request: Request) -> JSONResponse:
    begun = _BEGUN.get(request.path_params["query"])
    if begun is None:
        return JSONResponse({"data": {"queries": []}, "success": True})
    if not begun.answer.done():
        return JSONResponse({"data": {"queries": [{"status": "RUNNING"}]}, "success": True})
    reply = begun.as_reply()
    state: dict[str, Any] = {"status": "SUCCESS"}
    if not reply["success"]:
        state = {
            "status": "FAILED_WITH_ERROR",
            "errorCode": reply["code"],
            "errorMessage": reply["message"],
        }
    return JSONResponse({"data": {"queries": [state]}, "success": True})


async def result(request: Request) -> JSONResponse:
    begun = _BEGUN.pop(request.path_params["query"])
    await asyncio.wait([begun.answer])
    return JSONResponse(begun.as_reply())


async def abort(request: Request) -> JSONResponse:
    begun = _BEGUN.get(request.path_params["query"])
    if begun is not None and not begun.answer.done():
        begun.aborted = True
        fake.sessions[begun.session]._duck_conn.interrupt()
    return JSONResponse({"data": None, "code": None, "message": None, "success": True})


async def running(request: Request) -> JSONResponse:
    piece = request.query_params["piece"]
    return JSONResponse(
        sum(piece in session.sql and not session.answer.done() for session in _BEGUN.values())
    )


async def drop(_: Request) -> JSONResponse:
    for token in _READERS & fake.sessions.keys():
        del fake.sessions[token]
    return JSONResponse({})


def app() -> Starlette:
    fake.shared_fs.duck_conn.execute(_FOREIGN_KEYS)
    tables = schemas.SQL_CREATE_INFORMATION_SCHEMA_TABLES_VIEW
    schemas.SQL_CREATE_INFORMATION_SCHEMA_TABLES_VIEW = Template(tables.template + _VIEWS)
    own = [
        Route("/session/v1/login-request", login, methods=["POST"]),
        Route("/queries/v1/query-request", query, methods=["POST"]),
        Route("/monitoring/queries//{query}", status, methods=["GET"]),
        Route("/queries/{query}/result", result, methods=["GET"]),
        Route("/queries/{query}/abort-request", abort, methods=["POST"]),
        Route("/running", running, methods=["GET"]),
        Route("/drop", drop, methods=["POST"]),
    ]
    return Starlette(routes=[*own, *fake.routes])


if __name__ == "__main__":
    _PASSWORD = sys.argv[2]
    uvicorn.run(app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="info")
