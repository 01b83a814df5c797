"""What the verbs accept: Scores, or a table that can be read as such without a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bakeoff.errors import UsageError
from bakeoff.scores.reading import read_scores
from bakeoff.scores.reading.frame import is_frame
from bakeoff.scores.table import Scores

if TYPE_CHECKING:
    import pandas as pd


def as_scores(given: Scores | pd.DataFrame, measure: str | Sequence[str] | None = None) -> Scores:
    """The scores that are given, or those in a DataFrame, if its headers tell all that must be known of it.

    >>> import pandas as pd
    >>> as_scores(pd.DataFrame({"dataset": ["iris", "wine"], "svm": [0.9, 0.8], "knn": [0.7, 0.9]}), "accuracy")
    <Scores: 4 rows, 2 learners, 2 tasks, accuracy>
    """
    if isinstance(given, Scores):
        return given
    if not is_frame(given):
        raise UsageError(
            "Scores were expected, as read_scores(…) and Study.run() give them, or a pandas DataFrame; found "
            f"{type(given).__name__}. A file is read by read_scores('scores.csv')."
        )
    try:
        return read_scores(given, measure=measure)
    except UsageError as unclear:
        raise UsageError(f"{unclear} Answer with read_scores(table, …), and give its result here.") from None
