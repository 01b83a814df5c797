"""The commands that simulate or compute before and beside a study: power, interval, threshold, calibrate, published."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.calibration.calibrate import calibrate
from bakeoff.cli.compare import options_of, save_figure
from bakeoff.cli.grammar import emit
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.judging.from_counts import counts_in, rate_interval, threshold_of
from bakeoff.judging.request import apply_fallback
from bakeoff.power_analysis.answer import has_smallest_p, smallest_p
from bakeoff.power_analysis.methods import card_of
from bakeoff.power_analysis.power import power
from bakeoff.power_analysis.rejections import is_about_one_rate, rejections
from bakeoff.procedures.card import Shape
from bakeoff.published import published_results, regenerate, result_named
from bakeoff.published.comparison import Reproduction
from bakeoff.published.result import PublishedResult
from bakeoff.scores import Scores, read_scores
from bakeoff.text import count, text_table, to_json, wrapped

if TYPE_CHECKING:
    from bakeoff.study.study import Study

_ASKED = (
    "n", "difference", "power", "sd", "wins", "error", "discordant", "correlation", "folds", "learners", "pattern",
    "find", "alpha", "one_sided", "level", "missing", "noise", "simulate", "replications", "seed", "auc", "positives",
    "measures", "absent", "runs", "cluster_size",
)  # fmt: skip


def run_power(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    test, source = _test_and_pilot(arguments)
    if (arguments.p0, arguments.rate) != (None, None) and _one_rate(arguments, test, rest):
        return
    if arguments.smallest_p:
        _smallest_p(arguments, test, rest)
        return
    if arguments.figure:
        from bakeoff.figures.figure import kind_of

        kind_of(arguments.figure)  # before anything is simulated for it
    if source is not None and _plan_asked(arguments, source, test):
        return
    several = test is not None and card_of(test).shape is Shape.MEASURES
    pilot, measure = _pilot(arguments, source, several) if source is not None else (None, None)
    target: dict[str, Any] = {name: getattr(arguments, name) for name in _ASKED}
    options = options_of(arguments, card_of(test) if test is not None else None, rest)
    curve = True if arguments.curve or arguments.figure else None
    answer = power(test, pilot=pilot, measure=measure, curve=curve, **target, **options)
    if arguments.rate is not None and arguments.rate > arguments.p0:
        note = f"Of right answers in place of errors: {1 - arguments.rate:g} against {1 - arguments.p0:g}."
        answer = replace(answer, notes=(note, *answer.notes))
    if arguments.figure:
        save_figure(answer.plot(), arguments.figure)
    text = answer.to_json() if arguments.json else answer.to_text()
    emit(arguments, f"{text}\n\nFigure:  {arguments.figure}" if arguments.figure and not arguments.json else text)


def _one_rate(arguments: argparse.Namespace, test: str | None, rest: Sequence[str]) -> bool:
    """Answer how often a test of one rate rejects; without n, put the rates as the solver takes them."""
    if test is None or arguments.p0 is None or not is_about_one_rate(card_of(test)):
        raise UsageError(
            "--p0 and --rate are for tests of one rate: bakeoff power binomial --p0 0.3 --n 100 --rate 0.2."
        )
    if arguments.error is not None or arguments.difference is not None:
        raise UsageError("--p0 and --rate say what --error and --difference say in other words: give one of them.")
    if arguments.n is not None and arguments.power is None:
        if rest:
            arguments.grammar.unrecognised(rest)
        settings = {"rate": arguments.rate, "alpha": arguments.alpha, "one_sided": arguments.one_sided}
        chances = rejections(test, arguments.n, arguments.p0, **settings)
        emit(arguments, chances.to_json() if arguments.json else chances.to_text())
        return True
    p0, rate = arguments.p0, arguments.rate
    if rate is not None and not (0 <= rate <= 1 and rate != p0):
        raise UsageError(f"--rate is a rate between 0 and 1 other than p0; found {rate:g}.")
    # A rate above p0 is one below it in the mirror: errors and right answers change places.
    mirrored = rate is not None and rate > p0
    arguments.error = 1 - p0 if mirrored else p0
    arguments.difference = None if rate is None else repr(abs(p0 - rate))
    return False


def _test_and_pilot(arguments: argparse.Namespace) -> tuple[str | None, str | None]:
    """Which words name the test, and which the file of a pilot: whatever ends as such files do."""
    files = [word for word in arguments.words if Path(word).suffix.lower() in (".toml", ".csv", ".parquet")]
    tests = [word for word in arguments.words if word not in files]
    pilots = files + [each for each in [arguments.pilot] if each is not None]
    tests += [each for each in [arguments.procedure] if each is not None and each not in tests]
    if len(pilots) > 1:
        raise UsageError(f"One pilot is read; found {len(pilots)}: {', '.join(pilots)}.")
    if len(tests) > 1:
        raise UsageError(f"One test is planned for at a time; found {len(tests)}: {', '.join(tests)}.")
    return next(iter(tests), None), next(iter(pilots), None)


def _plan_asked(arguments: argparse.Namespace, source: str, test: str | None) -> bool:
    """Answer for a study of which nothing was run yet, from its design."""
    if Path(source).suffix.lower() != ".toml":
        return False
    from bakeoff.cli.conduct import power_of_plan
    from bakeoff.cli.study import store_of
    from bakeoff.study.file import read_study

    study = read_study(source)
    if store_of(arguments.store, source).exists():
        return False
    power_of_plan(arguments, study, source, test)
    return True


def _pilot(arguments: argparse.Namespace, source: str, several: bool) -> tuple[Scores, str | None]:
    """The scores of a pilot and the measure: of a file of scores, or of what is stored of a study. For a test of
    `several` measures at once all of them are taken."""
    if several and arguments.measure is not None:
        raise UsageError("A test of several measures takes all that the pilot has: leave --measure out.")
    if Path(source).suffix.lower() == ".toml":
        return _power_of_study(arguments, source, several)
    scores = read_scores(
        source,
        rows=arguments.rows,
        measure=arguments.measure,
        larger_is_better=arguments.larger,
        cluster=arguments.cluster,
    )
    scores = _chosen(arguments, scores)
    if arguments.measure is None and len(scores.measure.labels) > 1 and not several:
        raise UsageError(f"{source} holds several measures: {', '.join(scores.measure.labels)}. Say --measure NAME.")
    return scores, arguments.measure


def _power_of_study(arguments: argparse.Namespace, source: str, several: bool) -> tuple[Scores, str | None]:
    from bakeoff.cli.study import store_of, stored
    from bakeoff.results.scores import scores_of
    from bakeoff.study.file import read_study
    from bakeoff.study.stored import scores_for

    study = read_study(source)
    path = store_of(arguments.store, source)
    measure = "" if several else arguments.measure or _planned(study)
    with stored(study, path, source) as store:
        if several:
            return _chosen(arguments, scores_of(store, study.key)), None
        scores = _chosen(arguments, scores_for(store, study.key, measure, level=arguments.level))
    return scores, scores.measure.labels[0]


def _planned(study: Study) -> str:
    """The measure of the first planned analysis."""
    names = study.analyses[0].measures
    if len(names) > 1:
        raise UsageError(
            f"The planned analysis is about {len(names)} measures at once ({', '.join(names)}); power is that of one. "
            "Say --measure NAME."
        )
    return names[0]


def _chosen(arguments: argparse.Namespace, scores: Scores) -> Scores:
    if arguments.task or arguments.learner:
        return scores.only(tasks=arguments.task, learners=arguments.learner)
    return scores


def _smallest_p(arguments: argparse.Namespace, test: str | None, rest: Sequence[str]) -> None:
    if test is None or arguments.n is None:
        raise UsageError("The smallest p is that of a test with so many blocks: bakeoff power sign --smallest-p --n 6.")
    card = card_of(test)
    options = options_of(arguments, card, rest)
    learners = arguments.learners or 2
    of_pairs = card.compares.value == "pair"
    smallest = smallest_p(
        card.name,
        arguments.n,
        learners=learners,
        alpha=arguments.alpha,
        sides=1 if arguments.one_sided else 2,
        resamples=options.get("resamples"),
        tests=max(1, learners * (learners - 1) // 2) if of_pairs else 1,
    )
    if smallest is None:
        answer = apply_fallback(card, learners, None, options)
        text = (
            f"{answer.because} p of {answer.card.name} has no lower end: its law is continuous, or taken to be. Those "
            f"that have one are: {', '.join(has_smallest_p())}."
        ).strip()
        whole = {"procedure": answer.card.name, "p": 0.0, "sentence": text}
        emit(arguments, to_json(whole) if arguments.json else wrapped(text))
        return
    whole = {"sentence": smallest.sentence, "in_reach": smallest.in_reach, "smallest_p": smallest}
    emit(arguments, to_json(whole) if arguments.json else wrapped(smallest.sentence))


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff interval` and `bakeoff threshold`: the small questions, from numbers alone.


def run_interval(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    rates = rate_interval(
        *counts_in(arguments.counts),
        confidence=arguments.confidence,
        alternative=arguments.alternative,
        p0=arguments.p0,
    )
    emit(arguments, rates.to_json() if arguments.json else rates.to_text())


def run_threshold(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    threshold = threshold_of(arguments.miss, arguments.alarm)
    emit(arguments, threshold.to_json() if arguments.json else threshold.sentence)


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff calibrate`: which procedures may be trusted on a design of your own.


_OF_A_STUDY = ("learner", "task", "measure", "null", "store")


class SimulationStoppedError(BakeoffError):
    """The simulation was stopped by its user."""

    exit_code = 130


def run_calibrate(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    if (arguments.design is None) == (arguments.study is None):
        raise UsageError(
            "A study is calibrated, or a design by name: bakeoff calibrate study.toml --learner NAME, or bakeoff "
            "calibrate --design cv:10 --n 200."
        )
    about = _calibrate_study(arguments) if arguments.design is None else _of_design(arguments)
    try:
        calibration = calibrate(
            **about,
            procedures=procedures_named(arguments.procedure),
            replications=arguments.replications,
            delta=arguments.delta,
            alpha=arguments.alpha,
            seed=arguments.seed,
            n_jobs=arguments.jobs,
            progress=not arguments.quiet,
        )
    except KeyboardInterrupt:
        raise SimulationStoppedError(
            "stopped. What is finished is kept; the same command goes on from there."
        ) from None
    emit(arguments, calibration.to_json() if arguments.json else calibration.to_text())


def procedures_named(names: Sequence[str] | None) -> list[str] | None:
    """Names as they are given: several flags, or several names in one with commas between them.

    >>> procedures_named(["corrected-t, kfold-t", "wilcoxon"])
    ['corrected-t', 'kfold-t', 'wilcoxon']
    """
    return None if names is None else [name.strip() for part in names for name in part.split(",") if name.strip()]


def _of_design(arguments: argparse.Namespace) -> dict[str, Any]:
    for name in _OF_A_STUDY:
        if getattr(arguments, name):
            raise UsageError(f"--{name} is about a study, and --design has none: its learners are built in.")
    return {"what": arguments.design, "n": arguments.n}


def _calibrate_study(arguments: argparse.Namespace) -> dict[str, Any]:
    from bakeoff.cli.study import study_of

    if arguments.n is not None:
        raise UsageError("--n is the size of a sample of --design; a study says itself how large its samples are.")
    study, results = study_of(arguments)
    given = {name: getattr(arguments, name) for name in ("task", "measure", "null")}
    return {"what": study, "learners": arguments.learner or (), "store": results, **given}


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff published`: the published results, or one of them computed again beside what the document prints.


def run_published(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    if arguments.name is None:
        if arguments.full:
            raise UsageError("--full computes one result at the document's own size: name it, as in the listing.")
        if arguments.figure or arguments.store:
            raise UsageError("--figure and --store are about one result: name it, as in the listing.")
        results = published_results()
        emit(arguments, to_json([result.to_dict() for result in results]) if arguments.json else _listing(results))
        return
    if arguments.figure:
        _check_figure(arguments.name, arguments.figure)
    store = arguments.store or _kept_at(arguments)
    comparison = regenerate(
        arguments.name,
        full=arguments.full,
        seed=arguments.seed,
        jobs=arguments.jobs,
        store=store,
        progress=arguments.full,
    )
    if arguments.figure and comparison.figure is not None:
        comparison.figure.save(arguments.figure)
    emit(arguments, comparison.to_json() if arguments.json else comparison.to_text())


def _kept_at(arguments: argparse.Namespace) -> str | None:
    """Where a long computation keeps what is finished, so that the same command goes on with it."""
    result = result_named(arguments.name)
    if not (arguments.full and result.resumable and result.full_seconds >= _LONG):
        return None
    store = f"published-{result.name}.kept"
    print(f"What is finished is kept in {store}: stopped and typed again, this goes on with it.", file=sys.stderr)
    return store


_LONG = 300  # seconds


def _check_figure(name: str, path: str) -> None:
    """Before anything is computed, which may take long: that there is a figure, and how it is to be saved."""
    from bakeoff.figures.figure import kind_of

    kind_of(path)
    if not Path(path).parent.is_dir():
        raise UsageError(f"There is no directory {str(Path(path).parent)!r} to save the figure in. Make it first.")
    result = result_named(name)
    if not result.figure:
        could = ", ".join(other.name for other in published_results() if other.figure)
        raise UsageError(f"{result.name!r} has no figure; {could} have one.")


def _listing(results: Sequence[PublishedResult]) -> str:
    rows = [
        [
            result.name,
            result.document.value,
            status_of(result),
            _both(result.replications, result.full_replications) if result.replications else "exact",
            _both(round(result.seconds), round(result.full_seconds)),
        ]
        for result in results
    ]
    header = ["result", "document", "status", "replications", "seconds"]
    table = text_table(header, rows, left=3, most=70)
    return (
        f"{table}\n\nIn brackets: with --full. `bakeoff published NAME` computes one again and prints ours beside the "
        "document's."
    )


def status_of(result: PublishedResult) -> str:
    """What becomes of it, with the misprints that show."""
    status = Reproduction.REPRODUCED if result.status is Reproduction.MISPRINTS else result.status  # they are named
    return f"{status.value}{' but for ' * bool(result.errata)}{', '.join(result.errata)}"


def _both(usual: int, full: int) -> str:
    """A number as it usually is, and in brackets with --full if that differs."""
    return count(usual) if usual == full else f"{count(usual)} ({count(full)})"
