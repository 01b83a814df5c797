"""One test sample: each learner has a single score, from which nothing follows, but its test rows can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from bakeoff.measures.known import plain
from bakeoff.scores import Scores

DELONG, AUC = "delong", "auc"
Measures = str | Sequence[str] | None


class Asked(NamedTuple):
    """A table, and what is asked of it."""

    scores: Scores
    procedure: str | None
    measure: Any  # a name, several, or None


def of_test_rows(scores: Scores, procedure: str | None, measure: Measures, level: str | None) -> Asked:
    """The question as the test rows can answer it, if they lie beside scores of one test sample; else as it was asked.

    The AUC belongs to all test rows together. It is compared through the scores that the rows got (DeLong), which lie
    beside any loss.
    """
    rows = scores.by_instance
    if rows is None or level not in (None, "instances"):
        return Asked(scores, procedure, measure)
    names = scores.measure.labels if measure is None else (measure,) if isinstance(measure, str) else tuple(measure)
    if all(name in rows.measures for name in names):
        return Asked(rows.only(measures=names), procedure, measure)
    by_curves = procedure is None or plain(procedure) == DELONG
    if names == (AUC,) and by_curves and rows.predictions is not None:
        loss = rows.measure.labels[0]
        return Asked(rows.only(measure=loss), DELONG, loss)
    return Asked(scores, procedure, measure)
