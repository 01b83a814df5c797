"""What the founding documents print, computed again and laid beside it cell by cell.

result.py       a published result: where it stands, what it shows, the function that regenerates it, what it costs; and
                the tables under data/published
comparison.py   one number of ours beside the one printed; all of a result, as text, HTML, frame, JSON; the misprints
feelders.py …   one module, or a few, a document: each holds a tuple RESULTS
fast_trees.py   and hothorn_problems.py: what these compute with
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from bakeoff.errors import UsageError, nearest
from bakeoff.mathematics.checks import count
from bakeoff.published.comparison import PublishedComparison
from bakeoff.published.result import PublishedResult

# ----------------------------------------------------------------------------------------------------------------------
# All published results by name. A module is imported when its results are asked for.


# Each holds a tuple RESULTS. The order is that of the listing: by document.
MODULES: tuple[str, ...] = ("feelders", "alpaydin", "slides", "riddle", "hothorn_tables", "hothorn_applications")


@cache
def published_results() -> tuple[PublishedResult, ...]:
    """All published results, in the order of the listing."""
    return tuple(result for name in MODULES for result in import_module(f"bakeoff.published.{name}").RESULTS)


def result_named(name: str) -> PublishedResult:
    """The published result of that name.

    >>> result_named("feelders-table4").place
    'section 3, Table 4'
    """
    known = {result.name: result for result in published_results()}
    entry = known.get(str(name).strip().lower().replace("_", "-"))
    if entry is None:
        raise UsageError(f"There is no published result {name!r}. {nearest(name, known)}")
    return entry


def regenerate(
    name: str,
    *,
    full: bool = False,
    seed: int = 0,
    jobs: int = 1,
    store: str | Path | None = None,
    progress: bool = False,
) -> PublishedComparison:
    """Compute a published result again and lay ours beside the document's.

    `full` takes the document's own number of replications, `jobs` is the number of worker processes (−1: one a
    processor). `store` names a file that keeps what is finished, for the results that can be resumed; `progress` tells
    on standard error how far they are.

    >>> print(regenerate("feelders-table4").summary)
    Of 9 numbers beside a printed one, 9 agree to the digits printed.
    """
    result = result_named(name)
    count(seed, "seed")
    workers = _workers(jobs)
    if not result.resumable and store is None:
        return result.regenerate(full, seed, workers)
    if not result.resumable:
        could = ", ".join(other.name for other in published_results() if other.resumable)
        raise UsageError(f"{result.name!r} keeps nothing in a file, since it cannot be resumed; {could} can.")
    return result.regenerate(full, seed, workers, store=None if store is None else Path(store), progress=progress)


def _workers(jobs: int) -> int:
    from os import cpu_count

    if jobs == -1:
        return cpu_count() or 1
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise UsageError(f"The number of jobs is 1 or more, or -1 for one a processor; found {jobs!r}.")
    return jobs
