"""Random queries: a grammar over the clinic's tables, per dialect, from a seed.

A query keeps to the visible names most of the time, so that the guard allows enough of them; it borrows the
names of hidden columns and tables for its aliases, and now and then reaches for the hidden thing itself.
"""

import random
from collections.abc import Callable, Sequence

from noninterference import clinic
from noninterference.forms import FORMS, Forms
from noninterference.scopes import HIDDEN_OF, VISIBLE, Names, Scope, Source

_TEXTS = ("Ann", "Oslo", "5", "x", "a", "hidden left 1", "diagnosis 1", "8 diagnosis", "")
_JOINS = ("JOIN", "JOIN", "LEFT JOIN", "CROSS JOIN", ",", "USING", "USING", "NATURAL")


class Generator:
    def __init__(self, seed: int | str, dialect: str) -> None:
        self.rng = random.Random(seed)
        self.dialect = dialect
        self.names = Names(self.rng, dialect)
        self.forms: Forms = FORMS[dialect](self)
        self._budget = 0
        self._ctes: dict[str, dict[str, str]] = {}  # all of a statement, in scope or not

    def statement(self) -> str:
        self.names.begin()
        self._ctes = {}
        self._budget = self.rng.choice((3, 5, 7, 9, 13, 19))
        return self.query(Scope())[0]

    # -- queries ---------------------------------------------------------------------------------

    def query(self, outer: Scope, shape: Sequence[str] | None = None) -> tuple[str, dict[str, str]]:
        """A query and its columns; of the given kinds, where some are given."""
        if self.chance(0.2) and self.spend():
            return self._with(outer, shape)
        if self.chance(0.15) and self.spend():
            return self._set_operation(outer, shape)
        return self.select(outer, shape)

    def _with(self, outer: Scope, shape: Sequence[str] | None) -> tuple[str, dict[str, str]]:
        ctes, parts, recursive = dict(outer.ctes), [], False
        for _ in range(self.rng.choice((1, 1, 2))):
            name = (
                self.names.new() if self.chance(0.7) else self.rng.choice([*VISIBLE, *clinic.HIDDEN_TABLES])
            )
            inner = Scope(outer=outer.outer, ctes=dict(ctes))
            if self.chance(0.25):
                body, columns = self._recursive(name, inner)
                recursive = True
            elif name in HIDDEN_OF and self.chance(0.5):
                body, columns = self._shadow(name)
            else:
                body, columns = self.query(inner)
            renamed, columns = self.column_list(columns, 0.2)
            parts.append(f"{self.names.written(name)}{renamed} AS ({body})")
            ctes[name] = self._ctes[name] = columns
        recursive = recursive or self.chance(0.05)
        body, columns = self.query(Scope(outer.sources, outer.outer, ctes), shape)
        if body.upper().startswith("WITH"):
            body = f"SELECT * FROM ({body}) AS {self.names.written(self.names.new())}"
        return f"WITH {'RECURSIVE ' if recursive else ''}{', '.join(parts)} {body}", columns

    def _shadow(self, name: str) -> tuple[str, dict[str, str]]:
        """A CTE like a table, hidden columns and all: where the engine means the table, they are its own."""
        columns = {**VISIBLE[name], **dict.fromkeys(HIDDEN_OF[name], "text")}
        chosen = {column: columns[column] for column in self.rng.sample(list(columns), 3)}
        items = (
            f"{'7' if kind == 'number' else repr('x')} AS {self.names.written(column)}"
            for column, kind in chosen.items()
        )
        return f"SELECT {', '.join(items)}", chosen

    def _recursive(self, name: str, inner: Scope) -> tuple[str, dict[str, str]]:
        itself = self.names.written(name)
        if self.chance(0.4):
            where = self.boolean(Scope([Source("staff", VISIBLE["staff"])], ctes=inner.ctes))
            union = self.rng.choice((f"SELECT s.* FROM staff AS s JOIN {itself} AS q ON s.boss_id = q.id",
                                     f"SELECT * FROM {itself} AS q WHERE 1 = 0"))  # fmt: skip
            return f"SELECT * FROM staff WHERE {where} {self.forms.recursion} {union}", VISIBLE["staff"]
        first, column = self.number(inner), self.names.new()
        written = self.names.written(column)
        more = f"SELECT {written} + 1 FROM {itself} WHERE {written} < 5"
        body = f"SELECT {first} AS {written} {self.forms.recursion} {more}"
        return body, {column: "number"}

    def _set_operation(self, outer: Scope, shape: Sequence[str] | None) -> tuple[str, dict[str, str]]:
        kinds = list(
            shape or self.rng.choices(("number", "text", "text", "number"), k=self.rng.randint(1, 3))
        )
        if shape is None and self.forms.by_name and self.chance(0.3):
            (left, left_columns), (right, right_columns) = self.select(outer), self.select(outer)
            return f"{left} UNION ALL BY NAME {right}", {**left_columns, **right_columns}
        (left, columns), (right, _) = (
            self.select(outer, kinds, bare=True),
            self.select(outer, kinds, bare=True),
        )
        word = self.rng.choice(self.forms.set_operations)
        return f"{left} {word} {right}", columns

    def select(
        self, outer: Scope, shape: Sequence[str] | None = None, *, bare: bool = False
    ) -> tuple[str, dict[str, str]]:
        scope = Scope(outer=outer if outer.sources or outer.outer else None, ctes=outer.ctes)
        start = self.from_clause(scope) if self.chance(0.93) else ""
        grouped = bool(start) and self.chance(0.2)
        if grouped:
            items, columns, tail = self._grouped(scope, shape)
        else:
            items, columns = self._items(scope, shape)
            tail = ""
        where = f" WHERE {self.boolean(scope)}" if start and self.chance(0.4) else ""
        distinct = "DISTINCT " if self.chance(0.08) else ""
        tail += self.forms.tail(scope, columns) if start and not grouped else ""
        tail += "" if bare else self._ordered(scope, columns, free=not grouped and not distinct)
        prefix, suffix = self.forms.around(scope) if start else ("", "")
        return f"{prefix}SELECT {distinct}{', '.join(items)}{start}{suffix}{where}{tail}", columns

    def _items(self, scope: Scope, shape: Sequence[str] | None) -> tuple[list[str], dict[str, str]]:
        if shape is None and scope.sources and self.chance(0.22):
            return self._star(scope)
        items: list[str] = []
        columns: dict[str, str] = {}
        for kind in shape or self.rng.choices(("number", "text", "any"), k=self.rng.randint(1, 4)):
            special = self.forms.item(scope) if shape is None and self.chance(0.02) else None
            if special:
                items.append(special)
                continue
            value, name = self.value(scope, kind), self._output_name(columns)
            bare = value.strip('`"')
            if shape is None and bare.isidentifier() and self.chance(0.5):
                columns[bare] = kind
                items.append(value)
            else:
                columns[name] = kind
                items.append(f"{value} AS {self.names.written(name)}")
        return items, columns

    def _output_name(self, columns: dict[str, str]) -> str:
        """Mostly another than those before it."""
        name = self.names.new()
        return f"{name}{len(columns)}" if name in columns and self.chance(0.9) else name

    def _star(self, scope: Scope) -> tuple[list[str], dict[str, str]]:
        if self.chance(0.5):
            star, columns = "*", scope.columns()
        else:
            source = self.rng.choice(scope.sources)
            star, columns = f"{self.names.written(source.name)}.*", dict(source.columns)
        star, columns = self.forms.star(scope, star, columns)
        if self.chance(0.2):
            name = self.names.new()
            return [star, f"{self.number(scope)} AS {self.names.written(name)}"], {**columns, name: "number"}
        return [star], columns

    def _grouped(self, scope: Scope, shape: Sequence[str] | None) -> tuple[list[str], dict[str, str], str]:
        keys: list[str] = []
        items: list[str] = []
        columns: dict[str, str] = {}
        for kind in shape or self.rng.choices(("number", "text"), k=self.rng.randint(1, 3)):
            name = self._output_name(columns)
            key = self.names.reference(scope, kind) if self.chance(0.5) else None
            if key:
                keys.append(key)
            columns[name] = kind
            items.append(f"{key or self.aggregate(scope, kind)} AS {self.names.written(name)}")
        tail = f" GROUP BY {self.forms.grouping(keys)}" if keys else ""
        if keys and self.chance(0.25):
            tail += f" HAVING {self.aggregate(scope, 'number')} > {self.number(scope, 0)}"
        return items, columns, tail

    def _ordered(self, scope: Scope, columns: dict[str, str], *, free: bool) -> str:
        """Sometimes by other than what is shown; with a limit only after all output columns."""
        if not columns or not self.chance(0.35):
            return ""
        positions = ", ".join(str(index + 1) for index in range(len(columns)))
        if free and self.chance(0.3):
            by = self.value(scope, "any")
            positions = by if by[0].isdigit() else f"{by}{self.rng.choice(('', ' DESC'))}, {positions}"
        elif self.chance(0.2):
            positions = self.names.written(self.rng.choice(list(columns)))
        limit = self.forms.limit(scope) if self.chance(0.4) else ""
        return f" ORDER BY {positions}{limit}"

    # -- FROM ------------------------------------------------------------------------------------

    def from_clause(self, scope: Scope, *, bracketed: bool = False) -> str:
        text, sources = self.source(scope)
        scope.sources.extend(sources)
        while self.chance(0.35) and self.spend() and len(scope.sources) < 4:
            text += self._join(scope, bracketed=bracketed)
        return f" FROM {text}"

    def _join(self, scope: Scope, *, bracketed: bool = False) -> str:
        kind = self.rng.choice((*_JOINS, *self.forms.joins))
        if kind == "," and bracketed and not self.forms.comma_in_brackets:
            kind = "CROSS JOIN"
        text, sources = self.source(scope)
        before = scope.columns()
        scope.sources.extend(sources)
        if kind == "ON ON":
            more, others = self.source(scope)
            scope.sources.extend(others)
            return f" JOIN {text} LEFT JOIN {more} ON {self.boolean(scope)} ON {self.boolean(scope)}"
        if kind == "USING":
            shared = [name for source in sources for name in source.columns if name in before]
            name = self.rng.choice(shared) if shared and not self.names.sneaks() else self.names.new()
            return f" {self.rng.choice(('JOIN', 'LEFT JOIN'))} {text} USING ({self.names.written(name)})"
        if kind == ",":
            return f", {text}"
        if kind == "NATURAL":
            return f" NATURAL JOIN {text}"
        if kind in ("CROSS JOIN", "POSITIONAL JOIN"):
            return f" {kind} {text}"
        return f" {kind} {text} ON {self.boolean(scope)}"

    def source(self, scope: Scope) -> tuple[str, list[Source]]:
        if self.spend():
            makers: list[Callable[[Scope], tuple[str, list[Source]]]] = [
                self._derived, self._bracketed, self._derived, self.forms.source,
            ]  # fmt: skip
            if self.chance(0.4):
                return self.rng.choice(makers)(scope)
        return self.table(scope)

    def table(self, scope: Scope) -> tuple[str, list[Source]]:
        known = {**VISIBLE, **scope.ctes}
        names = [*VISIBLE, *list(scope.ctes) * 4]
        name = self.rng.choice(names)
        if self.chance(0.15) and self.names.sneaks():
            name = self.rng.choice(clinic.HIDDEN_TABLES)
        elif self._ctes and self.chance(0.08):
            known |= self._ctes  # out of scope, maybe: then it is the table of that name
            name = self.rng.choice(list(self._ctes))
        columns, stored = known.get(name) or {"id": "number"}, "" if name in scope.ctes else name
        text = self.names.written(name.upper() if self.chance(0.02) else name)
        if self.chance(0.6):
            alias = self.names.new(scope)
            listed, columns = self.column_list(columns, 0.06 if self.forms.lists else 0.01)
            text += f" AS {self.names.written(alias)}{listed}"
            name = alias
        if self.chance(0.02):
            text += self.forms.sample(scope)
        if self.chance(0.1 * self.forms.lone_brackets):
            text = f"({text})"
        return text, [Source(name, columns, stored)]

    def _derived(self, scope: Scope) -> tuple[str, list[Source]]:
        lateral = self.forms.lateral if scope.sources and self.chance(0.3) else ""
        inner = Scope(scope.sources if lateral else [], scope.outer, scope.ctes)
        body, columns = self.query(inner)
        alias = self.names.new(scope)
        listed, columns = self.column_list(columns, 0.12 if self.forms.lists else 0.01)
        return f"{lateral}({body}) AS {self.names.written(alias)}{listed}", [Source(alias, columns)]

    def _bracketed(self, scope: Scope) -> tuple[str, list[Source]]:
        inner = Scope(outer=scope.outer, ctes=scope.ctes)
        text = self.from_clause(inner, bracketed=True).removeprefix(" FROM ")
        if len(inner.sources) == 1 and not self.chance(self.forms.lone_brackets):
            text += self._join(inner, bracketed=True)
        text = f"(({text}))" if self.chance(0.15) else f"({text})"
        if self.forms.join_alias and self.chance(0.15):
            alias = self.names.new(scope)
            return f"{text} AS {self.names.written(alias)}", [Source(alias, inner.columns())]
        return text, inner.sources

    def column_list(self, columns: dict[str, str], probability: float) -> tuple[str, dict[str, str]]:
        """`(a, b)` behind an alias, for as many columns as are thought to be there."""
        if not columns or not self.chance(probability):
            return "", columns
        renamed = {self.names.new(): kind for kind in columns.values()}
        if len(renamed) < len(columns) and not self.chance(0.2):
            return "", columns
        return f"({', '.join(map(self.names.written, renamed))})", renamed

    # -- values ----------------------------------------------------------------------------------

    def value(self, scope: Scope, kind: str, depth: int = 2) -> str:
        if kind == "number":
            return self.number(scope, depth)
        if kind == "text":
            return self.text(scope, depth)
        return self.names.reference(scope, "any") or self.number(scope, depth)

    def number(self, scope: Scope, depth: int = 2) -> str:
        plain = self.names.reference(scope, "number") or str(self.rng.randint(0, 60))
        if depth <= 0 or not self.spend():
            return plain
        form = self.rng.randint(0, 12)
        if form == 0:
            return (
                f"({self.number(scope, depth - 1)} {self.rng.choice('+-*')} {self.number(scope, depth - 1)})"
            )
        if form == 1:
            return f"COALESCE({self.number(scope, depth - 1)}, {self.number(scope, 0)})"
        if form == 2:
            return f"CASE WHEN {self.boolean(scope, depth - 1)} THEN {self.number(scope, 0)} ELSE 0 END"
        if form == 3:
            return f"{self.forms.length}({self.text(scope, depth - 1)})"
        if form in (4, 5):
            return self._scalar(scope, "number")
        if form == 6:
            return self._window(scope)
        if form in (7, 8):
            return self.forms.number(scope)
        return plain

    def text(self, scope: Scope, depth: int = 2) -> str:
        plain = self.names.reference(scope, "text") or f"'{self.rng.choice(_TEXTS)}'"
        if depth <= 0 or not self.spend():
            return plain
        form = self.rng.randint(0, 8)
        if form == 0:
            return f"UPPER({self.text(scope, depth - 1)})"
        if form == 1:
            return self.forms.concat.format(self.text(scope, depth - 1), self.text(scope, 0))
        if form == 2:
            return f"COALESCE({self.text(scope, depth - 1)}, '-')"
        if form == 3:
            return self._scalar(scope, "text")
        if form == 4:
            return self.forms.text(scope)
        return plain

    def boolean(self, scope: Scope, depth: int = 2) -> str:
        form = self.rng.randint(0, 11) if depth > 0 and self.spend() else 20
        operator = self.rng.choice(("=", "<", ">", "<>", "<=", ">="))
        if form == 0:
            joined = self.rng.choice((" AND ", " OR "))
            return f"({self.boolean(scope, depth - 1)}{joined}{self.boolean(scope, depth - 1)})"
        if form == 1:
            return f"NOT ({self.boolean(scope, depth - 1)})"
        if form in (2, 3):
            negated = self.rng.choice(("", "NOT "))
            return f"{negated}EXISTS ({self.query(scope)[0]})"
        if form == 4:
            return f"{self.number(scope, 1)} IN ({self.query(scope, ['number'])[0]})"
        if form == 5:
            return f"{self.text(scope, 1)} IN ({self.query(scope, ['text'])[0]})"
        if form == 6:
            return f"{self.value(scope, 'any', 0)} IS {self.rng.choice(('', 'NOT '))}NULL"
        if form == 7:
            return f"{self.text(scope, 1)} LIKE {self.text(scope, 0)}"
        if form == 8:
            return f"{self.number(scope, 0)} BETWEEN {self.number(scope, 0)} AND {self.number(scope, 1)}"
        if form == 9:
            return self.forms.boolean(scope)
        if form == 10:
            return f"{self.text(scope, 1)} {operator} {self.text(scope, 0)}"
        return f"{self.number(scope, min(depth, 1))} {operator} {self.number(scope, 0)}"

    def aggregate(self, scope: Scope, kind: str) -> str:
        if kind == "text":
            return f"{self.rng.choice(('MIN', 'MAX'))}({self.text(scope, 1)})"
        if self.chance(0.3):
            return self.rng.choice(("COUNT(*)", f"COUNT(DISTINCT {self.value(scope, 'any', 0)})"))
        return f"{self.rng.choice(('MIN', 'MAX', 'SUM', 'COUNT'))}({self.number(scope, 1)})"

    def _scalar(self, scope: Scope, kind: str) -> str:
        """A sub-query of one row, that may lean on the query around it."""
        inner = Scope(outer=scope, ctes=scope.ctes)
        if self.chance(0.25):
            return f"(SELECT {self.value(inner, kind, 1)})"
        start = self.from_clause(inner)
        where = f" WHERE {self.boolean(inner, 1)}" if self.chance(0.5) else ""
        if self.chance(0.15):
            value = self.value(inner, kind, 1)
            return f"(SELECT {value} AS z{start}{where} ORDER BY 1 LIMIT 1)"
        return f"(SELECT {self.aggregate(inner, kind)}{start}{where})"

    def _window(self, scope: Scope) -> str:
        call = self.rng.choice(("SUM({})", "COUNT({})", "MAX({})", "RANK()", "LAG({})", "FIRST_VALUE({})"))
        if self.dialect == "clickhouse" and call == "LAG({})":
            call = "MIN({})"
        part = f"PARTITION BY {self.value(scope, 'any', 0)} " if self.chance(0.5) else ""
        order = f"ORDER BY {self.value(scope, 'any', 0)}"
        return f"{call.format(self.number(scope, 0))} OVER ({part}{order})"

    # -- chance ----------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def spend(self) -> bool:
        """Whether the statement may still grow."""
        self._budget -= 1
        return self._budget > 0
