"""Command learners: programs in any language, run without a shell.

    command = ["perl", "nearest_mean.pl", "{train}", "{test}", "{output}", "{seed}"]

{train} is a CSV file with a header and the target as its last column, {test} one without the target; a missing value
is an empty cell. The program writes {output}: a CSV file with a column `prediction` that has, for each row of the test
file and in its order, a class, a number, or the log density of the row; and, if it likes, a column for each class,
named as the class, with its probability. {seed} is the seed of the cell, {task} and {kind} say what is learned. It is
run in the folder of the study file, learns and predicts at once, and leaves with exit code 0 if all is well.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from pathlib import Path
from time import perf_counter
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.learners.learner import CLASSIFICATION, DENSITY, DataInfo, FitResult, InvalidPrediction, Timings
from bakeoff.measures.response import Prediction
from bakeoff.text import listing, shortened

# ----------------------------------------------------------------------------------------------------------------------
# The files that bakeoff and a command exchange: rows out, predictions in.


PREDICTION = "prediction"
_SUM_TOLERANCE = 1e-3  # probabilities are often written with four digits


def write_rows(path: str, features: Sequence[str], X: Any, target: str | None = None, y: Any = None) -> None:
    """A CSV file with a header; numbers to the last digit, missing values as empty cells, the target last."""
    rows: Iterable[list[Any]] = (
        X.tolist() if isinstance(X, np.ndarray) else (list(r) for r in X.itertuples(index=False, name=None))
    )
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if target is None:
            writer.writerow(features)
            writer.writerows([_cell(value) for value in row] for row in rows)
        else:
            labels = np.asarray(y).tolist()
            writer.writerow([*features, target])
            writer.writerows(
                [*(_cell(value) for value in row), _cell(label)] for row, label in zip(rows, labels, strict=True)
            )


def read_answer(path: str, info: DataInfo, n: int) -> Prediction:
    """The predictions that a command wrote, checked."""
    header, rows = _table(path)
    if PREDICTION not in header:
        columns = listing([repr(shortened(name, 40)) for name in header])
        raise InvalidPrediction(f"the output has no column {PREDICTION!r}. Its columns are {columns}.")
    if len(rows) != n:
        raise InvalidPrediction(
            f"expected were {n} predictions, one for each test row; the output has {len(rows)} rows."
        )
    answers = [row[header.index(PREDICTION)].strip() for row in rows]
    if info.kind != CLASSIFICATION:
        return Prediction(_numbers(answers, PREDICTION, info.kind == DENSITY))
    known = _codes_by_text(info.classes)
    unknown = [answer for answer in answers if answer not in known]
    if unknown:
        some = [repr(shortened(text, 40)) for text in dict.fromkeys(unknown)]
        raise InvalidPrediction(
            f"{len(unknown)} of {n} predictions are no class of the data: {listing(some, 3)}. The classes are "
            f"{listing([str(label) for label in info.classes])}."
        )
    codes = np.array([known[answer] for answer in answers], dtype=np.int64)
    scores = _probabilities(header, rows, info.classes)
    return Prediction(codes, scores, scores is not None)


def _table(path: str) -> tuple[list[str], list[list[str]]]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except FileNotFoundError:
        raise InvalidPrediction("the command wrote no output file.") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidPrediction(f"the output is no CSV file in UTF-8: {error}.") from None
    if not rows:
        raise InvalidPrediction("the output file is empty.")
    header = [name.strip() for name in rows[0]]
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(header):
            raise InvalidPrediction(f"row {number} of the output has {len(row)} cells; the header has {len(header)}.")
    return header, rows[1:]


def _probabilities(header: list[str], rows: list[list[str]], classes: tuple[Any, ...]) -> NDArray[np.float64] | None:
    """The columns named as the classes, if there are any: for two classes the second one's."""
    by_text = _codes_by_text(classes)
    column_of = {by_text[name]: place for place, name in enumerate(header) if name != PREDICTION and name in by_text}
    if not column_of:
        return None
    absent = [str(label) for code, label in enumerate(classes) if code not in column_of]
    if absent:
        raise InvalidPrediction(f"the output has probabilities, but none for the class {listing(absent)}.")
    columns = [
        _numbers([row[column_of[code]].strip() for row in rows], str(label)) for code, label in enumerate(classes)
    ]
    table = np.column_stack(columns)
    if (table < 0).any() or (np.abs(table.sum(axis=1) - 1) > _SUM_TOLERANCE).any():
        raise InvalidPrediction("the probabilities of a row of the output are negative or do not add up to one.")
    return table[:, 1].copy() if len(classes) == 2 else table


def _numbers(texts: list[str], column: str, impossible_allowed: bool = False) -> NDArray[np.float64]:
    values = np.empty(len(texts))
    for place, text in enumerate(texts):
        try:
            values[place] = float(text)
        except ValueError:
            values[place] = np.nan
        # The log density of a row that the model holds to be impossible is minus infinity.
        if not isfinite(values[place]) and not (impossible_allowed and values[place] == -np.inf):
            raise InvalidPrediction(
                f"column {column!r} of the output has {shortened(text, 40)!r} in row {place + 1}; a number is expected."
            )
    return values


def _codes_by_text(classes: tuple[Any, ...]) -> dict[str, int]:
    """Each class by the texts a program may write for it: 1 is also 1.0, and True is also TRUE and true.

    >>> _codes_by_text((0.0, 1.0))
    {'0.0': 0, '0': 0, '1.0': 1, '1': 1}
    """
    by_text: dict[str, int] = {}
    for code, label in enumerate(classes):
        texts = [str(label).strip()]
        if isinstance(label, (bool, np.bool_)):
            texts += [texts[0].upper(), texts[0].lower()]
        elif isinstance(label, (int, float, np.number)) and float(label).is_integer():
            texts += [str(int(label)), str(float(label))]
        for text in texts:
            by_text.setdefault(text, code)
    return by_text


def _cell(value: Any) -> Any:
    """A value as it is written: nothing for None, NaN and pandas' own signs of a missing value."""
    if isinstance(value, float):
        return "" if isnan(value) else repr(value)
    return "" if value is None or type(value).__name__ in ("NAType", "NaTType") else value


# ----------------------------------------------------------------------------------------------------------------------


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
            f"command is {command!r}. Expected is a list of texts, the program first, such as "
            '["perl", "learn.pl", "{train}", "{test}", "{output}"]: it is run without a shell.',
            whose=whose,
        )
    used = [name for part in command for name in _PLACEHOLDER.findall(part)]
    for name in used:
        if name not in PLACEHOLDERS:
            raise UsageError(
                f"the command has the placeholder '{{{name}}}'. {nearest(name, PLACEHOLDERS)}", whose=whose
            )
    absent = [f"{{{name}}}" for name in ("train", "test", "output") if name not in used]
    if absent:
        raise UsageError(
            f"the command lacks {' and '.join(absent)}. It must be told the files to learn from, to predict, "
            "and to write its predictions to.",
            whose=whose,
        )
    if _program_path(command[0], folder) is None:
        return (f"{whose}: the program {command[0]!r} is not found on this machine.",)
    return ()


@dataclass(frozen=True)
class CommandLearner:
    """A command as it is run for one cell."""

    name: str
    command: tuple[str, ...]
    folder: str
    facts: DataInfo
    seed: int

    def learn_and_predict(self, X_train: Any, y_train: Any, X_test: Any) -> FitResult:
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
                    raise InvalidPrediction(f"{problem}{_output_text(complaints, printed)}") from None
        return FitResult(prediction, timings)

    def arguments(self, files: dict[str, str]) -> list[str]:
        """The command with its placeholders filled in."""
        values = {**files, "seed": str(self.seed), "task": self.facts.name, "kind": self.facts.kind}
        return [_PLACEHOLDER.sub(lambda match: values[match[1]], part) for part in self.command]

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
            raise CommandError(f"the command {_ended(code)}.{_output_text(complaints, printed)}")
        return timings


def _ended(code: int) -> str:
    if code > 0:
        return f"left with exit code {code}"
    try:
        return f"was ended by the signal {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by the signal {-code}"


def _output_text(complaints: IO[bytes], printed: IO[bytes]) -> str:
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


def _program_path(program: str, folder: str) -> str | None:
    if os.sep in program:
        path = os.path.join(folder, program)
        return path if os.access(path, os.X_OK) else None
    return shutil.which(program)


def _cpu_of_children() -> float:
    try:
        import resource
    except ImportError:  # Windows has none
        return 0.0

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _end_with_parent() -> Callable[[], None] | None:
    """On Linux, what makes the child end with the worker even if that is killed outright; elsewhere nothing.

    The library is loaded here, before the fork: after it, only the call itself is safe.
    """
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    set_death_signal, parent = 1, os.getpid()

    def ask() -> None:
        prctl(set_death_signal, int(signal.SIGKILL))
        if os.getppid() != parent:  # it was killed meanwhile
            os._exit(1)

    return ask
