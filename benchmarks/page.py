"""The page of `bakeoff serve`: 50 readers beside a run, and a verdict after a slider was moved; wall times.

The server, its run (two workers) and the readers are processes of their own, as in life. Each reader asks for the next
page as soon as it has one: pages of files, of the study that is being run, figures, and what a page that watches asks.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any
from urllib.request import Request, urlopen

import numpy as np

from measure import row

READERS, SECONDS = 50, 12
P95, SLIDER = 0.3, 0.2  # seconds
STUDY = """
measures = ["error", "auc"]
resampling = { scheme = "cross-validation", folds = 10, repeats = 100 }
task = [{ data = "iris" }, { data = "wine" }, { data = "glass" }, { data = "sonar" }, { data = "zoo" }]
learner = [{ name = "tree", path = "tree" }, { name = "bayes", path = "naive-bayes" }, { name = "lda", path = "lda" }]
"""
OF = "of=file:large.csv&measure=accuracy"


@contextmanager
def page_server(folder: Path) -> Iterator[tuple[str, str, int]]:
    """The address of a server, the token of its pages, and its process."""
    command = [sys.executable, "-m", "bakeoff", "serve", str(folder), "--study", str(folder / "study.toml")]
    with subprocess.Popen([*command, "--port", "0", "-j", "2"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().split()[-1].rstrip("/")
            token = re.search(r'name="bakeoff-token" content="([^"]+)"', ask(address))
            assert token is not None
            yield address, token[1], process.pid
        finally:
            process.terminate()


def ask(address: str, token: str | None = None) -> str:
    headers = {} if token is None else {"x-bakeoff-token": token}
    with urlopen(Request(address, headers=headers, method="GET" if token is None else "POST"), timeout=60) as answer:
        return str(answer.read().decode())


def write(folder: Path) -> None:
    rng = np.random.default_rng(2006)
    table = 0.8 + 0.05 * rng.normal(size=(200, 1)) + 0.02 * rng.normal(size=(200, 20)) + np.linspace(0, 0.02, 20)
    lines = [",".join(["dataset", *(f"learner {i}" for i in range(20))])]
    lines += [",".join([f"set {i}", *(f"{value:.4f}" for value in each)]) for i, each in enumerate(table)]
    (folder / "large.csv").write_text("\n".join(lines))
    (folder / "study.toml").write_text(STUDY)


def started(address: str, token: str) -> str:
    """The id of the study, once its run has written something about every learner."""
    (study,) = json.loads(ask(f"{address}/api/v1/studies"))
    ask(f"{address}/api/v1/studies/{study['id']}/start", token)
    while sum(bool(part["ok"]) for part in json.loads(ask(f"{address}/api/v1/studies/{study['id']}"))["parts"]) < 6:
        sleep(0.5)
    return str(study["id"])


async def read(address: str, pages: list[str], readers: int, seconds: float) -> list[float]:
    """How long each request took."""
    host, port = address.removeprefix("http://").split(":")
    end, taken = perf_counter() + seconds, []

    async def reader(number: int) -> None:
        to, out = await asyncio.open_connection(host, int(port))
        while perf_counter() < end:
            number += 1
            began = perf_counter()
            out.write(f"GET {pages[number % len(pages)]} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            head = (await to.readuntil(b"\r\n\r\n")).decode().lower()
            assert head.startswith("http/1.1 200"), (pages[number % len(pages)], head)
            await to.readexactly(int(head.partition("content-length:")[2].split()[0]))
            taken.append(perf_counter() - began)
        out.close()

    await asyncio.gather(*(reader(number) for number in range(readers)))
    return taken


def readers(address: str, id: str, count: int, seconds: float) -> list[float]:
    """What the readers measured, in a process of theirs."""
    command = [sys.executable, __file__, address, id, str(count), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def pages(id: str) -> list[str]:
    file = f"/decide?{OF}"
    study = f"/decide?of=study:{id}"
    watched = [f"/api/v1/studies/{id}"] * 4  # by each page that watches, about once a second
    figures = [f"/figure/critical-difference.svg?{OF}", f"/figure/critical-difference.svg?of=study:{id}"]
    return ["/", f"/study/{id}", *watched, file, study, f"/explore?{OF}", f"/explore?of=study:{id}", "/plan", *figures]


def cpu(process: int) -> float:
    """Seconds of CPU that a process used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def rows() -> list[dict[str, Any]]:
    with TemporaryDirectory() as name:
        write(Path(name))
        with page_server(Path(name)) as (address, token, process):
            ask(f"{address}/decide?{OF}")
            moved = [timed(f"{address}/decide?{OF}&alpha={alpha / 1000}") for alpha in range(10, 31)]
            kept = [timed(f"{address}/decide?{OF}&alpha={alpha / 1000}") for alpha in range(10, 31)]
            id = started(address, token)
            readers(address, id, 1, 2)  # the first of all pays for imports
            alone = quantiles(readers(address, id, 1, 4), n=20)[-1]
            before = cpu(process)
            many = readers(address, id, READERS, SECONDS)
            each = (cpu(process) - before) / len(many)
            ask(f"{address}/api/v1/studies/{id}/stop", token)
    p95 = quantiles(many, n=20)[-1]
    what = f"{READERS} readers beside a run, p95 of {len(many)} pages ({1000 * each:.1f} ms of CPU each)"
    slider = row("20 learners × 200 tasks, page after a slider", median(moved), "the same α again", median(kept))
    return [
        {**row(what, p95, "one reader", alone), "goal": f"within {P95:g} s", "met": p95 <= P95},
        {**slider, "goal": f"within {SLIDER:g} s", "met": median(moved) <= SLIDER},
    ]


def timed(address: str) -> float:
    began = perf_counter()
    ask(address)
    return perf_counter() - began


if __name__ == "__main__":
    if sys.argv[1:]:
        at, of, count, seconds = sys.argv[1:]
        print(*asyncio.run(read(at, pages(of), int(count), float(seconds))))
    else:
        for one in rows():
            print(one)
