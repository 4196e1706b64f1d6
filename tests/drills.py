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

from fleet import CUSTOMERS, Fleet, Load, ServerProcess, ask_until_over, fleet, lost, resumed
from text2sql.config import Settings
from text2sql.memory import open_memory

QUESTIONS = 16
TEMPLATE = "\n\n".join(
    f"{{{{ How many customers are there, counted {at} times? | value }}}}" for at in range(QUESTIONS)
)


async def kill(cluster: Fleet) -> dict[str, Any]:
    """Kill the server that makes a report under load; another server resumes it."""
    load = Load()
    clients = asyncio.create_task(ask_until_over(cluster, load))
    async with cluster.client("ann") as ann:
        names = [await _begin(ann) for _ in range(2)]
        before, victim = await _unfinished_report(cluster, names[0])
        victim.kill()
        killed = time.monotonic()
        cluster.servers = [server for server in cluster.servers if server is not victim]
        texts, records = [], []
        for name in names:
            text, record = await _finished_report(ann, name)
            texts.append(text.split("\n\n"))
            records.append(record)
        took = time.monotonic() - killed
    load.over = True
    await clients
    return {
        "answers": len(load.finished),
        "cut off": len(load.cut),
        "codes": dict(load.codes),
        "answers lost": await lost(cluster, load),
        "not resumed": await resumed(cluster, load),
        "outcomes kept before": len(before),
        "of those in the report": len(before & set(texts[0])),
        "values in the reports": [len(set(values)) for values in texts],
        "questions taken over": records[0]["resumed"],
        "seconds until the reports were done": round(took, 1),
    }


async def judge(cluster: Fleet) -> dict[str, Any]:
    """Kill the server that runs an evaluation; another server asks only the remaining questions. The audit
    log shows how often each was asked.
    """
    questions = [
        {"question": f"How many customers, asked slowly, {at}?", "rows": [CUSTOMERS]}
        for at in range(QUESTIONS)
    ]
    async with cluster.client("cho") as cho:
        response = await cho.post("/api/v1/evaluations", json={"questions": questions})
        assert response.status_code == 202, response.text
        name = response.json()["evaluation_id"]
        async with asyncio.timeout(60):
            while (await cho.get(f"/api/v1/evaluations/{name}")).json()["done"] < QUESTIONS // 4:
                await asyncio.sleep(0.05)
        victim = _holder(cluster, name)
        victim.kill()
        killed = time.monotonic()
        async with open_memory(Settings(memory=cluster.memory)) as memory:
            parts = await memory.jobs.parts(name, "question")
        before = {json.loads(part)["question"] for part in parts.values()}
        state = await _ended(cho, f"/api/v1/evaluations/{name}")
        took = time.monotonic() - killed
        result = (await cho.get(f"/api/v1/evaluations/{name}/result")).json()
    victim.start()
    await asyncio.to_thread(victim.wait)
    with psycopg.connect(cluster.memory) as admin:
        rows = admin.execute(
            "SELECT asked, count(*) FROM text2sql_audit WHERE person = 'key:cho' GROUP BY 1"
        ).fetchall()
    times = {row: count for row, count in rows if row in {question["question"] for question in questions}}
    return {
        "judged before": len(before),
        "of those asked again": sum(times[record] > 1 for record in before),
        "questions in the result": len({record["id"] for record in result["records"]}),
        "right": state["right"],
        "asked in all": sum(times.values()),
        "seconds until it was done": round(took, 1),
    }


async def restart(cluster: Fleet) -> dict[str, Any]:
    """PostgreSQL drops every session and recovers; servers and clients reconnect by themselves."""
    load = Load()
    clients = asyncio.create_task(ask_until_over(cluster, load))
    async with cluster.client("ann") as ann:
        name = await _begin(ann)
        await asyncio.sleep(2)
        began = time.monotonic()
        await asyncio.to_thread(cluster.database.restart)
        away = time.monotonic() - began
        text, _ = await _finished_report(ann, name)
    before = len(load.finished)
    await asyncio.sleep(2)
    load.over = True
    await clients
    return {
        "answers": len(load.finished),
        "after the restart": len(load.finished) - before,
        "cut off": len(load.cut),
        "codes": dict(load.codes),
        "answers lost": await lost(cluster, load),
        "not resumed": await resumed(cluster, load),
        "values in the report": len(set(text.split("\n\n"))),
        "seconds without PostgreSQL": round(away, 1),
    }


async def upgrade(cluster: Fleet) -> dict[str, Any]:
    """Stop each server with SIGTERM and start it again, while the others continue."""
    load = Load()
    clients = asyncio.create_task(ask_until_over(cluster, load))
    codes = []
    for server in cluster.servers:
        codes.append(await asyncio.to_thread(server.stop))
        server.start()
        await asyncio.to_thread(server.wait)
    load.over = True
    await clients
    return {
        "exit codes": codes,
        "answers": len(load.finished),
        "cut off": len(load.cut),
        "codes": dict(load.codes),
        "answers lost": await lost(cluster, load),
        "not resumed": await resumed(cluster, load),
    }


async def backup(cluster: Fleet) -> dict[str, Any]:
    """Dump the memory, drop the database, restore it; all threads, results and reports are still there."""
    load, file = Load(), cluster.folder / "memory.dump"
    clients = asyncio.create_task(ask_until_over(cluster, load, slow=False))
    async with cluster.client("ann") as ann:
        name = await _begin(ann)
        text, _ = await _finished_report(ann, name)
    load.over = True
    await clients
    took = await asyncio.to_thread(_dump_and_restore, cluster, file)
    async with cluster.client("ann") as ann:
        again, _ = await _finished_report(ann, name)
    with psycopg.connect(cluster.memory) as memory:
        row = memory.execute("SELECT count(*) FROM text2sql_audit WHERE event = 'ended'").fetchone()
    return {
        "answers": len(load.finished),
        "answers lost": await lost(cluster, load),
        "not resumed": await resumed(cluster, load),
        "the report is the same": again == text,
        "records of the audit log": row[0] if row else 0,
        "kilobytes": file.stat().st_size // 1_000,
        "seconds": took,
    }


def throughput() -> dict[str, Any]:
    """The same load on one server, then on three. A server uses one core, and three share the cores with
    PostgreSQL and the clients, so the CPU time of an answer is reported as well, with the ratio it permits.
    """
    rates, costs = {}, {}
    for count in (1, 3):
        with fleet(count) as cluster:
            rates[count], costs[count] = asyncio.run(_rate(cluster))
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


# -- steps ----------------------------------------------------------------------------------------


async def _begin(client: Any) -> str:
    response = await client.post("/api/v1/reports", json={"template": TEMPLATE})
    assert response.status_code == 202, response.text
    name: str = response.json()["report_id"]
    return name


async def _unfinished_report(cluster: Fleet, name: str) -> tuple[set[str], ServerProcess]:
    """The values of an unfinished report, and the server that makes it."""
    async with open_memory(Settings(memory=cluster.memory)) as memory, asyncio.timeout(60):
        while True:
            parts = (await memory.jobs.parts(name, "question")).values()
            answers = [json.loads(part)["answer"] for part in parts]
            shown = {f"{answer['rows'][0][0]:,}" for answer in answers if answer}
            if len(shown) >= QUESTIONS // 4:
                break
            await asyncio.sleep(0.02)
    return shown, _holder(cluster, name)


def _holder(cluster: Fleet, name: str) -> ServerProcess:
    with psycopg.connect(cluster.memory) as admin:
        row = admin.execute("SELECT holder FROM text2sql_works WHERE id = %s", (name,)).fetchone()
    assert row is not None
    pid = int(row[0].split()[-2])
    return next(server for server in cluster.servers if server.process.pid == pid)


async def _ended(client: Any, path: str) -> dict[str, Any]:
    async with asyncio.timeout(120):
        while True:
            response = await client.get(path)
            if response.status_code == 200 and response.json()["status"] != "running":
                break
            await asyncio.sleep(0.1)
    body: dict[str, Any] = response.json()
    assert body["status"] == "done", body
    return body


async def _finished_report(client: Any, name: str) -> tuple[str, dict[str, Any]]:
    body = await _ended(client, f"/api/v1/reports/{name}")
    result = await client.get(f"/api/v1/reports/{name}/result")
    return result.text, body["record"]


def _dump_and_restore(cluster: Fleet, file: Path) -> dict[str, float]:
    parts = urlsplit(cluster.memory)
    environment = {**os.environ, "PGPASSWORD": parts.password or "", "PGUSER": parts.username or ""}
    environment |= {"PGHOST": parts.hostname or "", "PGPORT": str(parts.port)}
    name, seconds = parts.path.strip("/"), {}

    def run(*words: str) -> None:
        began = time.monotonic()
        subprocess.run(words, env=environment, check=True)
        seconds[words[0]] = round(time.monotonic() - began, 1)

    run("pg_dump", "--format=custom", f"--file={file}", name)
    for server in cluster.servers:  # no writes during the restore
        server.stop()
    run("dropdb", "--maintenance-db=template1", "--force", name)
    run("createdb", "--maintenance-db=template1", name)
    run("pg_restore", f"--dbname={name}", str(file))
    for server in cluster.servers:
        server.start()
    for server in cluster.servers:
        server.wait()
    return seconds


async def _rate(cluster: Fleet, seconds: float = 10.0) -> tuple[float, dict[str, float]]:
    """Answers per second, and the CPU seconds of an answer by program."""
    parts = {
        "server": [server.process.pid for server in cluster.servers],
        "PostgreSQL": [cluster.database.pid],
        "clients": [os.getpid()],
    }
    warm = Load()
    warming = asyncio.create_task(ask_until_over(cluster, warm, clients=12, slow=False, pause=0.0))
    while len(warm.finished) < 24:
        await asyncio.sleep(0.1)
    warm.over = True
    await warming
    load, before = Load(), {name: sum(map(_cpu_seconds, pids)) for name, pids in parts.items()}
    clients = asyncio.create_task(ask_until_over(cluster, load, clients=12, slow=False, pause=0.0))
    await asyncio.sleep(seconds)
    load.over = True
    await clients
    count = len(load.finished)
    return load.rate, {
        name: (sum(map(_cpu_seconds, pids)) - before[name]) / count for name, pids in parts.items()
    }


def _cpu_seconds(pid: int) -> float:
    """CPU seconds of a process and its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    if pid == os.getpid():
        return own
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(_cpu_seconds(int(child)) for child in children)


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
        with fleet() as cluster:
            facts = asyncio.run(DRILLS[name](cluster))
    for about, value in facts.items():
        print(f"{about}: {value}")
    bad = [about for about in ("answers lost", "not resumed", "of those asked again") if facts.get(about)]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
