"""`bakeoff run`: run a study, or what is left of it."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from bakeoff.cli.studying import study_of
from bakeoff.errors import BakeoffError
from bakeoff.presentation import count, wrapped
from bakeoff.studies.conducting import Summary, conduct
from bakeoff.studies.progress import Bars, clock


class FailedCellsError(BakeoffError):
    """The run is over, and some cells have no score."""

    exit_code = 4


class StoppedError(BakeoffError):
    """The run was stopped by its user."""

    exit_code = 130


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, store = study_of(arguments)
    with _stopped_like_ctrl_c(), Bars(study, quiet=arguments.quiet) as bars:
        summary = conduct(study, store, workers=arguments.jobs, retry_failed=arguments.retry == "failed", watcher=bars)
    for note in summary.notes:
        print(wrapped(f"Note  {note}", indent="  "))
    print(wrapped(said(summary, str(store))))
    if summary.interrupted:
        raise StoppedError(f"stopped. What is finished is kept; go on with: bakeoff run {arguments.study}")
    if failed := summary.failed + summary.failed_before:
        raise FailedCellsError(
            f"{count(failed)} of {count(summary.cells)} cells failed. bakeoff failures {arguments.study} shows why; "
            "--retry failed tries them again."
        )
    print(f"Next: bakeoff judge {arguments.study}")


def said(summary: Summary, store: str) -> str:
    """What the run did, in a sentence."""
    if summary.left == 0 and summary.ok + summary.failed == 0:
        stored = summary.cells - summary.failed_before
        which = f"All {count(stored)}" if not summary.failed_before else f"{count(stored)} of {count(summary.cells)}"
        failed = f" and {count(summary.failed_before)} failed before" if summary.failed_before else ""
        return f"{which} cells are stored in {store}{failed}; nothing was left to run."
    parts = [f"{count(summary.ok)} cell{'s' * (summary.ok != 1)} run in {clock(summary.seconds)}"]
    if summary.failed:
        parts.append(f"{count(summary.failed)} failed")
    if summary.stored_before:
        parts.append(f"{count(summary.stored_before)} {_were(summary.stored_before)} stored before")
    if summary.left:
        parts.append(f"{count(summary.left)} {'is' if summary.left == 1 else 'are'} left")
    return f"{', '.join(parts)}. Results: {store}"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


@contextmanager
def _stopped_like_ctrl_c() -> Iterator[None]:
    """A polite kill and a terminal that is closed stop a run as Ctrl-C does; under nohup the second is ignored."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    heeded = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
