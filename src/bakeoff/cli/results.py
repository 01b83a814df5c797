"""The commands that ask something of a stored study: judge, scores, confusion, curves."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, isqrt
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.cli.compare import options_of, save_figure
from bakeoff.cli.grammar import emit
from bakeoff.cli.study import stored, study_of
from bakeoff.errors import DegenerateError, UsageError, nearest
from bakeoff.figures.curves import ThresholdCurves, threshold_curves
from bakeoff.figures.figure import KINDS as FIGURES
from bakeoff.inference.finding import Finding
from bakeoff.judging import Verdict, judge
from bakeoff.judging.case import Case
from bakeoff.judging.judgment import finding_on
from bakeoff.judging.request import Request
from bakeoff.measures.curves import decision_threshold, risk
from bakeoff.procedures import procedure_named
from bakeoff.procedures.card import Answers
from bakeoff.results.curves import (
    KINDS,
    Confusion,
    StudyCurve,
    confusions,
    learners_without_predictions,
    study_curves,
)
from bakeoff.results.export import format_of, write_scores
from bakeoff.results.instances import in_units, units_of
from bakeoff.results.scores import scores_of
from bakeoff.scores import Scores
from bakeoff.scores.blocks import UNDEFINED
from bakeoff.store.reader import Reader
from bakeoff.study.file import read_study
from bakeoff.study.run import scores_for
from bakeoff.study.study import Analysis, Study
from bakeoff.text import count, counted, listing, number, text_table, to_json, wrapped

_FLAGS = ("measure", "procedure", "contrast", "control", "adjust", "alpha", "margin", "alternative", "level", "missing")


def run_judge(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    if study.design is not None and asks_about_factors(arguments, rest):
        judge_factors(arguments, study, path)
        return
    analyses = requested_analyses(arguments, rest, study)
    if arguments.figure and len(analyses) > 1:
        raise UsageError(
            f"{len(analyses)} analyses are planned; a figure shows one of them. Say which: --measure NAME, or others "
            "of its flags."
        )
    if arguments.figure and is_multivariate(analyses[0]):
        raise UsageError("A figure shows pairs of learners by one measure; this analysis is about several at once.")
    with stored(study, path, arguments.study) as store:
        only = Only(arguments.task, arguments.learner, arguments.without)
        answers = [_answer(analysis, study, store, arguments.anyway, only) for analysis in analyses]
    verdicts = [answer for answer in answers if isinstance(answer, Verdict)]
    if arguments.figure:
        save_figure(verdicts[0].plot(), arguments.figure)
    if arguments.json:
        findings = [answer.to_dict() for answer in answers if isinstance(answer, Finding)]
        whole = {"study": study.key, "verdicts": [verdict.to_dict() for verdict in verdicts]}
        emit(arguments, to_json({**whole, "findings": findings} if findings else whole))
        return
    text = f"\n\n{'─' * 100}\n\n".join(answer.to_text() for answer in answers)
    emit(arguments, f"{text}\n\nFigure:  {arguments.figure}" if arguments.figure else text)


# What is said of a design's factors takes these flags; any other asks about pairs of settings, as learners.
_OF_FACTORS = ("measure", "alpha", "level", "missing")


def asks_about_factors(arguments: argparse.Namespace, rest: Sequence[str]) -> bool:
    """Whether the question is the one that a design is made for."""
    others = [name for name in _FLAGS if name not in _OF_FACTORS and getattr(arguments, name) is not None]
    return not (others or rest or arguments.learner or arguments.without)


def judge_factors(arguments: argparse.Namespace, study: Study, path: Path) -> None:
    """The effects of a design's factors, by each planned measure or those named."""
    from bakeoff.judging.designed import judge_design
    from bakeoff.study.search import at_end

    if arguments.figure:
        raise UsageError(
            f"Figures of factors are drawn by bakeoff plot: bakeoff plot interaction {arguments.study} -o figure.svg"
        )
    planned = {name: analysis for analysis in study.analyses for name in analysis.measures}
    verdicts = []
    with stored(study, path, arguments.study) as store:
        study = at_end(study, store)
        for name in arguments.measure or planned:
            analysis = planned.get(name, study.analyses[0])
            scores = Only(arguments.task).of(scores_for(store, study.key, name, tasks=arguments.task))
            given = {key: getattr(arguments, key) or getattr(analysis, key) for key in _OF_FACTORS[1:]}
            verdicts.append(judge_design(scores, measure=name, **given))
    if arguments.json:
        emit(arguments, to_json({"study": study.key, "designs": [verdict.to_dict() for verdict in verdicts]}))
        return
    emit(arguments, f"\n\n{'─' * 100}\n\n".join(verdict.to_text() for verdict in verdicts))


def _answer(analysis: Analysis, study: Study, store: Reader, anyway: bool, only: Only) -> Verdict | Finding:
    answer = finding_of if is_multivariate(analysis) else verdict_of
    return answer(analysis, study, store, anyway, only)


def requested_analyses(arguments: argparse.Namespace, rest: Sequence[str], study: Study) -> list[Analysis]:
    """All planned analyses, or the one that the flags describe: a planned one, if they only say which."""
    given: dict[str, Any] = {name: getattr(arguments, name) for name in _FLAGS if getattr(arguments, name) is not None}
    if not given and not rest:
        return list(study.analyses)
    if "contrast" in given:
        contrast = given["contrast"]
        given["contrast"] = contrast[0] if len(contrast) == 1 else tuple(contrast)
    elif "control" in given:
        given["contrast"] = "control"
    if rest:
        card = procedure_named(given["procedure"]).card if "procedure" in given else None
        given["options"] = options_of(arguments, card, rest)
    base = study.analyses[0]
    if "measure" not in given and "procedure" in given and is_multivariate(replace(base, procedure=given["procedure"])):
        given["measure"] = list(study.measure_names if len(base.measures) == 1 else base.measures)
    if "measure" in given:
        names = tuple(dict.fromkeys(given["measure"]))
        given["measure"] = names[0] if len(names) == 1 else names
        of_measure = [each for each in study.analyses if each.measure == given["measure"]]
        if of_measure and len(given) == 1:
            return of_measure
        base = of_measure[0] if of_measure else _about_others(base, given["measure"])
    if "alpha" in given and not 0 < given["alpha"] < 1:
        raise UsageError(f"α lies strictly between 0 and 1; found {given['alpha']!r}.")
    learners = [learner.name for learner in study.learners]
    if given.get("control") is not None and given["control"] not in learners:
        raise UsageError(f"There is no learner {given['control']!r}. {nearest(given['control'], learners)}")
    return [replace(base, **given)]


def _about_others(planned: Analysis, measure: str | tuple[str, ...]) -> Analysis:
    """A planned analysis, asked about something else. A margin is a difference in one measure, and says nothing about
    another; a procedure for one measure says nothing about several."""
    if is_multivariate(planned) == isinstance(measure, tuple):
        return replace(planned, measure=measure, margin=None)
    return Analysis(measure, alpha=planned.alpha, missing=planned.missing)


@dataclass(frozen=True)
class Only:
    """A part of a study."""

    tasks: Sequence[str] | None = None
    learners: Sequence[str] | None = None
    without: Sequence[str] | None = None

    def of(self, scores: Scores) -> Scores:
        if self.tasks is not None or self.learners is not None:
            scores = scores.only(tasks=self.tasks, learners=self.learners)
        return scores.without(self.without) if self.without else scores


ALL = Only()


def verdict_of(analysis: Analysis, study: Study, store: Reader, anyway: bool, only: Only = ALL) -> Verdict:
    """The verdict of an analysis on the stored scores of a study, with its standing in it."""
    scores = only.of(scores_for(store, study.key, analysis.measures, level=analysis.level, tasks=only.tasks))
    verdict: Verdict = judge(scores, analysis.procedure, anyway=anyway, **analysis.request())
    return verdict


def is_multivariate(analysis: Analysis) -> bool:
    """Whether it is about several measures at once, which is no question about pairs alone."""
    if analysis.procedure is None:
        return len(analysis.measures) > 1
    return procedure_named(analysis.procedure).card.answers is Answers.MULTIVARIATE


def finding_of(analysis: Analysis, study: Study, store: Reader, anyway: bool, only: Only = ALL) -> Finding:
    """What a multivariate procedure finds in the stored scores of a study, with its standing in it."""
    scores = only.of(scores_of(store, study.key, analysis.measures, tasks=only.tasks))
    request = {**analysis.request(), "measure": list(analysis.measures), "anyway": anyway}
    return finding_on(Case(scores, Request.of(analysis.procedure, **request)))


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff scores`: the scores of a study, as a table to look at or a file for other tools.


_NOT_IN_CSV = (
    "A CSV file cannot tell which analyses the study planned: what is made of it will not be marked as planned or "
    "exploratory. bakeoff judge does that, and bakeoff compare of a Parquet file."
)
_ROWS = "The column cluster says which; bakeoff compare reads it."


def run_scores(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    target = None if arguments.output is None else Path(arguments.output)
    if target is not None and not arguments.json and format_of(target) is None:
        raise UsageError(f"Scores are written to .csv or .parquet, or as --json; found {target.name!r}.")
    with stored(study, path, arguments.study) as store:
        scores = scores_of(store, study.key, arguments.measure, instances=arguments.instances)
        units = units_of(store, study.key) if arguments.instances else {}
        scores = in_units(scores, units)
    if arguments.json:
        emit(arguments, to_json(scores.to_frame().to_dict("list")))
    elif target is None:
        print(scores_as_text(scores))
    else:
        write_scores(scores, target)
    if target is not None:
        print(f"{count(len(scores))} rows are written to {target}")
        if not arguments.json and format_of(target) == "csv":
            print(wrapped(_NOT_IN_CSV))
        if scores.clusters is not None:
            print(wrapped(f"Several rows of {listing(list(units))} come from one unit (its cluster or group). {_ROWS}"))


def scores_as_text(scores: Scores) -> str:
    """For each measure a table of means: a row a task, a column a learner."""
    parts = list(scores.notes)
    for name in scores.measure.labels:
        one = scores.only(measure=name)
        better = one.measures[name].better
        rows = []
        for task in one.tasks:
            cells = [_mean(one, task, learner) for learner in one.learners]
            rows.append([task, *(number(value) if not np.isnan(value) else "" for value in cells)])
        header = ["task", *one.learners]
        if scores.settings:  # settings have long names, and there are many of them
            header, *rows = (list(line) for line in zip(header, *rows, strict=True))
            header[0] = "setting"
        parts.append(f"Mean {name} ({better} is better)\n{text_table(header, rows, most=70)}")
    lacking = np.isnan(scores.value)
    if lacking.any():
        note = f"{count(int(lacking.sum()))} of {count(len(scores))} scores have no value; means are over the others."
        parts.append("\n".join([note, *_reasons(scores, lacking)]))
    return "\n\n".join(parts)


def _reasons(scores: Scores, lacking: NDArray[np.bool_]) -> Iterator[str]:
    """Why scores have no value, a line for each measure that is not defined there and one for what failed."""
    undefined = np.array([status == UNDEFINED for status in scores.status.labels])[scores.status.codes] & lacking
    for code, name in enumerate(scores.measure.labels):
        here = np.flatnonzero(undefined & (scores.measure.codes == code))
        if not len(here):
            continue
        learners = np.unique(scores.learner.codes[here])
        whose = (
            "" if len(learners) == len(scores.learners) else f" of {listing([scores.learners[i] for i in learners])}"
        )
        why = scores.message.labels[scores.message.codes[here[0]]]
        yield _line(f"{name}{whose}: {count(len(here))} not defined. {why}")
    failed = lacking & ~undefined
    if failed.any():
        learners = np.unique(scores.learner.codes[failed])
        whose = listing([scores.learners[i] for i in learners])
        yield _line(f"{whose}: {count(int(failed.sum()))} belong to cells that failed; bakeoff failures shows why.")


def _line(text: str) -> str:
    return fill(" ".join(text.split()), 100, initial_indent="  ", subsequent_indent="    ")


def _mean(scores: Scores, task: str, learner: str) -> float:
    here = (scores.task.codes == scores.tasks.index(task)) & (scores.learner.codes == scores.learners.index(learner))
    values = scores.value[here]
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff confusion`: which classes of a study were taken for which, from its stored predictions.


def run_confusion(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    loss = _loss(arguments.loss)
    with stored(study, path, arguments.study) as store:
        matrices = confusions(store, study.key, tasks=arguments.task, learners=arguments.learner, loss=loss)
        failed = learners_without_predictions(store, study.key, tasks=arguments.task, learners=arguments.learner)
    if arguments.json:
        records = [{**one.to_dict(), **(_risks(one, loss) if loss is not None else {})} for one in matrices]
        emit(arguments, to_json({"study": study.key, "confusions": records, "failed": [asdict(one) for one in failed]}))
        return
    parts = ["Rows are the true classes, columns the assigned ones; counts are over all test samples of a task."]
    if loss is not None and loss.shape == (2, 2):
        parts.append(_threshold_sentence(matrices, loss))
    tables = [confusion_as_text(one, loss) for one in matrices]
    missing = [wrapped(f"{one.sentence}; bakeoff failures {arguments.study} shows why.") for one in failed]
    emit(arguments, "\n\n".join([*map(wrapped, parts), *tables, *missing]))


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


def _threshold_sentence(matrices: Sequence[Confusion], loss: NDArray[np.float64]) -> str:
    """The probability from which on the second class is the cheaper answer."""
    try:
        threshold = 1 - decision_threshold(loss)
    except DegenerateError as error:
        return str(error)
    names = list(dict.fromkeys(one.classes[1] for one in matrices))
    second = repr(names[0]) if len(names) == 1 else "the second class"
    return f"With this loss {second} is the cheaper answer where its probability is above {number(threshold)}."


def confusion_as_text(one: Confusion, loss: NDArray[np.float64] | None = None) -> str:
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
    head = f"{one.learner} on {one.task}: {rows_tested} predictions in {samples}"
    table = text_table(["true \\ assigned", *one.classes, "recall", "precision", "F1"], rows)
    return "\n".join([wrapped(head), table, wrapped("; ".join(_all_in_all(one, loss)) + ".")])


def _all_in_all(one: Confusion, loss: NDArray[np.float64] | None) -> Iterator[str]:
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
# `bakeoff curves`: ROC, precision–recall, lift and cost curves of a study, from its stored predictions.


_SHOWN = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)


def run_curves(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    drawn = arguments.output is not None and not arguments.json and _is_figure(arguments.output)
    with stored(study, path, arguments.study) as store:
        curves = study_curves(
            store,
            study.key,
            arguments.kind,
            tasks=arguments.task,
            learners=arguments.learner,
            positive=arguments.positive,
        )
    if drawn:
        print(save_figure(_figure(curves), arguments.output))
        return
    if arguments.json:
        emit(arguments, to_json({"study": study.key, "curves": [curve.to_dict() for curve in curves]}))
        return
    tasks = dict.fromkeys(curve.task for curve in curves)
    emit(arguments, "\n\n".join(curves_as_text([curve for curve in curves if curve.task == task]) for task in tasks))


def _is_figure(name: str) -> bool:
    return Path(name).suffix.lower().removeprefix(".") in FIGURES


def curves_chart(kind: str, arguments: argparse.Namespace) -> ThresholdCurves:
    """ROC curves and their kin, of the stored predictions of a study."""
    (file,) = arguments.file[:1]
    if not str(file).endswith(".toml"):
        raise UsageError(
            f"{kind} is drawn of the stored predictions of a study: bakeoff plot {kind} study.toml -o FILE"
        )
    study = read_study(file)
    with stored(study, Path(file).with_suffix(".sqlite"), file) as store:
        chosen = {"tasks": arguments.task, "learners": arguments.learner, "positive": arguments.positive}
        return _figure(study_curves(store, study.key, kind, **chosen))


def _figure(curves: Sequence[StudyCurve]) -> ThresholdCurves:
    tasks = list(dict.fromkeys(curve.task for curve in curves))
    if len(tasks) > 1:
        raise UsageError(f"A figure shows one task, and there are {len(tasks)}: say --task NAME.")
    points = {curve.learner: (curve.x.tolist(), curve.y.tolist()) for curve in curves}
    title = f"{KINDS[curves[0].kind].title}, {tasks[0]}: {curves[0].positive} against the rest"
    return threshold_curves(curves[0].kind, points, axes=curves[0].names, title=title, caption=_how(curves))


def curves_as_text(curves: Sequence[StudyCurve]) -> str:
    """The curves of one task at some places."""
    first = curves[0]
    head = f"{KINDS[first.kind].title} on {first.task}, {first.positive!r} against the rest. {_how(curves)}"
    rows = [[number(x), *(_height(curve, x) for curve in curves)] for x in _SHOWN]
    table = text_table([first.names[0], *(f"{first.names[1]}, {curve.learner}" for curve in curves)], rows)
    return f"{wrapped(head)}\n\n{table}"


def _how(curves: Sequence[StudyCurve]) -> str:
    """What each curve is of."""
    first = curves[0]
    if first.samples == 1:
        return "Of one test sample."
    several = counted(first.samples - first.skipped, "test samples")
    sentence = f"The mean of the curves of {several}, at equal {first.names[0]}."
    if first.skipped:
        sentence += f" {counted(first.skipped, 'others')} had no rows of one of the classes."
    return sentence


def _height(curve: StudyCurve, x: float) -> str:
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
