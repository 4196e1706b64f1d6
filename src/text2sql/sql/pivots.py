"""Resolution of PIVOT and UNPIVOT: the columns that they read and produce."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from text2sql.sql.refusal import refuse
from text2sql.sql.scope import NAMELESS, Outputs, Scope, Source

if TYPE_CHECKING:
    from text2sql.sql.resolver import Resolver


class PivotResolver:
    """Applies pivots to a source, on behalf of a `Resolver`."""

    def __init__(self, resolver: "Resolver") -> None:
        self.resolver = resolver
        self.names = resolver.names

    def apply(self, pivots: list[exp.Expr], source: Source, scope: Scope) -> Source:
        """The source that results from applying pivots in turn. Their expressions see the columns of `source`
        only.
        """
        name = NAMELESS
        for pivot in pivots:
            self.resolver.mark_visited(pivot)
            inner = scope.sibling()
            inner.add(Source(NAMELESS, source.outputs))
            apply_pivot = self.unpivot if pivot.args.get("unpivot") else self.pivot
            alias = pivot.args.get("alias")
            self.resolver.mark_label(alias)
            outputs = apply_pivot(pivot, source.outputs, inner).renamed(self.names.column_list(pivot), alias)
            name = alias.this if alias and alias.this else NAMELESS
            # the engine decides how it spells a new column
            source = Source(name, Outputs(outputs.names, outputs.open or self.resolver.tolerant))
        return source

    def pivot(self, node: exp.Expr, before: Outputs, inner: Scope) -> Outputs:
        for name in node.args.get("columns") or ():
            self.resolver.mark_label(name)
        for field in (*(node.args.get("fields") or ()), *node.expressions):
            for item in field.expressions if isinstance(field, exp.In) else ():
                if isinstance(item, exp.PivotAlias):
                    self.resolver.mark_label(item.args.get("alias"))
        self.resolver.resolve_clauses(
            node, self.resolver.other_args(node, ("this", "alias", "columns")), inner
        )
        new_names, is_open = self.pivoted_columns(node)
        group = node.args.get("group")
        if group is not None:
            group_names = tuple(self.names.output(part) for part in group.expressions)
            return Outputs((*group_names, *new_names), is_open)
        used = frozenset(self.names.column(column.this) for column in self.columns_read(node))
        return Outputs((*before.without(used).names, *new_names), before.open or is_open)

    def columns_read(self, node: exp.Expr) -> Iterator[exp.Column]:
        for key in ("expressions", "fields", "using"):
            for part in node.args.get(key) or ():
                yield from (column for column in part.find_all(exp.Column) if column.this)

    def pivoted_columns(self, node: exp.Expr) -> tuple[tuple[str, ...], bool]:
        """The columns named after the values in IN (…), in every spelling that an engine may use; and whether
        the values are unknown because the statement does not list them.
        """
        identifiers = node.args.get("columns") or ()
        key = self.names.grammar.columns.key
        names = {key(name.name, quoted) for name in identifiers for quoted in (True, False)}
        return tuple(sorted(names)), not names

    def unpivot(self, node: exp.Expr, before: Outputs, inner: Scope) -> Outputs:
        """Resolve UNPIVOT: a column of names and a column of values replace the listed columns."""
        new_parts: list[exp.Expr] = []
        replaced: set[str] = set()
        into = node.args.get("into")
        fields = [part for part in node.args.get("fields") or () if isinstance(part, exp.In)]
        for field in fields:
            self.resolver.mark_visited(field)
            new_parts.append(field.this)
            self.resolver.resolve_clauses(field, self.resolver.other_args(field, ("this",)), inner)
            replaced |= {self.names.column(column.this) for part in field.expressions
                     for column in part.find_all(exp.Column)}  # fmt: skip
        if fields:
            new_parts += node.expressions
        else:
            self.resolver.resolve_clauses(node, ("expressions",), inner)
            replaced |= {self.names.column(column.this) for part in node.expressions
                     for column in part.find_all(exp.Column)}  # fmt: skip
        if into is not None:
            self.resolver.mark_visited(into)
            new_parts += [into.this, *into.expressions]
        handled = ("this", "alias", "columns", "fields", "expressions", "into")
        self.resolver.resolve_clauses(node, self.resolver.other_args(node, handled), inner)
        names = [name for part in new_parts for name in self.new_names(part)]
        if not new_parts:
            names = [self.names.grammar.columns.key(word, False) for word in ("name", "value")]
        return Outputs((*before.without(frozenset(replaced)).names, *names), before.open)

    def new_names(self, node: exp.Expr) -> Iterator[str]:
        """The names of the columns that UNPIVOT produces; the parser reads some of them as columns."""
        for part in node.walk():
            self.resolver.mark_visited(part)
            if isinstance(part, exp.Identifier):
                yield self.names.column(part)
            elif not isinstance(part, (exp.Column, exp.Tuple, exp.Paren)):
                refuse("construct", node)
