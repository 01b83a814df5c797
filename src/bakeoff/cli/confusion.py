"""`bakeoff confusion`: which classes of a study were taken for which, from its stored predictions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from math import isnan, isqrt

import numpy as np
from numpy.typing import NDArray

from bakeoff.cli.output import emit
from bakeoff.cli.studying import stored, study_of
from bakeoff.errors import DegenerateError, UsageError
from bakeoff.measures.confusion import decision_threshold, risk
from bakeoff.presentation import count, counted, number, text_table, to_json, wrapped
from bakeoff.stores.confusions import Confusion, confusions


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    loss = _loss(arguments.loss)
    with stored(study, path, arguments.study) as store:
        found = confusions(store, study.key, tasks=arguments.task, learners=arguments.learner, loss=loss)
    if arguments.json:
        told = [{**one.to_dict(), **(_risks(one, loss) if loss is not None else {})} for one in found]
        emit(arguments, to_json({"study": study.key, "confusions": told}))
        return
    parts = ["Rows are the true classes, columns the assigned ones; counts are over all test samples of a task."]
    if loss is not None and loss.shape == (2, 2):
        parts.append(_threshold_sentence(found, loss))
    emit(arguments, "\n\n".join([*map(wrapped, parts), *(as_text(one, loss) for one in found)]))


def _loss(given: Sequence[float] | None) -> NDArray[np.float64] | None:
    if given is None:
        return None
    k = isqrt(len(given))
    if k * k != len(given) or k < 2 or not np.isfinite(given).all():
        raise UsageError(
            "--loss takes a finite number for each pair of classes, row by row (the row is the true class): 4 for two "
            f"classes, 9 for three; found {len(given)}."
        )
    return np.array(given, dtype=float).reshape(k, k)


def _risks(one: Confusion, loss: NDArray[np.float64]) -> dict[str, float | None]:
    return {
        "risk": risk(one.matrix, loss),
        "risk_of_cheapest": None if one.cheapest is None else risk(one.cheapest, loss),
    }


def _threshold_sentence(found: Sequence[Confusion], loss: NDArray[np.float64]) -> str:
    """The probability from which on the second class is the cheaper answer."""
    try:
        threshold = 1 - decision_threshold(loss)
    except DegenerateError as error:
        return str(error)
    names = list(dict.fromkeys(one.classes[1] for one in found))
    second = repr(names[0]) if len(names) == 1 else "the second class"
    return f"With this loss {second} is the cheaper answer where its probability is above {number(threshold)}."


def as_text(one: Confusion, loss: NDArray[np.float64] | None = None) -> str:
    """The matrix with what it says of each class, and of all."""
    found = one.measures
    rows = [
        [
            name,
            *(count(int(cell)) for cell in one.matrix[i]),
            *map(_rate, (found.recall[i], found.precision[i], found.f1[i])),
        ]
        for i, name in enumerate(one.classes)
    ]
    rows_tested, samples = count(int(one.matrix.sum())), counted(one.samples, "test samples")
    head = f"{one.learner} on {one.task}: {rows_tested} predictions in {samples}"
    table = text_table(["true \\ assigned", *one.classes, "recall", "precision", "F1"], rows)
    return "\n".join([wrapped(head), table, wrapped("; ".join(_all_in_all(one, loss)) + ".")])


def _all_in_all(one: Confusion, loss: NDArray[np.float64] | None) -> Iterator[str]:
    found = one.measures
    yield f"accuracy {number(found.accuracy)}"
    yield f"kappa {_rate(found.kappa) or 'does not exist'}"
    if loss is None:
        return
    yield f"risk {number(risk(one.matrix, loss))}"
    yield (
        "it gave no probabilities to choose the cheapest class by"
        if one.cheapest is None
        else f"{number(risk(one.cheapest, loss))} if the cheapest class is chosen by its probabilities"
    )


def _rate(value: float) -> str:
    """Nothing where it is 0/0."""
    return "" if isnan(value) else number(float(value))
