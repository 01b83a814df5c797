"""Responses that a study file describes in a table: a loss matrix, a functional of a loss, a scorer by import path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bakeoff.errors import UsageError, nearest
from bakeoff.keys import canonical_json
from bakeoff.keys import plain as as_json
from bakeoff.mathematics.checks import number_table
from bakeoff.measures.functionals import functional
from bakeoff.measures.known import canonical_name
from bakeoff.measures.measure import Measure
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import Array, Needs, Response, shown
from bakeoff.measures.responses import COMPUTED, computed_response, renamed, response_from
from bakeoff.measures.scorers import SCORERS, response_from_scorer, response_from_scorer_name

# What tells the kind of table, and what may stand beside it and the name.
_KEYS: dict[str, tuple[str, ...]] = {
    "loss_matrix": ("classes",),
    "loss": ("functional",),
    "scorer": ("larger_is_better",),
    "measure": (),
}


def response_from_table(table: Mapping[str, Any]) -> Response:
    """The response that a table of a study file means.

    >>> made = response_from_table({"name": "cost", "loss_matrix": [[0, 1], [5, 0]], "classes": ["well", "ill"]})
    >>> truth = Truth("classification", np.array([0, 1, 1, 1]), ("ill", "well"))
    >>> made.of(truth, Prediction(np.array([1, 1, 0, 1])))  # one ill taken for well costs 5, one well for ill 1
    1.5
    """
    name = table.get("name")
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"A measure that is described in a table needs a name of its own; found {dict(table)!r}.")
    given = [key for key in _KEYS if key in table]
    if len(given) > 1:
        raise UsageError(f"The measure {name!r} has both {given[0]} and {given[1]}; say one of them.")
    allowed = ["name", *(_KEYS[given[0]] if given else ()), *(given or _KEYS)]
    for key in table:
        if key not in allowed:
            raise UsageError(f"The measure {name!r} cannot have {key!r}. {nearest(str(key), allowed)}")
    if not given:
        return response_from(name)
    if "measure" in table:
        return _named(name, table["measure"])
    if computed_response(name) is not None:
        raise UsageError(f"{name!r} is a measure of its own already. Choose another name for the one with {given[0]}.")
    if "loss_matrix" in table:
        return _risk(name, table["loss_matrix"], table.get("classes"))
    if "loss" in table:
        return _functional(name, table["loss"], table.get("functional", "mean"))
    return _scored(name, table["scorer"], table.get("larger_is_better"))


def _scored(name: str, scorer: Any, larger_is_better: Any) -> Response:
    """A scorer under a name of the user's; where its name is that of a response of ours, no estimator is needed."""
    computed = computed_response(scorer) if isinstance(scorer, str) else None
    if scorer == name and name in SCORERS and larger_is_better in (None, True):
        return response_from_scorer_name(name)
    if computed is None or not isinstance(scorer, str):
        return response_from_scorer(name, scorer, True if larger_is_better is None else larger_is_better)
    if larger_is_better not in (None, computed.measure.larger_is_better):
        raise UsageError(
            f"The measure {name!r} is {scorer}, of which {computed.measure.better} is better; larger_is_better says "
            "the opposite. Leave it out."
        )
    return _named(name, scorer)


def _named(name: str, measure: Any) -> Response:
    """A measure of ours under a name of the user's."""
    like = computed_response(measure) if isinstance(measure, str) else None
    if like is None:
        raise UsageError(
            f"The measure {name!r} must be one that is computed here; found {measure!r}. "
            f"{nearest(str(measure), COMPUTED)}"
        )
    same, taken = like.describe()["measure"], computed_response(name)
    if taken is None:
        return renamed(like, replace(like.measure, name=name, origin=f"{name!r} is {same}"))
    if taken.describe()["measure"] != same:
        raise UsageError(f"{name!r} is a measure of its own already. Choose another name for {measure}.")
    return taken


def _risk(name: str, matrix: Any, classes: Any) -> Response:
    """The mean cost: matrix[i][j] is what it costs to assign class j where i is true."""
    try:
        costs = number_table(matrix, "loss_matrix", rows=2, columns=2)
    except UsageError as error:
        raise UsageError(f"The measure {name!r}: {error}") from None
    if costs.shape[0] != costs.shape[1]:
        raise UsageError(
            f"The loss_matrix of {name!r} must have a row and a column for each class; found the shape {costs.shape}."
        )
    labels: tuple[Any, ...] | None = None
    if classes is not None:
        if isinstance(classes, str) or not isinstance(classes, Sequence):
            raise UsageError(f"The classes of {name!r} are a list of labels, in the order of the matrix: {classes!r}.")
        labels = tuple(classes)
        if len(labels) != len(costs) or len(set(map(str, labels))) != len(labels):
            raise UsageError(
                f"The classes of {name!r} must be {len(costs)} different labels, one for each row of its loss_matrix; "
                f"found {list(labels)!r}."
            )
    content = {"name": name, "loss_matrix": costs.tolist(), "classes": None if labels is None else as_json(labels)}
    return Response(
        Measure(name, False, float(costs.min()), float(costs.max()), "mean cost by a loss matrix"),
        Needs.LABELS,
        ("classification",),
        canonical_json(content),
        "mean cost by a loss matrix: rows are true classes, columns assigned ones",
        pointwise=partial(_costs, costs=costs, labels=labels),
        admits=partial(_costs_misfit, name=name, size=len(costs), labels=labels),
    )


def _costs(truth: Truth, prediction: Prediction, costs: Array, labels: tuple[Any, ...] | None) -> Array:
    if labels is None:
        return np.asarray(costs[truth.values, prediction.values])
    place = {str(label): i for i, label in enumerate(labels)}
    order = np.array([place[str(label)] for label in truth.classes])
    return np.asarray(costs[order[truth.values], order[prediction.values]])


def _costs_misfit(classes: tuple[Any, ...], name: str, size: int, labels: tuple[Any, ...] | None) -> str | None:
    known = ", ".join(shown(label) for label in classes)
    if len(classes) != size:
        return f"The loss_matrix of {name!r} is for {size} classes; the task has {len(classes)}: {known}."
    strange = [label for label in labels or () if str(label) not in set(map(str, classes))]
    if strange:
        return f"{name!r} has a cost for the class {shown(strange[0])}, which the task has not. Its classes: {known}."
    return None


def _functional(name: str, loss: Any, by: Any) -> Response:
    """Another functional of a pointwise loss than its mean."""
    pointwise = sorted(known for known, response in COMPUTED.items() if response.pointwise is not None)
    base = COMPUTED.get(canonical_name(loss) or "") if isinstance(loss, str) else None
    if base is None or base.pointwise is None:
        raise UsageError(
            f"The measure {name!r} needs a loss that has a value for each test row; found {loss!r}. "
            f"{nearest(str(loss), pointwise)}"
        )
    if not isinstance(by, str):
        raise UsageError(f"The functional of {name!r} is a name such as 'median' or 'q0.95'; found {by!r}.")
    try:
        functional([0.0], by)
    except UsageError as error:
        raise UsageError(f"The measure {name!r}: {error}") from None
    like = base.measure
    how: dict[str, Any] = (
        {"pointwise": base.pointwise} if by == "mean" else {"compute": partial(_functional_of, base=base, by=by)}
    )
    return Response(
        Measure(name, like.larger_is_better, like.lower, like.upper, f"{by} of {base.name}"),
        base.needs,
        base.kinds,
        canonical_json({"name": name, "loss": base.name, "functional": by}),
        f"{by} of {base.name} over the test rows",
        **how,
    )


def _functional_of(truth: Truth, prediction: Prediction, base: Response, by: str) -> float:
    return functional(base.losses(truth, prediction), by)
