"""The generator, the mutants and the minimizer."""

import random

import pytest

from noninterference.generator import Generator
from noninterference.minimize import minimize
from noninterference.mutate import mutant
from noninterference.twins import ENGINES


@pytest.mark.parametrize("dialect", ENGINES)
def test_one_seed_is_one_statement(dialect: str) -> None:
    first, second = ([Generator(seed, dialect).statement() for seed in range(50)] for _ in range(2))
    assert first == second
    assert len(set(first)) > 45


@pytest.mark.parametrize("dialect", ENGINES)
def test_a_mutant_differs_from_its_statement(dialect: str) -> None:
    rng = random.Random(1)
    made = [
        mutant("SELECT a.id, COUNT(*) FROM ward AS a WHERE a.beds > 1 GROUP BY 1", dialect, rng)
        for _ in range(40)
    ]
    assert len({one for one in made if one}) > 15


def test_the_minimizer_leaves_what_the_finding_needs() -> None:
    statement = (
        "WITH w AS (SELECT id FROM ward) SELECT p.name, "
        "(SELECT MAX(x.diagnosis) FROM patients AS x WHERE x.id = p.id) "
        "FROM patients AS p JOIN w ON w.id = p.id WHERE p.weight > 3 ORDER BY 1 LIMIT 5"
    )
    asked: list[str] = []

    def shows(candidate: str) -> bool:
        asked.append(candidate)
        return "diagnosis" in candidate and "FROM patients" in candidate

    assert len(minimize(statement, "sqlite", shows)) < 45
    assert len(asked) < 2000
