"""Which pointwise loss predictions are scored by: the one asked for, or by a rule that is always reported."""

from __future__ import annotations

import numpy as np

from bakeoff.errors import UsageError
from bakeoff.measures import LOSSES, Loss, loss_named
from bakeoff.measures.known import canonical_name
from bakeoff.presentation import listing
from bakeoff.scores.reading.answers import Answers
from bakeoff.scores.reading.raw import shorten

_ASK = (
    "Say which loss counts: --measure error (labels), brier or log_loss (probabilities of class 1), squared_error or "
    "absolute_error (numbers); in Python measure='error' and so on."
)


def choose_loss(answers: Answers, measure: str | None, *, said: bool = False) -> tuple[Loss, str]:
    """The loss and the reason for it. `said` tells that the user, and not a header, calls these predictions."""
    if measure is not None:
        if canonical_name(measure) == "auc":
            raise UsageError(
                f"{measure} is computed from all instances together, not instance by instance. Leave the measure out "
                "and say --with delong (in Python analyse(scores, 'delong')), which compares areas under the ROC curve."
            )
        loss = loss_named(measure)
        if not said:
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


def _for_numbers(answers: Answers) -> tuple[Loss, str]:
    columns = {name: answers.numbers(name) for name in (answers.truth, *answers.learners)}
    if columns[answers.truth] is None:
        odd = next(name for name in answers.learners if not answers.are_labels(name))
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


def _probabilities(answers: Answers, name: str) -> bool:
    values = answers.numbers(name)
    return values is not None and bool(((values >= 0) & (values <= 1) | np.isnan(values)).all())


def _unclear(answers: Answers, name: str, what: str) -> UsageError:
    labels = answers.table.labels(name).labels
    example = next((label for label in labels if answers.canonical(label) not in answers.labels), labels[0])
    return UsageError(
        f"How should the predictions in {answers.table.source} be scored? Column {name!r} holds {what} "
        f"(for example {shorten(example)!r}). {_ASK}"
    )


def _refuse_fractions(answers: Answers, loss: Loss) -> None:
    """Scores of a learner called y would all be wrong predictions of one another."""
    if loss.predicts == "label" and not answers.labels:
        raise UsageError(
            f"The loss {loss.name!r} compares labels, but column {answers.truth!r} of {answers.table.source}, read as "
            "the truth, holds numbers with fractions. If it is a learner and these are scores, say --shape wide; if "
            "these are predictions of a number, ask for squared_error or absolute_error; if a prediction counts only "
            "when it equals the truth, say --shape predictions (in Python shape='wide' or shape='predictions')."
        )


def _refuse_misfit(answers: Answers, loss: Loss) -> None:
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
            found = listing([repr(shorten(label)) for label in table.labels(answers.truth).labels], most=4)
            raise UsageError(
                f"The loss {loss.name!r} needs a truth of 0 or 1, but column {answers.truth!r} of {table.source} holds "
                f"{found}. Write 1 for the class whose probability is given, and 0 for the other."
            )
        for name in answers.learners:
            values = table.numbers(name) if not _probabilities(answers, name) else np.empty(0)
            outside = np.flatnonzero(~np.isnan(values) & ~((values >= 0) & (values <= 1)))
            if len(outside):
                row = int(outside[0])
                raise table.error(
                    f"A probability from 0 to 1 was expected, but {values[row]:g} was found.", row=row, column=name
                )
