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
from bakeoff.finding import Finding
from bakeoff.judging import Verdict, analyse, judge
from bakeoff.judging.recommending import recommended
from bakeoff.judging.standing import standing_of
from bakeoff.presentation import to_json
from bakeoff.procedures.card import Answers
from bakeoff.registry import procedure_named
from bakeoff.scores import Scores
from bakeoff.stores.reader import Reader
from bakeoff.stores.scores import scores_of
from bakeoff.studies.analysis import Analysis
from bakeoff.studies.scoring import scores_for
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
    if arguments.figure and is_multivariate(analyses[0]):
        raise UsageError("A figure shows pairs of learners by one measure; this analysis is about several at once.")
    with stored(study, path, arguments.study) as store:
        only = Only(arguments.task, arguments.learner, arguments.without)
        made = [_answer(analysis, study, store, arguments.anyway, only) for analysis in analyses]
    verdicts = [answer for answer in made if isinstance(answer, Verdict)]
    if arguments.figure:
        from bakeoff.figures.critical_difference import save

        save(verdicts[0], arguments.figure)
    if arguments.json:
        findings = [answer.to_dict() for answer in made if isinstance(answer, Finding)]
        whole = {"study": study.key, "verdicts": [verdict.to_dict() for verdict in verdicts]}
        emit(arguments, to_json({**whole, "findings": findings} if findings else whole))
        return
    text = f"\n\n{'─' * 100}\n\n".join(answer.to_text() for answer in made)
    emit(arguments, f"{text}\n\nFigure:  {arguments.figure}" if arguments.figure else text)


def _answer(analysis: Analysis, study: Study, store: Reader, anyway: bool, only: Only) -> Verdict | Finding:
    made = finding_of if is_multivariate(analysis) else verdict_of
    return made(analysis, study, store, anyway, only)


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
    scores = only.of(scores_for(store, study.key, analysis.measures, level=analysis.level))
    return judge(scores, analysis.procedure, anyway=anyway, **analysis.request())


def is_multivariate(analysis: Analysis) -> bool:
    """Whether it is about several measures at once, which is no question about pairs alone."""
    if analysis.procedure is None:
        return len(analysis.measures) > 1
    return procedure_named(analysis.procedure).card.answers is Answers.MULTIVARIATE


def finding_of(analysis: Analysis, study: Study, store: Reader, anyway: bool, only: Only = ALL) -> Finding:
    """What a multivariate procedure finds in the stored scores of a study, with its standing in it."""
    scores = only.of(scores_of(store, study.key, analysis.measures))
    asked = {**analysis.request(), "measure": list(analysis.measures), "anyway": anyway}
    found = analyse(scores, analysis.procedure or recommended(scores, **asked), **asked)
    if analysis.procedure is not None:
        return found
    standing = standing_of(scores, {"procedure": None, **analysis.request()}, found.procedure)
    return replace(found, standing=standing)
