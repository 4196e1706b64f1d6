"""The grants as text; that they hold is proved on real servers, in tests/faults/test_engine_wall.py."""

import pytest

from text2sql.database.grants import PASSWORD, grants
from text2sql.errors import UsageError
from text2sql.types import Policy

ODD = Policy({'Od"d`': ("a b", 'c"d`'), "other.t": ("x",)}, {"postgres": "Sales", "mysql": "shop"})


def test_postgres_names_are_quoted_and_stay_in_their_schema() -> None:
    text = grants(ODD, "postgres", 'o"k')
    assert 'GRANT SELECT ("a b", "c""d`") ON "Sales"."Od""d`" TO "o""k";' in text
    assert 'GRANT SELECT ("x") ON "other"."t" TO "o""k";' in text
    assert 'GRANT USAGE ON SCHEMA "other" TO "o""k";' in text


def test_mysql_names_are_quoted_and_the_host_is_kept() -> None:
    text = grants(ODD, "mysql", "o'k@10.0.%")
    assert "GRANT SELECT (`a b`, `c\"d```) ON `shop`.`Od\"d``` TO 'o''k'@'10.0.%';" in text
    assert "CREATE USER 'o''k'@'10.0.%'" in text


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_only_a_blank_stands_for_the_password(dialect: str) -> None:
    assert f"'{PASSWORD}'" in grants(ODD, dialect, "reader")


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_for_a_file_grants_explain_that_there_are_no_accounts(dialect: str) -> None:
    assert "no accounts" in grants(ODD, dialect, "reader")


@pytest.mark.parametrize("account", ["", "a\nDROP ROLE b", "$do$"])
def test_a_name_that_could_leave_its_place_is_refused(account: str) -> None:
    with pytest.raises(UsageError):
        grants(ODD, "postgres", account)


def test_an_engine_without_known_grants_is_refused() -> None:
    with pytest.raises(UsageError):
        grants(ODD, "oracle", "reader")
