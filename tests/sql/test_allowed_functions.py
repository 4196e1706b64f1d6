"""The lists of what a query may be made of, held against the catalogs of the engines and against sqlglot.

A small reader of the lists stands here instead of the guard: a call is refused when its tree holds a node
that no list allows. The guard is stricter (tables, columns, bounds); what passes there must pass here.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from text2sql.sql import functions

REFUSED = Path(__file__).parent / "refused_functions"

ARGUMENTS = ("", "a", "'x'", "1, 2", "'x', 'y'", "a, 'x', b", "1, 2, 3, 4", "a, b, c, d, e")
# what an allowed name may need beside the above to be parsed at all
SPECIAL = ("a, INTERVAL 1 DAY", "1", "1, 2, 3", "'a', 1, 'b', 2, 'c', 3", "1, 2, 3, 4, 5, 6, 7")
# sqlglot does not only raise its own errors
UNPARSED = (SqlglotError, AttributeError, IndexError, KeyError, TypeError, ValueError)
# keywords that take no parentheses
BARE = {"oracle": {"sysdate", "systimestamp"}}
# functions that sqlglot makes an operator of
OPERATORS = {"like"}

HONEST = {
    "bigquery": [
        "SELECT SAFE.PARSE_DATE('%Y', a), NET.HOST(u), NET.IP_TRUNC(x, 8), HLL_COUNT.MERGE(s) FROM t",
        "SELECT d FROM UNNEST(GENERATE_DATE_ARRAY(a, b, INTERVAL 1 WEEK)) AS d WITH OFFSET AS o",
        "SELECT ARRAY_AGG(a IGNORE NULLS ORDER BY b LIMIT 3)[OFFSET(0)], APPROX_QUANTILES(a, 4) FROM t",
    ],
    "clickhouse": [
        "SELECT sumIf(a, b), uniqExactArrayIf(a, b), quantilesIf(0.5, 0.9)(a, b), countMerge(s) FROM t",
        "SELECT topK(3)(a), argMaxOrNull(a, b), arrayReduce('sum', l), arrayMap(x -> x + 1, l) FROM t",
        "SELECT number FROM numbers(10)",
    ],
    "duckdb": [
        "SELECT list_transform(l, x -> x + 1), [x for x in l if x > 1], {'a': 1}, struct_pack(a := 1) FROM t",
        "SELECT i FROM range(1, 5) AS r(i), generate_series(1, 3), unnest([1, 2]), json_each(p)",
        "SELECT time_bucket(INTERVAL '1 week', d), mad(a), quantile_cont(a, [0.1, 0.9]), len(l) FROM t",
    ],
    "mysql": [
        "SELECT DATE_ADD(d, INTERVAL 1 DAY), GROUP_CONCAT(DISTINCT a ORDER BY b SEPARATOR ';') FROM t",
        "SELECT SUBSTRING_INDEX(a, '@', -1), CONVERT(a USING utf8mb4), a->>'$.b', _utf8mb4'x' FROM t",
        "SELECT j.a FROM t, JSON_TABLE(t.p, '$[*]' COLUMNS(a INT PATH '$.a')) AS j",
    ],
    "oracle": [
        "SELECT LISTAGG(a, ',') WITHIN GROUP (ORDER BY b), RATIO_TO_REPORT(a) OVER (), NVL2(a, b, c) FROM t",
        "SELECT SYS_CONNECT_BY_PATH(a, '/'), CONNECT_BY_ROOT a FROM t CONNECT BY PRIOR a = b",
        "SELECT j.a FROM t, JSON_TABLE(t.p, '$[*]' COLUMNS (a NUMBER PATH '$.a')) j",
    ],
    "postgres": [
        "SELECT pg_catalog.lower(a), jsonb_path_query_first(p, '$.a'), num_nulls(a, b), pg_typeof(a) FROM t",
        "SELECT d, n FROM generate_series(1, 3) WITH ORDINALITY AS g(d, n)",
        "SELECT x.a FROM t CROSS JOIN LATERAL jsonb_to_recordset(t.p) AS x(a int, b text)",
    ],
    "snowflake": [
        "SELECT f.value:a::STRING FROM t, LATERAL FLATTEN(INPUT => t.p:items) f",
        "SELECT SEQ4(), UNIFORM(1, 10, RANDOM()) FROM TABLE(GENERATOR(ROWCOUNT => 10))",
        "SELECT OBJECT_CONSTRUCT('a', 1), DIV0(a, b), ARRAY_GENERATE_RANGE(1, 3) FROM t",
    ],
    "sqlite": [
        "SELECT total(a), julianday(d), printf('%.2f', a), json_group_array(a), likely(a) FROM t",
        "SELECT value FROM t, json_each(t.p), generate_series(1, 10)",
    ],
}

HOSTILE = {
    "bigquery": [
        "SELECT ML.PREDICT(MODEL m, 1)",
        "SELECT * FROM ML.PREDICT(MODEL m, TABLE t)",
        "SELECT KEYS.NEW_KEYSET('a')",
        "SELECT NET.NO_SUCH(x)",
        "SELECT SAFE.ERROR('x')",
        "SELECT HLL_COUNT.NO_SUCH(x)",
        "SELECT shop.f(x)",
        "SELECT ERROR('x').a",
    ],
    "clickhouse": [
        "SELECT in(a, secrets) FROM t",
        "SELECT dictionary(a) FROM t",
        "SELECT * FROM dictionary('secrets_dict')",
        "SELECT * FROM loop(secrets)",
        "SELECT * FROM merge('db', 're')",
        "SELECT sumResample(0, 1000000000, 1)(a, b) FROM t",
        "SELECT {x:UInt8}",
        "SELECT file('/etc/passwd').1",
    ],
    "duckdb": [
        "SELECT 'x'.read_text()",
        "SELECT ssn.upper() FROM customers",
        "SELECT COLUMNS('ss.*') FROM customers",
        "SELECT #1 FROM customers",
        "SELECT main.version()",
        "SELECT getvariable('x').upper()",
        "SELECT * FROM repeat_everything(1)",
    ],
    "mysql": [
        "SELECT @@version",
        "SELECT @a := 1",
        "SELECT shop.f(1)",
        "SELECT /*+ SET_VAR(a=0) */ 1 FROM t",
    ],
    "oracle": [
        "SELECT DBMS_PIPE.RECEIVE_MESSAGE('a', 3600) FROM dual",
        "SELECT XMLTYPE('x').extract('/a') FROM dual",
        "SELECT * FROM XMLTABLE('x' PASSING y COLUMNS a INT PATH '.')",
        "SELECT * FROM TABLE(f(1))",
        "SELECT * FROM t AS OF TIMESTAMP x",
        "SELECT f@link(1) FROM dual",
    ],
    "postgres": [
        "SELECT pg_catalog.pg_ls_dir('.')",
        "SELECT U&\"pg\\005fls_dir\"('.')",
        "SELECT * FROM ROWS FROM (pg_ls_dir('/etc')) AS t(f)",
        "SELECT 'secrets'::regclass",
        "SELECT 'secrets'::\"regclass\"",
        "SELECT a OPERATOR(pg_catalog.+) b",
        "SELECT public.f(1)",
    ],
    "snowflake": [
        "SELECT SNOWFLAKE.CORTEX.COMPLETE('a', 'b')",
        "SELECT IDENTIFIER('x')",
        "SELECT $1 FROM t",
        "SELECT * FROM TABLE(RESULT_SCAN('x'))",
        "SELECT * FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY())",
        "SELECT * FROM t AT(OFFSET => -60)",
    ],
    "sqlite": ["SELECT \"load_extension\"('x')", "SELECT ?1", "SELECT * FROM pragma_table_info('x')"],
}


def test_every_listed_name_is_known_to_the_installed_sqlglot() -> None:
    assert exp.Select in functions.allowed_nodes()
    assert exp.Sum in functions.allowed_typed()
    for forbidden in (exp.Command, exp.Into, exp.Lock, exp.Hint, exp.Parameter, exp.Placeholder, exp.Aliases):
        assert forbidden not in functions.allowed_nodes()


def test_an_unknown_name_in_a_list_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    for read, line in ((functions.allowed_nodes, "NoSuchNode"), (functions.allowed_typed, "Anonymous")):
        monkeypatch.setattr(functions, "_lines", lambda *_path, line=line: (line,))
        with pytest.raises(LookupError, match=line):
            read.__wrapped__()


def test_an_unknown_dialect_raises() -> None:
    with pytest.raises(LookupError, match="tsql"):
        functions.allowed_names("tsql")


def test_every_function_class_of_sqlglot_was_reviewed() -> None:
    listed = {node.__name__ for node in functions.allowed_typed()}
    refused = set(lines("typed"))
    assert listed & refused == set()
    assert listed | refused == {node.__name__ for node in subclasses(exp.Func)}


def test_lists_are_lower_case_and_generators_agree_with_names() -> None:
    for dialect in functions.DIALECTS:
        names = functions.allowed_names(dialect) | functions.aggregates(dialect)
        names |= set(functions.generators(dialect)) | set(functions.sized(dialect))
        assert {name for name in names if name != name.lower()} == set()


def test_combinators_are_taken_off_an_aggregate_and_nothing_else() -> None:
    verdicts = {
        name: functions.is_allowed_name("clickhouse", name)
        for name in (
            "sumIf",
            "SUMIF",
            "uniqExactArrayIf",
            "avgOrNull",
            "countMergeState",
            "lowerIf",
            "If",
            "xIf",
        )
    }
    assert verdicts == {
        "sumIf": True,
        "SUMIF": True,
        "uniqExactArrayIf": True,
        "avgOrNull": True,
        "countMergeState": True,
        "lowerIf": False,
        "If": True,
        "xIf": False,
    }


def test_a_name_of_endings_without_end_and_a_name_outside_ascii_are_refused() -> None:
    assert not functions.is_allowed_name("clickhouse", "sum" + "If" * 100_000)
    assert not functions.is_allowed_name("sqlite", "li\u212aely")


@pytest.mark.parametrize("dialect", functions.DIALECTS)
def test_a_refused_name_is_refused_in_every_form(dialect: str) -> None:
    names = lines(dialect)
    assert [name for name in names if functions.is_allowed_name(dialect, name)] == []
    assert [name for name in names if name in functions.generators(dialect)] == []
    assert passing(dialect, names) == []


@pytest.mark.parametrize("dialect", functions.DIALECTS)
def test_an_allowed_name_is_allowed_in_some_form(dialect: str) -> None:
    names = functions.allowed_names(dialect) | functions.aggregates(dialect)
    never = [
        name
        for name in sorted(names - BARE.get(dialect, set()))
        if not any(allows(dialect, f"SELECT {name}({arguments})") for arguments in (*ARGUMENTS, *SPECIAL))
    ]
    assert never == []


@pytest.mark.parametrize("dialect", functions.DIALECTS)
def test_honest_calls_are_allowed(dialect: str) -> None:
    assert [(sql, classes) for sql in HONEST[dialect] if (classes := refusals(dialect, sql))] == []


@pytest.mark.parametrize("dialect", functions.DIALECTS)
def test_hostile_calls_are_refused(dialect: str) -> None:
    assert [sql for sql in HOSTILE[dialect] if allows(dialect, sql)] == []


def test_duckdb_functions_that_are_not_listed_are_refused() -> None:
    with duckdb.connect() as connection:
        rows = connection.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
    check_catalog("duckdb", {name for (name,) in rows})


def test_sqlite_functions_that_are_not_listed_are_refused() -> None:
    connection = sqlite3.connect(":memory:")
    rows = connection.execute("SELECT DISTINCT name FROM pragma_function_list").fetchall()
    connection.close()
    check_catalog("sqlite", {name for (name,) in rows})


def check_catalog(dialect: str, catalog: set[str]) -> None:
    names = {name for name in catalog if re.fullmatch(r"\w+", name)} - OPERATORS
    refused = {
        name
        for name in names
        if not functions.is_allowed_name(dialect, name) and name not in functions.generators(dialect)
    }
    assert 0 < len(refused) < len(names)
    assert passing(dialect, sorted(refused)) == []
    in_from = (
        f"SELECT * FROM {name}({arguments}) AS f" for name in sorted(names) for arguments in ("", "a, 1")
    )
    generators = functions.generators(dialect)
    assert [
        sql for sql in in_from if allows(dialect, sql) and sql.split()[3].partition("(")[0] not in generators
    ] == []


def passing(dialect: str, names: list[str]) -> list[str]:
    return [sql for name in names for sql in forms(dialect, name) if allows(dialect, sql)]


def forms(dialect: str, name: str) -> Iterator[str]:
    mark = "`" if dialect in {"bigquery", "mysql"} else '"'
    for arguments in ARGUMENTS:
        yield f"SELECT {name}({arguments})"
    yield f"SELECT {name.upper()}('x')"
    yield f"SELECT {mark}{name}{mark}('x')"
    yield f"SELECT s.{name}('x')"
    yield f"SELECT a FROM {name}('x') AS f"
    yield f"SELECT a FROM {name}(1, 2)"


def allows(dialect: str, sql: str) -> bool:
    return not refusals(dialect, sql)


def refusals(dialect: str, sql: str) -> list[str]:
    try:
        trees = sqlglot.parse(sql, read=dialect)
    except UNPARSED:
        return ["not parsed"]
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        return ["not one SELECT"]
    return [type(node).__name__ for node in trees[0].walk() if not is_allowed(dialect, node)]


def is_allowed(dialect: str, node: exp.Expr) -> bool:
    if isinstance(node, exp.Table):
        return isinstance(node.this, (exp.Identifier, exp.Func)) or bool(node.args.get("rows_from"))
    if isinstance(node, exp.TableAlias):
        return bool(node.this) or not isinstance(node.parent, exp.Table)
    if isinstance(node, exp.Func):
        return is_allowed_call(dialect, node)
    return type(node) in functions.allowed_nodes()


def is_allowed_call(dialect: str, node: exp.Func) -> bool:
    named = isinstance(node, functions.NAMED_CALLS)
    name = (node.name if named else node.sql_name()).lower()
    parent = node.parent
    if isinstance(node, (exp.SafeFunc, exp.NetFunc)):
        return type(node).__name__.removesuffix("Func").lower() in functions.prefixes(dialect)
    if isinstance(parent, exp.NetFunc):
        return not named or name in functions.prefixes(dialect)["net"]
    if isinstance(parent, exp.Dot) and node is parent.expression:
        names = functions.prefixes(dialect).get(parent.this.name.lower())
        return names is not None and (name in names if names else functions.is_allowed_name(dialect, name))
    if isinstance(parent, (exp.Table, exp.TableFromRows)):
        return name in functions.generators(dialect)
    if name in functions.generators(dialect):
        return True
    if named:
        return functions.is_allowed_name(dialect, name)
    return type(node) in functions.allowed_typed()


def lines(name: str) -> list[str]:
    text = (REFUSED / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def subclasses(node: type) -> set[type]:
    classes: set[type] = set(node.__subclasses__())
    return classes.union(*(subclasses(each) for each in classes))
