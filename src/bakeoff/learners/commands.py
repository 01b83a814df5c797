"""Command learners: programs in any language, run without a shell.

    command = ["perl", "nearest_mean.pl", "{train}", "{test}", "{output}", "{seed}"]

{train} is a CSV file with a header and the target as its last column, {test} one without the target; a missing value
is an empty cell. The program writes {output}: a CSV file with a column `prediction` that has, for each row of the test
file and in its order, a class, a number, or the log density of the row; and, if it likes, a column for each class,
named as the class, with its probability. {seed} is the seed of the cell, {task} and {kind} say what is learned. It is
run in the folder of the study file, learns and predicts at once, and leaves with exit code 0 if all is well.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import IO, Any

from bakeoff.errors import UsageError, nearest
from bakeoff.learners.exchange import read_answer, write_rows
from bakeoff.learners.facts import DENSITY, Facts
from bakeoff.learners.fitted import Fitted, InvalidPrediction, Timings

PLACEHOLDERS = ("train", "test", "output", "seed", "task", "kind")
_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_TAIL_BYTES, _TAIL_LINES = 600, 5  # short enough that a message shows it to its end


class CommandError(Exception):
    """A command did not run, or left with another exit code than 0."""


def check_command(command: Sequence[str], folder: str, whose: str) -> tuple[str, ...]:
    """Check a command without running it; warnings where it may be all right where the study is run.

    >>> check_command(["perl", "m.pl", "{train}", "{tests}", "{output}"], "", "learner 'm'")
    Traceback (most recent call last):
    bakeoff.errors.UsageError: learner 'm': the command has the placeholder '{tests}'. Did you mean 'test'? ...
    """
    if isinstance(command, str) or not command or not all(isinstance(part, str) for part in command):
        raise UsageError(
            f"{whose}: command is {command!r}. Expected is a list of texts, the program first, such as "
            '["perl", "learn.pl", "{train}", "{test}", "{output}"]: it is run without a shell.'
        )
    used = [name for part in command for name in _PLACEHOLDER.findall(part)]
    for name in used:
        if name not in PLACEHOLDERS:
            raise UsageError(f"{whose}: the command has the placeholder '{{{name}}}'. {nearest(name, PLACEHOLDERS)}")
    absent = [f"{{{name}}}" for name in ("train", "test", "output") if name not in used]
    if absent:
        raise UsageError(
            f"{whose}: the command lacks {' and '.join(absent)}. It must be told the files to learn from, to predict, "
            "and to write its predictions to."
        )
    if _found(command[0], folder) is None:
        return (f"{whose}: the program {command[0]!r} is not found on this machine.",)
    return ()


@dataclass(frozen=True)
class CommandLearner:
    """A command as it is run for one cell."""

    name: str
    command: tuple[str, ...]
    folder: str
    facts: Facts
    seed: int

    def learn_and_predict(self, X_train: Any, y_train: Any, X_test: Any) -> Fitted:
        """Write the files, run the command, read its answer. The files are removed whatever happens."""
        with tempfile.TemporaryDirectory(prefix="bakeoff-") as scratch:
            files = {name: str(Path(scratch, f"{name}.csv")) for name in ("train", "test", "output")}
            target = None if self.facts.kind == DENSITY else self.facts.target
            write_rows(files["train"], self.facts.features, X_train, target, y_train)
            write_rows(files["test"], self.facts.features, X_test)
            with (
                open(Path(scratch, "printed"), "w+b") as printed,
                open(Path(scratch, "complaints"), "w+b") as complaints,
            ):
                timings = self._run(files, printed, complaints)
                try:
                    prediction = read_answer(files["output"], self.facts, len(X_test))
                except InvalidPrediction as problem:
                    raise InvalidPrediction(f"{problem}{_said(complaints, printed)}") from None
        return Fitted(prediction, timings)

    def arguments(self, files: dict[str, str]) -> list[str]:
        """The command with its placeholders filled in."""
        values = {**files, "seed": str(self.seed), "task": self.facts.name, "kind": self.facts.kind}
        return [_PLACEHOLDER.sub(lambda found: values[found[1]], part) for part in self.command]

    def _run(self, files: dict[str, str], printed: IO[bytes], complaints: IO[bytes]) -> Timings:
        arguments = self.arguments(files)
        cpu, wall = _cpu_of_children(), perf_counter()
        try:
            # In the worker's own process group, so that whoever stops the worker's group stops this too. What it prints
            # goes to files: a pipe that nobody empties would make it hang.
            child = subprocess.Popen(
                arguments,
                cwd=self.folder or None,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=complaints,
                preexec_fn=_end_with_parent(),  # noqa: PLW1509  (it makes one system call and takes no lock)
            )
        except OSError as error:
            raise CommandError(
                f"the program {arguments[0]!r} could not be started: {error.strerror or error}."
            ) from None
        except ValueError as error:  # a name with a NUL
            raise CommandError(f"the command could not be started: {error}.") from None
        try:
            code = child.wait()
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
        timings = Timings(perf_counter() - wall, _cpu_of_children() - cpu)
        if code:
            raise CommandError(f"the command {_ended(code)}.{_said(complaints, printed)}")
        return timings


def _ended(code: int) -> str:
    if code > 0:
        return f"left with exit code {code}"
    try:
        return f"was ended by the signal {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by the signal {-code}"


def _said(complaints: IO[bytes], printed: IO[bytes]) -> str:
    """The last lines of standard error, or of standard output if there are none, for the end of a message."""
    for stream, name in ((complaints, "standard error"), (printed, "standard output")):
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - _TAIL_BYTES))
        text = stream.read().decode("utf-8", errors="replace")
        lines = [shown for line in text.splitlines() if (shown := _printable(line))]
        if lines:
            return f" The end of its {name}: " + "\n".join(lines[-_TAIL_LINES:])
    return " It printed nothing."


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else " " for c in line).strip()


def _found(program: str, folder: str) -> str | None:
    if os.sep in program:
        path = os.path.join(folder, program)
        return path if os.access(path, os.X_OK) else None
    return shutil.which(program)


def _cpu_of_children() -> float:
    if sys.platform == "win32":
        return 0.0
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _end_with_parent() -> Callable[[], None] | None:
    """On Linux, what makes the child end with the worker even if that is killed outright; elsewhere nothing.

    The library is loaded here, before the fork: after it, only the call itself is safe.
    """
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    set_death_signal, parent = 1, os.getpid()

    def ask() -> None:
        prctl(set_death_signal, int(signal.SIGKILL))
        if os.getppid() != parent:  # it was killed meanwhile
            os._exit(1)

    return ask
