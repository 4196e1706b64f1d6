"""A compiled statement: CTEs, a final SELECT and what its columns are."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import ErrorLevel, exp

from text2sql.sql.compile.blocks import Ctes
from text2sql.sql.compile.context import Context
from text2sql.sql.parse import dialect_of
from text2sql.types import CompiledQuery, OutputColumn


@dataclass
class Statement:
    select: exp.Select
    columns: Sequence[OutputColumn]
    ctes: Ctes = field(default_factory=list)

    def compiled(self, context: Context) -> CompiledQuery:
        tree = self.select
        if self.ctes:
            expressions = [
                exp.CTE(this=query, alias=exp.TableAlias(this=context.identifier(name)))
                for name, query in self.ctes
            ]
            tree.set("with_", exp.With(expressions=expressions))
        generator = dialect_of(context.dialect).generator(comments=False, unsupported_level=ErrorLevel.RAISE)
        return CompiledQuery(generator.generate(tree, copy=False), tuple(self.columns))
