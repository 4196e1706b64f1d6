"""Introspection: what a question can be about, and a fingerprint that changes when that does."""

import re

import pytest

from contract.engine_databases import EngineDatabase, spelled
from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.types import Catalog, ForeignKey, Table


def table_of(catalog: Catalog, name: str) -> Table:
    """As the engine has it: as it was written, or in capitals."""
    table = catalog.table(name) or catalog.table(name.upper())
    assert table is not None, f"{name} is missing from {[known.name for known in catalog.tables]}"
    return table


def test_every_table_and_view_is_found(db: Database, engine_db: EngineDatabase) -> None:
    catalog = db.catalog()
    odd = [spelled(name, engine_db.facts) for name in ("order", "客户 表", "dotted.name")]
    tables = [*engine_db.named("customers", "orders", "parts", "uses"), *odd]
    views = engine_db.named("big_orders")
    assert {(table.name, table.kind) for table in catalog.tables} == {
        *((name, "table") for name in tables),
        *((name, "view") for name in views),
    }
    assert catalog.dialect == engine_db.dialect


def test_columns_have_names_types_and_nullability(db: Database, engine_db: EngineDatabase) -> None:
    customers = table_of(db.catalog(), "customers")
    assert [column.name for column in customers.columns] == engine_db.named("id", "name", "city", "born")
    assert [column.nullable for column in customers.columns][1:] == [False, True, True]
    assert customers.columns[0].type.upper().startswith(("INT", "NUMBER"))
    assert re.search("CHAR|STRING", customers.columns[1].type.upper())
    assert customers.columns[3].type.upper() == "DATE"
    for table, names in (("客户 表", ["姓 名", "a.b"]), ("dotted.name", ["it's"])):
        columns = table_of(db.catalog(), spelled(table, engine_db.facts)).columns
        assert [column.name for column in columns] == [spelled(name, engine_db.facts) for name in names]


@pytest.mark.needs("keys")
def test_keys_are_found_with_all_their_columns(db: Database, engine_db: EngineDatabase) -> None:
    def named(*names: str) -> tuple[str, ...]:
        return tuple(engine_db.named(*names))

    catalog = db.catalog()
    assert table_of(catalog, "customers").primary_key == named("id")
    assert table_of(catalog, "parts").primary_key == named("a", "b")
    (key,) = table_of(catalog, "orders").foreign_keys
    assert key == ForeignKey(named("customer_id"), named("customers")[0], named("id"), key.schema)
    (pair,) = table_of(catalog, "uses").foreign_keys
    assert pair == ForeignKey(named("part_a", "part_b"), named("parts")[0], named("a", "b"), pair.schema)


@pytest.mark.needs("indexes")
def test_indexes_are_found(db: Database, engine_db: EngineDatabase) -> None:
    catalog = db.catalog()
    indexes = {
        index.name: index for name in ("customers", "orders") for index in table_of(catalog, name).indexes
    }
    by_city, one_note = engine_db.named("by_city", "one_note")
    assert indexes[by_city].columns == tuple(engine_db.named("city", "name"))
    assert not indexes[by_city].unique
    assert indexes[one_note].columns == tuple(engine_db.named("note"))
    assert indexes[one_note].unique


@pytest.mark.needs("comments")
def test_comments_are_found(db: Database) -> None:
    customers = table_of(db.catalog(), "customers")
    assert customers.comment == "客户 people"
    assert customers.columns[2].comment == "where they live"


def test_text_columns_have_sample_values(db: Database) -> None:
    customers = table_of(db.catalog(samples=3), "customers")
    assert sorted(customers.columns[1].samples) == ["Ann", "Bob", "王芳"]
    assert sorted(customers.columns[2].samples) == ["Oslo", "北京"]
    assert customers.columns[0].samples == ()
    assert all(not column.samples for column in table_of(db.catalog(samples=0), "customers").columns)


@pytest.mark.needs("row_estimates")
def test_row_counts_are_estimated(db: Database) -> None:
    assert table_of(db.catalog(), "customers").rows == 3


def test_the_fingerprint_follows_the_schema_and_nothing_else(engine_db: EngineDatabase) -> None:
    def fingerprint() -> str:
        with open_database(engine_db.url, Settings()) as db:
            return db.catalog().fingerprint

    before = fingerprint()
    engine_db.admin("INSERT INTO customers VALUES (99, 'New', 'Bergen', NULL)")
    with_a_row = fingerprint()
    engine_db.admin("DELETE FROM customers WHERE id = 99")
    engine_db.admin("CREATE TABLE added (a INTEGER)")
    try:
        _allow(engine_db, "added")
        with_a_table = fingerprint()
        engine_db.admin("ALTER TABLE added ADD COLUMN b INTEGER")
        with_a_column = fingerprint()
    finally:
        engine_db.admin("DROP TABLE added")
    assert with_a_row == before == fingerprint()
    assert len({before, with_a_table, with_a_column}) == 3


@pytest.mark.fault("D26")
def test_a_view_that_is_swapped_for_another_changes_the_fingerprint(engine_db: EngineDatabase) -> None:
    def fingerprint() -> str:
        with open_database(engine_db.url, Settings()) as db:
            return db.catalog().fingerprint

    seen = []
    for condition in ("id > 1", "id > 2"):
        engine_db.admin(f"CREATE VIEW swapped AS SELECT id FROM orders WHERE {condition}")
        try:
            _allow(engine_db, "swapped")
            seen.append(fingerprint())
        finally:
            engine_db.admin("DROP VIEW swapped")
    assert seen[0] != seen[1]


def _allow(engine_db: EngineDatabase, name: str) -> None:
    if engine_db.dialect == "postgres":
        engine_db.admin(f"GRANT SELECT ON {name} TO PUBLIC")
