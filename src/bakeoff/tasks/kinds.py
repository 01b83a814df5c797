"""Classification or regression? Read off the target, by a rule that is stated with the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.tasks.dataset import Kind
from bakeoff.tasks.table import Categories

MOST_CLASSES = 20
FEWEST_ROWS_A_CLASS = 5


def kind_of(target: NDArray[Any] | Categories) -> tuple[Kind, str]:
    """The kind of a target without missing values, and the sentence that says why.

    Text, categories and truth values are classes. Numbers are classes if all are whole and there are either two of
    them, or at most 20 with five rows each on average; otherwise they are numbers.

    >>> kind_of(np.array([0.0, 1.0, 1.0]))[0].value, kind_of(np.array([0.5, 1.0, 1.0]))[0].value
    ('classification', 'regression')
    """
    if isinstance(target, Categories) or target.dtype.kind not in "fiu":
        return Kind.CLASSIFICATION, "classification, because the target holds names"
    distinct = np.unique(target)
    if not np.array_equal(distinct, np.floor(distinct)):
        return Kind.REGRESSION, "regression, because the target holds numbers that are not whole"
    count, enough = len(distinct), len(target) >= FEWEST_ROWS_A_CLASS * len(distinct)
    found = f"the target holds {count} different whole numbers in {len(target)} rows"
    if count <= 2 or (count <= MOST_CLASSES and enough):
        return Kind.CLASSIFICATION, f"classification, because {found}; kind = 'regression' overrules this"
    return Kind.REGRESSION, f"regression, because {found}; kind = 'classification' overrules this"
