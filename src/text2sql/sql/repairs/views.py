"""Who sees what in a query that may be wrong. The guard's resolver refuses what it cannot resolve; this walk
notes it, so that it can be mended. What it does not understand it calls open, and open things are let be.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from text2sql.sql.repairs.known import Entry, Known
from text2sql.sql.scope import Names
from text2sql.types import Column

# A column of a real table, seen through sub-queries and CTEs; None for something computed.
Origin: TypeAlias = tuple[Entry, Column] | None


@dataclass(slots=True)
class Shape:
    """The columns of something in FROM, by their keys. Open: it may have others."""

    columns: Mapping[str, Origin]
    open: bool = False


_OPEN = Shape({}, open=True)


@dataclass(slots=True, eq=False)
class Source:
    key: str  # what columns call it
    name: exp.Identifier
    node: exp.Expr
    shape: Shape
    entry: Entry | None = None  # a real table
    join: exp.Join | None = None  # None: it stands first

    def may_have(self, column: str) -> bool:
        hidden = self.entry is not None and column in self.entry.hidden
        return column in self.shape.columns or self.shape.open or hidden


@dataclass(slots=True, eq=False)
class View:
    """One SELECT: its sources, the columns that stand in its clauses, and the names it gives."""

    select: exp.Select
    parent: "View | None"
    sources: dict[str, Source] = field(default_factory=dict)
    columns: list[exp.Column] = field(default_factory=list)
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    open: bool = False  # something in FROM is not understood
    merged: set[str] = field(default_factory=set)  # by USING or NATURAL: one column of several sources

    def owners(self, column: str) -> list[Source]:
        return [one for one in self.sources.values() if column in one.shape.columns]

    @property
    def joins(self) -> list[exp.Join]:
        return self.select.args.get("joins") or []


class Views:
    """One walk over one statement."""

    def __init__(self, tree: exp.Expr, known: Known) -> None:
        self.known = known
        self.names = Names(known.grammar)
        self.all: list[View] = []
        self.query(tree, None, {})

    def query(self, node: exp.Expr, parent: View | None, ctes: Mapping[str, Shape]) -> Shape:
        clause = node.args.get("with_")
        if clause:
            ctes = self.with_ctes(clause, parent, ctes)
        if isinstance(node, exp.Subquery):
            return self.query(node.this, parent, ctes)
        if isinstance(node, exp.SetOperation):
            left = self.query(node.this, parent, ctes)
            right = self.query(node.expression, parent, ctes)
            pairs = zip(left.columns.items(), right.columns.values(), strict=False)
            return Shape({key: one if one == other else None for (key, one), other in pairs}, left.open)
        if isinstance(node, exp.Select):
            return self.select(node, parent, ctes)
        return _OPEN

    def with_ctes(self, clause: exp.Expr, parent: View | None, ctes: Mapping[str, Shape]) -> dict[str, Shape]:
        seen = dict(ctes)
        for cte in clause.expressions:
            key = self.names.alias(cte.args["alias"].this)
            if not isinstance(cte.this, exp.Query):  # ClickHouse: WITH <expression> AS name
                seen[key] = _OPEN
                continue
            itself = {key: _OPEN} if isinstance(cte.this, exp.SetOperation) else {}
            seen[key] = self.renamed(cte, self.query(cte.this, parent, {**seen, **itself}))
        return seen

    def renamed(self, node: exp.Expr, shape: Shape) -> Shape:
        names = self.names.listed(node)
        if not names or shape.open or len(names) != len(shape.columns):
            return _OPEN if names else shape
        return Shape(dict(zip(names, shape.columns.values(), strict=True)))

    # -- one SELECT --

    def select(self, node: exp.Select, parent: View | None, ctes: Mapping[str, Shape]) -> Shape:
        view = View(node, parent)
        self.all.append(view)
        start = node.args.get("from_")
        if start:
            self.source(start.this, None, view, ctes)
        for join in view.joins:
            self.source(join.this, join, view, ctes)
            for name in join.args.get("using") or ():
                view.merged.add(self.names.column(name))
            view.open = view.open or join.method == "NATURAL" or bool(join.expressions)
        view.open = view.open or bool(
            node.args.get("laterals") or node.args.get("pivots") or node.args.get("connect")
        )
        for part in node.expressions:
            if isinstance(part, exp.Alias):
                view.aliases[self.names.column(part.args["alias"])] = part.this
        for clause, held in node.args.items():
            if clause not in ("with_", "from_", "joins"):
                self.clause(held, view, ctes)
        for join in view.joins:
            self.clause(join.args.get("on"), view, ctes)
        return self.outputs(view)

    def source(self, node: exp.Expr, join: exp.Join | None, view: View, ctes: Mapping[str, Shape]) -> None:
        alias = node.args.get("alias")
        name = alias.this if isinstance(alias, exp.TableAlias) and alias.this else None
        shape, entry = _OPEN, None
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            name = name or node.this
            shape, entry = self.table(node, ctes)
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
            shape = self.renamed(node, self.query(node, view.parent, ctes))
        if node.args.get("joins") or node.args.get("pivots") or name is None or shape.open:
            # without a name its columns can still be meant by a bare one
            view.open = True
        if name is None:
            return
        key = self.names.alias(name)
        view.open = view.open or key in view.sources
        view.sources[key] = Source(key, name, node, shape, entry, join)

    def table(self, node: exp.Table, ctes: Mapping[str, Shape]) -> tuple[Shape, Entry | None]:
        key = self.names.alias(node.this)
        if not node.db and key in ctes:
            return self.renamed(node, ctes[key]), None
        entry = self.entry(node)
        if entry is None or self.names.listed(node) or node.args.get("pivots"):
            return _OPEN, None
        return Shape({one: (entry, column) for one, column in entry.columns.items()}), entry

    def entry(self, node: exp.Table) -> Entry | None:
        if node.catalog:
            return None
        key = self.known.grammar.tables.key
        schema = node.args.get("db")
        wanted = key(schema.name, bool(schema.args.get("quoted"))) if schema else ""
        return self.known.table(key(node.name, bool(node.this.args.get("quoted"))), wanted)

    def clause(self, held: object, view: View, ctes: Mapping[str, Shape]) -> None:
        stack = [one for one in (held if isinstance(held, list) else [held]) if isinstance(one, exp.Expr)]
        stack.reverse()
        while stack:
            node = stack.pop()
            if isinstance(node, exp.Query):
                self.query(node, view, ctes)
            elif isinstance(node, exp.Column):
                if isinstance(node.this, exp.Identifier):
                    view.columns.append(node)
            elif isinstance(node, (exp.Lambda, exp.Comprehension)):
                continue  # names of their own
            else:
                stack.extend(reversed(list(node.iter_expressions())))

    def outputs(self, view: View) -> Shape:
        columns: dict[str, Origin] = {}
        is_open = False
        for part in view.select.expressions:
            if part.is_star and not isinstance(part, (exp.Count, exp.Window)):
                starred = self.starred(part, view)
                is_open = is_open or starred is None or bool(set(starred) & set(columns))
                columns.update(starred or {})
                continue
            name = self.names.output(part)
            is_open = is_open or not name or name in columns
            inner = part.this if isinstance(part, exp.Alias) else part
            columns[name] = self.origin(view, inner) if isinstance(inner, exp.Column) else None
        return Shape(columns, is_open)

    def starred(self, part: exp.Expr, view: View) -> dict[str, Origin] | None:
        if isinstance(part, exp.Star):
            sources, plain = list(view.sources.values()), not any(part.args.values())
        else:
            source = (
                view.sources.get(self.names.alias(part.args["table"])) if part.args.get("table") else None
            )
            sources, plain = [source] if source else [], isinstance(part, exp.Column)
        if not plain or not sources or view.open or view.merged:
            return None
        columns: dict[str, Origin] = {}
        for one in sources:
            if set(columns) & set(one.shape.columns):
                return None
            columns.update(one.shape.columns)
        return columns

    # -- where a column comes from --

    def owner(self, view: View, column: exp.Column) -> Source | None:
        """The one source that a column is of, where that is sure."""
        if column.args.get("db"):
            return None
        key = self.names.column(column.this)
        where: View | None = view
        while where is not None:
            if column.args.get("table"):
                source = where.sources.get(self.names.alias(column.args["table"]))
                if source is not None:
                    return source if key in source.shape.columns else None
            else:
                owners = where.owners(key)
                if owners or where.open or any(one.may_have(key) for one in where.sources.values()):
                    return owners[0] if len(owners) == 1 and not where.open else None
            where = where.parent
        return None

    def origin(self, view: View, column: exp.Column) -> Origin:
        if not isinstance(column.this, exp.Identifier):
            return None
        source = self.owner(view, column)
        return source.shape.columns[self.names.column(column.this)] if source else None

    def every(self) -> Iterator[tuple[View, exp.Column]]:
        for view in self.all:
            for column in list(view.columns):
                yield view, column
