"""The commands about predictions, of a stored study or in a file: confusion and curves."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import inf, isnan, isqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.cli.compare import save_figure
from bakeoff.cli.grammar import emit
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.figures.curves import BAND_SENTENCES, curves_figure, how_made
from bakeoff.figures.figure import KINDS as FIGURES
from bakeoff.figures.figure import Chart
from bakeoff.measures.answers import (
    KINDS,
    Confusion,
    LearnerAnswers,
    LearnerCurve,
    confusion,
    learner_curve,
    preferences,
)
from bakeoff.measures.curves import decision_threshold, risk
from bakeoff.scores import read_scores
from bakeoff.text import count, counted, interval, listing, number, text_table, to_json, wrapped

Matrix = NDArray[np.float64]


def is_study(name: str) -> bool:
    return name.endswith(".toml")


def answers_in_file(arguments: argparse.Namespace) -> list[LearnerAnswers]:
    """What learners answered, by a file: labels, or scores beside a truth of 0 and 1."""
    scores = read_scores(
        arguments.study,
        format=arguments.format,
        columns=",".join(arguments.columns or ()),
        where=arguments.where or (),
        ignore=arguments.ignore or (),
        shape="predictions" if arguments.shape == "predictions" else None,
        measure=arguments.measure,
        positive=arguments.positive or "",
    )
    if arguments.task or arguments.learner:
        scores = scores.only(tasks=arguments.task, learners=arguments.learner)
    answers = [] if scores.predictions is None else scores.predictions.answers()
    if not answers:
        raise MisfitError(
            f"{scores.source} holds no predictions of classes that are all there: neither labels nor scores of a class "
            "beside the truth.",
            alternatives=[
                "a file with a column truth, and for each learner a column of labels, or of scores if the truth is one "
                "of two classes",
                "a stored study: bakeoff curves study.toml",
            ],
        )
    return answers


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff confusion`: which classes were taken for which.


def run_confusion(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    loss = _loss(arguments.loss)
    matrices, failed, about, by_threshold = _confusions(arguments, loss)
    if is_figure(arguments):
        from bakeoff.figures.confusion import confusion_figure

        print(save_figure(confusion_figure(matrices), arguments.output))
        return
    if arguments.json:
        records = [{**one.to_dict(), **(_risks(one, loss) if loss is not None else {})} for one in matrices]
        emit(arguments, to_json({**about, "confusions": records, "failed": [asdict(one) for one in failed]}))
        return
    parts = ["Rows are the true classes, columns the assigned ones; counts are over all test samples of a task."]
    if by_threshold:
        parts.append("Probabilities assign their class from 0.5 on; `bakeoff curves` shows all other thresholds.")
    if loss is not None and loss.shape == (2, 2):
        parts.append(_threshold_sentence(matrices, loss))
    tables = [confusion_as_text(one, loss) for one in matrices]
    missing = [wrapped(f"{one.sentence}; bakeoff failures {arguments.study} shows why.") for one in failed]
    emit(arguments, "\n\n".join([*map(wrapped, parts), *tables, *missing]))


def _confusions(
    arguments: argparse.Namespace, loss: Matrix | None
) -> tuple[list[Confusion], list[Any], dict[str, str], bool]:
    """The matrices, the learners that always failed, what they are of, and whether a threshold assigned the classes."""
    if not is_study(arguments.study):
        answers = answers_in_file(arguments)
        scored = any(sample.scores is not None for one in answers for sample in one.samples)
        return [confusion(one, loss) for one in answers], [], {"source": arguments.study}, scored
    from bakeoff.cli.study import stored, study_of
    from bakeoff.results.curves import confusions, learners_without_predictions

    study, path = study_of(arguments)
    part = {"tasks": arguments.task, "learners": arguments.learner}
    with stored(study, path, arguments.study) as store:
        matrices = confusions(store, study.key, loss=loss, **part)
        return matrices, learners_without_predictions(store, study.key, **part), {"study": study.key}, False


def _loss(given: Sequence[float] | None) -> Matrix | None:
    if given is None:
        return None
    k = isqrt(len(given))
    if k * k != len(given) or k < 2 or not np.isfinite(given).all():
        raise UsageError(
            "--loss takes a finite number for each pair of classes, row by row (the row is the true class): 4 for two "
            f"classes, 9 for three; found {len(given)}."
        )
    return np.array(given, dtype=float).reshape(k, k)


def _risks(one: Confusion, loss: Matrix) -> dict[str, float | None]:
    return {
        "risk": risk(one.matrix, loss),
        "risk_of_cheapest": None if one.cheapest is None else risk(one.cheapest, loss),
    }


def _threshold_sentence(matrices: Sequence[Confusion], loss: Matrix) -> str:
    """The probability from which on the second class is the cheaper answer."""
    try:
        threshold = 1 - decision_threshold(loss)
    except DegenerateError as error:
        return str(error)
    names = list(dict.fromkeys(one.classes[1] for one in matrices))
    second = repr(names[0]) if len(names) == 1 else "the second class"
    return f"With this loss {second} is the cheaper answer where its probability is above {number(threshold)}."


def confusion_as_text(one: Confusion, loss: Matrix | None = None) -> str:
    """The matrix with what it says of each class, and of all."""
    measures = one.measures
    rows = [
        [
            name,
            *(count(int(cell)) for cell in one.matrix[i]),
            *map(_rate, (measures.recall[i], measures.precision[i], measures.f1[i])),
        ]
        for i, name in enumerate(one.classes)
    ]
    rows_tested, samples = count(int(one.matrix.sum())), counted(one.samples, "test samples")
    where = f" on {one.task}" if one.task else ""
    head = f"{one.learner}{where}: {rows_tested} predictions in {samples}"
    table = text_table(["true \\ assigned", *one.classes, "recall", "precision", "F1"], rows)
    return "\n".join([wrapped(head), table, wrapped("; ".join(_all_in_all(one, loss)) + ".")])


def _all_in_all(one: Confusion, loss: Matrix | None) -> Iterator[str]:
    measures = one.measures
    yield f"accuracy {number(measures.accuracy)}"
    yield f"kappa {_rate(measures.kappa) or 'does not exist'}"
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


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff curves`: ROC, precision–recall, lift and cost curves.


_SHOWN = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)


def run_curves(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    curves, about = _curves(arguments)
    if is_figure(arguments):
        print(save_figure(figure_of(curves), arguments.output))
        return
    tasks = dict.fromkeys(curve.task for curve in curves)
    by_task = [[curve for curve in curves if curve.task == task] for task in tasks]
    if arguments.json:
        cheapest = [
            {"task": each[0].task, "cheapest": [asdict(one) for one in preferences(each)]}
            for each in by_task
            if each[0].kind == "roc" and len(each) > 1
        ]
        emit(arguments, to_json({**about, "curves": [curve.to_dict() for curve in curves], "preferences": cheapest}))
        return
    emit(arguments, "\n\n".join(curves_as_text(each) for each in by_task))


def _curves(arguments: argparse.Namespace) -> tuple[list[LearnerCurve], dict[str, str]]:
    how = {"positive": arguments.positive, "pool": arguments.pool, "band": arguments.band}
    if not is_study(arguments.study):
        answers = answers_in_file(arguments)
        return [learner_curve(one, arguments.kind, **how) for one in answers], {"source": arguments.study}
    from bakeoff.cli.study import stored, study_of
    from bakeoff.results.curves import study_curves

    study, path = study_of(arguments)
    part = {"tasks": arguments.task, "learners": arguments.learner}
    with stored(study, path, arguments.study) as store:
        return study_curves(store, study.key, arguments.kind, **part, **how), {"study": study.key}


def is_figure(arguments: argparse.Namespace) -> bool:
    """Whether the file that was asked for is a picture."""
    if arguments.output is None or arguments.json:
        return False
    return Path(arguments.output).suffix.lower().removeprefix(".") in FIGURES


def figure_of(curves: Sequence[LearnerCurve]) -> Chart:
    tasks = dict.fromkeys(curve.task for curve in curves)
    if len(tasks) > 1:
        raise UsageError(f"A figure shows one task, and there are {len(tasks)}: say --task NAME.")
    return curves_figure(curves)


def curves_as_text(curves: Sequence[LearnerCurve]) -> str:
    """The curves of one task at some places, areas, and who is cheapest for which losses."""
    first = curves[0]
    where = f" on {first.task}" if first.task else ""
    head = f"{KINDS[first.kind].title}{where}, {first.positive!r} against the rest. {how_made(curves)}"
    rows = [[number(x), *(_height(curve, x) for curve in curves)] for x in _SHOWN]
    table = text_table([first.names[0], *(f"{first.names[1]}, {curve.learner}" for curve in curves)], rows)
    parts = [wrapped(head)]
    if first.kind == "roc":
        parts.append(_areas(curves))
        if first.band:
            parts.append(wrapped(f"{BAND_SENTENCES[first.band]} They are drawn with -o roc.svg, and in --json."))
        if len(curves) > 1:
            parts.append(_preferred(curves))
    return "\n\n".join([*parts, table])


def _areas(curves: Sequence[LearnerCurve]) -> str:
    several = curves[0].samples > 1 and not curves[0].pooled
    header = ["learner", "AUC", "mean ± sd over test samples" if several else "95 % interval (DeLong)"]
    rows = [[one.learner, number(one.area[0]), interval(*one.area[1:])] for one in curves]
    return text_table(header, rows)


def _preferred(curves: Sequence[LearnerCurve]) -> str:
    """Who is cheapest, by how many times as much a missed positive costs as a false alarm."""
    sentences = preferences(curves)
    able = [one for one in sentences if len(one.learners) < len(curves)]
    share = number(curves[0].share, 3)
    if len({one.learners for one in able}) < 2:
        named = listing(list(able[0].learners)) if able else "every learner"
        return wrapped(
            f"The curves do not cross where it matters: whatever errors cost, {named} is at least as cheap as the "
            f"others at a share of {share} positives. This is an estimate from these rows, not a test."
        )
    rows = [
        [
            f"{number(one.ratio_from, 3)} to {number(one.ratio_to, 3)}" if one.ratio_to < inf
            else f"from {number(one.ratio_from, 3)} on",
            "whichever" if len(one.learners) == len(curves) else listing(list(one.learners)),
            number(one.fp_rate, 3),
            number(one.tp_rate, 3),
        ]
        for one in sentences
    ]  # fmt: skip
    head = (
        "The curves cross: which learner is cheapest depends on how many times as much a missed positive costs as a "
        f"false alarm, here at a share of {share} positives. These are estimates from these rows, not tests."
    )
    return f"{wrapped(head)}\n\n{text_table(['a miss costs', 'cheapest', 'fp-rate', 'tp-rate'], rows, left=2)}"


def _height(curve: LearnerCurve, x: float) -> str:
    """The highest point there, or what a straight line between the neighbours gives, as in the figure."""
    there = np.abs(curve.x - x) < 1e-12
    if there.any():
        return number(float(curve.y[there].max()))
    order = slice(None) if curve.x[0] <= curve.x[-1] else slice(None, None, -1)
    places, heights = curve.x[order], curve.y[order]
    after = int(np.searchsorted(places, x))
    if after in (0, len(places)):
        return ""
    share = (x - places[after - 1]) / (places[after] - places[after - 1])
    return number(float(heights[after - 1] + share * (heights[after] - heights[after - 1])))
