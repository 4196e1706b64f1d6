"""A run of statements through guard and engine: random ones, and mutants of those that the guard allows."""

import random
from collections.abc import Iterator

from noninterference.generator import Generator
from noninterference.minimize import minimize
from noninterference.mutate import mutant
from noninterference.twins import Finding, Twins

_MUTANTS = 2  # of each statement that is allowed


def explore(twins: Twins, seed: str, numbers: range) -> Iterator[Finding]:
    """What the statements of these numbers find, each as it was generated."""
    for number in numbers:
        named = f"{seed}-{number}"
        statement = Generator(named, twins.dialect).statement()
        before = twins.tally.allowed
        finding = twins.find(statement)
        if finding:
            yield finding
        elif twins.tally.allowed > before:
            yield from _explore_mutants(twins, statement, random.Random(named))


def _explore_mutants(twins: Twins, statement: str, rng: random.Random) -> Iterator[Finding]:
    for _ in range(_MUTANTS):
        changed = mutant(statement, twins.dialect, rng)
        if changed and (finding := twins.find_mutant(changed)):
            yield finding


def smallest(twins: Twins, finding: Finding, seconds: float = 30.0) -> Finding:
    """The same finding with a minimal statement."""
    statement = minimize(finding.statement, twins.dialect, twins.interferes, seconds)
    return twins.uncounted().find(statement) or finding
