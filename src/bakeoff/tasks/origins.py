"""The origin of samples that were drawn: what makes two of them samples of one task, however many others there are.

Results on drawn samples are found again by the origin of the task and the content of the sample, so that a study that
asks for more samples keeps those that are finished. All that a learner is told of a task (its classes, inputs, which of
them have missing values) is part of the origin: where more samples bring another class, it is another task.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.keys import canonical_json, digest
from bakeoff.resampling.draws import Draws
from bakeoff.tasks.dataset import Dataset
from bakeoff.tasks.hashing import array_hash, frame_hash


def contents(data: Dataset, draws: Draws) -> tuple[bytes, ...]:
    """The hash of each learning sample with the test sample that goes with it."""
    test = None if draws.fresh else rows_hash(data, draws.test(0))
    return tuple(
        digest("sample", rows_hash(data, draws.learning(b)), test or rows_hash(data, draws.test(b)))
        for b in range(draws.count)
    )


def origin(data: Dataset, law: Mapping[str, Any], first: bytes) -> str:
    """The hash of what all samples share: the law, what is known of the data as a whole, and the first sample.

    The first sample tells two functions of one name apart, whose code has been changed.
    """
    known = {
        "kind": data.kind.value,
        "features": list(data.features),
        "categorical": list(data.categorical),
        "missing": np.flatnonzero(_missing(data.X)).tolist(),
        "frame": not isinstance(data.X, np.ndarray),
        "classes": [f"{type(label).__name__} {label}" for label in data.classes],
        "target": data.target,
    }
    return digest("origin", canonical_json({"law": law, "known": known}), first).hex()


def rows_hash(data: Dataset, rows: NDArray[np.integer[Any]]) -> bytes:
    """The hash of some rows, inputs and target."""
    X, y = data.rows(rows)
    inputs = array_hash(X) if isinstance(X, np.ndarray) else frame_hash(X)
    return digest("rows", inputs, b"" if y is None else array_hash(y))


def _missing(X: Any) -> NDArray[np.bool_]:
    """Of each input, whether it has missing values anywhere."""
    absent = np.isnan(X) if isinstance(X, np.ndarray) else X.isna().to_numpy()
    return np.asarray(absent.any(axis=0))
