"""A test set that is kept apart: rows that are taken out of the data before anything else sees them.

What a task gives out (`Task.load`) is without them: plans, splits, workers, checks and the store know the other rows
only. `bakeoff.conduct.conclusion` alone asks for them (`Task.load_kept_apart`), once, when a learner was chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.keys import digest, seed_of
from bakeoff.scores.table import frozen
from bakeoff.tasks.dataset import Dataset
from bakeoff.tasks.memory import array_hash, inputs_hash

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class KeptApart:
    """Which share of the rows, and by which seed. Classes are there in proportion, unless `stratify` is false; groups
    stay together; of data in the order of time it is the end.

    >>> KeptApart(1 / 3).rows(9, seed=1).tolist()
    [0, 4, 6]
    """

    fraction: float = 1 / 3
    stratify: bool = True

    def __post_init__(self) -> None:
        number = isinstance(self.fraction, Real) and not isinstance(self.fraction, bool)
        if not number or not 0 < self.fraction < 1:
            raise UsageError(
                "The fraction that is kept apart lies strictly between 0 and 1, such as 0.333; found "
                f"{self.fraction!r}."
            )
        if not isinstance(self.stratify, bool):
            raise UsageError(f"stratify of the holdout must be true or false; found {self.stratify!r}.")

    @classmethod
    def of(cls, given: Any) -> KeptApart | None:
        """From what a study says: nothing, a fraction, or a table."""
        if given is None or isinstance(given, KeptApart):
            return given
        if isinstance(given, Mapping):
            for key in given:
                if key not in cls.__dataclass_fields__:
                    raise UsageError(f"The holdout has no {key!r}. {nearest(key, cls.__dataclass_fields__)}")
            return cls(**given)
        return cls(given)

    def describe(self) -> dict[str, Any]:
        return {"fraction": self.fraction, "stratify": self.stratify}

    def rows(
        self,
        n: int,
        *,
        seed: int,
        strata: NDArray[np.int64] | None = None,
        groups: NDArray[np.int64] | None = None,
        times: NDArray[np.int64] | None = None,
    ) -> Rows:
        """The numbers of the rows that are kept apart. They follow from the seed, the number of rows, classes, groups
        and times, and from nothing else that stands in the rows."""
        from bakeoff.resampling.holdout import HoldOut
        from bakeoff.resampling.split import Sample

        if times is not None:
            return self._last(times)
        sample = Sample(n, strata if self.stratify else None, groups)
        (only,) = HoldOut(self.fraction, 1, self.stratify).splits(sample, seed_of("kept apart", str(seed))).splits
        return np.asarray(only.test, dtype=np.intp)

    def _last(self, times: NDArray[np.int64]) -> Rows:
        """The last rows in time, whole times; as near to the fraction as these come."""
        n = len(times)
        starts = np.flatnonzero(np.diff(times)) + 1  # where another time begins
        if not len(starts):
            raise UsageError("The end of the data in time is to be kept apart, and all rows have one time.")
        first = int(starts[np.argmin(np.abs(starts - n * (1 - self.fraction)))])
        return np.arange(first, n)


def divided(data: Dataset, apart: KeptApart, seed: int) -> tuple[Dataset, Dataset]:
    """The rows that everybody may see, and those that are kept apart."""
    if data.test is not None or data.draws is not None:
        what = "draws its samples from a law" if data.draws is not None else "comes with a test sample of its own"
        raise UsageError(
            f"Task {data.name!r} {what}, and the study keeps a test set apart ([holdout]). Leave one of them out."
        )
    try:
        rows = apart.rows(data.n, seed=seed, strata=data.codes, groups=data.groups, times=data.times)
    except UsageError as error:
        raise UsageError(f"Task {data.name!r}, the test set that is kept apart: {error}") from error
    inside = np.zeros(data.n, dtype=bool)
    inside[rows] = True
    if inside.sum() < 1 or (~inside).sum() < 2:
        raise UsageError(
            f"Task {data.name!r} has {data.n} rows: too few to keep {apart.fraction:g} of them apart and to compare "
            "learners on the others."
        )
    return _part(data, np.flatnonzero(~inside)), _part(data, np.flatnonzero(inside))


def _part(data: Dataset, rows: Rows) -> Dataset:
    """Some rows of a data set, as a data set that knows nothing of the others but the names of classes and columns."""
    X, y = data.rows(rows)
    if hasattr(X, "iloc"):
        named = X.select_dtypes("category").columns
        X = X.assign(**{name: X[name].cat.remove_unused_categories() for name in named})
        missing = int(X.isna().to_numpy().sum())
    elif isinstance(X, np.ndarray) and X.dtype.kind == "f":
        X, missing = frozen(X), int(np.isnan(X).sum())
    else:
        missing = data.n_missing

    def of(numbers: NDArray[Any] | None) -> Any:
        return None if numbers is None else frozen(np.ascontiguousarray(numbers[rows]))

    codes, groups, clusters, times = of(data.codes), of(data.groups), of(data.clusters), of(data.times)
    moved = {
        "groups": groups,
        "clusters": clusters,
        "times": times,
        "folds": of(data.folds),
        "weights": of(data.weights),
    }
    parts = [array_hash(part) if part is not None else b"" for part in (codes, *moved.values())]
    target = b"" if y is None or codes is not None else array_hash(np.asarray(y))
    names = "\0".join([*map(str, data.features), *map(repr, data.classes), *data.categorical, data.kind])
    key = digest("part", names, inputs_hash(X), target, *parts).hex()
    return replace(data, X=X, y=None if y is None else frozen(y), codes=codes, n_missing=missing, key=key, **moved)
