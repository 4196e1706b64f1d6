"""Dialect-specific syntax for the generator, one class per dialect."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from noninterference.scopes import HIDDEN_COLUMNS, VISIBLE, Scope, Source

if TYPE_CHECKING:
    from noninterference.generator import Generator


class Forms:
    """The syntax that all dialects share."""

    set_operations: tuple[str, ...] = ("UNION", "UNION ALL", "EXCEPT", "INTERSECT")
    recursion = "UNION"
    joins: tuple[str, ...] = ()
    comma_in_brackets = False  # FROM (t, u)
    lateral = ""
    length, concat = "LENGTH", "CONCAT({}, {})"
    lists = True  # FROM t AS a (x, y)
    join_alias = False  # FROM (t JOIN u ON …) AS a
    by_name = False
    lone_brackets = 0.05  # FROM (t): how often; some engines do not have it

    def __init__(self, generator: "Generator") -> None:
        self.generator, self.rng, self.names = generator, generator.rng, generator.names

    def number(self, scope: Scope) -> str:
        return self._any_of(self.numbers(scope))

    def text(self, scope: Scope) -> str:
        return self._any_of(self.texts(scope))

    def numbers(self, scope: Scope) -> list[Callable[[], str]]:
        return [lambda: f"ABS({self.generator.number(scope, 0)})", lambda: f"NULLIF({self._n(scope)}, 1)"]

    def texts(self, scope: Scope) -> list[Callable[[], str]]:
        return [lambda: f"CAST({self._n(scope)} AS CHAR(9))", lambda: f"REPLACE({self._t(scope)}, 'a', 'b')"]

    def boolean(self, scope: Scope) -> str:
        return f"({self._n(scope)} = {self._n(scope)}) IS NULL"

    def item(self, scope: Scope) -> str | None:
        """A whole item of the SELECT list."""
        return None

    def star(self, scope: Scope, star: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        return star, columns

    def source(self, scope: Scope) -> tuple[str, list[Source]]:
        columns = {self.names.new(): "number", self.names.new(): "text"}
        rows = ", ".join(f"({self._constant('number')}, {self._constant('text')})" for _ in range(2))
        alias = self.names.new(scope)
        if len(columns) < 2:
            return self.generator.table(scope)
        listed = ", ".join(map(self.names.written, columns))
        return f"(VALUES {rows}) AS {self.names.written(alias)}({listed})", [Source(alias, columns)]

    def sample(self, scope: Scope) -> str:
        return ""

    def tail(self, scope: Scope, columns: dict[str, str]) -> str:
        """After WHERE of a query without groups."""
        return ""

    def around(self, scope: Scope) -> tuple[str, str]:
        """Before SELECT, and after FROM."""
        return "", ""

    def grouping(self, keys: Sequence[str]) -> str:
        return ", ".join(keys)

    def limit(self, scope: Scope) -> str:
        return f" LIMIT {self.rng.randint(1, 5)}" + self.rng.choice(("", " OFFSET 1"))

    # -- pieces ----------------------------------------------------------------------------------

    def _n(self, scope: Scope) -> str:
        return self.generator.number(scope, 1)

    def _t(self, scope: Scope) -> str:
        return self.generator.text(scope, 1)

    def _constant(self, kind: str) -> str:
        return str(self.rng.randint(0, 50)) if kind == "number" else f"'{self.rng.choice('abcx')}'"

    def _any_of(self, makers: Sequence[Callable[[], str]]) -> str:
        return self.rng.choice(makers)()

    def _alias(self, scope: Scope) -> str:
        return self.names.written(self.rng.choice(scope.all()).name) if scope.all() else "a"

    def _hidden(self) -> str:
        return self.rng.choice(HIDDEN_COLUMNS) if self.names.chance(0.7) else "name"

    def _with_parameter(self, scope: Scope, body: Callable[[Scope], str]) -> tuple[str, str]:
        """A lambda's parameter and its body, which sees it."""
        parameter = self.names.new(scope)
        if scope.sources and self.names.chance(0.2):
            parameter = self.rng.choice(scope.sources).name
        inner = Scope([Source(parameter, {parameter: "number"})], scope, scope.ctes)
        text = body(inner).replace(f"{parameter}.{parameter}", parameter)
        if self.names.chance(0.3):
            text += f" + {self.names.written(parameter)}"
        if self.names.sneaks():
            text = f"{self.names.written(parameter)}.{self.names.written(self._hidden())}"
        return self.names.written(parameter), text


class Sqlite(Forms):
    lists = False
    lone_brackets, comma_in_brackets = 0.4, True
    concat = "({} || {})"
    joins = ("RIGHT JOIN", "FULL JOIN")

    def texts(self, scope: Scope) -> list[Callable[[], str]]:
        return [
            lambda: f"CAST({self._n(scope)} AS TEXT)",
            lambda: f"({self._t(scope)} || {self._t(scope)})",
            lambda: f"json_extract('{{\"k\": 1}}', '$.k') || {self._t(scope)}",
            lambda: f'"{self._hidden()}"',  # a text, where there is no such column
        ]

    def boolean(self, scope: Scope) -> str:
        table = self.names.written(self.rng.choice([*scope.ctes, *VISIBLE, "payroll"]))
        return self.rng.choice((
            f"({self._n(scope)}, 1) IN (SELECT {self._n(scope)}, 1)",
            f"{self._n(scope)} IN {table}",
            f"{self._t(scope)} GLOB 'a*'",
        ))  # fmt: skip

    def source(self, scope: Scope) -> tuple[str, list[Source]]:
        alias = self.names.new(scope)
        if self.names.chance(0.5):
            columns = {"key": "number", "value": "number", "id": "number"}
            text = f"json_each(json_array({self._n(scope)}, 2)) AS {self.names.written(alias)}"
            return text, [Source(alias, columns)]
        body = f"(VALUES ({self._constant('number')}, {self._constant('text')}))"
        return f"{body} AS {self.names.written(alias)}", [
            Source(alias, {"column1": "number", "column2": "text"})
        ]


class Duckdb(Forms):
    set_operations = (*Forms.set_operations, "UNION ALL", "EXCEPT ALL")
    joins = ("ON ON", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN", "POSITIONAL JOIN")
    lateral = "LATERAL "
    join_alias = True
    by_name = True

    def numbers(self, scope: Scope) -> list[Callable[[], str]]:
        def transform() -> str:
            parameter, body = self._with_parameter(scope, lambda inner: self.generator.number(inner, 1))
            call = self.rng.choice(("list_transform", "array_transform", "list_apply"))
            return f"list_sum({call}([1, {self._n(scope)}], {parameter} -> {body}))"

        def comprehension() -> str:
            parameter, body = self._with_parameter(scope, lambda inner: self.generator.number(inner, 1))
            return f"list_sum([{body} for {parameter} in [1, {self._n(scope)}]])"

        def where() -> str:
            parameter, body = self._with_parameter(scope, lambda inner: self.generator.number(inner, 1))
            return f"len(list_filter([1, 2, 3], {parameter} -> {body} > 1))"

        return [
            transform,
            comprehension,
            where,
            lambda: f"{{'k': {self._n(scope)}}}.k",
            lambda: f"struct_pack({self.names.written(self._hidden())} := {self._n(scope)}).{self._hidden()}",
            lambda: f"[{self._n(scope)}, 2][1]",
            lambda: f"len(CAST({self._alias(scope)} AS VARCHAR))",
            lambda: f"(SELECT COUNT({self._alias(scope)}))",
        ]

    def texts(self, scope: Scope) -> list[Callable[[], str]]:
        return [
            lambda: f"CAST({self._n(scope)} AS VARCHAR)",
            lambda: f"({self._t(scope)} || {self._t(scope)})",
            lambda: f"({self._alias(scope)}).{self.names.written(self._hidden())}",
            lambda: f"CAST({self._alias(scope)} AS VARCHAR)",
            lambda: f"json_extract_string(to_json({self._alias(scope)}), '$.{self._hidden()}')",
            lambda: f"struct_extract({self._alias(scope)}, '{self._hidden()}')",
            lambda: f"{self._alias(scope)}['{self._hidden()}']",
        ]

    def item(self, scope: Scope) -> str | None:
        pattern = self.rng.choice(("d.*", ".*", "id|name", "na.*"))
        return self.rng.choice((
            f"COLUMNS('{pattern}')",
            "COLUMNS(*)",
            f"MIN(COLUMNS('{pattern}'))",
            f"COLUMNS(c -> c LIKE '{self._hidden()[:2]}%')",
            f"COLUMNS(* EXCLUDE ({self.names.written(self._hidden())}))",
            f"UNNEST({self._alias(scope)})",
            self._alias(scope),
        ))  # fmt: skip

    def star(self, scope: Scope, star: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        if not columns or not self.names.chance(0.4):
            return star, columns
        name = self.rng.choice(list(columns))
        written = self.names.written(self._hidden() if self.names.sneaks() else name)
        left = {other: kind for other, kind in columns.items() if other != name}
        new = self.names.new()
        return self.rng.choice((
            (f"{star} EXCLUDE ({written})", left),
            (f"{star} REPLACE ({self._n(scope)} AS {written})", {**columns, name: "number"}),
            (f"{star} RENAME ({written} AS {self.names.written(new)})", {**left, new: columns[name]}),
        ))  # fmt: skip

    def source(self, scope: Scope) -> tuple[str, list[Source]]:
        table, columns = self.rng.choice(list(VISIBLE.items()))
        written, alias = self.names.written(table), self.names.new(scope)
        named = self.names.written(alias)
        key = self.names.written(self._hidden() if self.names.sneaks() else self.rng.choice(list(columns)))
        form = self.rng.randint(0, 6)
        if form == 0:
            using = self.generator.aggregate(Scope([Source(table, columns)], scope, scope.ctes), "number")
            group = f" GROUP BY {key}" if self.names.chance(0.3) else ""
            return f"(PIVOT {written} ON {key} USING {using}{group}) AS {named}", [Source(alias, columns)]
        if form == 1:
            return (
                f"(UNPIVOT {written} ON {key} INTO NAME {named} VALUE v) AS {named}",
                [Source(alias, {alias: "text", "v": "text"})],
            )
        if form == 2:
            inner = Scope([Source(table, columns)], scope, scope.ctes)
            using = self.generator.aggregate(inner, "number")
            return f"{written} PIVOT ({using} FOR {key} IN (1, 2)) AS {named}", [Source(alias, columns)]
        if form == 3:
            return f"UNNEST([{self._n(scope)}, 2]) AS {named}(u)", [Source(alias, {"u": "number"})]
        if form == 4:
            return f"(FROM {written}) AS {named}", [Source(alias, columns)]
        if form == 5:
            return f"range({self.rng.randint(1, 4)}) AS {named}(r)", [Source(alias, {"r": "number"})]
        return super().source(scope)

    def sample(self, scope: Scope) -> str:
        size = f"({self._n(scope)})" if self.names.sneaks() else "100"
        return f" TABLESAMPLE {size}%"

    def tail(self, scope: Scope, columns: dict[str, str]) -> str:
        if not self.names.chance(0.06):
            return ""
        window = f"ROW_NUMBER() OVER (ORDER BY {self._n(scope)}, {self._t(scope)})"
        return f" QUALIFY {window} < {self.rng.choice(('9', self.names.written(self._hidden())))}"

    def grouping(self, keys: Sequence[str]) -> str:
        listed = ", ".join(keys)
        return self.rng.choice(
            (listed, listed, listed, "ALL", f"ROLLUP ({listed})", f"GROUPING SETS (({listed}), ())")
        )

    def limit(self, scope: Scope) -> str:
        return f" LIMIT ({self._n(scope)})" if self.names.chance(0.2) else super().limit(scope)


class Postgres(Forms):
    set_operations = (*Forms.set_operations, "EXCEPT ALL", "INTERSECT ALL")
    joins = ("ON ON", "RIGHT JOIN", "FULL JOIN")
    lateral = "LATERAL "
    join_alias = True

    def numbers(self, scope: Scope) -> list[Callable[[], str]]:
        return [
            lambda: f"(ARRAY[{self._n(scope)}, 2])[1]",
            lambda: f"(SELECT COUNT({self._alias(scope)}))",
            lambda: f"LENGTH({self._alias(scope)}::text)",
            lambda: f"(SELECT SUM(q) FROM UNNEST(ARRAY[{self._n(scope)}, 1]) AS q)",
            lambda: f"COUNT(*) FILTER (WHERE {self.generator.boolean(scope, 1)}) OVER ()",
        ]

    def texts(self, scope: Scope) -> list[Callable[[], str]]:
        return [
            lambda: f"CAST({self._n(scope)} AS TEXT)",
            lambda: f"({self._t(scope)} || {self._t(scope)})",
            lambda: f"row_to_json({self._alias(scope)})::text",
            lambda: f"(to_jsonb({self._alias(scope)}) ->> '{self._hidden()}')",
            lambda: f"({self._alias(scope)}).{self.names.written(self._hidden())}",
            lambda: f"{self._alias(scope)}::text",
            lambda: f"{self._hidden()}({self._alias(scope)})",
        ]

    def boolean(self, scope: Scope) -> str:
        return self.rng.choice((
            f"{self._alias(scope)} IS NOT NULL",
            f"({self._n(scope)}, {self._t(scope)}) = ({self._n(scope)}, 'x')",
            f"{self._n(scope)} = ANY (ARRAY({self.generator.query(scope, ['number'])[0]}))",
            f"{self._alias(scope)} = {self._alias(scope)}",
            f"{self._t(scope)} IS DISTINCT FROM {self._t(scope)}",
        ))  # fmt: skip

    def item(self, scope: Scope) -> str | None:
        return self.rng.choice((f"({self._alias(scope)}).*", self._alias(scope), f"{self._n(scope)} AS z"))

    def source(self, scope: Scope) -> tuple[str, list[Source]]:
        alias = self.names.new(scope)
        named = self.names.written(alias)
        form = self.rng.randint(0, 4)
        if form == 0:
            return f"generate_series(1, 3) AS {named}(g)", [Source(alias, {"g": "number"})]
        if form == 1:
            listed = {"u": "number", "n": "number"}
            return f"UNNEST(ARRAY[{self._n(scope)}, 2]) WITH ORDINALITY AS {named}(u, n)", [
                Source(alias, listed)
            ]
        if form == 2:
            text = f"LATERAL jsonb_each_text(to_jsonb({self._alias(scope)})) AS {named}"
            return text, [Source(alias, {"key": "text", "value": "text"})]
        return super().source(scope)

    def sample(self, scope: Scope) -> str:
        oracle = "(SELECT COUNT(*) * 0 + 100 FROM payroll WHERE amount > 0)"
        return f" TABLESAMPLE BERNOULLI ({oracle if self.names.sneaks() else '100'})"

    def grouping(self, keys: Sequence[str]) -> str:
        listed = ", ".join(keys)
        return self.rng.choice((listed, listed, f"ROLLUP ({listed})", f"GROUPING SETS (({listed}), ())"))

    def limit(self, scope: Scope) -> str:
        return (
            f" LIMIT ({self._n(Scope(outer=scope.outer, ctes=scope.ctes))})"
            if self.names.chance(0.2)
            else super().limit(scope)
        )


class Mysql(Forms):
    lone_brackets, comma_in_brackets = 0.4, True
    joins = ("ON ON", "RIGHT JOIN", "STRAIGHT_JOIN", "INNER JOIN")
    lists = False

    def numbers(self, scope: Scope) -> list[Callable[[], str]]:
        return [
            lambda: f"IF({self.generator.boolean(scope, 1)}, {self._n(scope)}, 0)",
            lambda: f"FIELD({self._t(scope)}, 'a', {self._t(scope)})",
            lambda: f"JSON_LENGTH(JSON_ARRAY({self._n(scope)}, {self._t(scope)}))",
        ]

    def texts(self, scope: Scope) -> list[Callable[[], str]]:
        return [
            lambda: f"CAST({self._n(scope)} AS CHAR)",
            lambda: f"CONCAT_WS('-', {self._t(scope)}, {self._t(scope)})",
            lambda: f"JSON_OBJECT('{self._hidden()}', {self._t(scope)})",
        ]

    def source(self, scope: Scope) -> tuple[str, list[Source]]:
        alias = self.names.new(scope)
        if self.names.chance(0.5):
            column = self.names.new()
            path = f"COLUMNS ({self.names.written(column)} INT PATH '$')"
            table = f"JSON_TABLE('[1, 2]', '$[*]' {path}) AS {self.names.written(alias)}"
            return table, [Source(alias, {column: "number"})]
        name = self.names.new()
        body = f"(SELECT {self._constant('number')} AS {self.names.written(name)})"
        return f"{body} AS {self.names.written(alias)}", [Source(alias, {name: "number"})]

    def grouping(self, keys: Sequence[str]) -> str:
        return ", ".join(keys) + self.rng.choice(("", "", " WITH ROLLUP"))


class Clickhouse(Forms):
    recursion = "UNION ALL"
    set_operations = ("UNION ALL", "UNION DISTINCT", "EXCEPT", "INTERSECT")
    joins = ("ANY LEFT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN", "GLOBAL JOIN")
    lists = False

    def numbers(self, scope: Scope) -> list[Callable[[], str]]:
        def mapped() -> str:
            parameter, body = self._with_parameter(scope, lambda inner: self.generator.number(inner, 1))
            return f"arraySum(arrayMap({parameter} -> {body}, [1, 2]))"

        return [
            mapped,
            mapped,
            lambda: f"tuple({self._n(scope)}, 'a').1",
            lambda: f"[{self._n(scope)}, 2][1]",
            lambda: f"tupleElement(tuple({self._n(scope)}), 1)",
            lambda: f"if({self.generator.boolean(scope, 1)}, {self._n(scope)}, 0)",
        ]

    def texts(self, scope: Scope) -> list[Callable[[], str]]:
        return [
            lambda: f"toString({self._n(scope)})",
            lambda: f"concat({self._t(scope)}, '-')",
            lambda: f"toString(tuple({self._n(scope)}, {self._t(scope)}))",
        ]

    def boolean(self, scope: Scope) -> str:
        table = self.names.written(self.rng.choice([*scope.ctes, *VISIBLE, "payroll"]))
        return self.rng.choice((
            f"{self._n(scope)} IN {table}",
            f"{self._n(scope)} GLOBAL IN ({self.generator.query(Scope(ctes=scope.ctes), ['number'])[0]})",
            f"({self._n(scope)}, {self._t(scope)}) IN ((1, 'Ann'), (2, 'x'))",
        ))  # fmt: skip

    def item(self, scope: Scope) -> str | None:
        return self.rng.choice((
            f"COLUMNS('{self._hidden()[:2]}')",
            "* APPLY(toString)",
            f"{self._alias(scope)}.* EXCEPT ({self.names.written(self._hidden())})",
            "*",
        ))  # fmt: skip

    def star(self, scope: Scope, star: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        if not columns or not self.names.chance(0.4):
            return star, columns
        name = self.rng.choice(list(columns))
        written = self.names.written(name)
        left = {other: kind for other, kind in columns.items() if other != name}
        return self.rng.choice((
            (f"{star} EXCEPT ({written})", left),
            (f"{star} REPLACE ({self._n(scope)} AS {written})", {**columns, name: "number"}),
        ))  # fmt: skip

    def source(self, scope: Scope) -> tuple[str, list[Source]]:
        alias = self.names.new(scope)
        named = self.names.written(alias)
        if self.names.chance(0.5):
            return f"numbers({self.rng.randint(1, 4)}) AS {named}", [Source(alias, {"number": "number"})]
        column = self.names.new()
        body = f"(SELECT {self._constant('number')} AS {self.names.written(column)})"
        return f"{body} AS {named}", [Source(alias, {column: "number"})]

    def around(self, scope: Scope) -> tuple[str, str]:
        prefix = suffix = ""
        if self.names.chance(0.06):
            name = self.names.new()
            prefix = f"WITH {self._n(scope)} AS {self.names.written(name)} "
            scope.sources.append(Source(self.names.new(), {name: "number"}))
        if self.names.chance(0.06):
            suffix = f" ARRAY JOIN [1, {self._n(scope)}] AS {self.names.written(self.names.new())}"
        if self.names.chance(0.05):
            suffix += f" PREWHERE {self.generator.boolean(scope, 1)}"
        return prefix, suffix

    def limit(self, scope: Scope) -> str:
        by = self.names.reference(scope, "any")
        return f" LIMIT 1 BY {by}" if by and self.names.chance(0.2) else super().limit(scope)


FORMS: dict[str, type[Forms]] = {
    "sqlite": Sqlite,
    "duckdb": Duckdb,
    "postgres": Postgres,
    "mysql": Mysql,
    "clickhouse": Clickhouse,
}
