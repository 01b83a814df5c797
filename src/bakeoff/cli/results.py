"""The commands that ask something of a stored study: judge, scores."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.cli.compare import in_form, options_of, save_figure, shown
from bakeoff.cli.grammar import check_output, emit
from bakeoff.cli.study import stored, study_of
from bakeoff.errors import UsageError, nearest
from bakeoff.inference.finding import Finding
from bakeoff.judging import Verdict, judge
from bakeoff.judging.case import Case
from bakeoff.judging.judgment import finding_on
from bakeoff.judging.request import Request
from bakeoff.judging.verdict import Decision
from bakeoff.procedures import procedure_named
from bakeoff.procedures.card import Answers
from bakeoff.results.instances import in_units, units_of
from bakeoff.results.scores import scores_of
from bakeoff.scores import Scores
from bakeoff.scores.blocks import UNDEFINED
from bakeoff.store.database import Place
from bakeoff.store.reader import Reader
from bakeoff.study.stored import scores_for
from bakeoff.study.study import Analysis, Study
from bakeoff.text import count, listing, number, text_table, to_json, wrapped

if TYPE_CHECKING:
    from bakeoff.conduct.next_run import NextRun
    from bakeoff.conduct.sequential import Race
    from bakeoff.judging.design_verdict import DesignVerdict

_FLAGS = ("measure", "procedure", "contrast", "control", "adjust", "alpha", "margin", "alternative", "level", "missing")


def run_judge(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    check_output(arguments, forms=True)
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
        part = arguments.task or arguments.learner or arguments.without
        if not part and analyses == list(study.analyses) and (race := _race(store, study)) is not None:
            emit(arguments, to_json({"study": study.key, "race": race.to_dict()}) if arguments.json else race.to_text())
            return
        only = Only(arguments.task, arguments.learner, arguments.without)
        outcomes = [_answer(analysis, study, store, arguments.anyway, only) for analysis in analyses]
        answers = [answer for answer, _ in outcomes]
        verdicts = [answer for answer in answers if isinstance(answer, Verdict)]
        behind = [(answer, scores) for answer, scores in outcomes if isinstance(answer, Verdict)]
        ahead = next_for(study, store, *behind[0], arguments.study) if behind and not part else []
    if arguments.figure:
        save_figure(verdicts[0].plot(), arguments.figure)
    if arguments.json:
        findings = [answer.to_dict() for answer in answers if isinstance(answer, Finding)]
        whole = {"study": study.key, "verdicts": [verdict.to_dict() for verdict in verdicts], "next": _as_json(ahead)}
        emit(arguments, to_json({**whole, "findings": findings} if findings else whole))
        return
    as_paper = arguments.style == "paper"
    texts = [shown(e, arguments) if as_paper and isinstance(e, Verdict) else e.to_text() for e in answers]
    text = f"\n\n{'─' * 100}\n\n".join(texts) + ("" if as_paper else _next_text(ahead))
    text = f"{text}\n\nFigure:  {arguments.figure}" if arguments.figure else text
    emit(arguments, text, lambda ending: in_form(verdicts, ending, arguments))


# What is said of a design's factors takes these flags; any other asks about pairs of settings, as learners.
_OF_FACTORS = ("measure", "alpha", "margin", "level", "missing")


def asks_about_factors(arguments: argparse.Namespace, rest: Sequence[str]) -> bool:
    """Whether the question is the one that a design is made for."""
    others = [name for name in _FLAGS if name not in _OF_FACTORS and getattr(arguments, name) is not None]
    return not (others or rest or arguments.learner or arguments.without)


def judge_factors(arguments: argparse.Namespace, study: Study, path: Place) -> None:
    """The effects of a design's factors, by each planned measure or those named."""
    if arguments.figure:
        raise UsageError(
            f"Figures of factors are drawn by bakeoff plot: bakeoff plot interaction {arguments.study} -o figure.svg"
        )
    with stored(study, path, arguments.study) as store:
        study, by_measure = design_verdicts(arguments, study, store)
        verdicts = [verdict for verdict, _ in by_measure]
        ahead = [] if arguments.task else next_for(study, store, *by_measure[0], arguments.study)
    if arguments.json:
        designs = [verdict.to_dict() for verdict in verdicts]
        emit(arguments, to_json({"study": study.key, "designs": designs, "next": _as_json(ahead)}))
        return
    emit(arguments, f"\n\n{'─' * 100}\n\n".join(verdict.to_text() for verdict in verdicts) + _next_text(ahead))


def design_verdicts(
    arguments: argparse.Namespace, study: Study, store: Reader
) -> tuple[Study, list[tuple[DesignVerdict, Scores]]]:
    """The study with the steps that it took, and the verdict on its factors by each measure that was asked for, with
    the scores behind it."""
    from bakeoff.judging.designed import judge_design
    from bakeoff.study.search import at_end

    study = at_end(study, store)
    planned = {name: analysis for analysis in study.analyses for name in analysis.measures}
    verdicts = []
    for name in arguments.measure or planned:
        analysis = planned.get(name, study.analyses[0])
        given = {key: getattr(arguments, key) or getattr(analysis, key) for key in _OF_FACTORS[1:]}
        scores = Only(arguments.task).of(scores_for(store, study.key, name, level=given["level"], tasks=arguments.task))
        verdicts.append((judge_design(scores, measure=name, **given), scores))
    return study, verdicts


def next_for(
    study: Study, store: Reader, verdict: Verdict | DesignVerdict, scores: Scores, source: str
) -> list[NextRun]:
    """What to run next to decide what a verdict on all of a study leaves undecided; `scores` are those behind it."""
    if isinstance(verdict, Verdict) and all(each.decision is not Decision.UNDECIDED for each in verdict.decisions):
        return []
    from bakeoff.conduct.next_run import next_runs
    from bakeoff.results.status import cells_left

    if len(scores.instance.labels) > 1:  # of single test rows; what is run next are splits
        measure = verdict.finding.measure.name if isinstance(verdict, Verdict) else verdict.measure
        scores = scores_of(store, study.key, [measure])
    return next_runs(study, verdict, source, scores, cells_left(store, study.key))


def _next_text(ahead: Sequence[NextRun]) -> str:
    warning = " ".join(each.sentence for each in ahead)
    return "\n\n" + wrapped(f"Next  {warning}", indent="  ") if ahead else ""


def _as_json(ahead: Sequence[NextRun]) -> list[dict[str, Any]]:
    fields = ("what", "change", "command", "sentence")
    return [{name: getattr(each, name) for name in fields} for each in ahead]


def _race(store: Reader, study: Study) -> Race | None:
    """The race that the study was, if it was stopped when it was decided: tests for a fixed size do not hold then."""
    if study.key not in store.records("until decided"):
        return None
    from bakeoff.conduct.sequential import stopped_race

    return stopped_race(store, study.key)


def _answer(
    analysis: Analysis, study: Study, store: Reader, anyway: bool, only: Only
) -> tuple[Verdict | Finding, Scores]:
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


def verdict_of(
    analysis: Analysis, study: Study, store: Reader, anyway: bool, only: Only = ALL
) -> tuple[Verdict, Scores]:
    """The verdict of an analysis on the stored scores of a study, with its standing in it; and these scores."""
    scores = only.of(scores_for(store, study.key, analysis.measures, level=analysis.level, tasks=only.tasks))
    return judge(scores, analysis.procedure, anyway=anyway, **analysis.request()), scores


def is_multivariate(analysis: Analysis) -> bool:
    """Whether it is about several measures at once, which is no question about pairs alone."""
    if analysis.procedure is None:
        return len(analysis.measures) > 1
    return procedure_named(analysis.procedure).card.answers is Answers.MULTIVARIATE


def finding_of(
    analysis: Analysis, study: Study, store: Reader, anyway: bool, only: Only = ALL
) -> tuple[Finding, Scores]:
    """What a multivariate procedure finds in the stored scores of a study, with its standing in it; and these."""
    scores = only.of(scores_of(store, study.key, analysis.measures, tasks=only.tasks))
    request = {**analysis.request(), "measure": list(analysis.measures), "anyway": anyway}
    return finding_on(Case(scores, Request.of(analysis.procedure, **request))), scores


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff scores`: the scores of a study, as a table to look at or a file for other tools.


_NOT_IN_CSV = (
    "A CSV file cannot tell which analyses the study planned: what is made of it will not be marked as planned or "
    "exploratory. bakeoff judge does that, and bakeoff compare of a Parquet file."
)
_ROWS = "The column cluster says which; bakeoff compare reads it."


def run_scores(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.results.export import format_of, write_scores

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
