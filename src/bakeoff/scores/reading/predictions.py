"""Predictions: the truth, and beside it a column of predictions or probabilities per learner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.measures import LOSSES, Loss, loss_named
from bakeoff.measures.measure import canonical_name, normalise_name
from bakeoff.scores.reading.columns import cluster_doubts, names_items_in_common
from bakeoff.scores.reading.headers import (
    CLUSTER,
    KEYS,
    PREDICTION_ROLES,
    HeaderRoles,
    directed,
    key_columns,
    one_measure,
    recognise,
    weak_role_of,
)
from bakeoff.scores.reading.raw import RawTable, shorten
from bakeoff.scores.reading.shape import (
    IN_WORDS,
    PREDICTIONS,
    PredictionColumns,
    combinations,
    numbered,
    numbered_within,
    refuse_missing_truth,
    scores_of_matrix,
    unnamed_instances,
)
from bakeoff.scores.table import Labels, Predictions, Scores, frozen
from bakeoff.text import listing

# ----------------------------------------------------------------------------------------------------------------------
# Which pointwise loss predictions are scored by: the one asked for, or by a rule that is always reported.


_ASK = (
    "Say which loss counts: --measure error (labels), brier or log_loss (probabilities of class 1), squared_error or "
    "absolute_error (numbers); in Python measure='error' and so on."
)


def choose_loss(answers: PredictionColumns, measure: str | None, *, shape_given: bool = False) -> tuple[Loss, str]:
    """The loss and the reason for it. `said` tells that the user, and not a header, calls these predictions."""
    if measure is not None:
        if canonical_name(measure) == "auc":
            raise UsageError(
                f"{measure} is computed from all instances together, not instance by instance. Leave the measure out "
                "and say --with delong (in Python analyse(scores, 'delong')), which compares areas under the ROC "
                f"curve; or `bakeoff aggregate FILE --with {measure}`, which resamples the rows."
            )
        loss = loss_named(measure)
        if not shape_given:
            _refuse_fractions(answers, loss)
        _refuse_misfit(answers, loss)
        return loss, "as you said"
    if all(map(answers.are_labels, answers.learners)):
        return LOSSES["error"], "every prediction is one of the labels of the truth"
    if answers.two_valued:
        outside = next((name for name in answers.learners if not _probabilities(answers, name)), None)
        if outside is not None:
            raise _unclear(answers, outside, "neither labels of the truth nor probabilities from 0 to 1")
        return LOSSES["brier"], "the truth is 0 or 1 and the predictions lie between them: probabilities of class 1"
    return _for_numbers(answers)


def _for_numbers(answers: PredictionColumns) -> tuple[Loss, str]:
    columns = {name: answers.numbers(name) for name in (answers.truth, *answers.learners)}
    if columns[answers.truth] is None:
        odd = next(name for name in answers.learners if not answers.are_labels(name))
        labels = [label for label in answers.table.labels(answers.truth).labels if label]
        if len(labels) == 2 and _probabilities(answers, odd):
            raise _whose(answers, labels)
        raise _unclear(answers, odd, "predictions that are not among the labels of the truth")
    for name, values in columns.items():
        if values is None:
            raise _unclear(answers, name, "text, although the truth is a number")
    if all(_all_whole(values) for values in columns.values() if values is not None):
        # Class 7 may be missing from a small test sample: its number must not turn into a squared distance.
        odd = next(name for name in answers.learners if not answers.are_labels(name))
        raise _unclear(answers, odd, "whole numbers, but not all among those of the truth: labels or counts")
    return LOSSES["squared_error"], "the truth and the predictions are numbers, and not labels"


def _all_whole(values: np.typing.NDArray[np.float64]) -> bool:
    values = values[~np.isnan(values)]
    return bool((values == np.floor(values)).all())


def _probabilities(answers: PredictionColumns, name: str) -> bool:
    values = answers.numbers(name)
    return values is not None and bool(((values >= 0) & (values <= 1) | np.isnan(values)).all())


def _unclear(answers: PredictionColumns, name: str, what: str) -> UsageError:
    labels = answers.table.labels(name).labels
    example = next((label for label in labels if answers.canonical(label) not in answers.labels), labels[0])
    return UsageError(
        f"How should the predictions in {answers.table.source} be scored? Column {name!r} holds {what} "
        f"(for example {shorten(example)!r}). {_ASK} "
        f"If {name!r} is no learner, say --ignore {quote(name)} (in Python ignore=)."
    )


def _refuse_fractions(answers: PredictionColumns, loss: Loss) -> None:
    """Scores of a learner called y would all be wrong predictions of one another."""
    if loss.predicts == "label" and not answers.labels:
        raise UsageError(
            f"The loss {loss.name!r} compares labels, but column {answers.truth!r} of {answers.table.source}, read as "
            "the truth, holds numbers with fractions. If it is a learner and these are scores, say --shape wide; if "
            "these are predictions of a number, ask for squared_error or absolute_error; if a prediction counts only "
            "when it equals the truth, say --shape predictions (in Python shape='wide' or shape='predictions')."
        )


def _refuse_misfit(answers: PredictionColumns, loss: Loss) -> None:
    """Refuse a loss that would give a number without a meaning."""
    table = answers.table
    if loss.predicts == "label" and answers.two_valued:
        for name in answers.learners:
            values = answers.numbers(name)
            if values is not None and ((values > 0) & (values < 1)).any():
                raise UsageError(
                    f"The loss {loss.name!r} compares labels, but column {name!r} of {table.source} holds "
                    "probabilities. Ask for brier or log_loss, or turn the probabilities into labels first."
                )
    if loss.predicts == "probability":
        if not answers.two_valued:
            labels_text = listing([repr(shorten(label)) for label in table.labels(answers.truth).labels], most=4)
            raise UsageError(
                f"The loss {loss.name!r} needs a truth of 0 or 1, but column {answers.truth!r} of {table.source} holds "
                f"{labels_text}. Write 1 for the class whose probability is given, and 0 for the other."
            )
        for name in answers.learners:
            values = table.numbers(name) if not _probabilities(answers, name) else np.empty(0)
            outside = np.flatnonzero(~np.isnan(values) & ~((values >= 0) & (values <= 1)))
            if len(outside):
                row = int(outside[0])
                raise table.error(
                    f"A probability from 0 to 1 was expected, but {values[row]:g} was found.", row=row, column=name
                )


# ----------------------------------------------------------------------------------------------------------------------


def read_predictions(
    table: RawTable,
    *,
    measures: Sequence[str] = (),
    larger_is_better: bool | None = None,
    shape_given: bool = False,
    positive: str | None = None,
) -> Scores:
    """The losses of predictions, one for each learner and instance; `shape_given` if the user calls them so.

    With `positive` numbers beside two labels are scores of that class (of the second, "1" or true, if it is empty), in
    whatever range: enough for curves, which look at their order only.

    >>> cells = {"truth": ["cat", "dog"], "svm": ["cat", "cat"], "knn": ["dog", "dog"]}
    >>> table = RawTable("t.csv", tuple(cells), tuple(Labels.of(column) for column in cells.values()))
    >>> read_predictions(table).value.tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    roles = _with_truth(table, recognise(table, PREDICTION_ROLES))
    truth = roles.column["truth"]
    refuse_missing_truth(table, truth)
    keys = key_columns(table, roles, (*KEYS, CLUSTER))
    keys, label, instance_notes = _with_instances(table, roles, keys)
    others = [name for name in roles.others(table) if name != label]
    aside = [name for name in others if names_items_in_common(name)]
    aside += _of_another_kind([name for name in others if name not in aside])
    learners = tuple(name for name in others if name not in aside)
    if CLUSTER not in keys:
        doubts = cluster_doubts(table, keys["instance"], aside, _recurring(table, keys, label))
        table = replace(table, doubts=(*table.doubts, *doubts))
    if not learners:
        raise table.error(
            f"Beside the truth ({truth!r}) a column of predictions for each learner was expected, but there is none."
        )
    answers, classes = PredictionColumns(table, truth, learners), tuple[str, ...]()
    scored = positive is not None and not all(map(answers.are_labels, learners))
    if scored and not answers.two_valued and (classes := _two_classes(answers, positive or "")):
        table = table.with_column(truth, _as_ones(table.labels(truth), classes[1]))
        answers = PredictionColumns(table, truth, learners)
    if len(measures) > 1:
        raise one_measure(measures, "predictions are scored by one loss at a time")
    measure = measures[0] if measures else None
    of_a_class = scored and measure is None and answers.two_valued
    if of_a_class and not all(_probabilities(answers, each) for each in learners):
        loss, reason = LOSSES["squared_error"], "they are scores of a class, and no probabilities"
    else:
        loss, reason = choose_loss(answers, measure, shape_given=shape_given)
    name = measure or loss.name
    scores = scores_of_matrix(
        table,
        _losses(answers, loss),
        learners,
        keys,
        measure=Labels.constant(name, table.n_rows),
        measures=directed([name], larger_is_better),
        notes=(
            *table.notes,
            f"read as {IN_WORDS[PREDICTIONS]}",
            *roles.notes,
            *instance_notes,
            *([f"set aside, as nobody's predictions: {listing([repr(name) for name in aside])}"] if aside else ()),
            f"predictions are scored by {loss.name}: {reason}",
        ),
    )
    return replace(scores, predictions=_kept(answers, keys, classes))


def _two_classes(answers: PredictionColumns, positive: str) -> tuple[str, ...]:
    """The two labels of the truth, the one that numbers beside it are scores of last; none if it is no such table."""
    labels = [label for label in answers.table.labels(answers.truth).labels if label]
    if len(labels) != 2 or any(answers.numbers(name) is None for name in answers.learners):
        return ()
    if not positive and set(labels) == {"-1", "1"}:
        positive = "1"
    if not positive:
        raise _whose(answers, labels)
    if positive not in labels:
        raise UsageError(f"{answers.table.source} has no class {positive!r}. {nearest(positive, labels)}")
    return tuple(sorted(labels, key=lambda label: label == positive))


def _whose(answers: PredictionColumns, labels: Sequence[str]) -> UsageError:
    return UsageError(
        f"Which class are the numbers in {answers.table.source} scores of? Its truth is {labels[0]!r} or "
        f"{labels[1]!r}: say --positive {quote(labels[0])} or --positive {quote(labels[1])} (in Python positive=)."
    )


def _as_ones(truth: Labels, positive: str) -> Labels:
    """A column of labels as 1 where it is the positive one, and 0 elsewhere."""
    return Labels(tuple("1" if label == positive else "0" if label else label for label in truth.labels), truth.codes)


def _recurring(table: RawTable, keys: dict[str, Labels], label: str | None) -> list[str]:
    """The column of names or ids, if they recur where each instance should have its own."""
    places = [column for role, column in keys.items() if role != "instance"]
    recurs = label and combinations([*places, table.labels(label)], table.n_rows) < table.n_rows
    return [label] if label and recurs else []


# What a header says that a column of a learner holds, as in pred_svm and prob_svm; the first kind there is counts.
_KINDS = (
    re.compile(r"(y_?)?(pred|preds|prediction|predictions|predicted|hat|label|class|yhat)"),
    re.compile(r"(y_?)?(prob|probs|proba|probability|p1|conf|confidence|logit|logits|score)"),
    re.compile(r"(abs|sq|squared|absolute)?_?(error|err|residual|resid|loss|correct|hit)"),
)


def _of_another_kind(names: Sequence[str]) -> list[str]:
    """Where headers tell predictions, probabilities and errors of the same learners apart, all but the first kind."""
    kinds: dict[str, int] = {}
    for name in names:
        words = [word for word in normalise_name(name).split("_") if word]
        ends = (words[0], words[-1], "_".join(words[:2]), "_".join(words[-2:])) if len(words) > 1 else ()
        kind = next((i for i, form in enumerate(_KINDS) if any(form.fullmatch(end) for end in ends)), None)
        if kind is None:
            return []
        kinds[name] = kind
    return [name for name, kind in kinds.items() if kind > min(kinds.values())]


def _kept(answers: PredictionColumns, keys: dict[str, Labels], two: tuple[str, ...]) -> Predictions | None:
    """The predictions themselves, if none is missing: numbers, or labels by number."""
    names = (answers.truth, *answers.learners)
    columns, classes = [answers.numbers(name) for name in names], tuple[str, ...]()
    if any(column is None for column in columns) and all(map(answers.are_labels, answers.learners)):
        classes = tuple(sorted(answers.labels))
        numbering = {label: number for number, label in enumerate(classes)}
        columns = [answers.codes(name, numbering) for name in names]
    known = [column for column in columns if column is not None and not np.isnan(column).any()]
    if len(known) < len(columns):
        return None
    task = keys["task"].values() if "task" in keys else [""] * answers.table.n_rows
    return Predictions(
        frozen(known[0]), frozen(np.column_stack(known[1:])), answers.learners, np.array(task), classes, two
    )


def _with_truth(table: RawTable, roles: HeaderRoles) -> HeaderRoles:
    if roles.get("truth"):
        return roles
    name = next((name for name in table.names if weak_role_of(name) == "truth"), None)
    if name is None:
        raise table.error("Predictions need a column 'truth' ('y_true', 'label', 'target') beside them; there is none.")
    return replace(roles, column=roles.column | {"truth": name}, notes=(*roles.notes, f"column {name!r} read as truth"))


def _with_instances(
    table: RawTable, roles: HeaderRoles, keys: dict[str, Labels]
) -> tuple[dict[str, Labels], str | None, tuple[str, ...]]:
    """The keys with the instance, from a column "id" or the like if it tells the rows apart, or by counting."""
    label = next((name for name in roles.others(table) if not name or weak_role_of(name) == "row"), None)
    if "instance" in keys:
        return keys, label, ()
    if label is not None:
        named = table.labels(label)
        if "" not in named.labels and combinations([*keys.values(), named], table.n_rows) == table.n_rows:
            return {**keys, "instance": named}, label, (f"column {label!r} read as instance",) if label else ()
    if "repeat" not in keys or len(keys["repeat"].labels) < 2:
        return {**keys, "instance": numbered(table.n_rows)}, label, ("instances are numbered from 1",)
    # The rows of a repeat are the instances in one order if the truth says so.
    within = [column for role, column in keys.items() if role in ("task", "repeat")]
    position = numbered_within(within, table.n_rows)
    truth = table.labels(roles.column["truth"])
    by_task = [keys["task"]] if "task" in keys else []
    if len(truth.labels) < 2 or combinations([*by_task, position, truth], table.n_rows) > combinations(
        [*by_task, position], table.n_rows
    ):
        raise unnamed_instances(table, "repeat")
    return (
        {**keys, "instance": position},
        label,
        ("each repeat has the same truth in the same order: its rows are the same instances",),
    )


def _losses(answers: PredictionColumns, loss: Loss) -> NDArray[np.float64]:
    """A column of losses per learner, NaN where a prediction is missing."""
    values = np.empty((answers.table.n_rows, len(answers.learners)))
    if loss.predicts == "label":
        numbering: dict[str, int] = {}
        truth = answers.codes(answers.truth, numbering)
        for j, learner in enumerate(answers.learners):
            prediction = answers.codes(learner, numbering)
            values[:, j] = np.where(np.isnan(prediction), np.nan, loss.of(truth, prediction))
        return values
    truth = _numbers(answers, answers.truth)
    for j, learner in enumerate(answers.learners):
        prediction = _numbers(answers, learner)
        with np.errstate(over="ignore", invalid="ignore"):
            values[:, j] = loss.of(truth, prediction)
        _refuse_overflow(answers.table, learner, loss, (truth, prediction, values[:, j]))
    return values


def _refuse_overflow(
    table: RawTable,
    learner: str,
    loss: Loss,
    columns: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
) -> None:
    """A loss that is larger than any number, although truth and prediction are numbers."""
    truth, prediction, value = columns
    beyond = np.flatnonzero(np.isfinite(truth) & np.isfinite(prediction) & ~np.isfinite(value))
    if len(beyond):
        row = int(beyond[0])
        raise table.error(
            f"The {loss.name} of {prediction[row]:g} where the truth is {truth[row]:g} leaves the range of numbers. "
            "Write truth and predictions in a larger unit, or leave the prediction empty if the learner failed there.",
            row=row,
            column=learner,
        )


def _numbers(answers: PredictionColumns, name: str) -> NDArray[np.float64]:
    """A column as numbers, or the error that names the cell which is none."""
    values = answers.numbers(name)
    return answers.table.numbers(name) if values is None else values
