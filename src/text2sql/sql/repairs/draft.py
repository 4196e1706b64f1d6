"""A query on its way through the repairs: its tree, what it sees, and which of its columns are at fault."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from text2sql.sql.dialects import ascii_lower
from text2sql.sql.repairs.known import Entry, Known
from text2sql.sql.repairs.views import Origin, Source, View, Views
from text2sql.sql.scope import Names, again
from text2sql.types import Columns, Denial, Domains, Said


class Fault(Enum):
    ABSENT = "the source that it names has no such column"
    STRANGE = "there is no source of that name"
    UNKNOWN = "no source has such a column"
    AMBIGUOUS = "several sources have it"
    OUTER = "bare in a sub-query, and only the query around it has one"


ERRORS = tuple(one for one in Fault if one is not Fault.OUTER)  # that no engine lets pass


@dataclass(frozen=True, slots=True, eq=False)
class Wrong:
    """A column at fault. `at` is the view whose sources it should be of."""

    fault: Fault
    column: exp.Column
    view: View
    at: View
    source: Source | None = None  # the one it names

    def others(self) -> list[Source]:
        return [one for one in self.at.sources.values() if one is not self.source]


_ROW_NAMES = frozenset({"rowid", "oid", "_rowid_"})  # SQLite's, of the row itself
_PARTS = frozenset(  # words that say in a call which part of a date is meant
    "year month day hour minute second week quarter microsecond epoch dow doy".split()
)
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Draft:
    def __init__(
        self,
        tree: exp.Expr,
        dialect: str,
        known: Known,
        domains: Domains | None = None,
        *,
        text: str = "",
        said: Said | None = None,
        policed: bool = False,
    ) -> None:
        self.tree = tree
        self.policed = policed  # tables will be wrapped, and no engine sees a key through that
        self.dialect = dialect
        self.known = known
        self.grammar = known.grammar
        self.names = Names(known.grammar)
        self.domains = domains
        self.text = text
        self.said = said
        self._views: Views | None = None

    @property
    def views(self) -> Views:
        if self._views is None:
            self._views = Views(self.tree, self.known)
        return self._views

    @property
    def outermost(self) -> View | None:
        """The SELECT that is the whole statement; None for a union."""
        return next((one for one in self.views.all if one.select is self.tree), None)

    @property
    def denial(self) -> Denial | None:
        """What the question says no to; None where it does not, or is not known."""
        return self.said.denial if self.said else None

    @property
    def arms(self) -> list[View]:
        """The SELECTs whose columns are the statement's: one, or several of a union."""
        return [one for one in self.views.all if _is_an_arm(one.select, self.tree)]

    def view_of(self, query: exp.Expr | None) -> View | None:
        """The SELECT in these brackets."""
        return next((one for one in self.views.all if query is not None and one.select is query.this), None)

    def shown(self, view: View) -> Source | None:
        """The one source that everything selected is of."""
        columns = (column for one in view.select.expressions for column in one.find_all(exp.Column))
        owners = {self.views.owner(view, one) for one in columns}
        return owners.pop() if len(owners) == 1 else None

    def called(self, view: View, pairs: Columns) -> list[tuple[Source, str]]:
        """Of its sources, the columns among these."""
        return [
            (source, self.grammar.columns.key(column, True))
            for source in view.sources.values()
            for table, column in pairs
            if source.entry is not None and source.entry.table.name == table
        ]

    def changed(self) -> None:
        """The tree is no longer what the views were made of."""
        self._views = None

    def put(self, old: exp.Expr, new: exp.Expr) -> None:
        if old is self.tree:
            self.tree = new
        else:
            old.replace(new)
        self.changed()

    def key(self, column: exp.Column) -> str:
        return self.names.column(column.this)

    def origin(self, view: View, column: exp.Column) -> Origin:
        return self.views.origin(view, column)

    # -- names to be written --

    def identifier(self, name: str) -> exp.Identifier:
        """A stored name as the engine finds it: in quotes where it would be folded, split or reserved."""
        case = self.grammar.columns
        plain = _PLAIN.fullmatch(name) and case.key(name, False) == case.key(name, True)
        reserved = name.upper() in _words(self.dialect)
        return exp.Identifier(this=name, quoted=not plain or reserved)

    def table(self, entry: Entry) -> exp.Table:
        schema = entry.table.schema
        written = schema if schema not in ("", self.known.default_schema) else ""
        return exp.Table(
            this=self.identifier(entry.table.name), db=self.identifier(written) if written else None
        )

    def column(self, source: Source, key: str) -> exp.Column:
        origin = source.shape.columns[key]
        name = self.identifier(origin[1].name) if origin and source.entry else self.identifier(key)
        return exp.Column(this=name, table=again(source.name))

    def column_in(self, view: View, source: Source, key: str) -> exp.Column:
        """As it is written there: where there is one source only, nobody says which."""
        column = self.column(source, key)
        if not view.joins:
            column.set("table", None)
        return column

    def bind(self, column: exp.Column, source: Source, key: str | None = None) -> None:
        """Make the column one of that source, under the name `key` there if it is given."""
        if key is not None:
            column.set("this", self.column(source, key).this)
        column.set("table", again(source.name))
        self.changed()

    # -- columns at fault --

    def wrong(self, *faults: Fault) -> Iterator[Wrong]:
        for view, column in self.views.every():
            found = self.fault(view, column)
            if found is not None and found.fault in faults:
                yield found

    def fault(self, view: View, column: exp.Column) -> Wrong | None:
        if column.args.get("db"):
            return None
        return self._qualified(view, column) if column.args.get("table") else self._bare(view, column)

    def _qualified(self, view: View, column: exp.Column) -> Wrong | None:
        key, qualifier = self.key(column), column.args["table"]
        where: View | None = view
        while where is not None:
            source = where.sources.get(self.names.alias(qualifier))
            if source is not None:
                if source.may_have(key) or where.open or key in _ROW_NAMES:
                    return None
                return Wrong(Fault.ABSENT, column, view, where, source)
            fields = self.names.column(qualifier)  # of a structure: `payload.page`
            if where.open or any(one.may_have(fields) for one in where.sources.values()):
                return None
            where = where.parent
        return Wrong(Fault.STRANGE, column, view, view) if view.sources else None

    def _bare(self, view: View, column: exp.Column) -> Wrong | None:
        key = self.key(column)
        where: View | None = view
        while where is not None:
            held = [one for one in where.sources.values() if one.may_have(key)]
            if where.open or key in where.merged or self.names.alias(column.this) in where.sources:
                return None
            if len(held) > 1 and not (where is view and self._is_output(view, column, key)):
                return Wrong(Fault.AMBIGUOUS, column, view, where)
            if held and where is not view and _is_for_itself(column):
                return Wrong(Fault.OUTER, column, view, view)
            if held or key in where.aliases:
                return None
            where = where.parent
        part = key in _PARTS and not isinstance(column.parent, (exp.Predicate, exp.Select, exp.Ordered))
        if part or key in _ROW_NAMES or ascii_lower(key) in self.grammar.pseudo_columns or not view.sources:
            return None
        return Wrong(Fault.UNKNOWN, column, view, view)

    def _is_output(self, view: View, column: exp.Column, key: str) -> bool:
        """Whether the name means a result of this SELECT: by its alias, and in ORDER BY in any case."""
        if key in view.aliases:
            return True
        in_order = isinstance(column.parent, exp.Ordered)
        return in_order and sum(self.names.output(one) == key for one in view.select.expressions) == 1


def _is_an_arm(select: exp.Expr, tree: exp.Expr) -> bool:
    while select is not tree and isinstance(select.parent, exp.SetOperation):
        select = select.parent
    return select is tree


def _is_for_itself(column: exp.Column) -> bool:
    """Selected, or compared with a literal: what ties a sub-query to the query around it is compared with a
    column of its own, or stands in EXISTS.
    """
    if column.find_ancestor(exp.Exists):
        return False
    around = column.parent
    if isinstance(around, exp.Predicate) and not isinstance(around, exp.Connector):
        return sum(not isinstance(one, exp.Literal) for one in around.iter_expressions()) == 1
    return isinstance(around, exp.Select) and column.arg_key == "expressions"


@cache
def reader(dialect: str) -> Dialect:
    return Dialect.get_or_raise(dialect)


@cache
def _words(dialect: str) -> frozenset[str]:
    return frozenset(word for word in reader(dialect).tokenizer_class.KEYWORDS if word.isalpha())
