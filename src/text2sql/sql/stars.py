"""Resolution of `*` and `t.*` in a SELECT list, with EXCEPT, REPLACE and RENAME."""

from typing import TYPE_CHECKING

from sqlglot import exp

from text2sql.sql.refusal import refuse
from text2sql.sql.scope import Outputs, Scope, Source

if TYPE_CHECKING:
    from text2sql.sql.resolver import Resolver

MAX_COLUMNS = 10_000  # of all stars in a statement


class StarResolver:
    """Expands stars to the visible columns of their sources, on behalf of a `Resolver`."""

    def __init__(self, resolver: "Resolver") -> None:
        self.resolver = resolver
        self.names = resolver.names
        self.column_count = 0

    def is_item(self, part: exp.Expr) -> bool:
        return part.is_star and not isinstance(part, (exp.Count, exp.Window))

    def resolve(self, select: exp.Select, part: exp.Expr, scope: Scope) -> Outputs:
        """The columns that a star expands to."""
        star = part if isinstance(part, exp.Star) else part.this
        if not isinstance(star, exp.Star) or not isinstance(part, (exp.Star, exp.Column)):
            refuse("star", part)
        self.resolver.mark_visited(part, star)
        if part is not star:
            for name in part.iter_expressions():
                self.resolver.mark_visited(name)
        modifiers = self.modifiers(star, scope)
        if self.resolver.columns_known and (select.args.get("kind") or star.args.get("ilike")):
            refuse("star", part)  # SELECT AS STRUCT *: a whole row in one value
        if self.resolver.tolerant and (modifiers or scope.open or scope.merged):
            refuse("star", part)
        qualified = part is not star
        outputs = Outputs.joined(
            [self.columns_of(source, modifiers, qualified=qualified) for source in self.sources(part, scope)]
        )
        missing = set(modifiers) - {
            name for source in scope.sources.values() for name in source.outputs.names
        }
        if self.resolver.restricted and missing and not outputs.open:
            refuse("column", min(missing))
        return outputs if not star.args.get("ilike") else Outputs((), open=True)

    def sources(self, part: exp.Expr, scope: Scope) -> list[Source]:
        if isinstance(part, exp.Star):
            if not scope.sources:
                refuse("star", part)
            return list(scope.sources.values())
        if part.args.get("db") and not self.resolver.tolerant:
            part.set("db", None)
            part.set("catalog", None)
        source = scope.sources.get(self.names.alias(part.args["table"]))
        if source is None:
            if self.resolver.columns_known:
                refuse("star", part)
            return []
        return [source]

    def columns_of(self, source: Source, modifiers: dict[str, str | None], *, qualified: bool) -> Outputs:
        self.column_count += len(source.outputs.names)
        if self.column_count > MAX_COLUMNS:
            refuse("too_long", f"{self.column_count} columns")
        names = [name for name in source.outputs.names if qualified or name not in source.merged]
        renamed = [modifiers.get(name, name) for name in names]
        shown = tuple(name for name in renamed if name is not None)
        return Outputs(shown, source.outputs.open, source.outputs.origins)

    def modifiers(self, star: exp.Star, scope: Scope) -> dict[str, str | None]:
        """EXCEPT, REPLACE and RENAME as a map from a column to its output name; None: omitted."""
        modifiers: dict[str, str | None] = {}
        for node in star.args.get("except_") or ():
            if self.resolver.tolerant:
                self.resolver.resolve_expressions(node, scope)
            self.resolver.mark_visited(*node.walk())
            modifiers[self.names.column(_name(node))] = None
        for node in star.args.get("replace") or ():
            self.resolver.resolve_expressions(node, scope)
            key = self.names.column(node.args["alias"])
            modifiers[key] = key
        for node in star.args.get("rename") or ():
            self.resolver.mark_visited(*node.walk())
            modifiers[self.names.column(_name(node.this))] = self.names.column(node.args["alias"])
        return modifiers


def _name(node: exp.Expr) -> exp.Expr:
    name: exp.Expr = node.this if isinstance(node, exp.Column) else node
    if not isinstance(name, exp.Identifier):
        refuse("star", node)
    return name
