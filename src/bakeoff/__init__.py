"""bakeoff: which method learns most from the data?

    scores = bakeoff.Study(tasks=["iris"], learners={"tree": DecisionTreeClassifier(), …}).run(n_jobs=2)
    scores = bakeoff.read_scores("scores.csv")
    bakeoff.advise(scores)               which procedures fit these data, and why not the rest
    bakeoff.analyse(scores, "friedman")  what one procedure finds
    bakeoff.judge(scores)                what may be claimed
    bakeoff.gate(old, new, margin=0.01)  whether a candidate may take the place of a baseline
    bakeoff.explain("friedman")          what a procedure asks, needs and assumes
    bakeoff.power("t", difference=0.02, sd=0.05)  how large an experiment must be
    bakeoff.calibrate("cv:10x10")        which procedures may be trusted on a design

Public names are imported when they are first used, so that `import bakeoff` costs nothing.
"""

from __future__ import annotations

# The name is known to type checkers; importing it from typing would be the most expensive line of `bakeoff --help`.
TYPE_CHECKING = False

__version__ = "0.1.0"

if TYPE_CHECKING:
    from typing import Any

    from bakeoff.calibration.apply import Calibration as Calibration
    from bakeoff.calibration.calibrate import calibrate as calibrate
    from bakeoff.conduct.conclusion import conclude as conclude
    from bakeoff.conduct.outlook import outlook as outlook
    from bakeoff.conduct.outlook import pilot as pilot
    from bakeoff.conduct.sequential import run_until_decided as run_until_decided
    from bakeoff.errors import BakeoffError as BakeoffError
    from bakeoff.errors import DegenerateError as DegenerateError
    from bakeoff.errors import FailedCellsWarning as FailedCellsWarning
    from bakeoff.errors import InputError as InputError
    from bakeoff.errors import MisfitError as MisfitError
    from bakeoff.errors import UsageError as UsageError
    from bakeoff.figures.critical_difference import critical_difference as critical_difference
    from bakeoff.inference.finding import Finding as Finding
    from bakeoff.judging import Advice as Advice
    from bakeoff.judging import Decision as Decision
    from bakeoff.judging import Order as Order
    from bakeoff.judging import Verdict as Verdict
    from bakeoff.judging import advise as advise
    from bakeoff.judging import analyse as analyse
    from bakeoff.judging import judge as judge
    from bakeoff.judging import multitest as multitest
    from bakeoff.judging.aggregates import aggregate as aggregate
    from bakeoff.judging.designed import judge_design as judge_design
    from bakeoff.judging.factors import judge_factor as judge_factor
    from bakeoff.judging.first_place import first_place as first_place
    from bakeoff.judging.from_counts import rate_interval as rate_interval
    from bakeoff.judging.from_counts import threshold_of as threshold_of
    from bakeoff.judging.gates import Gate as Gate
    from bakeoff.judging.gates import gate as gate
    from bakeoff.judging.topics import explain as explain
    from bakeoff.judging.votes import rank_votes as rank_votes
    from bakeoff.learners.learner import Learner as Learner
    from bakeoff.measures import Measure as Measure
    from bakeoff.power_analysis.answer import Power as Power
    from bakeoff.power_analysis.power import power as power
    from bakeoff.power_analysis.rejections import rejections as rejections
    from bakeoff.published import published_results as published_results
    from bakeoff.published import regenerate as regenerate
    from bakeoff.reports.files import read_verdict as read_verdict
    from bakeoff.scores import Layout as Layout
    from bakeoff.scores import Scores as Scores
    from bakeoff.scores import align as align
    from bakeoff.scores import layout as layout
    from bakeoff.scores import read_scores as read_scores
    from bakeoff.scores.reading import read_by_factor as read_by_factor
    from bakeoff.study.file import read_study as read_study
    from bakeoff.study.study import Study as Study
    from bakeoff.tasks.task import Task as Task
    from bakeoff.tasks.task import as_task as as_task
    from bakeoff.tasks.task import simulated as simulated

_HOME = {
    "BakeoffError": "errors",
    "DegenerateError": "errors",
    "FailedCellsWarning": "errors",
    "InputError": "errors",
    "MisfitError": "errors",
    "UsageError": "errors",
    "conclude": "conduct.conclusion",
    "outlook": "conduct.outlook",
    "pilot": "conduct.outlook",
    "run_until_decided": "conduct.sequential",
    "critical_difference": "figures.critical_difference",
    "Finding": "inference.finding",
    "Advice": "judging",
    "Decision": "judging",
    "Order": "judging",
    "Verdict": "judging",
    "advise": "judging",
    "analyse": "judging",
    "judge": "judging",
    "multitest": "judging",
    "aggregate": "judging.aggregates",
    "judge_design": "judging.designed",
    "judge_factor": "judging.factors",
    "read_by_factor": "scores.reading",
    "calibrate": "calibration.calibrate",
    "Calibration": "calibration.apply",
    "published_results": "published",
    "regenerate": "published",
    "Power": "power_analysis.answer",
    "power": "power_analysis.power",
    "rate_interval": "judging.from_counts",
    "rejections": "power_analysis.rejections",
    "threshold_of": "judging.from_counts",
    "gate": "judging.gates",
    "Gate": "judging.gates",
    "first_place": "judging.first_place",
    "rank_votes": "judging.votes",
    "Learner": "learners.learner",
    "Measure": "measures",
    "explain": "judging.topics",
    "Layout": "scores",
    "Scores": "scores",
    "align": "scores",
    "layout": "scores",
    "read_scores": "scores",
    "read_study": "study.file",
    "read_verdict": "reports.files",
    "Study": "study.study",
    "Task": "tasks.task",
    "as_task": "tasks.task",
    "simulated": "tasks.task",
}

__all__ = ["__version__", *sorted(_HOME)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'bakeoff' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"bakeoff.{home}"), name)


def __dir__() -> list[str]:
    return list(__all__)
