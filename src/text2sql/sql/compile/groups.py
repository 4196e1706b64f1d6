"""The columns that a query groups by."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.context import Context, Reference
from text2sql.sql.compile.paths import Path
from text2sql.sql.compile.scope import Scope
from text2sql.sql.compile.time_sql import TimeColumn
from text2sql.sql.compile.value_conditions import shown
from text2sql.types import Grouping, OutputColumn


@dataclass(frozen=True)
class GroupColumn:
    """One column of a grouping. An entity has several: its key, which is hidden, and its labels."""

    alias: str
    grouping: Grouping
    role: Literal["group", "label", "key"]
    reference: Reference
    is_shown: bool = True

    @property
    def is_bucket(self) -> bool:
        return bool(self.grouping.bucket)

    @property
    def is_time(self) -> bool:
        return self.is_bucket or self.grouping.part is not None

    @property
    def output(self) -> OutputColumn:
        return OutputColumn(
            self.alias,
            self.role,
            self.reference.dimension.name,
            bucket=self.grouping.bucket,
            part=self.grouping.part,
            unit=self.reference.dimension.unit,
        )

    def is_counted(self, columns: "Sequence[GroupColumn]") -> bool:
        """Whether it tells groups apart: of an entity, its key does."""
        if not self.grouping.entity:
            return True
        keys = [each for each in columns if each.grouping == self.grouping and each.role == "key"]
        return self.role == "key" or not keys

    def is_called(self, name: str) -> bool:
        """Whether a name in an order, a ranking or a share means this column."""
        grouping = self.grouping
        names = (self.alias, grouping.dimension, grouping.entity, grouping.bucket, grouping.part)
        return name in (*names, self.reference.dimension.name)


def group_columns(context: Context, groupings: Sequence[Grouping]) -> list[GroupColumn]:
    columns: list[GroupColumn] = []
    for grouping in groupings:
        if grouping.entity:
            columns += _entity_columns(context, grouping)
        else:
            columns.append(_dimension_column(context, grouping))
    return columns


def _dimension_column(context: Context, grouping: Grouping) -> GroupColumn:
    reference = context.reference(grouping.dimension)
    dimension = reference.dimension
    table = dimension.table.rpartition(".")[2]
    if grouping.bucket or grouping.part:
        wanted = grouping.bucket or str(grouping.part)
        alias = context.names.new(
            wanted, f"{dimension.column}_{wanted}", f"{table}_{dimension.column}_{wanted}"
        )
    else:
        alias = _column_alias(context, reference)
    return GroupColumn(alias, grouping, "group", reference)


def _column_alias(context: Context, reference: Reference) -> str:
    dimension = reference.dimension
    declared = dimension.name if "." not in dimension.name else dimension.column
    table = (reference.hints or (dimension.table.rpartition(".")[2],))[-1]
    names = (declared, f"{table}_{declared}")
    return context.names.new(*(names[::-1] if reference.hints else names), is_own_column=True)


def _entity_columns(context: Context, grouping: Grouping) -> list[GroupColumn]:
    hints, entity = context.table_reference(grouping.entity)
    labels = entity.labels
    columns = [
        GroupColumn(_column_alias(context, reference), grouping, "label", reference)
        for reference in (Reference(context.dimension_of(entity.table, label), hints) for label in labels)
    ]
    for key in context.key(entity.table):
        if key not in labels:
            reference = Reference(context.dimension_of(entity.table, key), hints)
            columns.append(
                GroupColumn(_column_alias(context, reference), grouping, "key", reference, not labels)
            )
    return columns


def group_expression(context: Context, scope: Scope, column: GroupColumn) -> exp.Expr:
    """The value of a group column for the rows of `scope`."""
    reference, path = _located(context, scope.table, column)
    dimension = reference.dimension
    value = scope.column(dimension.column, scope.alias(path))
    if column.grouping.bucket:
        return TimeColumn(context, dimension, value).label(column.grouping.bucket)
    if column.grouping.part:
        return TimeColumn(context, dimension, value).part(column.grouping.part)
    return value if column.role == "key" else shown(context, dimension, value)


def _located(context: Context, start: str, column: GroupColumn) -> tuple[Reference, Path]:
    if column.is_time:
        return context.located(column.grouping.dimension, start)
    reference = column.reference
    return reference, context.graph.path(start, reference.dimension.table, reference.hints)


def find(columns: Sequence[GroupColumn], name: str) -> list[GroupColumn]:
    """The columns of the grouping with that name."""
    found = [column for column in columns if column.is_called(name)]
    if not found:
        raise CannotCompile("unknown_column", name=name)
    return [column for column in columns if column.grouping == found[0].grouping]
