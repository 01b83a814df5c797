"""Runs of one task of which only their numbers are known: what the user says they are."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from numbers import Real

import numpy as np

from bakeoff.errors import UsageError, nearest
from bakeoff.presentation import number
from bakeoff.scores.splitting import Runs
from bakeoff.scores.table import Scores

_TAKEN = {
    Runs.INDEPENDENT: "each run learned from a sample of its own",
    Runs.FIXED_SPLIT: "all runs used one split and differ in their seed only",
    Runs.RANDOM_SPLITS: "runs are random splits of one data set",
}


def declared(scores: Scores, runs: str | None, ratio: float | None = None) -> Scores:
    """The same scores, with what the user says of their runs; `ratio` is the test size over the training size.

    A ratio alone says that runs are random splits: nothing else has use for it.

    >>> from bakeoff.measures import known_measure
    >>> made = Scores.of([0.9, 0.8], learner=["a", "a"], repeat=["1", "2"], measures={"auc": known_measure("auc")})
    >>> declared(made, "fixed-split").splitting.runs
    <Runs.FIXED_SPLIT: 'fixed-split'>
    """
    if runs is None and ratio is None:
        return scores
    kind = Runs.RANDOM_SPLITS if runs is None else _kind(runs)
    if ratio is not None and not (isinstance(ratio, Real) and isfinite(ratio) and ratio > 0):
        raise UsageError(f"The ratio of test to training size is a positive number; found {ratio!r}.")
    _check(scores, kind, None if ratio is None else float(ratio))
    taken = _TAKEN[kind] + (f", test size over training size {number(ratio)}" if ratio is not None else "")
    came = scores.provenance
    return replace(
        scores,
        splitting=replace(scores.splitting, runs=kind, ratio=None if ratio is None else float(ratio)),
        notes=(*scores.notes, f"{taken}, as you said"),
        provenance=None if came is None else came.changed(f"{taken}, as somebody said"),
    )


def _kind(runs: str) -> Runs:
    try:
        return Runs(runs)
    except ValueError:
        raise UsageError(f"Runs cannot be {runs!r}. {nearest(str(runs), [kind.value for kind in Runs])}") from None


def _check(scores: Scores, kind: Runs, ratio: float | None) -> None:
    """Refuse what contradicts the table, or says too little."""
    if len(scores.repeat.labels) < 2 and len(scores.fold.labels) < 2:
        raise UsageError(
            f"--runs (in Python runs=) says what repeated runs of a task are, and {scores.source} has no two runs of "
            "one: leave it out, or name the column that numbers them run, seed or repeat."
        )
    if kind is not Runs.RANDOM_SPLITS and len(scores.fold.labels) > 1:
        raise UsageError(
            f"{scores.source} holds folds, and the training sets of folds overlap: they are not {kind.value}. If its "
            "column of folds numbers something else, name it run, seed or repeat."
        )
    if kind is not Runs.RANDOM_SPLITS and ratio is not None:
        raise UsageError(
            f"A ratio of test to training size makes up for splits that overlap, and runs that are {kind.value} do "
            "not: leave one of the two out."
        )
    known = not (np.isnan(scores.n_train).any() or np.isnan(scores.n_test).any()) or len(scores.fold.labels) > 1
    if kind is Runs.RANDOM_SPLITS and ratio is None and not known:
        raise UsageError(
            "How much random splits overlap follows from their sizes, and those are not known. Say the test size over "
            "the training size: --ratio 1 for halves, --ratio 0.5 for thirds that are tested on (in Python ratio=), or "
            "give columns n_train and n_test."
        )
