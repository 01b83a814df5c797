"""What a run says in Python when cells of it failed: a warning that counts them and says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bakeoff.errors import FailedCellsWarning
from bakeoff.presentation import count, listing, shortened

if TYPE_CHECKING:
    from bakeoff.stores.failures import FailureGroup

_MOST_GROUPS, _LONGEST_MESSAGE = 4, 100


def about_failures(groups: Sequence[FailureGroup], failed: int, cells: int, *, kept: bool) -> FailedCellsWarning:
    """How many of how many cells failed, of which learners and why, and how to see and to repeat them.

    `kept` tells whether there is a store to look them up in.

    >>> from bakeoff.stores.failures import FailureGroup
    >>> print(about_failures([FailureGroup("svm", "timeout", "past 2 s", 3, ("iris",), ())], 3, 30, kept=True))
    3 of 30 cells failed, and their scores have no value: 3 × svm (timeout: past 2 s). study.failures(store) shows all
    of them; study.run(store=…, retry_failed=True) tries them again.
    """
    which = "All" if failed == cells else f"{count(failed)} of"
    said = [f"{count(group.count)} × {group.learner} ({group.status}: {_why(group.message)})" for group in groups]
    what_to_do = (
        "study.failures(store) shows all of them; study.run(store=…, retry_failed=True) tries them again."
        if kept
        else "The column message of the scores says why. With a store, study.run(store='study.sqlite') keeps what is "
        "finished, study.failures('study.sqlite') shows what failed, and run(…, retry_failed=True) tries it again."
    )
    return FailedCellsWarning(
        f"{which} {count(cells)} cell{'s' * (cells != 1)} failed, and {'its' if failed == 1 else 'their'} scores have "
        f"no value: {listing(said, _MOST_GROUPS)}. {what_to_do}"
    )


def _why(message: str) -> str:
    return shortened(message, _LONGEST_MESSAGE).rstrip(".")
