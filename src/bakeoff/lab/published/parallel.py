"""Sharing out a simulation: the same function on many parts, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

Found = TypeVar("Found")


def spread(function: Callable[..., Found], parts: Sequence[tuple[Any, ...]], jobs: int) -> list[Found]:
    """What the function says of each part, in their order; with more than one job in as many processes.

    Each part brings its own seeds, so that the outcome does not depend on the number of jobs.

    >>> spread(pow, [(2, 3), (3, 2)], jobs=1)
    [8, 9]
    """
    if jobs == 1 or len(parts) < 2:
        return [function(*part) for part in parts]
    from joblib import Parallel, delayed

    found: list[Found] = Parallel(n_jobs=min(jobs, len(parts)))(delayed(function)(*part) for part in parts)
    return found
