"""What one compilation knows: the model, the profile and the catalog, with lookups that raise."""

from dataclasses import dataclass, field
from datetime import date

from sqlglot import exp

from text2sql.errors import AmbiguousPath, CannotCompile
from text2sql.sql.compile.names import Names, identifier
from text2sql.sql.compile.paths import JoinGraph, Path
from text2sql.types import (
    Catalog,
    ColumnProfile,
    DatabaseProfile,
    Dimension,
    Entity,
    Measure,
    SemanticModel,
)


@dataclass(frozen=True)
class Reference:
    """A dimension, and the roles or tables that lead to it: `manager>employees.name`."""

    dimension: Dimension
    hints: tuple[str, ...] = ()


@dataclass
class Context:
    model: SemanticModel
    profile: DatabaseProfile | None
    today: date
    catalog: Catalog | None = None
    week_start: int = 1  # 1 is Monday
    subject: str = ""
    graph: JoinGraph = field(init=False)
    names: Names = field(init=False)
    united_tables: frozenset[str] = frozenset()  # whose measures are asked for, if they are several

    def __post_init__(self) -> None:
        self.graph = JoinGraph(self.model)
        self.names = self._names()

    @property
    def dialect(self) -> str:
        return self.model.dialect

    def _names(self) -> Names:
        columns = {dimension.column for dimension in self.model.dimensions}
        tables = {entity.table.rpartition(".")[2] for entity in self.model.entities}
        for relation in self.model.relations:
            columns |= {*relation.columns, *relation.referred}
            tables |= {relation.table.rpartition(".")[2], relation.to.rpartition(".")[2]}
        for table in self.catalog.tables if self.catalog else ():
            tables.add(table.name)
            columns |= {column.name for column in table.columns}
        lower = [frozenset(name.lower() for name in names) for names in (columns, tables)]
        return Names(lower[0], lower[1])

    # -- lookups ---------------------------------------------------------------------------------

    def reference(self, text: str) -> Reference:
        *hints, name = text.split(">") if self.model.dimension(text) is None else (text,)
        dimension = self.model.dimension(name) or self._of_entity(name)
        if dimension is None:
            raise CannotCompile("unknown_dimension", name=text)
        return Reference(dimension, tuple(hints))

    def _of_entity(self, name: str) -> Dimension | None:
        """A key or label that no dimension describes."""
        table, _, column = name.rpartition(".")
        entity = self.model.entity(table)
        known = entity is not None and column in (*entity.key, *entity.labels)
        return Dimension(name, table, column) if known else None

    def measure(self, name: str) -> Measure:
        measure = self.model.measure(name)
        if measure is None:
            raise CannotCompile("unknown_measure", name=name)
        return measure

    def row_measure(self, name: str) -> Measure:
        """A number per row: a measure, or a dimension as one."""
        measure = self.model.measure(name)
        if measure is None:
            dimension = self.reference(name).dimension
            column = self.identifier(dimension.column).sql(dialect=self.dialect)
            return Measure(dimension.name, dimension.table, column, unit=dimension.unit)
        if measure.is_aggregate or measure.numerator:
            raise CannotCompile("not_a_number_per_row", measure=name)
        return measure

    def located(self, text: str, start: str) -> tuple[Reference, Path]:
        """A dimension and the path to it from a table. A time dimension that the table does not reach gives
        way to the own one of the table: *orders and new customers by month*. So does one over a to-many step,
        if measures of several tables are asked for.
        """
        reference = self.reference(text)
        own = self._own_time(start) if reference.dimension.kind == "time" else ""
        try:
            path = self.graph.path(start, reference.dimension.table, reference.hints)
        except AmbiguousPath:
            raise
        except CannotCompile:
            if not own:
                raise
        else:
            prefers_own = start in self.united_tables and any(step.to_many for step in path)
            if not (own and prefers_own):
                return reference, path
        reference = self.reference(own)
        return reference, self.graph.path(start, reference.dimension.table, reference.hints)

    def _own_time(self, table: str) -> str:
        times = [self.entity(table).time, *(each.time for each in self.model.measures if each.table == table)]
        return next((time for time in times if time), "")

    def entity(self, table: str) -> Entity:
        """The entity of a table; one without key and labels if the model only mentions the table."""
        entity = self.model.entity(table)
        if entity is not None:
            return entity
        tables = {dimension.table for dimension in self.model.dimensions}
        tables |= {measure.table for measure in self.model.measures}
        if table not in tables and not any(table in (each.table, each.to) for each in self.model.relations):
            raise CannotCompile("unknown_table", name=table)
        return Entity(table)

    def table_reference(self, text: str) -> tuple[tuple[str, ...], Entity]:
        *hints, name = text.split(">") if self.model.entity(text) is None else (text,)
        return tuple(hints), self.entity(name)

    def key(self, table: str) -> tuple[str, ...]:
        """The columns that identify a row: of the entity, of the catalog, or those that others refer to."""
        if key := self.entity(table).key:
            return key
        schema, _, name = table.rpartition(".")
        found = self.catalog.table(name, schema) if self.catalog else None
        if found is not None and found.primary_key:
            return found.primary_key
        referred = {each.referred for each in self.model.relations if each.to == table}
        if not referred:
            raise CannotCompile("no_key", table=table)
        return min(referred)

    def column_profile(self, table: str, column: str) -> ColumnProfile | None:
        return self.profile.column(table, column) if self.profile else None

    def column_type(self, table: str, column: str) -> str:
        """The type in the catalog, in lower case; empty if it is unknown."""
        schema, _, name = table.rpartition(".")
        found = self.catalog.table(name, schema) if self.catalog else None
        columns = found.columns if found else ()
        return next((each.type.lower() for each in columns if each.name == column), "")

    def dimension_of(self, table: str, column: str) -> Dimension:
        """The dimension of a column, or a plain one."""
        for dimension in self.model.dimensions:
            if (dimension.table, dimension.column) == (table, column):
                return dimension
        return Dimension(f"{table}.{column}", table, column)

    # -- nodes -----------------------------------------------------------------------------------

    def identifier(self, name: str) -> exp.Identifier:
        return identifier(name, self.dialect)

    def column(self, name: str, source: str = "") -> exp.Column:
        return exp.Column(this=self.identifier(name), table=self.identifier(source) if source else None)

    def table(self, label: str, alias: str) -> exp.Table:
        schema, _, name = label.rpartition(".")
        return exp.Table(
            this=self.identifier(name),
            db=self.identifier(schema) if schema else None,
            alias=exp.TableAlias(this=self.identifier(alias)),
        )

    def named(self, expression: exp.Expr, name: str) -> exp.Alias:
        return exp.Alias(this=expression, alias=self.identifier(name))
