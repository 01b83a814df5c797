"""Studies run as users run them, in processes of their own; and what must be the same however a run went."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import warm

from bakeoff.cli import main

HERE = Path(__file__).parent
PATIENCE = 120.0  # seconds for what takes one: machines are busy
MARK = "BAKEOFF_PROOF"  # in the environment of a run, and so of every process that comes of it

BAKEOFF = ["-m", "bakeoff"]
READ_BY_THE_INTERPRETER = {"PYTHONHASHSEED", "OMP_NUM_THREADS"}

Learners = Mapping[str, str]
Process = subprocess.Popen[str] | warm.Program


def study_text(
    learners: Learners, *, folds: int = 3, repeats: int = 1, tasks: Iterable[str] = ("iris",), limits: str = ""
) -> str:
    """A study file. Learners are TOML by name, such as `path = "odd_learners.Odd"`."""
    parts = ['seed = 11\nmeasures = ["error", "log_loss"]']
    parts += [f'[[task]]\ndata = "{task}"' for task in tasks]
    parts += [f'[[learner]]\nname = "{name}"\n{definition}' for name, definition in learners.items()]
    parts.append(f'[resampling]\nscheme = "cross-validation"\nfolds = {folds}\nrepeats = {repeats}')
    if limits:
        parts.append(f"[limits]\n{limits}")
    return "\n\n".join(parts) + "\n"


def odd(name: str, **parameters: Any) -> str:
    """One of odd_learners.py."""
    given = ", ".join(
        f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}" for key, value in parameters.items()
    )
    return f'path = "odd_learners.{name}"\nparameters = {{ {given} }}'


class Place:
    """A folder with a study, the learners it names, and a folder for temporary files that nobody else uses."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder, self.store = folder, folder / "study.sqlite"
        self.temporary = folder / "temporary"
        self.program = BAKEOFF  # what the interpreter is to run
        self.fresh = False  # whether it has to import everything first
        self.started: list[Process] = []
        self.temporary.mkdir(parents=True)
        for learners in (HERE / "odd_learners.py", HERE.parent / "running" / "hostile.py"):
            shutil.copy(learners, folder)
        self.write(text)

    def write(self, text: str) -> None:
        (self.folder / "study.toml").write_text(text, encoding="utf-8")

    def hold(self, fits: int) -> None:
        """Let the odd learners fit so many times; whoever comes later waits until they are let go."""
        (self.folder / "leaves").mkdir()
        for number in range(fits):
            (self.folder / "leaves" / str(number)).touch()

    def let_go(self) -> None:
        (self.folder / "leaves").rename(self.folder / "all may go")

    def start(self, *arguments: str, **environment: str) -> Process:
        """Start `bakeoff …` without waiting for it, in an interpreter of its own: a fresh one where that may matter."""
        command, fresh = [*self.program, *arguments], self.fresh or self.program != BAKEOFF
        variables = {**os.environ, "TMPDIR": str(self.temporary), MARK: str(self.folder), **environment}
        if not fresh and not READ_BY_THE_INTERPRETER & environment.keys():
            self.started.append(warm.start(command, cwd=self.folder, env=variables))
            return self.started[-1]
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,  # as a shell does it: Ctrl-C goes to all of the group, and not to the tests
        )

    def bakeoff(self, *arguments: str, **environment: str) -> Said:
        return said(self.start(*arguments, **environment))

    def command(self, *arguments: str) -> Said:
        """A command in this process, which is quicker: where it is not the process that is tested."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(arguments)
        return Said(code, out.getvalue(), err.getvalue())

    def run(self, *arguments: str, **environment: str) -> Said:
        return self.bakeoff("run", "study.toml", "--quiet", *arguments, **environment)

    def run_here(self, *arguments: str) -> Said:
        return self.command("run", "study.toml", "--quiet", *arguments)

    def scratch(self) -> list[Path]:
        """The folders of runs, of this one and of those that were killed."""
        return sorted(self.temporary.glob("bakeoff-run-*"))

    def workers(self) -> list[int]:
        """Worker processes that are running."""
        marks = (mark for folder in self.scratch() for mark in folder.glob("worker-*"))
        return [pid for mark in marks if is_running(pid := int(mark.name.removeprefix("worker-")))]

    def processes(self) -> dict[int, str]:
        """Every process that came of a run in this folder and is still there, with its command line."""
        told = f"{MARK}={self.folder}".encode()
        found = {process.pid: "bakeoff" for process in self.started if process.poll() is None}
        for process in Path("/proc").glob("[0-9]*"):
            pid = int(process.name)
            try:
                if told in (process / "environ").read_bytes().split(b"\0") and is_running(pid):
                    found[pid] = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
        return found

    def kill_all(self) -> None:
        """For the end of a test that failed: leave nothing behind."""
        for pid in self.processes():
            if pid != os.getpid():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def said(process: Process) -> Said:
    """Wait for a command. A traceback is never what a user should see."""
    with process:
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert "Traceback" not in err, err
    return Said(process.returncode, out, err)


def until(condition: Callable[[], Any], what: str) -> Any:
    """Wait until something holds, and return it; fail if it does not for very long."""
    end, pause = time.monotonic() + PATIENCE, 0.005
    while not (found := condition()):
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(pause)
        pause = min(1.2 * pause, 0.05)  # to ask takes time that those who are waited for could use
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@dataclass(frozen=True)
class Stored:
    """What a store holds of a cell that may depend on nothing but its content: no numbers of rows, no times."""

    learner: str
    status: str
    seed: int
    scores: tuple[tuple[str, bytes | None, str | None], ...]  # values bit for bit
    prediction: tuple[Any, ...] | None


def rows(store: Path, query: str) -> list[tuple[Any, ...]]:
    """Asked beside a writer, and of a store that may not be there yet."""
    if not store.exists():
        return []
    connection = sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=PATIENCE)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):  # its first writer has not come that far
            return []
        raise
    finally:
        connection.close()


def content(store: Path) -> dict[bytes, Stored]:
    """Every cell by its key, as it must come out of any run."""
    scores: dict[int, list[tuple[str, bytes | None, str | None]]] = {}
    for cell, name, value, reason in rows(
        store, "SELECT cell, name, value, reason FROM score JOIN measure ON measure.id = measure ORDER BY cell, name"
    ):
        scores.setdefault(cell, []).append((name, None if value is None else struct.pack("<d", value), reason))
    predictions = {row[0]: row[1:] for row in rows(store, "SELECT * FROM prediction")}
    return {
        key: Stored(learner, status, seed, tuple(scores.get(number, ())), predictions.get(number))
        for number, key, learner, status, seed in rows(
            store,
            "SELECT cell.id, cell.key, learner.key, status, seed FROM cell JOIN learner ON learner.id = cell.learner",
        )
    }


def attempts(store: Path) -> dict[bytes, list[str]]:
    """How each attempt at each cell ended, in their order."""
    found: dict[bytes, list[str]] = {}
    for key, status in rows(
        store, "SELECT key, attempt.status FROM attempt JOIN cell ON cell.id = cell ORDER BY cell.id, number"
    ):
        found.setdefault(key, []).append(status)
    return found


def cells(store: Path) -> int:
    found = rows(store, "SELECT count(*) FROM cell")
    return found[0][0] if found else 0
