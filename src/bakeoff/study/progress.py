"""Progress bars: one for the run, one for each learner, with the time that is left of each.

The time left is reckoned kind by kind (learner × task), because a mean over all cells is wrong from the first to the
last minute when one learner takes a hundred times as long as another.
"""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import Any

from bakeoff.running.engine import ChunkSizer
from bakeoff.running.work import Outcome, Status
from bakeoff.study.study import Study

_MANY_LEARNERS = 12
_SECONDS_BETWEEN_LINES = 10.0


def clock(seconds: float) -> str:
    """A time as people say it.

    >>> clock(0.4), clock(75), clock(3 * 3600 + 240)
    ('0 s', '1 min 15 s', '3 h 04 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class Left:
    """Cells that are left of each kind, and the seconds that they will take."""

    def __init__(self, cells: dict[tuple[int, int], int], pace: ChunkSizer, workers: int) -> None:
        self.cells, self._pace, self._workers = dict(cells), pace, workers

    def seconds(self, learner: int | None = None) -> float | None:
        """Seconds of work left, shared by the workers; None as long as a kind has not been seen."""
        total = 0.0
        for kind, count in self.cells.items():
            if count == 0 or learner not in (None, kind[0]):
                continue
            each = self._pace.of(kind)
            if each is None:
                return None
            total += count * each
        return total / self._workers


class Bars:
    """Shows a run on standard error: bars on a terminal, now and then a line elsewhere."""

    def __init__(self, study: Study, *, quiet: bool = False) -> None:
        self._study, self._quiet = study, quiet
        self._shown: Any = None
        self._bars: dict[int | None, Any] = {}
        self._failed = 0
        self._last_line = monotonic()

    def begin(self, left: dict[tuple[int, int], int], pace: ChunkSizer, workers: int) -> None:
        self._left = Left(left, pace, workers)
        self._total = self._to_go = sum(left.values())
        if self._quiet or not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._shown = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[eta]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._shown.start()
        head = f"{self._study.name}, {workers} worker{'s' * (workers != 1)}"
        self._bars[None] = self._shown.add_task(head, total=self._total, eta="")
        by_learner = {number: sum(n for kind, n in left.items() if kind[0] == number) for number, _ in left}
        if 1 < len(by_learner) <= _MANY_LEARNERS:
            for number in sorted(by_learner):
                name = self._study.learners[number].name
                self._bars[number] = self._shown.add_task(f"  {name}", total=by_learner[number], eta="")

    def finished(self, kind: tuple[int, int], outcome: Outcome) -> None:
        self._left.cells[kind] -= 1
        self._to_go -= 1
        self._failed += outcome.status is not Status.OK
        if self._shown is not None:
            for who in (None, kind[0]):
                if who in self._bars:
                    self._shown.update(self._bars[who], advance=1, eta=self._eta(who))
        elif not self._quiet and monotonic() - self._last_line > _SECONDS_BETWEEN_LINES:
            self._last_line = monotonic()
            done = f"{self._total - self._to_go} of {self._total} cells"
            sys.stderr.write(f"{done}, {self._eta(None, 'time left not known yet')}\n")

    def _eta(self, learner: int | None, unknown: str = "") -> str:
        """Failures, if any, and the time that is left, if it is known."""
        seconds = self._left.seconds(learner)
        failed = f"{self._failed} failed" if self._failed and learner is None else ""
        return ", ".join(part for part in (failed, unknown if seconds is None else f"{clock(seconds)} left") if part)

    def __enter__(self) -> Bars:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown.stop()
