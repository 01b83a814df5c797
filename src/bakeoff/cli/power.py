"""`bakeoff power`: how many blocks, how small a difference, how likely to find it; and the smallest p there can be."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.cli.output import emit
from bakeoff.cli.reading import options_of
from bakeoff.errors import UsageError
from bakeoff.judging.fallback import answering_for
from bakeoff.lab.powering.asking import power
from bakeoff.lab.powering.families import card_of
from bakeoff.lab.powering.scales import SEVERAL_MEASURES
from bakeoff.lab.powering.smallest_p import has_smallest_p, smallest_p
from bakeoff.presentation import to_json, wrapped
from bakeoff.scores import Scores, read_scores

if TYPE_CHECKING:
    from bakeoff.studies.study import Study

_ASKED = (
    "n", "difference", "power", "sd", "wins", "error", "discordant", "correlation", "folds", "learners", "pattern",
    "find", "alpha", "one_sided", "level", "missing", "noise", "simulate", "replications", "seed", "auc", "positives",
    "measures", "absent", "runs",
)  # fmt: skip


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    test, source = _test_and_pilot(arguments)
    if arguments.smallest_p:
        _smallest_p(arguments, test, rest)
        return
    if arguments.figure:
        from bakeoff.figures.files import kind_of

        kind_of(arguments.figure)  # before anything is simulated for it
    several = test is not None and card_of(test).name in SEVERAL_MEASURES
    pilot, measure = _pilot(arguments, source, several) if source is not None else (None, None)
    asked: dict[str, Any] = {name: getattr(arguments, name) for name in _ASKED}
    options = options_of(card_of(test) if test is not None else None, rest)
    curve = True if arguments.curve or arguments.figure else None
    made = power(test, pilot=pilot, measure=measure, curve=curve, **asked, **options)
    if arguments.figure:
        from bakeoff.figures.power_curve import save
        from bakeoff.lab.powering.curves import power_curve

        save(power_curve(made), arguments.figure)
    text = made.to_json() if arguments.json else made.to_text()
    emit(arguments, f"{text}\n\nFigure:  {arguments.figure}" if arguments.figure and not arguments.json else text)


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


def _pilot(arguments: argparse.Namespace, source: str, several: bool) -> tuple[Scores, str | None]:
    """The scores of a pilot and the measure: of a file of scores, or of what is stored of a study. For a test of
    `several` measures at once all of them are taken."""
    if several and arguments.measure is not None:
        raise UsageError("A test of several measures takes all that the pilot has: leave --measure out.")
    if Path(source).suffix.lower() == ".toml":
        return _of_study(arguments, source, several)
    scores = read_scores(source, rows=arguments.rows, measure=arguments.measure, larger_is_better=arguments.larger)
    scores = _chosen(arguments, scores)
    if arguments.measure is None and len(scores.measure.labels) > 1 and not several:
        raise UsageError(f"{source} holds several measures: {', '.join(scores.measure.labels)}. Say --measure NAME.")
    return scores, arguments.measure


def _of_study(arguments: argparse.Namespace, source: str, several: bool) -> tuple[Scores, str | None]:
    from bakeoff.cli.studying import stored
    from bakeoff.stores.scores import scores_of
    from bakeoff.studies.file import read_study
    from bakeoff.studies.scoring import scores_for

    study = read_study(source)
    path = Path(arguments.store) if arguments.store else Path(source).with_suffix(".sqlite")
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
    options = options_of(card, rest)
    learners = arguments.learners or 2
    of_pairs = card.compares.value == "pair"
    found = smallest_p(
        card.name,
        arguments.n,
        learners=learners,
        alpha=arguments.alpha,
        sides=1 if arguments.one_sided else 2,
        resamples=options.get("resamples"),
        tests=max(1, learners * (learners - 1) // 2) if of_pairs else 1,
    )
    if found is None:
        answer = answering_for(card, learners, None, options)
        text = (
            f"{answer.because} p of {answer.card.name} has no lower end: its law is continuous, or taken to be. Those "
            f"that have one are: {', '.join(has_smallest_p())}."
        ).strip()
        whole = {"procedure": answer.card.name, "p": 0.0, "sentence": text}
        emit(arguments, to_json(whole) if arguments.json else wrapped(text))
        return
    whole = {"sentence": found.sentence, "in_reach": found.in_reach, "smallest_p": found}
    emit(arguments, to_json(whole) if arguments.json else wrapped(found.sentence))
