"""Failure drills for a fleet of servers. Each drill prints its findings and fails if anything was lost.

python tests/drills.py kill        kill -9 one of three servers under load, with unfinished reports
python tests/drills.py judge       kill -9 the server that runs an evaluation
python tests/drills.py restart     restart PostgreSQL under load, as after a crash
python tests/drills.py upgrade     restart the servers one by one under load
python tests/drills.py backup      pg_dump, drop the database, pg_restore
python tests/drills.py throughput  compare one server with three, using an instant model
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from fleet import CUSTOMERS, Fleet, One, RunOptions, asking, fleet, lost, resumed
from text2sql.config import Settings
from text2sql.memory import open_memory

QUESTIONS = 16
TEMPLATE = "\n\n".join(
    f"{{{{ How many customers are there, counted {at} times? | value }}}}" for at in range(QUESTIONS)
)


async def kill(there: Fleet) -> dict[str, Any]:
    """The server that makes a report is killed while others are asked; another one goes on with it."""
    asked = RunOptions()
    asks = asyncio.create_task(asking(there, asked))
    async with there.client("ann") as ann:
        names = [await _begin(ann) for _ in range(2)]
        before, victim = await _half_made(there, names[0])
        victim.kill()
        killed = time.monotonic()
        there.servers = [server for server in there.servers if server is not victim]
        texts, records = [], []
        for name in names:
            text, record = await _made(ann, name)
            texts.append(text.split("\n\n"))
            records.append(record)
        took = time.monotonic() - killed
    asked.over = True
    await asks
    return {
        "answers": len(asked.finished),
        "cut off": len(asked.cut),
        "codes": dict(asked.codes),
        "answers lost": await lost(there, asked),
        "not resumed": await resumed(there, asked),
        "outcomes kept before": len(before),
        "of those in the report": len(before & set(texts[0])),
        "values in the reports": [len(set(values)) for values in texts],
        "questions taken over": records[0]["resumed"],
        "seconds until the reports were done": round(took, 1),
    }


async def judge(there: Fleet) -> dict[str, Any]:
    """The server that asks a question set is killed half-way; another one asks what is left, and no more. The
    audit log says how often each was asked.
    """
    asked = [
        {"question": f"How many customers, asked slowly, {at}?", "rows": [CUSTOMERS]}
        for at in range(QUESTIONS)
    ]
    async with there.client("cho") as cho:
        response = await cho.post("/api/v1/evaluations", json={"questions": asked})
        assert response.status_code == 202, response.text
        name = response.json()["evaluation_id"]
        async with asyncio.timeout(60):
            while (await cho.get(f"/api/v1/evaluations/{name}")).json()["done"] < QUESTIONS // 4:
                await asyncio.sleep(0.05)
        victim = _holder(there, name)
        victim.kill()
        killed = time.monotonic()
        async with open_memory(Settings(memory=there.memory)) as memory:
            parts = await memory.jobs.parts(name, "question")
        before = {json.loads(part)["question"] for part in parts.values()}
        state = await _ended(cho, f"/api/v1/evaluations/{name}")
        took = time.monotonic() - killed
        result = (await cho.get(f"/api/v1/evaluations/{name}/result")).json()
    victim.start()
    await asyncio.to_thread(victim.wait)
    with psycopg.connect(there.memory) as admin:
        rows = admin.execute(
            "SELECT asked, count(*) FROM text2sql_audit WHERE person = 'key:cho' GROUP BY 1"
        ).fetchall()
    times = {row: count for row, count in rows if row in {each["question"] for each in asked}}
    return {
        "judged before": len(before),
        "of those asked again": sum(times[record] > 1 for record in before),
        "questions in the result": len({record["id"] for record in result["records"]}),
        "right": state["right"],
        "asked in all": sum(times.values()),
        "seconds until it was done": round(took, 1),
    }


async def restart(there: Fleet) -> dict[str, Any]:
    """PostgreSQL cuts every session, recovers, and everybody comes back by themselves."""
    asked = RunOptions()
    asks = asyncio.create_task(asking(there, asked))
    async with there.client("ann") as ann:
        name = await _begin(ann)
        await asyncio.sleep(2)
        began = time.monotonic()
        await asyncio.to_thread(there.database.restart)
        away = time.monotonic() - began
        text, _ = await _made(ann, name)
    before = len(asked.finished)
    await asyncio.sleep(2)
    asked.over = True
    await asks
    return {
        "answers": len(asked.finished),
        "after the restart": len(asked.finished) - before,
        "cut off": len(asked.cut),
        "codes": dict(asked.codes),
        "answers lost": await lost(there, asked),
        "not resumed": await resumed(there, asked),
        "values in the report": len(set(text.split("\n\n"))),
        "seconds without PostgreSQL": round(away, 1),
    }


async def upgrade(there: Fleet) -> dict[str, Any]:
    """Each server is told to stop (SIGTERM), and started anew once it has; the others go on."""
    asked = RunOptions()
    asks = asyncio.create_task(asking(there, asked))
    codes = []
    for server in there.servers:
        codes.append(await asyncio.to_thread(server.stop))
        server.start()
        await asyncio.to_thread(server.wait)
    asked.over = True
    await asks
    return {
        "exit codes": codes,
        "answers": len(asked.finished),
        "cut off": len(asked.cut),
        "codes": dict(asked.codes),
        "answers lost": await lost(there, asked),
        "not resumed": await resumed(there, asked),
    }


async def backup(there: Fleet) -> dict[str, Any]:
    """The memory as one file; then the database is gone, made anew, and everybody finds what was theirs."""
    asked, file = RunOptions(), there.folder / "memory.dump"
    asks = asyncio.create_task(asking(there, asked, slow=False))
    async with there.client("ann") as ann:
        name = await _begin(ann)
        text, _ = await _made(ann, name)
    asked.over = True
    await asks
    took = await asyncio.to_thread(_dump_and_restore, there, file)
    async with there.client("ann") as ann:
        again, _ = await _made(ann, name)
    with psycopg.connect(there.memory) as memory:
        row = memory.execute("SELECT count(*) FROM text2sql_audit WHERE event = 'ended'").fetchone()
    return {
        "answers": len(asked.finished),
        "answers lost": await lost(there, asked),
        "not resumed": await resumed(there, asked),
        "the report is the same": again == text,
        "records of the audit log": row[0] if row else 0,
        "kilobytes": file.stat().st_size // 1_000,
        "seconds": took,
    }


def throughput() -> dict[str, Any]:
    """The same people, first before one server, then before three. One server can use one core; what three
    can use is what the others leave: so the cost of an answer is told too, and what follows from it.
    """
    rates, costs = {}, {}
    for count in (1, 3):
        with fleet(count) as there:
            rates[count], costs[count] = asyncio.run(_rate(there))
    cores, cost = os.cpu_count() or 1, costs[1]
    return {
        "cores": cores,
        "answers a second, one server": round(rates[1], 1),
        "answers a second, three servers": round(rates[3], 1),
        "ratio": round(rates[3] / rates[1], 2),
        "milliseconds of a core for an answer": {name: round(value * 1e3, 1) for name, value in cost.items()},
        "ratio that these cores permit": round(min(3, cores * cost["server"] / sum(cost.values())), 2),
        "cores for a ratio of 2": round(2 * sum(cost.values()) / cost["server"], 1),
    }


# -- what they are made of -------------------------------------------------------------------------


async def _begin(client: Any) -> str:
    response = await client.post("/api/v1/reports", json={"template": TEMPLATE})
    assert response.status_code == 202, response.text
    name: str = response.json()["report_id"]
    return name


async def _half_made(there: Fleet, name: str) -> tuple[set[str], One]:
    """What a report has found so far, as it is shown, and the server that makes it."""
    async with open_memory(Settings(memory=there.memory)) as memory, asyncio.timeout(60):
        while True:
            parts = (await memory.jobs.parts(name, "question")).values()
            found = [json.loads(part)["answer"] for part in parts]
            shown = {f"{one['rows'][0][0]:,}" for one in found if one}
            if len(shown) >= QUESTIONS // 4:
                break
            await asyncio.sleep(0.02)
    return shown, _holder(there, name)


def _holder(there: Fleet, name: str) -> One:
    with psycopg.connect(there.memory) as admin:
        row = admin.execute("SELECT holder FROM text2sql_works WHERE id = %s", (name,)).fetchone()
    assert row is not None
    pid = int(row[0].split()[-2])
    return next(server for server in there.servers if server.process.pid == pid)


async def _ended(client: Any, place: str) -> dict[str, Any]:
    async with asyncio.timeout(120):
        while True:
            response = await client.get(place)
            if response.status_code == 200 and response.json()["status"] != "running":
                break
            await asyncio.sleep(0.1)
    told: dict[str, Any] = response.json()
    assert told["status"] == "done", told
    return told


async def _made(client: Any, name: str) -> tuple[str, dict[str, Any]]:
    told = await _ended(client, f"/api/v1/reports/{name}")
    result = await client.get(f"/api/v1/reports/{name}/result")
    return result.text, told["record"]


def _dump_and_restore(there: Fleet, file: Path) -> dict[str, float]:
    parts = urlsplit(there.memory)
    environment = {**os.environ, "PGPASSWORD": parts.password or "", "PGUSER": parts.username or ""}
    environment |= {"PGHOST": parts.hostname or "", "PGPORT": str(parts.port)}
    name, seconds = parts.path.strip("/"), {}

    def run(*words: str) -> None:
        began = time.monotonic()
        subprocess.run(words, env=environment, check=True)
        seconds[words[0]] = round(time.monotonic() - began, 1)

    run("pg_dump", "--format=custom", f"--file={file}", name)
    for server in there.servers:  # nobody writes while the memory is put back
        server.stop()
    run("dropdb", "--maintenance-db=template1", "--force", name)
    run("createdb", "--maintenance-db=template1", name)
    run("pg_restore", f"--dbname={name}", str(file))
    for server in there.servers:
        server.start()
    for server in there.servers:
        server.wait()
    return seconds


async def _rate(there: Fleet, seconds: float = 10.0) -> tuple[float, dict[str, float]]:
    """Answers a second, and the seconds of a core that each costs, by who spends them."""
    parts = {
        "server": [server.process.pid for server in there.servers],
        "PostgreSQL": [there.database.pid],
        "people": [os.getpid()],
    }
    warm = RunOptions()
    warming = asyncio.create_task(asking(there, warm, clients=12, slow=False, pause=0.0))
    while len(warm.finished) < 24:
        await asyncio.sleep(0.1)
    warm.over = True
    await warming
    asked, before = RunOptions(), {name: sum(map(_spent, pids)) for name, pids in parts.items()}
    asks = asyncio.create_task(asking(there, asked, clients=12, slow=False, pause=0.0))
    await asyncio.sleep(seconds)
    asked.over = True
    await asks
    count = len(asked.finished)
    return asked.rate, {name: (sum(map(_spent, pids)) - before[name]) / count for name, pids in parts.items()}


def _spent(pid: int) -> float:
    """Seconds of a core, of a process and of those it has started."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    if pid == os.getpid():
        return own
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(_spent(int(child)) for child in children)


DRILLS: dict[str, Callable[[Fleet], Any]] = {
    "kill": kill,
    "judge": judge,
    "restart": restart,
    "upgrade": upgrade,
    "backup": backup,
}


def main(name: str) -> int:
    if name == "throughput":
        facts = throughput()
    else:
        with fleet() as there:
            facts = asyncio.run(DRILLS[name](there))
    for about, value in facts.items():
        print(f"{about}: {value}")
    bad = [about for about in ("answers lost", "not resumed", "of those asked again") if facts.get(about)]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
