"""`bakeoff judge`: what may be claimed of a study."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bakeoff.cli.output import emit
from bakeoff.cli.reading import options_of
from bakeoff.cli.studying import stored, study_of
from bakeoff.errors import UsageError, nearest
from bakeoff.judging import Verdict, judge
from bakeoff.judging.standing import Standing
from bakeoff.judging.warnings import CodedWarning
from bakeoff.presentation import listing, to_json
from bakeoff.registry import procedure_named
from bakeoff.scores import Scores
from bakeoff.stores.reader import Reader
from bakeoff.stores.scores import scores_of
from bakeoff.stores.units import COMPARED, units_of
from bakeoff.studies.analysis import Analysis
from bakeoff.studies.planned import why_exploratory
from bakeoff.studies.scoring import one_test_sample, scores_for
from bakeoff.studies.study import Study

_FLAGS = ("measure", "procedure", "contrast", "control", "adjust", "alpha", "margin", "alternative", "level", "missing")


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    analyses = analyses_asked_for(arguments, rest, study)
    if arguments.figure and len(analyses) > 1:
        raise UsageError(
            f"{len(analyses)} analyses are planned; a figure shows one of them. Say which: --measure NAME, or others "
            "of its flags."
        )
    with stored(study, path, arguments.study) as store:
        only = Only(arguments.task, arguments.learner)
        verdicts = [verdict_of(analysis, study, store, arguments.anyway, only) for analysis in analyses]
    if arguments.figure:
        from bakeoff.figures.critical_difference import save

        save(verdicts[0], arguments.figure)
    if arguments.json:
        emit(arguments, to_json({"study": study.key, "verdicts": [verdict.to_dict() for verdict in verdicts]}))
        return
    text = f"\n\n{'─' * 100}\n\n".join(verdict.to_text() for verdict in verdicts)
    emit(arguments, f"{text}\n\nFigure:  {arguments.figure}" if arguments.figure else text)


def analyses_asked_for(arguments: argparse.Namespace, rest: Sequence[str], study: Study) -> list[Analysis]:
    """All planned analyses, or the one that the flags describe: a planned one, if they only say which."""
    given: dict[str, Any] = {name: getattr(arguments, name) for name in _FLAGS if getattr(arguments, name) is not None}
    if not given and not rest:
        return list(study.analyses)
    if "contrast" in given:
        said = given["contrast"]
        given["contrast"] = said[0] if len(said) == 1 else tuple(said)
    elif "control" in given:
        given["contrast"] = "control"
    if rest:
        card = procedure_named(given["procedure"]).card if "procedure" in given else None
        given["options"] = options_of(card, rest)
    if "measure" in given:
        of_measure = [each for each in study.analyses if each.measure == given["measure"]]
        if of_measure and len(given) == 1:
            return of_measure
        # A margin is a difference in one measure, and says nothing about another.
        base = of_measure[0] if of_measure else replace(study.analyses[0], measure=given["measure"], margin=None)
    else:
        base = study.analyses[0]
    if "alpha" in given and not 0 < given["alpha"] < 1:
        raise UsageError(f"α lies strictly between 0 and 1; found {given['alpha']!r}.")
    learners = [learner.name for learner in study.learners]
    if given.get("control") is not None and given["control"] not in learners:
        raise UsageError(f"There is no learner {given['control']!r}. {nearest(given['control'], learners)}")
    return [replace(base, **given)]


@dataclass(frozen=True)
class Only:
    """A part of a study. Whoever leaves out learners or tasks could have seen their results."""

    tasks: Sequence[str] | None = None
    learners: Sequence[str] | None = None

    def of(self, scores: Scores) -> Scores:
        if self.tasks is None and self.learners is None:
            return scores
        return scores.only(tasks=self.tasks, learners=self.learners)

    def reasons(self) -> list[str]:
        named = {"task": self.tasks or (), "learner": self.learners or ()}
        return [f"only {what}{'s' * (len(names) > 1)} {listing(names)}" for what, names in named.items() if names]


ALL = Only()


def verdict_of(analysis: Analysis, study: Study, store: Reader, anyway: bool, only: Only = ALL) -> Verdict:
    """The verdict, with its standing in the study."""
    made = judge_stored(analysis, study.key, store, anyway, only)
    reasons = [reason for reason in (why_exploratory(analysis, study, store), *only.reasons()) if reason]
    return replace(made, standing=Standing(study.name, study.key, not reasons, ", ".join(reasons)))


def judge_stored(analysis: Analysis, key: str, store: Reader, anyway: bool, only: Only = ALL) -> Verdict:
    """The verdict of an analysis on stored scores."""
    units = units_of(store, key)
    if (
        analysis.measure == "auc"
        and analysis.procedure in (None, "delong")
        and one_test_sample(store, key)
        and not units
    ):
        # AUCs of one test sample are compared through the scores that its rows got, which lie beside any loss.
        beside = scores_of(store, key, ["error"], instances=True)
        if beside.predictions is not None:
            return judge(only.of(beside), "delong", anyway=anyway, **{**analysis.request(), "measure": "error"})
    scores = only.of(scores_for(store, key, analysis.measure, level=analysis.level))
    made = judge(scores, analysis.procedure, anyway=anyway, **analysis.request())
    if not units or len(scores.instance.labels) < 2:
        return made
    return replace(made, warnings=(*made.warnings, about_units(scores)))


def about_units(scores: Scores) -> CodedWarning:
    """What the instances of a verdict are, where several rows may come from one unit."""
    return CodedWarning(
        "averaged-units",
        " ".join(note for note in scores.notes if note.endswith(COMPARED)),
        "What is called an instance here is a unit; the score of a unit is the mean over its test rows.",
    )
