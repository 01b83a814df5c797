"""What the commands about studies have in common."""

from __future__ import annotations

import argparse
from pathlib import Path

from bakeoff.errors import InputError, UsageError
from bakeoff.stores.reader import Reader
from bakeoff.studies.analysis import Analysis
from bakeoff.studies.file import read_study
from bakeoff.studies.study import Study


def study_of(arguments: argparse.Namespace) -> tuple[Study, Path]:
    """The study that a command names, and the file that keeps its results."""
    study = read_study(arguments.study)
    check_analyses(study, arguments.study)
    store = Path(arguments.store) if arguments.store else Path(arguments.study).with_suffix(".sqlite")
    return study, store


def check_analyses(study: Study, source: str) -> None:
    """Refuse an analysis that could never be made, before hours are spent on its scores.

    Done here and not where the file is read, because running a study knows nothing of procedures.
    """
    for number, analysis in enumerate(study.analyses, 1):
        if analysis == Analysis(analysis.measure, alpha=analysis.alpha, margin=analysis.margin):
            continue  # nothing but what the study itself has checked
        from bakeoff.judging.foreseen import check_request

        asked = {name: value for name, value in analysis.describe().items() if name != "procedure"}
        try:
            check_request(analysis.procedure, [learner.name for learner in study.learners], **asked)
        except UsageError as error:
            raise InputError(str(error), source=f"{source}, key analysis[{number}]") from error


def stored(study: Study, path: Path, source: str) -> Reader:
    """The store of a study that has been run at least once."""
    if not path.exists():
        raise InputError(
            f"Nothing is stored yet ({path} is not there). Run it first: bakeoff run {source}", source=source
        )
    reader = Reader(path)
    if study.key not in {record.key for record in reader.studies()}:
        others = len(reader.studies())
        reader.close()
        raise InputError(
            f"{path} holds {others} other version{'s' * (others != 1)} of a study, but not this one: the file was "
            f"changed since. Run it, which keeps every cell that is the same: bakeoff run {source}",
            source=source,
        )
    return reader
