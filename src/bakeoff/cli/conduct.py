"""The commands for the conduct of an experiment: what is asked of a study before it is run, the pilot, conclude, and
runs that stop when they have decided."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.cli.grammar import emit
from bakeoff.cli.study import FailedCellsError, stored, study_of
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.running.work import seconds
from bakeoff.store.database import Place
from bakeoff.store.reader import Reader
from bakeoff.study.file import read_study
from bakeoff.study.study import Study
from bakeoff.text import listing, to_json, wrapped

if TYPE_CHECKING:
    from bakeoff.conduct.outlook import Outlook


def until_decided(arguments: argparse.Namespace, study: Study, store: Place) -> None:
    """`bakeoff run --until-decided`."""
    if not arguments.until_decided:
        raise UsageError("--margin, --at-most and --bounded go with --until-decided, which is not there.")
    for flag in ("only", "budget", "again", "retry", "dry_run"):
        if getattr(arguments, flag):
            raise UsageError(f"--until-decided chooses the cells itself: leave --{flag.replace('_', '-')} out.")
    from bakeoff.cli.study import _stopped_like_ctrl_c
    from bakeoff.conduct.sequential import run_until_decided

    with _stopped_like_ctrl_c():
        race, summary = run_until_decided(
            study,
            store,
            margin=arguments.margin,
            at_most=arguments.at_most,
            workers=arguments.jobs,
            bounded=arguments.bounded,
            tell=None if arguments.quiet else print,
        )
    print(race.to_text())
    if failed := summary.failed + summary.failed_before:
        raise FailedCellsError(f"{failed} cells failed. bakeoff failures {arguments.study} shows why.")
    print(wrapped(f"Results: {store}. bakeoff judge {arguments.study} shows the decision again."))


def outlook_text(study: Study) -> list[str]:
    """The test that the design will get, its smallest p and its power; nothing where that cannot be told yet."""
    from bakeoff.conduct.outlook import outlook

    try:
        return outlook(study).sentences
    except BakeoffError:
        return []


def advise_ahead(arguments: argparse.Namespace, study: Study) -> None:
    """`bakeoff advise` of a study that was not run: which procedures will fit, and what the best of them can find."""
    from bakeoff.conduct.outlook import imagined_scores, outlook
    from bakeoff.judging.advice import advise

    planned = outlook(study)
    if planned.effects:
        text, whole = [f"Nothing was run yet. {' '.join(planned.sentences)}"], {"outlook": planned.to_dict()}
    else:
        advice = advise(imagined_scores(study), measure=study.analyses[0].measures[0])
        text = [f"Nothing was run yet. {' '.join(planned.sentences)}", advice.to_text(everything=arguments.all)]
        whole = {"outlook": planned.to_dict(), **advice.to_dict()}
    emit(arguments, to_json(whole) if arguments.json else "\n\n".join([wrapped(text[0]), *text[1:]]))


def power_of_plan(arguments: argparse.Namespace, study: Study, source: str, test: str | None) -> None:
    """`bakeoff power` of a study that was not run: of the test that it will get, by the variance of its pilot, if there
    is one, or in standard deviations."""
    from bakeoff.conduct.outlook import outlook, power_ahead, spread_of
    from bakeoff.results.scores import scores_of

    planned = outlook(study)
    if planned.effects:
        _power_of_effects(arguments, study, source, test, planned)
        return
    text = ["Nothing was run yet.", *planned.sentences[:2]]
    options = {name: value for name in _OF_PLAN if (value := getattr(arguments, name)) is not None}
    pilot, margin = Path(source).with_suffix(".pilot.sqlite"), study.analyses[0].margin
    if "sd" not in options and pilot.exists() and not isnan(planned.detectable):
        with Reader(pilot) as kept:
            spread = spread_of(planned, scores_of(kept, study.key, [study.analyses[0].measures[0]]))
        options["sd"] = spread.sd
        text.append(spread.sentence)
    elif "sd" not in options and not isnan(planned.detectable):
        text.append(f"How large a standard deviation of the differences is, a pilot tells: bakeoff pilot {source}.")
    if "difference" not in options and margin is not None and "sd" in options:
        options["difference"] = margin
    if "difference" not in options:
        options.setdefault("power", 0.8)
    try:
        answer = power_ahead(planned, test, **options)
    except UsageError as error:  # of right and wrong answers a guess of the rates is needed, and is asked for
        message = wrapped(" ".join([*text, str(error)]))
        emit(arguments, to_json({"outlook": planned.to_dict()}) if arguments.json else message)
        return
    whole = {"outlook": planned.to_dict(), "power": json.loads(answer.to_json())}
    emit(arguments, to_json(whole) if arguments.json else f"{wrapped(' '.join(text))}\n\n{answer.to_text()}")


def _power_of_effects(
    arguments: argparse.Namespace, study: Study, source: str, test: str | None, planned: Outlook
) -> None:
    """The same of a design: of each of its effects, by the spread that it had in the pilot."""
    from bakeoff.conduct.outlook import BY_PILOT, effect_powers, with_pilot
    from bakeoff.results.scores import scores_of

    request = {name: value for name in _OF_PLAN if (value := getattr(arguments, name)) is not None}
    others = [f"--{name.replace('_', '-')}" for name in request if name not in _OF_EFFECTS]
    if test or others:
        raise UsageError(
            f"The effects of a design are tested by F over blocks, and their power is asked with "
            f"{listing([f'--{name}' for name in _OF_EFFECTS])}; found {test or listing(others)}."
        )
    pilot, margin = Path(source).with_suffix(".pilot.sqlite"), study.analyses[0].margin
    unit = (
        ""
        if "sd" in request
        else f"In standard deviations; how large these are, a pilot tells: bakeoff pilot {source}."
    )
    if "sd" not in request and pilot.exists():
        with Reader(pilot) as kept:
            planned = with_pilot(planned, study, scores_of(kept, study.key, [study.analyses[0].measures[0]]))
        unit = BY_PILOT
    if not {"difference", "power"} & set(request) and margin is not None and ("sd" in request or unit == BY_PILOT):
        request["difference"] = margin
    powers = effect_powers(planned, **request, by=unit)
    whole = {"outlook": planned.to_dict(), "power": powers.to_dict()}
    text = f"{wrapped(f'Nothing was run yet. {planned.sentences[0]}')}\n\n{powers.to_text()}"
    emit(arguments, to_json(whole) if arguments.json else text)


_OF_EFFECTS = ("n", "difference", "power", "sd")
_OF_PLAN = ("n", "difference", "power", "sd", "error", "discordant", "correlation", "cluster_size")


def run_pilot(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.conduct.outlook import pilot

    study = read_study(arguments.study)
    store = arguments.store or str(Path(arguments.study).with_suffix(".pilot.sqlite"))
    first_run = pilot(study, store, splits=arguments.splits, workers=arguments.jobs, budget=seconds(arguments.budget))
    text = f"{first_run.to_text()}\n\nThe pilot is kept apart from the study, in {first_run.store}."
    emit(arguments, to_json(first_run.to_dict()) if arguments.json else text)
    if first_run.failed:
        raise FailedCellsError(
            f"{listing(list(first_run.failed))} failed in the pilot: mend that before the study is run."
        )


def run_conclude(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.conduct.conclusion import conclude

    study, path = study_of(arguments)
    if study.holdout is not None:
        stored(study, path, arguments.study).close()  # which says what to do if nothing was run
    conclusion = conclude(study, path, arguments.learner, folder=arguments.models, anyway=arguments.anyway)
    emit(arguments, conclusion.to_json() if arguments.json else conclusion.to_text())
