"""Measure the cost of the embedded model, as ratios within one run: absolute times depend on the machine.

    python benchmarks/local_model.py [--rounds 3]

    second question     evaluated prompt tokens, relative to the first question     at most 15 %
    after a restart     the same, after the process was restarted                   at most 15 %
    four candidates     seconds per call, relative to one candidate                 at most 2.2 x
    grammar             seconds per token, relative to no grammar                   at most 1.10 x
    our client          seconds per call, relative to a direct request              at most 1.05 x

Rounds alternate between the two sides and the best round of each side counts, which removes most of the noise
of other processes. No other model process may run: two on the same cores slow each other down tenfold.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import httpx

from text2sql.config import Settings, from_environment
from text2sql.llm.backend import Preparing
from text2sql.llm.embedded import EmbeddedBackend, file, process, wire
from text2sql.llm.grammar import sql_grammar
from text2sql.types import Message, ModelRequest, Reply

TOPICS = "customer order product supplier invoice payment employee store city country category review".split()
KINDS = (
    "id name status code description amount quantity currency email city country created_at updated_at "
    "phone_number external_reference"
).split()
ANSWER = 32  # tokens


def schema() -> tuple[str, dict[str, tuple[str, ...]]]:
    """A fixed schema of about 1,400 tokens."""
    statements, tables = [], {}
    for at, topic in enumerate(TOPICS):
        for kind in ("", "_history"):
            columns = (*KINDS, f"{TOPICS[at - 1]}_id")
            tables[topic + kind] = columns
            statements.append(
                f"CREATE TABLE {topic}{kind} ({', '.join(f'{name} {_type(name)}' for name in columns)});"
            )
    rules = "You write one SQLite query that answers the question. Return exactly the asked columns.\n\n"
    return rules + "\n".join(statements), tables


def _type(column: str) -> str:
    return "INTEGER" if column.endswith("id") else "REAL" if column == "amount" else "TEXT"


SYSTEM, TABLES = schema()


def request_for(text: str, **changes: object) -> ModelRequest:
    request = ModelRequest((Message("system", SYSTEM), Message("user", text)), max_tokens=ANSWER)
    return replace(request, **changes)  # type: ignore[arg-type]


class Timed:
    """One call: its reply, its seconds, and its seconds from the first token on."""

    def __init__(self, reply: Reply, seconds: float, writing: float) -> None:
        self.reply, self.seconds = reply, seconds
        self.per_token = writing / max(1, reply.usage.completion_tokens - 1)

    @property
    def evaluated(self) -> int:
        return self.reply.usage.prompt_tokens - self.reply.usage.cached_tokens


async def call(backend: EmbeddedBackend, request: ModelRequest) -> Timed:
    began, first = time.perf_counter(), 0.0
    async for piece in backend.stream(request):
        if not isinstance(piece, Preparing):
            first = first or time.perf_counter()
        if isinstance(piece, Reply):
            ended = time.perf_counter()
            return Timed(piece, ended - began, ended - first)
    raise RuntimeError("no reply")


async def raw(host: process.Host, prompt: str, request: ModelRequest) -> float:
    """The same call as a plain HTTP request."""
    async with httpx.AsyncClient(transport=host.transport(), base_url=host.url, timeout=None) as client:
        began = time.perf_counter()
        async with client.stream("POST", "/completion", json=wire.payload(request, prompt)) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    json.loads(line[6:])
        return time.perf_counter() - began


def show(what: str, measured: float, target: float, unit: str, note: str = "") -> bool:
    good = measured <= target
    scale = 100 if unit == "%" else 1
    figures = f"{measured * scale:8.2f} {unit:2} target {target * scale:g} {unit}"
    print(f"{'✓' if good else '✗'} {what:18}{figures}  {note}", flush=True)
    return good


async def measure(settings: Settings, rounds: int) -> bool:
    root = Path(settings.cache_dir)
    backend = EmbeddedBackend(None, settings)
    began = time.perf_counter()
    await backend.count_tokens("x")
    print(
        f"  process ready after {time.perf_counter() - began:.1f} s, threads: {threads(settings)}", flush=True
    )
    first = await call(backend, request_for("How many customers are there?"))
    second = await call(backend, request_for("What is the highest amount of an order?"))
    print(f"  first answer {first.seconds:.1f} s for {first.evaluated} tokens, second {second.seconds:.1f} s")
    good = show(
        "second question", second.evaluated / first.evaluated, 0.15, "%", f"{second.evaluated} tokens"
    )

    for host in process.hosts(root):
        process.stop(host)
    third = await call(backend, request_for("Which city has the most stores?"))
    note = f"{third.evaluated} tokens, {third.seconds:.1f} s with starting"
    good &= show("after a restart", third.evaluated / first.evaluated, 0.15, "%", note)

    one_candidate: list[float] = []
    four_candidates, without_grammar, with_grammar, ours, direct = [], [], [], [], []
    long = "List name, status, amount and creation time of every customer, order, product and supplier"
    for at in range(rounds):
        # Questions have equal length and are never repeated: each side evaluates the same suffix.
        one_candidate.append(
            (await call(backend, request_for(f"{long}, case {at}1.", temperature=0.6))).seconds
        )
        four_candidates.append(
            (await call(backend, request_for(f"{long}, case {at}4.", temperature=0.6, candidates=4))).seconds
        )
    good &= show(
        "four candidates",
        min(four_candidates) / min(one_candidate),
        2.2,
        "x",
        f"{min(one_candidate):.1f} s, {min(four_candidates):.1f} s",
    )

    grammar = sql_grammar("sqlite", TABLES)
    for _ in range(rounds):
        without_grammar.append((await call(backend, request_for(long))).per_token)
        with_grammar.append((await call(backend, request_for(long, grammar=grammar))).per_token)
    note = f"{min(without_grammar) * 1000:.0f} ms, {min(with_grammar) * 1000:.0f} ms a token"
    good &= show("grammar", min(with_grammar) / min(without_grammar), 1.10, "x", note)

    host = process.hosts(root)[0]
    async with httpx.AsyncClient(transport=host.transport(), base_url=host.url) as client:
        answer = await client.post(
            "/apply-template", json={"messages": wire.messages(request_for(long).messages)}
        )
        prompt = answer.json()["prompt"]
    for _ in range(rounds + 2):
        ours.append((await call(backend, request_for(long))).seconds)
        direct.append(await raw(host, prompt, request_for(long)))
    note = f"{min(direct):.2f} s, {min(ours):.2f} s"
    good &= show("our client", min(ours) / min(direct), 1.05, "x", note)
    await backend.close()
    return good


def threads(settings: Settings) -> int:
    return process.plan_for(file.ready_file(None, settings), ours=True, settings=settings).threads


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    model = file.ready_file(None, from_environment())
    print(f"load before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory(
        dir=model.parents[1]
    ) as directory:  # the same disk, so that a hard link works
        models = Path(directory) / "models"
        models.mkdir()
        for path in (model, model.with_name(f"{model.name}.ok")):
            os.link(path, models / path.name)
        settings = Settings(cache_dir=directory)
        try:
            good = asyncio.run(measure(settings, arguments.rounds))
        finally:
            for host in process.hosts(Path(directory)):
                process.stop(host)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
