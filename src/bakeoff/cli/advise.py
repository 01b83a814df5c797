"""`bakeoff advise`: which procedures fit, which do not, and why."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bakeoff.cli.output import emit
from bakeoff.cli.reading import measure_of, part_of, scores_of
from bakeoff.errors import UsageError
from bakeoff.judging import advise
from bakeoff.scores import Scores, unpaired


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    scores = _scores_of_study(arguments) if str(arguments.file).endswith(".toml") else scores_of(arguments)
    several = len(arguments.measure or ()) > 1
    measure = arguments.measure if several else measure_of(arguments, scores)
    advice = advise(scores, measure=measure, level=arguments.level, missing=arguments.missing)
    emit(arguments, advice.to_json() if arguments.json else advice.to_text())


def _scores_of_study(arguments: argparse.Namespace) -> Scores:
    """The stored scores of a study: of its first measure, or of those asked for."""
    from bakeoff.cli.studying import stored
    from bakeoff.stores.scores import scores_of as stored_scores
    from bakeoff.studies.file import read_study
    from bakeoff.studies.scoring import scores_for

    if arguments.runs is not None or arguments.ratio is not None:
        raise UsageError("A study knows how its runs were split: leave --runs and --ratio out.")
    study = read_study(arguments.file)
    named = arguments.measure or [study.measure_names[0]]
    with stored(study, Path(arguments.file).with_suffix(".sqlite"), arguments.file) as store:
        if len(named) > 1:
            scores = stored_scores(store, study.key, named)
        else:
            scores = scores_for(store, study.key, named[0], level=arguments.level)
    scores = part_of(scores, arguments)
    return unpaired(scores) if arguments.unpaired else scores
