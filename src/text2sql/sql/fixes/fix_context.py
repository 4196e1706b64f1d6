"""The context of the fixes: the tree of a query, its scopes, and its faulty columns."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

from sqlglot import exp

from text2sql.sql.dialects import ascii_lower
from text2sql.sql.parse import dialect_of
from text2sql.sql.resolver import Resolver
from text2sql.sql.schema_index import SchemaIndex, TableEntry
from text2sql.sql.scope import NameNormalizer, Origin, Scope, Source, copy_identifier
from text2sql.sql.statement import Statement
from text2sql.types import QuestionIntent, ValueDomains


class Fault(Enum):
    MISSING_IN_SOURCE = "the source that it names has no such column"
    UNKNOWN_SOURCE = "there is no source of that name"
    UNKNOWN_COLUMN = "no source has such a column"
    AMBIGUOUS = "several sources have it"
    OUTER_COLUMN = "bare in a sub-query, and only the query around it has one"


ERRORS = tuple(fault for fault in Fault if fault is not Fault.OUTER_COLUMN)  # rejected by every engine


@dataclass(frozen=True, slots=True, eq=False)
class ColumnFault:
    """A faulty column. One of the sources of `expected_scope` should have it."""

    fault: Fault
    column: exp.Column
    scope: Scope
    expected_scope: Scope
    source: Source | None = None  # the source that it names

    def other_sources(self) -> list[Source]:
        return [source for source in self.expected_scope.sources.values() if source is not self.source]


_ROW_NAMES = frozenset({"rowid", "oid", "_rowid_"})  # SQLite's row identifiers
_DATE_PARTS = frozenset(  # date parts, which are arguments of calls
    "year month day hour minute second week quarter microsecond epoch dow doy".split()
)
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class FixContext:
    """What a fix can read and change: the tree, its resolved scopes, the schema and the question."""

    def __init__(
        self,
        tree: exp.Expr,
        dialect: str,
        schema: SchemaIndex,
        domains: ValueDomains | None = None,
        *,
        text: str = "",
        intent: QuestionIntent | None = None,
        has_row_policy: bool = False,
    ) -> None:
        self.tree = tree
        self.has_row_policy = has_row_policy  # tables will be wrapped, and then no engine recognizes a key
        self.dialect = dialect
        self.schema = schema
        self.grammar = schema.grammar
        self.names = NameNormalizer(schema.grammar)
        self.domains = domains
        self.text = text
        self.intent = intent
        self._resolver: Resolver | None = None

    @property
    def resolver(self) -> Resolver:
        if self._resolver is None:
            statement = Statement(self.tree, self.dialect, self.grammar, None, None)
            self._resolver = Resolver(statement, self.schema)
            self._resolver.run()
        return self._resolver

    @property
    def scopes(self) -> list[Scope]:
        """The scopes of all SELECTs: a CTE before its query, otherwise from the outside in."""
        return self.resolver.scopes

    def columns(self) -> Iterator[tuple[Scope, exp.Column]]:
        """Every column, with the scope of its SELECT."""
        for scope in self.scopes:
            for column in list(scope.columns):
                yield scope, column

    def owner(self, scope: Scope, column: exp.Column) -> Source | None:
        """The source that owns a column, if it is unambiguous."""
        return self.resolver.columns.owner(column, scope)

    def invalidate(self) -> None:
        """Discard the resolved scopes after a change of the tree."""
        self._resolver = None

    def replace(self, old: exp.Expr, new: exp.Expr) -> None:
        if old is self.tree:
            self.tree = new
        else:
            old.replace(new)
        self.invalidate()

    def key(self, column: exp.Column) -> str:
        return self.names.column(column.this)

    def origin(self, scope: Scope, column: exp.Column) -> Origin:
        return self.resolver.columns.origin(column, scope)

    # -- generated names --

    def identifier(self, name: str) -> exp.Identifier:
        """An identifier for a stored name, quoted if it is reserved or would be folded or split."""
        case = self.grammar.columns
        plain = _PLAIN_NAME.fullmatch(name) and case.key(name, False) == case.key(name, True)
        reserved = name.upper() in _keywords(self.dialect)
        return exp.Identifier(this=name, quoted=not plain or reserved)

    def table(self, entry: TableEntry) -> exp.Table:
        schema = entry.table.schema
        written = schema if schema not in ("", self.schema.default_schema) else ""
        db = self.identifier(written) if written else None
        return exp.Table(this=self.identifier(entry.table.name), db=db)

    def column(self, source: Source, key: str) -> exp.Column:
        origin = source.outputs.origins.get(key)
        name = self.identifier(origin[1].name) if origin and source.entry else self.identifier(key)
        return exp.Column(this=name, table=copy_identifier(source.name))

    def bind(self, column: exp.Column, source: Source, key: str | None = None) -> None:
        """Bind a column to a source, and rename it to `key` if given."""
        if key is not None:
            column.set("this", self.column(source, key).this)
        column.set("table", copy_identifier(source.name))
        self.invalidate()

    # -- faulty columns --

    def faulty_columns(self, *faults: Fault) -> Iterator[ColumnFault]:
        for scope, column in self.columns():
            faulty = self.fault(scope, column)
            if faulty is not None and faulty.fault in faults:
                yield faulty

    def fault(self, scope: Scope, column: exp.Column) -> ColumnFault | None:
        if column.args.get("db"):
            return None
        check = self._qualified_fault if column.args.get("table") else self._bare_fault
        return check(scope, column)

    def _qualified_fault(self, scope: Scope, column: exp.Column) -> ColumnFault | None:
        key, qualifier = self.key(column), column.args["table"]
        for enclosing in scope.chain():
            source = enclosing.sources.get(self.names.alias(qualifier))
            if source is not None:
                if source.may_have(key) or enclosing.open or key in _ROW_NAMES:
                    return None
                return ColumnFault(Fault.MISSING_IN_SOURCE, column, scope, enclosing, source)
            fields = self.names.column(qualifier)  # a field of a structure, `payload.page`
            if enclosing.open or any(source.may_have(fields) for source in enclosing.sources.values()):
                return None
        return ColumnFault(Fault.UNKNOWN_SOURCE, column, scope, scope) if scope.sources else None

    def _bare_fault(self, scope: Scope, column: exp.Column) -> ColumnFault | None:
        key = self.key(column)
        for enclosing in scope.chain():
            owners = [source for source in enclosing.sources.values() if source.may_have(key)]
            if (
                enclosing.open
                or key in enclosing.merged
                or self.names.alias(column.this) in enclosing.sources
            ):
                return None
            if len(owners) > 1 and not (enclosing is scope and self._is_output(scope, column, key)):
                return ColumnFault(Fault.AMBIGUOUS, column, scope, enclosing)
            if owners and enclosing is not scope and _is_uncorrelated(column):
                return ColumnFault(Fault.OUTER_COLUMN, column, scope, scope)
            if owners or key in enclosing.aliases or key in enclosing.scalars:
                return None
        part = key in _DATE_PARTS and not isinstance(column.parent, (exp.Predicate, exp.Select, exp.Ordered))
        if part or key in _ROW_NAMES or ascii_lower(key) in self.grammar.pseudo_columns or not scope.sources:
            return None
        return ColumnFault(Fault.UNKNOWN_COLUMN, column, scope, scope)

    def _is_output(self, scope: Scope, column: exp.Column, key: str) -> bool:
        """Whether the name means an output of this SELECT: an alias or, in ORDER BY, any output."""
        if key in scope.aliases:
            return True
        in_order = isinstance(column.parent, exp.Ordered)
        return in_order and sum(self.names.output(item) == key for item in scope.select.expressions) == 1


def _is_uncorrelated(column: exp.Column) -> bool:
    """Whether a column is selected or compared with a literal. A correlation with the outer query would
    compare it with a column of the sub-query, or be inside EXISTS.
    """
    if column.find_ancestor(exp.Exists):
        return False
    parent = column.parent
    if isinstance(parent, exp.Predicate) and not isinstance(parent, exp.Connector):
        return sum(not isinstance(operand, exp.Literal) for operand in parent.iter_expressions()) == 1
    return isinstance(parent, exp.Select) and column.arg_key == "expressions"


@cache
def _keywords(dialect: str) -> frozenset[str]:
    return frozenset(word for word in dialect_of(dialect).tokenizer_class.KEYWORDS if word.isalpha())
