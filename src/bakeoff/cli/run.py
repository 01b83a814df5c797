"""`bakeoff run`: run a study, or what is left of it."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Sequence
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
    signal.signal(signal.SIGTERM, _stop)
    with Bars(study, quiet=arguments.quiet) as bars:
        summary = conduct(study, store, workers=arguments.jobs, retry_failed=arguments.retry == "failed", watcher=bars)
    for note in summary.notes:
        print(wrapped(f"Note  {note}", indent="  "))
    print(wrapped(_said(summary, str(store))))
    if summary.interrupted:
        raise StoppedError(f"stopped. What is finished is kept; go on with: bakeoff run {arguments.study}")
    if failed := summary.failed + summary.failed_before:
        raise FailedCellsError(
            f"{count(failed)} of {count(summary.cells)} cells failed. bakeoff failures {arguments.study} shows why; "
            "--retry failed tries them again."
        )
    print(f"Next: bakeoff judge {arguments.study}")


def _said(summary: Summary, store: str) -> str:
    if summary.left == 0 and summary.ok + summary.failed == 0:
        return f"All {count(summary.cells)} cells are stored in {store}; nothing was left to run."
    parts = [f"{count(summary.ok)} cells run in {clock(summary.seconds)}"]
    if summary.failed:
        parts.append(f"{count(summary.failed)} failed")
    if summary.stored_before:
        parts.append(f"{count(summary.stored_before)} were stored before")
    if summary.left:
        parts.append(f"{count(summary.left)} are left")
    return f"{', '.join(parts)}. Results: {store}"


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
