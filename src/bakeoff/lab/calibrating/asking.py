"""Asking which procedures may be trusted: on a study, on scores that are there, or on a design by name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bakeoff.errors import UsageError
from bakeoff.lab.calibrating.built_in import design_named, simulated
from bakeoff.lab.calibrating.calibration import Calibration, calibrated
from bakeoff.lab.calibrating.exchanging import exchanged
from bakeoff.lab.calibrating.experiments import Experiments
from bakeoff.lab.null_designs import SAMPLE
from bakeoff.mathematics.laws import check_alpha
from bakeoff.registry import procedure_named
from bakeoff.scores import Scores
from bakeoff.studies.study import Study

# Experiments that are simulated if nothing is said: few where learners are fitted, many where arithmetic is enough.
OF_A_STUDY, OF_A_DESIGN = 200, 1000
STUDY_FILE = ".toml"


def calibrate(
    what: Study | Scores | str | os.PathLike[str],
    learners: str | Sequence[str] = (),
    *,
    procedures: str | Sequence[str] | None = None,
    task: str | None = None,
    measure: str | None = None,
    null: str | None = None,
    n: int | None = None,
    replications: int | None = None,
    delta: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    n_jobs: int = 1,
    store: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Calibration:
    """Which procedures may be trusted on a design of your own: their size, coverage and power, by simulation.

    what: a `Study` or the path of a study file; `Scores`, of which outcomes of two learners are exchanged at random; or
    a built-in design: "cv:10", "cv:10x10", "draws:30", "competition:50", "answers", on samples of `n` rows.
    learners: of a study, one, which is compared with a copy of itself, or two; of scores, two, if there are more.
    procedures: by name; all that can read the design if nothing is said.
    null: how experiments without a difference are made: "copies", "exchange", "fresh". It follows from the learners and
    the task if nothing is said.
    delta: the difference that power is measured at, in the units of the `measure`.
    replications: simulated experiments, at least 20; 200 of a study unless said otherwise, else 1,000.
    store: the file that keeps the results of the study. Fits are kept beside it, so that they are not made again, and
    outcomes that are exchanged are read from it. A study file has its own, beside it; without any, nothing is kept.

    The same `seed` gives the same answer, whatever the number of jobs.

    >>> found = calibrate("cv:5", n=60, procedures=["corrected-t", "kfold-t"], replications=40)
    >>> found.recommended, found["kfold-t"].size > found["corrected-t"].size
    ('corrected-t', True)
    """
    from bakeoff.studies.conducting import checked_workers

    check_alpha(alpha)
    names = _names(procedures)
    jobs = checked_workers(n_jobs)
    common: dict[str, Any] = {"seed": seed, "delta": delta, "alpha": alpha}
    of_study = {"learners": _listed(learners), "task": task, "measure": measure, "null": null, "store": store}
    if isinstance(what, Scores):
        _refuse("scores, which are there already", task=task, store=store, n=n, null=null if null != "exchange" else "")
        pair = _listed(learners) or None
        made = exchanged(what, pair, measure=measure, replications=_many(replications, OF_A_DESIGN), **common)
    elif isinstance(what, Study) or Path(what).suffix.lower() == STUDY_FILE:
        _refuse("a study, which says itself how large its samples are", n=n)
        asked = {**of_study, "replications": _many(replications, OF_A_STUDY), **common}
        made = _of_study(what, asked, jobs, progress)
    else:
        _refuse("a design by name, whose learners are built in", **of_study)
        design = design_named(str(what), SAMPLE if n is None else n)
        made = simulated(design, replications=_many(replications, OF_A_DESIGN), **common)
    return calibrated(made, names, alpha=alpha, jobs=jobs)


def _of_study(what: Study | str | os.PathLike[str], said: dict[str, Any], jobs: int, progress: bool) -> Experiments:
    from bakeoff.lab.calibrating import choosing
    from bakeoff.studies.file import read_study

    store = said.pop("store")
    study = what if isinstance(what, Study) else read_study(os.fspath(what))
    if store is None and not isinstance(what, Study):
        store = Path(what).with_suffix(".sqlite")
    asked = choosing.Asked(**said)
    with tempfile.TemporaryDirectory(prefix="bakeoff-") as passing:
        results = Path(passing) / "study.sqlite" if store is None else Path(store)
        kept = results.with_suffix(".calibration.sqlite")
        return choosing.experiments_for(study, asked, results=results, store=kept, workers=jobs, progress=progress)


def _names(said: str | Sequence[str] | None) -> list[str] | None:
    """A misspelt name costs nothing yet."""
    return None if said is None else [procedure_named(name).name for name in _listed(said)]


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _many(said: int | None, usual: int) -> int:
    return usual if said is None else said


def _refuse(what: str, **options: Any) -> None:
    for name, value in options.items():
        if value is not None and value not in ((), ""):
            raise UsageError(f"{name} = {value!r} does not go with {what}. Leave it out.")
