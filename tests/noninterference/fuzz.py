"""Look for statements that the guard allows and twin databases answer differently, until stopped.

    make fuzz                                              every engine, until Ctrl-C
    make fuzz FUZZ_SECONDS=600 FUZZ_ENGINE=duckdb,sqlite   some engines, ten minutes
    make fuzz FUZZ_SEED=7                                  the same statements as last time
    make fuzz FUZZ_CASES="a.jsonl b.jsonl"                 first the statements of these files

A finding is printed with its minimal statement. The exit code is 1 if there was one.
"""

import argparse
import os
import re
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path

import servers
from contract.making import URL_VARIABLES
from noninterference import cases
from noninterference.explore import explore, smallest
from noninterference.twins import ENGINES, WORLDS, Finding, Twins, open_all

_SERVERS: dict[str, Callable[[], AbstractContextManager[servers.Server]]] = {
    "postgres": servers.postgres,
    "mysql": servers.mariadb,
    "clickhouse": servers.clickhouse,
}
_RANDOM = ("columns", "rows")
_SLICE = 40  # statements between two engines
_PROGRESS_SECONDS = 30.0


class Report:
    """Prints findings, each shape once, and progress now and then."""

    def __init__(self) -> None:
        self.shapes: set[tuple[str, str]] = set()
        self.began = self.last = time.monotonic()

    def add(self, twins: Twins, findings: Iterable[Finding]) -> None:
        for finding in findings:
            small = smallest(twins, finding)
            shape = (twins.dialect, _shape(small.statement))
            if shape not in self.shapes:
                self.shapes.add(shape)
                print(f"\nFOUND {small}\n  as generated: {finding.statement}", flush=True)

    def progress(self, opened: Iterable[Twins], *, always: bool = False) -> None:
        if always or time.monotonic() - self.last > _PROGRESS_SECONDS:
            self.last = time.monotonic()
            print(f"after {self.last - self.began:.0f} s, {len(self.shapes)} found", flush=True)
            for twins in opened:
                print(f"  {twins.dialect} ({twins.world}): {twins.tally}", flush=True)


def _shape(statement: str) -> str:
    """The statement without its names and numbers, so that each cause is printed once."""
    words = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\b[a-z_]\w*|\d+", "n", statement)
    return re.sub(r"[^\x00-\x7f]+", "n", words)


def run(engines: list[str], seconds: float, seed: str, files: list[Path]) -> int:
    report = Report()
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="text2sql-fuzz-")))
        opened: list[Twins] = []
        for engine in engines:
            variable = URL_VARIABLES.get(engine)
            if variable and not os.environ.get(variable):
                os.environ[variable] = stack.enter_context(_SERVERS[engine]()).url
            opened += open_all(engine, WORLDS, directory / engine, stack)
        print(f"seed {seed}", flush=True)
        with suppress(KeyboardInterrupt):
            for twins in opened:
                written = [*cases.statements(twins), *cases.from_files(files, twins)]
                report.add(twins, filter(None, map(twins.find, written)))
            _run_random([twins for twins in opened if twins.world in _RANDOM], report, seconds, seed)
        report.progress(opened, always=True)
    return 1 if report.shapes else 0


def _run_random(opened: list[Twins], report: Report, seconds: float, seed: str) -> None:
    deadline, start = time.monotonic() + seconds, 0
    while True:
        for twins in opened:
            if time.monotonic() > deadline:
                return
            numbers = range(start, start + _SLICE)
            report.add(twins, explore(twins, f"{seed}-{twins.world}", numbers))
            report.progress(opened)
        start += _SLICE


def main() -> int:
    given = os.environ.get
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--engine", default=given("FUZZ_ENGINE") or ",".join(ENGINES))
    parser.add_argument("--seconds", type=float, default=float(given("FUZZ_SECONDS") or "inf"))
    parser.add_argument("--seed", default=given("FUZZ_SEED") or secrets.token_hex(3))
    parser.add_argument(
        "--cases", nargs="*", type=Path, default=[*map(Path, (given("FUZZ_CASES") or "").split())]
    )
    options = parser.parse_args()
    engines = options.engine.split(",")
    if unknown := set(engines) - set(ENGINES):
        parser.error(f"{', '.join(sorted(unknown))}: not one of {', '.join(ENGINES)}")
    return run(engines, options.seconds, options.seed, options.cases)


if __name__ == "__main__":
    sys.exit(main())
