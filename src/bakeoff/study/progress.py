"""Progress bars: one for the run, one for each learner, with the time that is left of each.

The time left is reckoned kind by kind (learner × task), because a mean over all cells is wrong from the first to the
last minute when one learner takes a hundred times as long as another.
"""

from __future__ import annotations

import sys
from html import escape
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any

from bakeoff.errors import BakeoffError
from bakeoff.running.engine import ChunkSizer
from bakeoff.running.work import Outcome, Status
from bakeoff.study.study import Study
from bakeoff.text import clock

if TYPE_CHECKING:
    from bakeoff.store.database import Place

_MANY_LEARNERS = 12
_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_DRAWINGS = 0.5


class RemainingCells:
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


def in_notebook() -> bool:
    """Whether this is a cell of a notebook: IPython is there, and a kernel behind it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return getattr(shell, "kernel", None) is not None


def study_as_html(study: Study, store: Place | None = None) -> str:
    """A study as a notebook shows it. Nothing of it is run or read, but how far it is, if it has a store."""
    scheme = study.resampling.describe()
    settings = ", ".join(f"{name} = {value}" for name, value in scheme.items() if name != "scheme")
    rows = [
        ("tasks", ", ".join(task.name for task in study.tasks)),
        ("learners", ", ".join(learner.name for learner in study.learners)),
        ("resampling", f"{scheme.get('scheme')}{f' ({settings})' if settings else ''}"),
        ("measures", ", ".join(study.measure_names)),
        ("planned", "; ".join(analysis.sentence for analysis in study.analyses)),
        ("progress", _how_far(study, store)),
    ]
    table = "".join(f"<tr><th style='text-align:left'>{head}</th><td>{escape(text)}</td></tr>" for head, text in rows)
    return f"<b>{escape(study.question or f'Study {study.name}')}</b><table>{table}</table>"


def _how_far(study: Study, store: Place | None) -> str:
    if store is None or not store.exists():
        return "not run with a store yet"
    from bakeoff.results.status import progress
    from bakeoff.store.reader import Reader

    try:
        with Reader(store) as stored:
            state = progress(stored, study.key)
    except BakeoffError:
        return f"nothing of it is stored in {store}"
    return f"{state.ok} of {state.cells} cells are done, {state.failed} failed, {state.left} are left ({store})"


class NotebookBar:
    """A line below a cell of a notebook that tells how far a run is; drawn anew twice a second at most."""

    def __init__(self, total: int) -> None:
        from importlib import import_module

        self._display: Any = import_module("IPython.display")
        self._total, self._last = total, 0.0
        self._handle = self._display.display(self._html(0, ""), display_id=True)

    def show(self, done: int, text: str) -> None:
        if monotonic() - self._last > _SECONDS_BETWEEN_DRAWINGS or done == self._total:
            self._last = monotonic()
            self._handle.update(self._html(done, text))

    def _html(self, done: int, text: str) -> Any:
        bar = f"<progress value='{done}' max='{self._total}'></progress>"
        return self._display.HTML(f"{bar} {done} of {self._total} cells{f', {escape(text)}' if text else ''}")


class Bars:
    """Shows a run on standard error: bars on a terminal, now and then a line elsewhere."""

    def __init__(self, study: Study, *, quiet: bool = False) -> None:
        self._study, self._quiet = study, quiet
        self._shown: Any = None
        self._bars: dict[int | None, Any] = {}
        self._failed = 0
        self._notebook: NotebookBar | None = None
        self._last_line = monotonic()

    def begin(self, left: dict[tuple[int, int], int], pace: ChunkSizer, workers: int) -> None:
        self._left = RemainingCells(left, pace, workers)
        self._total = self._to_go = sum(left.values())
        if not self._quiet and in_notebook():
            self._notebook = NotebookBar(self._total)
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
                name = self._study.fitted[number].name
                self._bars[number] = self._shown.add_task(f"  {name}", total=by_learner[number], eta="")

    def finished(self, kind: tuple[int, int], outcome: Outcome) -> None:
        self._left.cells[kind] -= 1
        self._to_go -= 1
        self._failed += outcome.status is not Status.OK
        if self._notebook is not None:
            self._notebook.show(self._total - self._to_go, self._eta(None))
        elif self._shown is not None:
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
