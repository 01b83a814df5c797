"""The long form: all values of one measure in one column, with the labels of their learners and tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.scores.table import Scores, cell_numbers

Labels = NDArray[np.str_]


def long_form(scores: Scores) -> tuple[NDArray[np.float64], Labels, Labels]:
    """A value for each learner on each resample of each task; instances are averaged, missing values left out.

    >>> from bakeoff.measures import known_measure
    >>> made = Scores.of([0.9, 0.8, 0.7], learner=["a", "b", "a"], task=["t", "t", "u"], fold=["1", "1", "1"],
    ...                  measures={"auc": known_measure("auc")})
    >>> [part.tolist() for part in long_form(made)]
    [[0.9, 0.7, 0.8], ['a', 'a', 'b'], ['t', 'u', 't']]
    """
    have = ~np.isnan(scores.value)
    split = np.unique(cell_numbers(scores, ("task", "repeat", "fold")), return_inverse=True)[1]
    cell = scores.learner.codes[have] * (int(split.max(initial=0)) + 1) + split[have]
    _, first, member = np.unique(cell, return_index=True, return_inverse=True)
    values = np.bincount(member, weights=scores.value[have]) / np.bincount(member)
    learner, task = (np.array(factor.labels)[factor.codes[have][first]] for factor in (scores.learner, scores.task))
    return values, learner, task
